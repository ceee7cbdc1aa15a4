"""Non-parametric Thompson sampling: the rewards themselves, weighed at random."""

from __future__ import annotations

from typing import NamedTuple

from .._numba.compile import Floats, defaults_of
from ..random import Draws
from ..special.grid import as_much
from .arms import Arms, Clock
from .base import one_of_largest, policy
from .empirical import Ended
from .history import Capacity, KeepsRewards, note_each, size_of


@policy(needs=("largest_reward",), **defaults_of(KeepsRewards))
class NPTS(NamedTuple):
    """Non-parametric Thompson sampling (Riou and Honda 2020), for rewards up to a known bound: the
    arm with the largest w_0 b + w_1 x_1 + ... + w_n x_n, where b is the family's largest reward, x
    are the arm's rewards, and the weights w are drawn uniformly among those that add up to 1.

    It is asymptotically optimal for all laws on an interval. For rewards that are 0 or 1 it is
    Thompson sampling with the prior Beta(1, 0). Arms that have always paid b tie: one of them is
    drawn by lot. A round takes a step for each reward of each arm.
    memory: how many of an arm's rewards are kept, 8 bytes each; of more, a new one replaces
    another.

    >>> import numpy as np
    >>> from rbmle import Arms, Bernoulli, Clock
    >>> from rbmle.random import Draws
    >>> policy, rng = NPTS(memory=10), Draws(1, 0, 0, 41, True)
    >>> arms = Arms(np.array([20.0, 20.0]), np.array([1.0, 18.0]), np.array([1.0, 18.0]))
    >>> state = np.zeros(policy.remembers(2) + policy.scratch(Bernoulli(), 2))
    >>> policy.choose(state, Bernoulli(), arms, Clock(41, 0), rng)
    1
    """

    memory: Capacity = 20_000

    def choose(self, state: Floats, family: Ended, arms: Arms, clock: Clock, rng: Draws) -> int:
        size, high = size_of(self.memory), family.largest_reward()
        for i in range(arms.n_arms()):
            note_each(state, size * i, self.memory, arms.pulls[i], arms.sums[i])
        unpulled = arms.unpulled()
        if unpulled >= 0:
            return unpulled
        draws = state[size * arms.n_arms() : (size + 1) * arms.n_arms()]
        for i in range(arms.n_arms()):
            cell, base = rng.cell(i), size * i
            weight = cell.exponential(0)
            total, weights = weight * high, weight
            for k in range(min(int(state[base]), self.memory)):
                weight = cell.exponential(1 + k)
                total += weight * state[base + 2 + k]
                weights += weight
            always = as_much(arms.sums[i], high * arms.pulls[i])
            draws[i] = high if always else total / weights
        return one_of_largest(draws, rng)

    def scratch(self, family: Ended, n_arms: int) -> int:
        """The draw of each arm."""
        return n_arms

    def samples_posteriors(self) -> bool:
        return True
