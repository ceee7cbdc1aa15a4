"""IMED by the empirical divergence, for rewards of any law below a known bound."""

from __future__ import annotations

from math import inf, log, log1p
from typing import NamedTuple, Protocol

from .._numba.compile import Floats, defaults_of, lean
from ..families import Family
from ..random import Draws
from ..special.grid import as_much, on_grid
from .arms import Arms, Clock
from .base import one_of_largest, policy
from .history import Capacity, KeepsRewards, note_each, size_of

_STEPS = 100  # of the search, at most; a bisection needs 53, Newton's steps about five
_CLOSE = 1e-9  # of c and of the way to the pole: where it ends; K, flat there, is off by its square


class Ended(Family, Protocol):
    """A family whose rewards have an upper end."""

    def largest_reward(self) -> float: ...


@lean
def empirical_divergence(rewards: Floats, mean: float, high: float) -> float:
    """The least divergence of the rewards' law from any law up to `high` with a mean from `mean`
    on, K_inf of Honda and Takemura (2010), by their dual:

        max over c in [0, 1] of the average of log(1 - c y),    y = (x - mean) / (high - mean).

    It is concave in c, with the slope -average of y / (1 - c y). If that is positive even at c = 1,
    where a reward at `high` makes it -inf, the maximum is there. If not, Newton's method finds it
    in a bracket, which is halved where a step would leave it. Near a pole of the slope, at 1 / y,
    steps are as short as the way to it; so they are measured by that.
    """
    n, width = rewards.size, high - mean
    total, highest = 0.0, -inf
    for k in range(n):
        total += rewards[k]
        highest = max(highest, rewards[k])
    if not total < n * mean or as_much(total, n * mean):
        return 0.0
    if not width > 0.0 or as_much(high, mean):
        return inf
    low, top, c, peak = 0.0, 1.0, 1.0, min((highest - mean) / width, 1.0)
    for step in range(_STEPS):
        slope, bend = 0.0, 0.0
        if c == 1.0 and peak == 1.0:
            slope = -inf
        else:
            for k in range(n):
                y = min((rewards[k] - mean) / width, 1.0)  # kept with rounding errors
                ratio = y / (1.0 - c * y)
                slope -= ratio
                bend += ratio * ratio
        if step == 0 and slope >= 0.0:
            break
        low, top = (c, top) if slope > 0.0 else (low, c)
        before, c = c, 0.5 * (low + top)
        if step > 0 and low < before + slope / bend < top:
            c = before + slope / bend
        if abs(c - before) <= _CLOSE * c * (1.0 - c * peak):
            break
    value = 0.0
    for k in range(n):
        value += log1p(-c * min((rewards[k] - mean) / width, 1.0))
    return max(value / n, 0.0)


@policy(needs=("largest_reward",), **defaults_of(KeepsRewards))
class EmpiricalIMED(NamedTuple):
    """IMED (Honda and Takemura 2015) by the rewards themselves: the arm with the smallest
    N_i K(F_i, max_j p_j) + log N_i, F_i the law of its rewards so far.

    K is the least divergence of F_i from a law that is as good as the best arm's mean and pays no
    more than the family's largest reward. It is asymptotically optimal for all laws on an interval:
    unlike `IMED` with `Bounded` it gains from rewards that vary little. For rewards that are 0 or 1
    both are the same.
    Scores are rounded to multiples of 2.3e-10 (`on_grid`), so that the order of rewards does not
    matter. A round takes some ten steps for each reward of each arm but the leader.
    memory: how many of an arm's rewards are kept, 8 bytes each; of more, a new one replaces the
    oldest, and K is that of those kept.

    >>> import numpy as np
    >>> round(empirical_divergence(np.array([0.0, 1.0, 0.0, 0.0]), 0.5, 1.0), 6)  # of coins
    0.130812
    """

    memory: Capacity = 20_000

    def choose(self, state: Floats, family: Ended, arms: Arms, clock: Clock, rng: Draws) -> int:
        size = size_of(self.memory)
        for i in range(arms.n_arms()):
            note_each(state, size * i, self.memory, arms.pulls[i], arms.sums[i])
        unpulled = arms.unpulled()
        if unpulled >= 0:
            return unpulled
        best, begin = arms.largest_mean(), size * arms.n_arms()
        scores = state[begin : begin + arms.n_arms()]
        for i in range(arms.n_arms()):
            scores[i] = -self.score(state, family, arms, i, best)
        return one_of_largest(scores, rng)

    def score(self, state: Floats, family: Ended, arms: Arms, i: int, best: float) -> float:
        """What is smallest for the arm to play."""
        n, base = float(arms.pulls[i]), size_of(self.memory) * i
        if not arms.mean(i) < best:
            return on_grid(log(n))
        kept = state[base + 2 : base + 2 + min(int(state[base]), self.memory)]
        return on_grid(n * empirical_divergence(kept, best, family.largest_reward()) + log(n))

    def scratch(self, family: Ended, n_arms: int) -> int:
        """The score of each arm."""
        return n_arms
