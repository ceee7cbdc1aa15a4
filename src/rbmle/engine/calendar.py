"""The calendar of a simulation: which rewards come after which round.

A pull is known by its round. The pulls whose rewards come after the same round are a ring: each
names the next one, and `ends` names the last of them, whose next one is the first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, record
from ..random import delay_cell, key
from ..rewards.delays import Arrivals, Delay
from .game import LOST, NOTHING, PENDING, Game, Pull, Rules


@record
class NoCalendar(NamedTuple):
    """Rewards come at once."""

    none: int = 0

    def restart(self) -> None:
        """Nothing to do."""

    def expire(self, rules: Rules, game: Game, t: int) -> None:
        """Nothing to do."""

    def pulled(
        self, rules: Rules, game: Game, replication: int, t: int, i: int, reward: float
    ) -> None:
        """Arm i was pulled: learn its reward. -1: none was, because a budget is spent."""
        if i >= 0:
            rules.observe(game, Pull(i, PENDING, NOTHING), reward)
            rules.charge(game, replication, t, i)


@record
class Calendar(NamedTuple):
    """Pulls without a reward, by the round after which their rewards come.

    arrivals: when they come. arms, following, rewards, imputed: for each of the last rounds, the
    arm that was pulled (-1 once its reward has come), the next round in its ring, the reward, and
    the reward that is imputed until then. ends: for each of the coming rounds, the last round of
    its ring, 0 if there is none.
    """

    arrivals: Arrivals
    key0: int
    key1: int
    patience: int
    arms: NDArray[np.int64]
    following: NDArray[np.int64]
    ends: NDArray[np.int64]
    rewards: Floats
    imputed: Floats

    @classmethod
    def of(cls, arrivals: Arrivals, seed: int, patience: int, horizon: int) -> Calendar:
        """An empty calendar that is long enough for any delay: at most as long as the horizon."""
        longest = min(arrivals.longest(), horizon)
        never_too_late = arrivals.lost == 0.0 and longest < patience
        rounds = longest if never_too_late else min(max(longest, patience), horizon)
        return cls(
            arrivals, *key(seed), patience, np.zeros(rounds + 1, np.int64),
            np.zeros(rounds + 1, np.int64), np.zeros(longest + 1, np.int64),
            np.zeros(rounds + 1), np.zeros(rounds + 1),
        )  # fmt: skip

    def restart(self) -> None:
        """Forget every pull."""
        for k in range(self.arms.size):
            self.arms[k] = -1
        for k in range(self.ends.size):
            self.ends[k] = 0

    def put(self, replication: int, t: int, i: int, reward: float) -> int:
        """Schedule the reward of arm i, pulled in round t; returns its delay in rounds."""
        size = self.arms.size
        self.arms[t % size] = i
        self.rewards[t % size] = reward
        late = self.arrivals.comes_after(t, delay_cell(self.key0, self.key1, replication, t))
        if 0 <= late < self.ends.size:  # else it is lost, or comes after the horizon
            at = (t + late) % self.ends.size
            last = self.ends[at]
            self.following[t % size] = t
            if last > 0:
                self.following[t % size] = self.following[last % size]
                self.following[last % size] = t
            self.ends[at] = t
        return int(late)

    def pulled(
        self, rules: Rules, game: Game, replication: int, t: int, i: int, reward: float
    ) -> None:
        """Arm i was pulled in round t (-1: none); learn the rewards that come after this round."""
        imputes, size, moving = game.pending.imputes(), self.arms.size, game.features.moving()
        self.arms[t % size], late = -1, 0
        if i >= 0:
            late = self.put(replication, t, i, reward)
        if imputes and late != 0:
            self.imputed[t % size] = game.pending.impute(rules, game, i)
        pull = self.take(t)
        while pull > 0:
            arm = int(self.arms[pull % size])
            if moving:
                game.features.meet(replication, pull)  # what its features were
            status = LOST if pull <= t - self.patience and not imputes else PENDING
            if status == PENDING:
                self.arms[pull % size] = -1
            imputed = self.imputed[pull % size] if imputes and pull < t else NOTHING
            reward = self.rewards[pull % size]
            if reward == reward:
                rules.observe(game, Pull(arm, status, imputed), reward)
                rules.charge(game, replication, pull, arm)
            else:  # NaN: nobody looked
                game.pending.withdraw(rules, game, arm, status)
            pull = self.take(t)

    def take(self, t: int) -> int:
        """The oldest pull whose reward comes after round t, which leaves the ring; 0 if none."""
        size, at = self.arms.size, t % self.ends.size
        last = self.ends[at]
        if last == 0:
            return 0
        first = self.following[last % size]
        self.following[last % size] = self.following[first % size]
        if first == last:
            self.ends[at] = 0
        return int(first)

    def expire(self, rules: Rules, game: Game, t: int) -> None:
        """Give up the pull that has waited too long before round t, if there is one."""
        pull, size = t - self.patience, self.arms.size
        if pull > 0 and self.patience < size and self.arms[pull % size] >= 0:
            game.pending.expire(rules, game, self.arms[pull % size])


def calendar_for(delay: Delay | None, horizon: int, seed: int) -> Calendar | NoCalendar:
    """The calendar of a delay; None: rewards come at once."""
    if delay is None:
        return NoCalendar()
    return Calendar.of(delay.arrivals(), seed, delay.patience, horizon)
