"""What snapshot mode asks of a storage: to append rows after whatever is the last, quickly."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import RbmleError
from .rows import Row

# Something if the rows of `append_next` must not be appended.
CHANGED = (
    "SELECT 1 FROM log WHERE experiment = ? AND seq > ? AND kind > 3 "
    "UNION ALL SELECT 1 FROM experiments WHERE number = ? AND repairs != ?"
)
# The last row, and what the last decision has for its `number`.
LAST = (
    "SELECT seq, at, (SELECT number FROM log WHERE experiment = ? AND kind = 1 "
    "ORDER BY seq DESC LIMIT 1) FROM log WHERE experiment = ? ORDER BY seq DESC LIMIT 1"
)


class NextRows(ABC):
    """A part of every storage. duplicates: what the database raises if a row is there already."""

    duplicates: tuple[type[Exception], ...]

    @abstractmethod
    def _ask(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Run a statement and return its rows."""

    @abstractmethod
    def append_next(self, rows: Sequence[Row], at: float, basis: int, repairs: int) -> bool:
        """Append rows of one experiment in a transaction of its own, which locks it for no longer.

        Their `seq` and, of decisions, their `number` count from the last ones. Nothing is appended,
        and False returned, if one of them is there already, a row after `basis` changes arms or
        ends the experiment, or a command has repaired it.
        """

    @abstractmethod
    def closed(self, experiment: int, seqs: Sequence[int]) -> set[int]:
        """Those of the decisions at these places that have an outcome."""

    def bases(self, experiment: int) -> dict[int, int]:
        """The rows that decisions name as their basis, and the last decision that names each."""
        asked = "SELECT basis, max(seq) FROM log WHERE experiment = ? AND basis IS NOT NULL"
        return dict(self._ask(f"{asked} GROUP BY basis", [experiment]))

    @contextmanager
    def _unless_there(self) -> Iterator[None]:
        """Go on after the `with` if a row that it writes is there already."""
        try:
            yield
        except RbmleError as problem:
            if not isinstance(problem.__context__, self.duplicates):
                raise
