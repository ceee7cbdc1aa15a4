"""What snapshot mode asks of a storage: to append rows after whatever is the last, quickly."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from typing import Any, NamedTuple

from ..errors import RbmleError
from .rows import Kind, Row
from .upkeep import Statements


class Next(NamedTuple):
    """Rows of one experiment that were worked out from all rows up to `basis`. Their time is `at`,
    and their `seq` and, of decisions, `number` follow, as if no other came between. They are
    appended only if

    - no row after `basis` changes arms or ends the experiment, and no command has repaired it;
    - `keys`, the version of the keys, is the same;
    - `ids` are not those of decisions of other experiments;
    - their time, which is not before that of the row before, is before `until`, the first deadline
      of what is rewarded.
    """

    experiment: int
    basis: int
    rows: list[Row]
    at: float
    repairs: int
    keys: int
    ids: list[str]
    until: float = inf

    def after(self, others: Sequence[Row]) -> list[Row]:
        """The rows as they come after others."""
        if not others:
            return self.rows
        made = sum(row.kind == Kind.DECISION for row in others)
        at = max(self.at, others[-1].at)
        return [
            row._replace(
                seq=row.seq + len(others), at=at,
                number=(row.number or 0) + made * (row.kind == Kind.DECISION),
            )
            for row in self.rows
        ]  # fmt: skip


class NextRows(Statements):
    """A part of every storage.

    duplicates: what the database raises if a row is there already. among: how it says that a value
    is one of a list, which `_listed` makes.
    """

    duplicates: tuple[type[Exception], ...]
    among: str

    @property
    def _unchanged(self) -> str:
        """What must be true of a `Next`, beside its rows: see `_conditions`."""
        return f"""EXISTS (SELECT 1 FROM experiments WHERE number = ? AND repairs = ?)
            AND EXISTS (SELECT 1 FROM counters WHERE name = 'keys' AND value = ?)
            AND NOT EXISTS (SELECT 1 FROM log WHERE id {self.among} AND id IS NOT NULL
            AND experiment != ?)"""

    def _conditions(self, each: Next) -> list[Any]:
        number = each.experiment
        return [number, each.repairs, each.keys, self._listed(each.ids), number]

    @abstractmethod
    def _listed(self, values: Sequence[Any]) -> Any:
        """These values as one value of a statement."""

    @abstractmethod
    def append_next(self, wanted: Sequence[Next], generation: int) -> list[list[Row] | None]:
        """Append rows in one transaction, which locks their experiments for no longer.

        Returns for each all rows after its basis, in order, its own at the end; or None if its
        conditions do not hold. If one row is there already, or the database was opened again since
        `generation`, nothing is appended. wanted: in the order of their experiments.
        """

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
