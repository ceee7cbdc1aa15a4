"""What is used most: the largest mean, with some exploration at random or before all else."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np

from .._numba.compile import Floats, lean
from ..families import Family
from ..random import Draws
from ..special.grid import as_much
from .arms import Arms, Clock
from .base import one_of_largest, policy


@lean
def largest_mean(room: Floats, arms: Arms, rng: Draws) -> int:
    """The arm with the largest mean; of several, whose means may differ by rounding (`as_much`),
    one by lot. Whether an arm is one of them is put into `room`."""
    among, best = room[: arms.n_arms()], arms.largest_mean()
    for i in range(arms.n_arms()):
        among[i] = 1.0 if as_much(arms.mean(i), best) else 0.0
    return one_of_largest(among, rng)


def a_number_each(self: object, family: Family, n_arms: int) -> int:
    """The `scratch` of policies that call `largest_mean`."""
    return n_arms


def of_largest_mean(arms: Arms, ties: bool) -> Floats:
    """The probability with which `largest_mean` is each arm."""
    means, top = arms.sums / arms.pulls, arms.largest_mean()
    best = np.array([as_much(each, top) for each in means.tolist()])
    if not ties:
        best[best.argmax() + 1 :] = False
    return np.asarray(best / best.sum())


@policy(scratch=a_number_each)
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
        return largest_mean(state, arms, rng)

    def propensities(
        self, state: Floats, family: Family, arms: Arms, clock: Clock, ties: bool
    ) -> Floats:
        share = self.share(arms, clock)
        return np.asarray(share / arms.n_arms() + (1.0 - share) * of_largest_mean(arms, ties))

    def settles(self) -> bool:
        return self.c > 0.0


@policy(scratch=a_number_each)
class ExploreThenCommit(NamedTuple):
    """Explore, then commit (Robbins 1952): each arm m times, then for good the one with the largest
    mean.

    It remembers which arm that is, also while others are the only candidates. If an arm has fewer
    than m pulls again, as a new one has, it is explored, and the choice is made anew.
    m: in [1, 10^9]. Of the order (sd / gap)^2 log T it has little regret (Garivier, Lattimore and
    Kaufmann 2016), but the gap is not known; and the best arm may be lost for good.

    >>> from rbmle import Bernoulli
    >>> ExploreThenCommit(2).probabilities(Bernoulli(), pulls=[2, 2], sums=[1.0, 2.0])
    array([0., 1.])
    """

    m: Annotated[int, "[1, 1e9]"] = 10

    def unexplored(self, arms: Arms) -> int:
        """The arm with the fewest pulls, if they are fewer than m, else -1."""
        fewest = 0
        for i in range(1, arms.n_arms()):
            fewest = i if arms.pulls[i] < arms.pulls[fewest] else fewest
        return fewest if arms.pulls[fewest] < self.m else -1

    def committed(self, state: Floats, arms: Arms) -> int:
        """The arm that was committed to, the first of several, or -1."""
        found = -1
        for i in range(arms.n_arms()):
            if state[i] > 0.0 and (found < 0 or state[i] < state[found]):
                found = i
        return found

    def choose(self, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
        explored = self.unexplored(arms)
        if explored >= 0:
            for i in range(arms.n_arms()):
                state[i] = 0.0
            return explored
        found = self.committed(state, arms)
        if found < 0:
            found = largest_mean(state[arms.n_arms() :], arms, rng)
            state[found] = clock.t
        return found

    def propensities(
        self, state: Floats, family: Family, arms: Arms, clock: Clock, ties: bool
    ) -> Floats:
        explored = self.unexplored(arms)
        found = explored if explored >= 0 else self.committed(state, arms)
        return np.eye(arms.n_arms())[found] if found >= 0 else of_largest_mean(arms, ties)

    def remembers(self, n_arms: int) -> int:
        """Of each arm, the round in which it was committed to."""
        return n_arms

    def settles(self) -> bool:
        return False
