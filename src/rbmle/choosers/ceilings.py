"""Ceilings: a chooser for indices that rise with the level, by the promise `Rising`.

For each arm it keeps a ceiling, its index at a level above those of the next rounds. So a choice
computes the index of the arm that was pulled last, and others only where their ceilings reach it.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from .._compile import Floats
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from .promises import same_past
from .redrawn import CHANGED, EVERY, redrawn

KEPT = 2  # from this place in `memory` on: the level that the ceilings are for


@redrawn
class Ceilings(NamedTuple):
    """The chooser. rising: the promise about the policy's index. height: the ceiling of each
    arm."""

    rising: Any
    height: Floats
    memory: Floats

    @classmethod
    def of(cls, rising: Any, n_arms: int) -> Ceilings:
        ceilings = cls(rising, np.zeros(n_arms), np.zeros(KEPT + rising.size()))
        ceilings.restart()  # type: ignore[attr-defined]  # one of the methods of `redrawn`
        return ceilings

    def value(self, i: int, at: float) -> float:
        """The ceiling of arm i, wherever it is looked at."""
        return float(self.height[i])

    def ahead(self, level: Any) -> float:
        """Not used: a ceiling is the same wherever it is looked at."""
        return 0.0

    def straightened(self, family: Family, index: float) -> float:
        """The index itself."""
        return index

    def same(self, family: Family, arms: Arms, i: int, j: int) -> bool:
        """Whether two arms have the same index, by the promise `Rising`."""
        return same_past(arms, i, j)

    def renew(self, policy: Policy, family: Family, arms: Arms, level: Any, clock: Clock) -> None:
        """Draw all ceilings anew if they no longer hold."""
        memory, rising = self.memory, self.rising
        if memory[EVERY] != 0.0 or not rising.holds(memory, KEPT, level, clock):
            rising.keep(memory, KEPT, level, clock)
            for i in range(arms.n_arms()):
                self.draw(policy, family, arms, i, level, clock, 0.0)
            memory[CHANGED], memory[EVERY] = -1.0, 0.0

    def hide(self, i: int) -> None:
        """Let the ceiling of arm i be below all others."""
        self.height[i] = -inf

    def lower(
        self, policy: Policy, family: Family, arms: Arms, level: Any, clock: Clock, floor: float
    ) -> None:
        """Draw the ceilings that reach the floor anew, if levels fall: they may be too high."""
        if self.rising.falls(clock):
            for i in range(arms.n_arms()):
                if self.height[i] >= floor:
                    self.draw(policy, family, arms, i, level, clock, 0.0)

    def draw(
        self, policy: Policy, family: Family, arms: Arms, i: int, level: Any, clock: Clock,
        index: float,
    ) -> None:  # fmt: skip
        """Draw the ceiling of arm i: its index at a level above, and a rounding error."""
        above = self.rising.above(self.memory, KEPT, level, clock)
        value = policy.index_of(family, arms, i, above)
        self.height[i] = value + self.rising.index_error(family, arms, i, value)
