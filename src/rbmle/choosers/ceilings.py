"""Ceilings: a chooser for indices that rise with the level, by the promise `Rising`.

For each arm it keeps a ceiling, an upper bound of its index at a level above those of the next
rounds. So a choice computes a lower bound of the index of the arm that was pulled last, and looks
whether a ceiling reaches it. If one does, there is a champion test, with ceilings as bounds.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from .._numba.compile import Floats
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws
from .champion import challenged, winner
from .redrawn import CHANGED, EVERY, highest, redrawn

# Places in `memory`, after those of `redrawn`: the last round that was seen, and, from KEPT on, the
# level that the ceilings are for.
LAST, KEPT = 2, 3


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

    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        """The arm to play. While some arms are absent, ceilings do not last from round to round."""
        ready: bool = self.ready(arms)  # type: ignore[attr-defined]
        if not ready:
            unpulled = arms.unpulled()
            if unpulled >= 0:
                return unpulled
            self.memory[CHANGED] = -1.0
        chosen = self.find(policy, family, arms, clock, rng)
        if not ready:
            self.memory[EVERY] = 1.0
        return chosen

    def find(self, policy: Policy, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
        """The arm that a scan finds.

        While one arm is pulled in round after round, its ceiling is not drawn: it is hidden.
        """
        level, known = policy.level(family, arms, clock), int(self.memory[CHANGED])
        self.renew(family, arms, level, clock)
        if known >= 0:
            self.height[known] = -inf
        top, best, second = highest(self, 0.0, arms.n_arms())
        if known >= 0:
            top, second = known, best
        floor = self.rising.index_below(family, arms, top, level, second)
        if second < floor:
            return top
        if known >= 0:
            self.height[known] = inf
        leader, rivals = challenged(self, family, arms, level, top, floor)
        chosen = winner(self, policy, family, arms, level, leader, rivals, rng)
        if chosen != known:
            self.memory[CHANGED] = -1.0
        return int(chosen)

    def renew(self, family: Family, arms: Arms, level: Any, clock: Clock) -> None:
        """Keep another level if the kept one no longer holds, and forget ceilings.

        All of them, if the round is before the last one, because a pull was withdrawn.
        """
        every = self.memory[EVERY] != 0.0 or clock.t < self.memory[LAST]
        self.memory[LAST] = clock.t
        if every or not self.rising.holds(self.memory, KEPT, level, clock):
            self.rising.keep(self.memory, KEPT, family, arms, level, clock)
            for i in range(arms.n_arms()):
                if every or not self.rising.lasts(self.memory, KEPT, level, i, self.height[i]):
                    self.height[i] = inf
            self.memory[EVERY] = 0.0

    def index_below(self, family: Family, arms: Arms, i: int, level: Any) -> float:
        """A lower bound of the index of arm i."""
        return float(self.rising.index_below(family, arms, i, level, inf))

    def surely_below(self, family: Family, arms: Arms, i: int, level: Any, value: float) -> bool:
        """Whether the index of arm i is certainly below the value.

        If the ceiling does not tell, it is drawn, unless it is there already and as low as can be.
        """
        memory, height, rising = self.memory, self.height, self.rising
        if height[i] >= value and (height[i] == inf or rising.falls(memory, KEPT)):
            above = rising.above(memory, KEPT, level)
            height[i] = rising.ceiling(family, arms, i, above)
        return bool(height[i] < value or rising.surely_below(family, arms, i, level, value))
