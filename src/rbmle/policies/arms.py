"""What a policy sees: the statistics of each arm, the round and the horizon."""

from __future__ import annotations

from math import inf, log
from typing import NamedTuple, TypeAlias

import numpy as np

from .._numba.compile import Floats, lean, njit, record
from .._numba.guards import read_only

Name: TypeAlias = str | int  # of an arm, live and in logs; in a simulation its place


@njit
def origin_of(reward: float) -> float:
    """The origin about which an arm's squares are taken, given its first reward.

    It is that reward, so that squares keep their digits however far from 0 the rewards are. For a
    whole number up to 1024 it is 0: the squares of such numbers are exact anyway, and arms with the
    same rewards in another order then have exactly the same statistics.
    """
    return 0.0 if abs(reward) <= 1024.0 and reward % 1.0 == 0.0 else reward


@record
class Arms(NamedTuple):
    """The statistics of all arms.

    pulls: the numbers of pulls N_i. sums: the sums of rewards S_i. squares: the sums of squared
    distances of rewards from `origins`. origins: empty if all are 0.

    >>> arms = Arms.fresh(2)
    >>> arms.learn(0, 1.0)
    >>> arms.learn(0, 0.0)
    >>> arms.mean(0), int(arms.pulls[0])
    (0.5, 2)
    """

    pulls: Floats
    sums: Floats
    squares: Floats
    origins: Floats = np.zeros(0)

    @classmethod
    def fresh(cls, n_arms: int) -> Arms:
        """Arms that have not been pulled."""
        return cls(np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms))

    def restart(self) -> None:
        """Forget every pull."""
        for i in range(self.pulls.size):
            self.pulls[i] = self.sums[i] = self.squares[i] = 0.0

    def n_arms(self) -> int:
        """The number of arms, N in the paper."""
        return self.pulls.size

    def mean(self, i: int) -> float:
        """The empirical mean p_i = S_i / N_i."""
        return float(self.sums[i] / self.pulls[i])

    def largest_mean(self) -> float:
        """The largest empirical mean of the arms that have a reward; -inf if none has."""
        best = -inf
        for i in range(self.pulls.size):
            if self.pulls[i] > 0.0:
                best = max(best, self.mean(i))
        return best

    def origin(self, i: int) -> float:
        """The number about which the squares of arm i are taken."""
        return float(self.origins[i]) if len(self.origins) > 0 else 0.0

    def variance(self, i: int) -> float:
        """The empirical variance of arm i's rewards; infinite if their squares overflow."""
        squares, away = float(self.squares[i] / self.pulls[i]), self.mean(i) - self.origin(i)
        return max(squares - away * away, 0.0) if squares < inf else inf

    def shown(self) -> Arms:
        """The same statistics, to be read only."""
        return Arms(
            read_only(self.pulls), read_only(self.sums), read_only(self.squares),
            read_only(self.origins),
        )  # fmt: skip

    def unpulled(self) -> int:
        """The first arm that has no reward yet, or -1."""
        for i in range(self.pulls.size):
            if self.pulls[i] == 0.0:
                return i
        return -1

    def learn(self, i: int, reward: float) -> None:
        """Add one reward of arm i to the statistics."""
        if self.pulls[i] == 0.0 and len(self.origins) > 0:
            self.origins[i] = origin_of(reward)
        away = reward - self.origin(i)
        self.pulls[i] += 1.0
        self.sums[i] += reward
        self.squares[i] += away * away


@record
class ArmCount(NamedTuple):
    """Only the number of arms, in place of `Arms`, for a `level` that reads no statistics.

    A `level` that does read statistics fails on it, in the interpreter and in the compiler.
    """

    total: int

    def n_arms(self) -> int:
        """The number of arms."""
        return self.total


@record
class Clock(NamedTuple):
    """The round t = 1, 2, ..., and the horizon T, which is 0 for policies that do not need it.

    >>> Clock(t=3, horizon=10).left()
    7.0
    """

    t: int
    horizon: int

    def log_t(self) -> float:
        """log t, the level of most policies."""
        return log(self.t)

    def left(self) -> float:
        """T - t, the rounds to come after this one."""
        return float(self.horizon - self.t)

    def after(self, rounds: int, last: int) -> Clock:
        """So many rounds later, but not after round `last`; the horizon moves with it."""
        more = min(last, self.t + rounds) - self.t
        return Clock(self.t + more, self.horizon + more if self.horizon > 0 else 0)


@lean  # by `njit` it would count references wherever its first caller did, and that is kept on disk
def same_past(arms: Arms, i: int, j: int) -> bool:
    """Whether two arms have the same pulls and sums."""
    return bool(arms.pulls[i] == arms.pulls[j] and arms.sums[i] == arms.sums[j])
