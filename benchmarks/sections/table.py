"""The records of a measurement: ours and a reference by turns, their ratio and its target."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rbmle.errors import RbmleError
from rbmle.timing import Recording


class UnavailableError(RbmleError):
    """A section cannot be measured, because this machine lacks what it needs."""


class Effort(NamedTuple):
    """How thorough a measurement is. repeats: turns. quick: smaller sizes."""

    repeats: int = 5
    quick: bool = False

    def size(self, whole: int, quick: int) -> int:
        """The size to use: `whole`, or the smaller `quick`."""
        return quick if self.quick else whole


class Turns(NamedTuple):
    """What ours and the reference took in each turn. They alternate, so noise hits both alike."""

    ours: tuple[float, ...]
    reference: tuple[float, ...]


def wall_seconds(work: Callable[[], object]) -> float:
    """The elapsed time of some work, for work on several threads or in other processes."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def by_turns(ours: Callable[[], float], reference: Callable[[], float], repeats: int) -> Turns:
    """Call two functions that measure, in turn, `repeats` times each."""
    pairs = [(ours(), reference()) for _ in range(repeats)]
    return Turns(*zip(*pairs, strict=True))


def choosing_by_turns(ours: Recording, reference: Recording, repeats: int) -> Turns:
    """Seconds per decision of two recorded runs, for choosing alone, by turns."""
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
    ratio: the ratio of these two. least, largest: over the ratios of single turns.
    at_most, at_least: the target for the ratio, if there is one.
    check: what else was compared, in words. holds: whether that comparison succeeded.
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
        """A line whose ratio is ours / reference: smaller is better."""
        ratios = [a / b for a, b in zip(turns.ours, turns.reference, strict=True)]
        return cls._of(name, turns, unit, min(turns.ours) / min(turns.reference), ratios, more)

    @classmethod
    def speedup(cls, name: str, turns: Turns, unit: str = "s", **more: Any) -> Line:
        """A line whose ratio is reference / ours: larger is better."""
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
        """The target as text; empty if there is none."""
        if self.at_most is not None:
            return f"<= {self.at_most:g}"
        return "" if self.at_least is None else f">= {self.at_least:g}"

    @property
    def met(self) -> bool | None:
        """Whether the target is met and the check holds; None if the check holds and there is no
        target."""
        if not self.holds:
            return False
        if self.at_most is not None:
            return self.ratio <= self.at_most
        return None if self.at_least is None else self.ratio >= self.at_least

    def data(self) -> dict[str, Any]:
        """The line as plain data."""
        return {**self._asdict(), "target": self.target, "met": self.met}


class BenchTable(NamedTuple):
    """The table of one section. ours, reference, ratio: the heads of these columns."""

    title: str
    ours: str
    reference: str
    ratio: str
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()

    def missed(self) -> list[Line]:
        """The lines whose target is missed or whose check fails."""
        return [line for line in self.lines if line.met is False]

    def data(self) -> dict[str, Any]:
        """The table as plain data."""
        return {**self._asdict(), "lines": [line.data() for line in self.lines]}
