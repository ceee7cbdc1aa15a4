"""The rewards that have not come yet: a queue in memory that the engine hands in.

A pull is known by its round. The pulls whose rewards come after the same round are a ring: each
names the next one, and `ends` names the last of them, whose next one is the first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, record
from ..random import DELAY_LANE, Cell
from ..rewards.delays import Arrivals
from ..rewards.streams import Bring


@record
class Queue(NamedTuple):
    """Pulls without a reward, by the round after which their rewards come.

    arrivals: when they come. pulled, following, rewards, supposed: for each of the last rounds, the
    arm that was pulled (-1 once its reward has come), the next round in its ring, the reward, and
    the reward that is supposed until then. ends: for each of the coming rounds, the last round of
    its ring, 0 if there is none.
    """

    arrivals: Any
    key0: int
    key1: int
    patience: int
    pulled: NDArray[np.int64]
    following: NDArray[np.int64]
    ends: NDArray[np.int64]
    rewards: Floats
    supposed: Floats

    @classmethod
    def of(cls, arrivals: Arrivals, key0: int, key1: int, patience: int, horizon: int) -> Queue:
        """An empty queue that is long enough for any delay: at most as long as the horizon."""
        longest = min(arrivals.longest(), horizon)
        never_too_late = arrivals.lost == 0.0 and longest < patience
        rounds = longest if never_too_late else min(max(longest, patience), horizon)
        return cls(
            arrivals, key0, key1, patience, np.zeros(rounds + 1, np.int64),
            np.zeros(rounds + 1, np.int64), np.zeros(longest + 1, np.int64),
            np.zeros(rounds + 1), np.zeros(rounds + 1),
        )  # fmt: skip

    def on_device(self, bring: Bring, room: Bring) -> Queue:
        """The queue on a device, with room for each thread."""
        arrivals, key0, key1, patience, *arrays = self
        moved = arrivals._replace(table=bring(arrivals.table))
        return Queue(moved, key0, key1, patience, *map(room, arrays))

    def restart(self) -> None:
        """Forget every pull."""
        for k in range(self.pulled.size):
            self.pulled[k] = -1
        for k in range(self.ends.size):
            self.ends[k] = 0

    def put(self, replication: int, t: int, i: int, reward: float) -> int:
        """Arm i was pulled in round t, and will pay this reward; after how many rounds."""
        size = self.pulled.size
        self.pulled[t % size] = i
        self.rewards[t % size] = reward
        cell = Cell(self.key0, self.key1, replication, t, DELAY_LANE)
        late = self.arrivals.comes_after(t, cell)
        if 0 <= late < self.ends.size:  # else it is lost, or comes after the horizon
            at = (t + late) % self.ends.size
            last = self.ends[at]
            self.following[t % size] = t
            if last > 0:
                self.following[t % size] = self.following[last % size]
                self.following[last % size] = t
            self.ends[at] = t
        return int(late)

    def suppose(self, pull: int, reward: float) -> None:
        """Remember what is supposed of the reward of this round."""
        self.supposed[pull % self.supposed.size] = reward

    def take(self, t: int) -> int:
        """The oldest pull whose reward comes after round t, which leaves the queue; 0 if none."""
        size, at = self.pulled.size, t % self.ends.size
        last = self.ends[at]
        if last == 0:
            return 0
        first = self.following[last % size]
        self.following[last % size] = self.following[first % size]
        if first == last:
            self.ends[at] = 0
        return int(first)

    def arm(self, pull: int) -> int:
        """The arm that was pulled in this round."""
        return int(self.pulled[pull % self.pulled.size])

    def reward(self, pull: int) -> float:
        """The reward of this round."""
        return float(self.rewards[pull % self.rewards.size])

    def supposition(self, pull: int) -> float:
        """What was supposed of the reward of this round."""
        return float(self.supposed[pull % self.supposed.size])

    def answered(self, pull: int) -> None:
        """The reward of this round has come in time."""
        self.pulled[pull % self.pulled.size] = -1

    def too_late(self, pull: int, t: int) -> bool:
        """Whether the pull was given up by round t."""
        return pull <= t - self.patience

    def given_up(self, t: int) -> int:
        """The arm of the pull that is given up in round t; -1 if there is none."""
        pull = t - self.patience
        return self.arm(pull) if pull > 0 and self.patience < self.pulled.size else -1
