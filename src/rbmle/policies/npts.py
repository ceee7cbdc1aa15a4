"""Non-parametric Thompson sampling: the rewards themselves, weighed at random."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from .._numba.compile import Floats
from ..random import Draws
from .arms import Arms, Clock
from .base import policy
from .empirical import Ended
from .history import Capacity, note_each, size_of


@policy(needs=("largest_reward",))
class NPTS(NamedTuple):
    """Non-parametric Thompson sampling (Riou and Honda 2020), for rewards up to a known bound: the
    arm with the largest w_0 b + w_1 x_1 + ... + w_n x_n, where b is the family's largest reward, x
    are the arm's rewards, and the weights w are drawn uniformly among those that add up to 1.

    It is asymptotically optimal for all laws on an interval. For rewards that are 0 or 1 it is
    Thompson sampling with the prior Beta(1, 0). A round takes a step for each reward of each arm.
    memory: how many of an arm's rewards are kept, 8 bytes each; of more, a new one replaces
    another.

    >>> NPTS(memory=1_000)
    NPTS(memory=1000)
    """

    memory: Capacity = 20_000

    def choose(self, state: Floats, family: Ended, arms: Arms, clock: Clock, rng: Draws) -> int:
        for i in range(arms.n_arms()):
            note_each(state, self.place(i), self.memory, arms.pulls[i], arms.sums[i])
        unpulled = arms.unpulled()
        if unpulled >= 0:
            return unpulled
        best, chosen = -inf, 0
        for i in range(arms.n_arms()):
            cell, base = rng.cell(i), self.place(i)
            weight = cell.exponential(0)
            total, weights = weight * family.largest_reward(), weight
            for k in range(min(int(state[base]), self.memory)):
                weight = cell.exponential(1 + k)
                total += weight * state[base + 2 + k]
                weights += weight
            if total / weights > best:
                best, chosen = total / weights, i
        return chosen

    def place(self, i: int) -> int:
        """Where the numbers of arm i begin."""
        return size_of(self.memory) * i

    def remembers(self, n_arms: int) -> int:
        return size_of(self.memory) * n_arms

    def samples_posteriors(self) -> bool:
        return True
