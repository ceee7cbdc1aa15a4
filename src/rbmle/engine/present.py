"""`Present`: the arms that a policy sees while others are blind, or are no candidates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, lean, record
from ..policies.arms import Arms
from ..policies.base import Policy


@lean
def clear(numbers: Floats) -> None:
    """Set all numbers to 0."""
    for k in range(numbers.size):
        numbers[k] = 0.0


@record
class Present(NamedTuple):
    """Room for some of the arms, side by side.

    seen: their statistics. order: the slot of each among all arms that may be played.
    kept: room for what the policy remembers, which is laid out for all of them.
    """

    seen: Arms
    order: NDArray[np.int64]
    kept: Floats

    @classmethod
    def of(cls, n_arms: int, policy: Policy) -> Present:
        """Room for so many arms."""
        kept = np.zeros(max(policy.remembers(n_arms), 1))
        return cls(Arms.fresh(n_arms), np.zeros(n_arms, np.int64), kept)

    def put(self, count: int, slot: int, arms: Arms, i: int) -> None:
        """Add the arm of this slot after `count` others; its statistics are those of arms[i]."""
        self.order[count] = slot
        self.seen.pulls[count], self.seen.sums[count] = arms.pulls[i], arms.sums[i]
        self.seen.squares[count], self.seen.origins[count] = arms.squares[i], arms.origins[i]

    def first(self, count: int) -> Arms:
        """The first `count` of them."""
        pulls, sums, squares, origins = self.seen
        return Arms(pulls[:count], sums[:count], squares[:count], origins[:count])

    def lend(self, policy: Policy, state: Floats, count: int) -> None:
        """Leave the policy only what it remembers of each of these arms."""
        shared = policy.remembers(0)
        own = policy.remembers(1) - shared
        for k in range(shared + own * self.order.size):
            self.kept[k] = state[k]
        clear(state)
        for c in range(count):
            here, there = shared + own * c, shared + own * self.order[c]
            for k in range(own):
                state[here + k] = self.kept[there + k]

    def take_back(self, policy: Policy, state: Floats, count: int) -> None:
        """Undo `lend`; what the policy now remembers of these arms is kept."""
        shared = policy.remembers(0)
        own = policy.remembers(1) - shared
        for c in range(count):
            here, there = shared + own * c, shared + own * self.order[c]
            for k in range(own):
                self.kept[there + k] = state[here + k]
        clear(state)
        for k in range(shared + own * self.order.size):
            state[k] = self.kept[k]
