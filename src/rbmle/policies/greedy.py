"""What is used most: the largest mean, with some exploration at random or before all else."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from .._numba.compile import Floats, njit
from ..families import Family
from ..random import Draws
from .arms import Arms, Clock
from .base import policy


@njit
def largest_mean(arms: Arms, rng: Draws) -> int:
    """The arm with the largest mean; of several, one by lot."""
    first, ties = 0, 1
    for i in range(1, arms.n_arms()):
        if arms.mean(i) > arms.mean(first):
            first, ties = i, 1
        elif arms.mean(i) == arms.mean(first):
            ties += 1
    left, i = rng.among(ties), first
    while left > 0:
        i += 1
        left -= 1 if arms.mean(i) == arms.mean(first) else 0
    return i


def of_largest_mean(arms: Arms, ties: bool) -> Floats:
    """The probability with which `largest_mean` is each arm."""
    means = arms.sums / arms.pulls
    best = means == means.max()
    if not ties:
        best[best.argmax() + 1 :] = False
    return np.asarray(best / best.sum())


@policy
class EpsilonGreedy(NamedTuple):
    """Epsilon-greedy (Watkins 1989): any arm with probability epsilon, else the one with the
    largest mean.

    epsilon: in [0, 1]. Its regret is linear: it explores for ever.
    c: if it is above 0, epsilon_t = min(1, c K / t) is used instead, K the number of arms, whose
    regret is logarithmic if c is large enough (Auer, Cesa-Bianchi and Fischer 2002, Theorem 3, with
    c / d^2 in place of c, where d is at most the smallest gap).

    >>> EpsilonGreedy(0.1).probabilities("bernoulli", pulls=[8, 5], sums=[4, 4])
    array([0.05, 0.95])
    """

    epsilon: Annotated[float, "[0, 1]"] = 0.1
    c: Annotated[float, "[0, inf)"] = 0.0

    def share(self, arms: Arms, clock: Clock) -> float:
        """The probability to explore."""
        return min(1.0, self.c * arms.n_arms() / clock.t) if self.c > 0.0 else self.epsilon

    def choose(self, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
        unpulled = arms.unpulled()
        if unpulled >= 0:
            return unpulled
        explores, which = rng.cell(0).pair(0)
        if explores < self.share(arms, clock):
            return min(int(which * arms.n_arms()), arms.n_arms() - 1)
        return largest_mean(arms, rng)

    def propensities(
        self, state: Floats, family: Family, arms: Arms, clock: Clock, ties: bool
    ) -> Floats:
        share = self.share(arms, clock)
        return np.asarray(share / arms.n_arms() + (1.0 - share) * of_largest_mean(arms, ties))

    def settles(self) -> bool:
        return self.c > 0.0


@policy
class ExploreThenCommit(NamedTuple):
    """Explore, then commit (Robbins 1952): each arm m times, then for good the one with the largest
    mean.

    m: in [1, 10^9]. Of the order (sd / gap)^2 log T it has little regret (Garivier, Lattimore and
    Kaufmann 2016), but the gap is not known; and the best arm may be lost for good.

    >>> from rbmle import Bernoulli
    >>> ExploreThenCommit(2).probabilities(Bernoulli(), pulls=[2, 2], sums=[1.0, 2.0])
    array([0., 1.])
    """

    m: Annotated[int, "[1, 1e9]"] = 10

    def candidate(self, arms: Arms) -> int:
        """The arm that is to be explored, or was committed to; -1 if one is to be committed to."""
        fewest, most = 0, 0
        for i in range(1, arms.n_arms()):
            fewest = i if arms.pulls[i] < arms.pulls[fewest] else fewest
            most = i if arms.pulls[i] > arms.pulls[most] else most
        if arms.pulls[fewest] < self.m:
            return fewest
        return most if arms.pulls[most] > self.m else -1

    def choose(self, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
        found = self.candidate(arms)
        return found if found >= 0 else largest_mean(arms, rng)

    def propensities(
        self, state: Floats, family: Family, arms: Arms, clock: Clock, ties: bool
    ) -> Floats:
        found = self.candidate(arms)
        return np.eye(arms.n_arms())[found] if found >= 0 else of_largest_mean(arms, ties)

    def settles(self) -> bool:
        return False
