"""The champion test, for indices that are costly to solve: most choices need only bounds.

The arm that led last is challenged by the others in turn. Where bounds tell that its index is the
largest, it is played, and nothing is solved. Where they do not, the arms that may win are solved.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._compile import Floats, record
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws
from .promises import same_past

# What is known about the leader's rivals: every other index is smaller; those of arms with another
# past are smaller, and equal pasts have equal indices; nothing.
ALONE, ALIKE, UNKNOWN = 0, 1, 2


@record
class Champion(NamedTuple):
    """bounds: of the policy's index. last: the arm that led last, where the test begins."""

    bounds: Any
    last: NDArray[np.int64]

    @classmethod
    def of(cls, bounds: Any) -> Champion:
        return cls(bounds, np.zeros(1, np.int64))

    def restart(self) -> None:
        self.last[0] = 0

    def changed(self, i: int) -> None:
        """The next test will see it."""

    def skips_absent(self) -> bool:
        return False

    def withdraw(self, i: int) -> None:
        """It is given the arms that are present."""

    def bring_back(self, i: int) -> None:
        """As for `withdraw`."""

    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        """The arm that a scan finds."""
        unpulled = arms.unpulled()
        if unpulled >= 0:
            return unpulled
        level = policy.level(family, arms, clock)
        leader, rivals = self.challenged(family, arms, level)
        if rivals == ALONE:
            return int(leader)
        # Arms of one past have one index, which any number stands for where no other matters.
        top = 0.0 if rivals == ALIKE else policy.index_of(family, arms, leader, level)
        best, first, ties = -inf, 0, 0
        for i in range(arms.n_arms()):
            if same_past(arms, i, leader):
                index = top
            elif rivals == ALIKE or self.bounds.surely_below(
                family, arms, i, level, max(best, top)
            ):
                continue
            else:
                index = policy.index_of(family, arms, i, level)
            if index > best:
                best, first, ties = index, i, 1
            elif index == best:
                preferred = policy.prefer(family, arms, i, first, level)
                if preferred > 0.0:
                    first, ties = i, 1
                elif preferred == 0.0:
                    ties += 1
        place, i = rng.among(ties) if ties > 1 else 0, first
        while place > 0:  # to the next arm that shares the top
            i += 1
            if same_past(arms, i, leader):
                index = top
            else:
                index = -inf if rivals == ALIKE else policy.index_of(family, arms, i, level)
            if index == best and policy.prefer(family, arms, i, first, level) == 0.0:
                place -= 1
        return i

    def challenged(self, family: Family, arms: Arms, level: float) -> tuple[int, int]:
        """The arm that leads by bounds alone, and what is known about its rivals.

        An arm whose index is not `surely_below` the leader's `index_below` is a challenger. If its
        own bound is larger it takes the lead and is challenged by all; if not, nothing is known.
        """
        n_arms = arms.n_arms()
        leader = self.last[0] if self.last[0] < n_arms else 0
        rivals = ALONE
        floor = self.bounds.index_below(family, arms, leader, level)
        i = leader + 1 if leader + 1 < n_arms else 0
        while i != leader and rivals != UNKNOWN:
            if not self.bounds.surely_below(family, arms, i, level, floor):
                if same_past(arms, i, leader):
                    rivals = ALIKE
                else:
                    challenge = self.bounds.index_below(family, arms, i, level)
                    rivals = ALONE if challenge > floor else UNKNOWN
                    if rivals == ALONE:
                        leader, floor = i, challenge
            i = i + 1 if i + 1 < n_arms else 0
        self.last[0] = leader
        return leader, rivals
