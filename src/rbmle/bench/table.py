"""What a measurement says: ours and a reference by turns, their ratio, its spread, a target."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..errors import RbmleError
from ..timing import Recording


class UnavailableError(RbmleError):
    """What a section needs is not on this machine."""


class Effort(NamedTuple):
    """How much work a measurement may be."""

    repeats: int = 5
    quick: bool = False

    def size(self, whole: int, quick: int) -> int:
        """One of two sizes of the same work."""
        return quick if self.quick else whole


class Turns(NamedTuple):
    """What ours and the reference took, turn by turn: the same noise meets both."""

    ours: tuple[float, ...]
    reference: tuple[float, ...]


def wall_seconds(work: Callable[[], object]) -> float:
    """How long something takes by the clock on the wall: for several threads or processes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def by_turns(ours: Callable[[], float], reference: Callable[[], float], repeats: int) -> Turns:
    """Call two functions that measure, one after the other, so many times."""
    pairs = [(ours(), reference()) for _ in range(repeats)]
    return Turns(*zip(*pairs, strict=True))


def choosing_by_turns(ours: Recording, reference: Recording, repeats: int) -> Turns:
    """Seconds per decision, choosing only, of two recorded runs."""
    runs = (ours, reference)
    taken = [
        [run.seconds(choosing) for run in runs for choosing in (True, False)]
        for _ in range(repeats)
    ]
    mine, without, its, without_it = zip(*taken, strict=True)
    return Turns(
        tuple(ours.per_decision(mine, without)), tuple(reference.per_decision(its, without_it))
    )


class Line(NamedTuple):
    """One line of the table.

    ours, reference: the least of all turns, in `unit`: "s" or "B" (bytes).
    ratio: of these two; least, largest: of the ratios of single turns.
    at_most, at_least: the target, if there is one.
    check: what else was compared, in words; holds: whether it was as it should be.
    """

    name: str
    ours: float
    reference: float
    unit: str
    ratio: float
    least: float
    largest: float
    at_most: float | None = None
    at_least: float | None = None
    check: str = ""
    holds: bool = True

    @classmethod
    def slowdown(cls, name: str, turns: Turns, unit: str = "s", **more: Any) -> Line:
        """Ours in units of the reference: less is better."""
        ratios = [a / b for a, b in zip(turns.ours, turns.reference, strict=True)]
        return cls._of(name, turns, unit, min(turns.ours) / min(turns.reference), ratios, more)

    @classmethod
    def speedup(cls, name: str, turns: Turns, unit: str = "s", **more: Any) -> Line:
        """The reference in units of ours: more is better."""
        ratios = [b / a for a, b in zip(turns.ours, turns.reference, strict=True)]
        return cls._of(name, turns, unit, min(turns.reference) / min(turns.ours), ratios, more)

    @classmethod
    def _of(
        cls, name: str, turns: Turns, unit: str, ratio: float, each: Sequence[float], more: Any
    ) -> Line:
        ours, reference = min(turns.ours), min(turns.reference)
        return cls(name, ours, reference, unit, ratio, min(each), max(each), **more)

    @property
    def target(self) -> str:
        """The target in words, empty where there is none."""
        if self.at_most is not None:
            return f"<= {self.at_most:g}"
        return "" if self.at_least is None else f">= {self.at_least:g}"

    @property
    def met(self) -> bool | None:
        """Whether the target is met and the check holds; None without a target, if it holds."""
        if not self.holds:
            return False
        if self.at_most is not None:
            return self.ratio <= self.at_most
        return None if self.at_least is None else self.ratio >= self.at_least

    def data(self) -> dict[str, Any]:
        return {**self._asdict(), "target": self.target, "met": self.met}


class BenchTable(NamedTuple):
    """The lines of one question. ours, reference, ratio: what those columns are here."""

    title: str
    ours: str
    reference: str
    ratio: str
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()

    def missed(self) -> list[Line]:
        return [line for line in self.lines if line.met is False]

    def data(self) -> dict[str, Any]:
        return {**self._asdict(), "lines": [line.data() for line in self.lines]}
