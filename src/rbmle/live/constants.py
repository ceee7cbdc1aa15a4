"""What stays the same in every round of a decider: its horizon and its source of random numbers."""

from __future__ import annotations

from typing import NamedTuple

from .._numba.compile import record
from ..policies.arms import Clock
from ..random import Counter, Draws


@record
class Constants(NamedTuple):
    """horizon: 0 unless the policy knows it. randomness, replication: as in a simulation."""

    horizon: int
    randomness: Counter
    replication: int

    def clock(self, t: int) -> Clock:
        """Round t, as the policy sees it: never one after the horizon."""
        return Clock(min(t, self.horizon) if self.horizon > 0 else t, self.horizon)

    def rng(self, t: int) -> Draws:
        """The random numbers of round t. They repeat after 2^32 rounds: its low 32 bits count."""
        return self.randomness.at(self.replication, t & 0xFFFFFFFF)
