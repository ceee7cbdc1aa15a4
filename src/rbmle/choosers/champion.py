"""Indices that are costly to solve: most choices need none of them, only bounds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._compile import record
from ..policies.arms import Arms
from ..policies.base import ALIKE, ALONE, UNKNOWN


@record
class LastLeader(NamedTuple):
    """The workspace of `front_runner`: where it begins, which changes no choice."""

    arm: NDArray[np.int64]


def last_leader(self: Any, family: Any, n_arms: int) -> LastLeader:
    """`start` for `front_runner`."""
    return LastLeader(np.zeros(1, np.int64))


def front_runner(self: Any, state: Any, family: Any, arms: Arms, level: float) -> tuple[int, int]:
    """`promising` for indices that are costly to solve, by bounds alone.

    The last leader is challenged by the others in turn: by each whose index is not `surely_below`
    the leader's `index_below`. Who has a larger one takes the lead and is challenged by all; if
    neither is known to be larger, indices have to be solved.
    """
    n_arms = arms.n_arms()
    leader, rivals = 0 if state is None else state.arm[0], ALONE
    floor = self.index_below(family, arms, leader, level)
    i = leader + 1 if leader + 1 < n_arms else 0
    while i != leader and rivals != UNKNOWN:
        if not self.surely_below(family, arms, i, level, floor):
            if arms.alike(i, leader):
                rivals = ALIKE
            else:
                challenge = self.index_below(family, arms, i, level)
                rivals = ALONE if challenge > floor else UNKNOWN
                if rivals == ALONE:
                    leader, floor = i, challenge
        i = i + 1 if i + 1 < n_arms else 0
    if state is not None:
        state.arm[0] = leader
    return leader, rivals
