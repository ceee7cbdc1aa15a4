"""What a policy may know: the statistics of each arm, and what time it is."""

from __future__ import annotations

from math import inf, log
from typing import NamedTuple

import numpy as np

from .._compile import Floats, njit, record


@njit
def origin_of(reward: float) -> float:
    """What an arm's squares are taken about, from its first reward: that reward, so that they keep
    their digits however far from 0 rewards lie; 0 for a small whole number, whose squares are
    exact anyway, so that arms with the same counts stay exactly alike."""
    return 0.0 if abs(reward) <= 1024.0 and reward % 1.0 == 0.0 else reward


@record
class Arms(NamedTuple):
    """The past, arm by arm: numbers of pulls N_i, sums of rewards S_i, and sums of their squared
    distances from `origins` (empty for squares about 0)."""

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

    def origin(self, i: int) -> float:
        """What the squares of arm i are taken about."""
        return float(self.origins[i]) if self.origins.size > 0 else 0.0

    def variance(self, i: int) -> float:
        """The empirical variance of arm i's rewards, about their mean; infinite where their
        squares overflow."""
        squares, away = float(self.squares[i] / self.pulls[i]), self.mean(i) - self.origin(i)
        return max(squares - away * away, 0.0) if squares < inf else inf

    def unpulled(self) -> int:
        """The first arm that has no reward yet, or -1."""
        for i in range(self.pulls.size):
            if self.pulls[i] == 0.0:
                return i
        return -1

    def learn(self, i: int, reward: float) -> None:
        """Learn one reward of arm i."""
        if self.pulls[i] == 0.0 and self.origins.size > 0:
            self.origins[i] = origin_of(reward)
        away = reward - self.origin(i)
        self.pulls[i] += 1.0
        self.sums[i] += reward
        self.squares[i] += away * away


@record
class ArmCount(NamedTuple):
    """How many arms there are and nothing else: `Arms` for a level that reads no statistics.

    A level that does read them fails on it, in the interpreter and when it is compiled.
    """

    total: int

    def n_arms(self) -> int:
        """The number of arms."""
        return self.total


@record
class Clock(NamedTuple):
    """The round t = 1, 2, ...; and the horizon T, for rules that say they need it (else 0)."""

    t: int
    horizon: int

    def log_t(self) -> float:
        """log t, the level of most indices."""
        return log(self.t)

    def left(self) -> float:
        """T - t, the rounds to come after this one."""
        return float(self.horizon - self.t)
