"""What choosers with one line for each arm have in common: which lines are to be drawn anew, and
which are highest.

Such a chooser is a record with an array `memory`, a method `value`, that of an arm's line at some
place, and a method `find`, the arm to play, or -1 if a scan must find it. `Ceilings` and
`Contenders`, which keeps other numbers of an arm than a line, have a `pick` of their own.
"""

from __future__ import annotations

from math import inf
from typing import Any, TypeVar

from .._numba.compile import Floats, lean, record
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws

T = TypeVar("T")

# Places in the chooser's `memory`:
CHANGED = 0  # the arm whose line is to be drawn anew; -1 if there is none
EVERY = 1  # 1 if that is so for every arm, or if an arm may be without a reward; else 0


@lean
def highest(lines: Any, at: float, n_arms: int) -> tuple[int, float, float]:
    """The first of the highest lines, its value and that of the second highest, at this place."""
    top, best, second = 0, -inf, -inf
    for i in range(n_arms):  # no branch on who leads: a processor could not predict it
        value = lines.value(i, at)
        lower = value if value < best else best
        second = lower if lower > second else second
        top = i if value > best else top
        best = value if value > best else best
    return top, best, second


@lean
def found(lines: Any, policy: Policy, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
    """The arm to play; -1 if a scan must find it."""
    return int(lines.find(policy, family, arms, clock, rng)) if lines.ready(arms) else -1


def pick(
    self: Any, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
) -> int:
    """The arm to play: the one that a scan finds."""
    chosen = found(self, policy, family, arms, clock, rng)
    return chosen if chosen >= 0 else policy.choose(state, family, arms, clock, rng)


def places(self: Any) -> int:
    """How many lines there are."""
    return int(self.height.size)


def restart(self: Any) -> None:
    """Forget everything."""
    self.memory[CHANGED], self.memory[EVERY] = -1.0, 1.0


def changed(self: Any, i: int) -> None:
    """The statistics of arm i have changed."""
    if self.memory[CHANGED] >= 0.0 and self.memory[CHANGED] != i:  # only one is remembered
        self.memory[EVERY] = 1.0
    self.memory[CHANGED] = i


def skips_absent(self: Any) -> bool:
    """No: it is given only the arms that are present."""
    return False


def withdraw(self: Any, i: int) -> None:
    """Draw every line anew when arms are all present again; until then there is a scan."""
    self.memory[EVERY] = 1.0


def bring_back(self: Any, i: int) -> None:
    """As for `withdraw`."""
    self.memory[EVERY] = 1.0


def ready(self: Any, arms: Arms) -> bool:
    """Whether every arm has a line, or a reward from which its line can be drawn."""
    i = int(self.memory[CHANGED])
    if self.memory[EVERY] != 0.0 or (i >= 0 and not arms.pulls[i] > 0.0):
        self.memory[EVERY] = 1.0
        # If some arms are absent, the places of the others are not those of the lines.
        return arms.n_arms() == self.places() and arms.unpulled() < 0
    return True


def refresh(self: Any, family: Family, arms: Arms, level: float) -> None:
    """Draw the lines that are to be drawn anew."""
    i = int(self.memory[CHANGED])
    if self.memory[EVERY] != 0.0:
        for j in range(arms.n_arms()):
            self.draw(family, arms, j, level)
    elif i >= 0:
        self.draw(family, arms, i, level)
    self.memory[CHANGED], self.memory[EVERY] = -1.0, 0.0


_DEFAULTS = {
    each.__name__: each
    for each in (
        pick, places, restart, changed, skips_absent, withdraw, bring_back, ready, refresh
    )
}  # fmt: skip


def redrawn(cls: type[T]) -> type[T]:
    """Make a NamedTuple class a record with the methods above."""
    return record(cls, _DEFAULTS)
