"""What both kinetic tournaments have in common: a tree of matches, and which arms it waits for.

A tournament is a record with an array `nodes`, in which node k has the children 2 k and 2 k + 1 and
the second half are leaves, an array `memory`, and the methods `leaf`, `replay`, `champion` and
`touch`. An arm with a negative number of pulls is absent: it is not played.
"""

from __future__ import annotations

from math import inf
from typing import Any, TypeVar

import numpy as np

from .._numba.compile import Floats, lean, record
from ..families import Family
from ..policies.arms import ArmCount, Arms, Clock
from ..policies.base import Policy
from ..random import Draws

T = TypeVar("T")

UNTIL = 2  # the place in a node of the level (with lines, the scale) up to which it is certain

# Places in `memory`:
LAST = 0  # the level (scale) of the last choice; infinite if every match is to be played
UNPULLED = 1  # every arm before this one has a reward
CHANGED = 2  # the arm that changed last; -1 if there is none
ABSENT = 3  # how many arms are absent


def aligned(rows: int, columns: int) -> Floats:
    """An array that begins at a multiple of 128 bytes, where two adjacent cache lines do."""
    memory = np.zeros(rows * columns + 16)
    begin = -(memory.ctypes.data // memory.itemsize) % 16
    return memory[begin : begin + rows * columns].reshape(rows, columns)


@lean
def find(
    tournament: Any, policy: Policy, family: Family, arms: Arms, clock: Clock, rng: Draws
) -> int:
    """The arm to play: the first one without a reward, or else the winner of the tournament."""
    chosen: int = tournament.first_unpulled(arms)
    if chosen < 0:
        present = ArmCount(arms.n_arms() - int(tournament.memory[ABSENT]))
        level = policy.level(family, present, clock)
        tournament.replay(policy, family, arms, level)
        chosen = tournament.champion(rng)
        tournament.touch(chosen)
    return chosen


@lean
def failing(nodes: Floats, level: float) -> int:
    """A node that is not certain at this level (scale), while all nodes below it are."""
    k = 1
    while 2 * k < nodes.shape[0]:
        if nodes[2 * k, UNTIL] < level:
            k = 2 * k
        elif nodes[2 * k + 1, UNTIL] < level:
            k = 2 * k + 1
        else:
            return k
    return k


def restart(self: Any) -> None:
    """Forget everything; no arm has a reward now."""
    self.memory[LAST], self.memory[UNPULLED] = inf, 0.0
    self.memory[CHANGED], self.memory[ABSENT] = -1.0, 0.0


def changed(self: Any, i: int) -> None:
    """The statistics of arm i have changed: its matches must be played again."""
    earlier = int(self.memory[CHANGED])
    if earlier >= 0 and earlier != i:  # one arm is remembered; matches of others are marked
        k = self.leaf(earlier)
        while k > 0 and self.nodes[k, UNTIL] > -inf:
            self.nodes[k, UNTIL] = -inf
            k //= 2
    self.memory[CHANGED] = i


def skips_absent(self: Any) -> bool:
    """Yes: absent arms do not enter the tournament."""
    return True


def withdraw(self: Any, i: int) -> None:
    """Arm i, which has no reward, is absent: it is not played until it is back."""
    self.memory[ABSENT] += 1.0
    self.changed(i)


def bring_back(self: Any, i: int) -> None:
    """Arm i is present again."""
    self.memory[ABSENT] -= 1.0
    self.memory[UNPULLED] = min(self.memory[UNPULLED], i)
    self.changed(i)


def first_unpulled(self: Any, arms: Arms) -> int:
    """The first arm that has no reward yet, or -1."""
    i = int(self.memory[UNPULLED])
    while i < arms.n_arms() and arms.pulls[i] != 0.0:
        i += 1
    self.memory[UNPULLED] = i
    return i if i < arms.n_arms() else -1


_DEFAULTS = {
    each.__name__: each
    for each in (restart, changed, skips_absent, withdraw, bring_back, first_unpulled)
}


def kinetic(cls: type[T]) -> type[T]:
    """Make a NamedTuple class a record with the methods above."""
    return record(cls, _DEFAULTS)
