"""The champion test: a chooser for indices that are costly to compute but have cheap bounds.

The other arms challenge, in turn, the arm that led last. If bounds alone show that one arm's index
is the largest, it is played, and no index is computed. That is so in most rounds. Otherwise the
indices of the arms that may win are computed.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, lean, record
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws
from .promises import same_past

# What is known about the leader's rivals:
ALONE = 0  # every other arm has a smaller index
ALIKE = 1  # every other arm has a smaller index, or the same past and hence the same index
UNKNOWN = 2  # nothing


@record
class Champion(NamedTuple):
    """The champion test.

    bounds: the bounds on the policy's index. last: the arm that led last, where the test begins.
    """

    bounds: Any
    last: NDArray[np.int64]

    @classmethod
    def of(cls, bounds: Any) -> Champion:
        return cls(bounds, np.zeros(1, np.int64))

    def restart(self) -> None:
        self.last[0] = 0

    def changed(self, i: int) -> None:
        """Nothing to do: the next test sees the change."""

    def skips_absent(self) -> bool:
        return False

    def withdraw(self, i: int) -> None:
        """Nothing to do: the test is given only the arms that are present."""

    def bring_back(self, i: int) -> None:
        """Nothing to do, as for `withdraw`."""

    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        """The arm to play: the one that a scan finds."""
        unpulled = arms.unpulled()
        if unpulled >= 0:
            return unpulled
        level = policy.level(family, arms, clock)
        first = self.last[0] if self.last[0] < arms.n_arms() else 0
        floor = self.bounds.index_below(family, arms, first, level)
        leader, rivals = challenged(self.bounds, family, arms, level, first, floor)
        self.last[0] = leader
        return int(winner(self.bounds, policy, family, arms, level, leader, rivals, rng))


@lean
def challenged(
    bounds: Any, family: Family, arms: Arms, level: Any, leader: int, floor: float
) -> tuple[int, int]:
    """The arm that leads by bounds alone, and what is known about its rivals.

    leader, floor: the arm where the test begins, and a lower bound of its index.
    An arm is a challenger if its index is not `surely_below` the leader's lower bound. If the
    challenger's own lower bound is larger, it takes the lead, and all others challenge it. If not,
    the bounds do not tell who leads, and the rivals are UNKNOWN.
    """
    n_arms, rivals = arms.n_arms(), ALONE
    i = leader + 1 if leader + 1 < n_arms else 0
    while i != leader and rivals != UNKNOWN:
        if not bounds.surely_below(family, arms, i, level, floor):
            if same_past(arms, i, leader):
                rivals = ALIKE
            else:
                challenge = bounds.index_below(family, arms, i, level)
                rivals = ALONE if challenge > floor else UNKNOWN
                if rivals == ALONE:
                    leader, floor = i, challenge
        i = i + 1 if i + 1 < n_arms else 0
    return leader, rivals


@lean
def winner(
    bounds: Any, policy: Policy, family: Family, arms: Arms, level: Any, leader: int, rivals: int,
    rng: Draws,
) -> int:  # fmt: skip
    """The arm that a scan finds, given what bounds tell about the leader's rivals."""
    if rivals == ALONE:
        return leader
    # If only arms with the leader's past can win, their common index need not be computed: any
    # number, here 0, stands for it.
    top = 0.0 if rivals == ALIKE else policy.index_of(family, arms, leader, level)
    best, first, ties = -inf, 0, 0
    for i in range(arms.n_arms()):
        if same_past(arms, i, leader):
            index = top
        elif rivals == ALIKE or bounds.surely_below(family, arms, i, level, max(best, top)):
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
    while place > 0:  # go on to the next arm that shares the largest index
        i += 1
        if same_past(arms, i, leader):
            index = top
        else:
            index = -inf if rivals == ALIKE else policy.index_of(family, arms, i, level)
        if index == best and policy.prefer(family, arms, i, first, level) == 0.0:
            place -= 1
    return i
