"""Chords: a chooser for indices that bend one way over the level, by the promise `Curve`.

For each arm it keeps a line that is above the arm's index while the level rises by a certain share.
If the index is convex in the level, that line is a chord; if it is concave, the line goes on from
the chord before. It stays the same until the arm is pulled. So a choice computes the index of the
arm that was pulled last, and others only where their lines reach it.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from .._compile import Floats
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from .redrawn import CHANGED, EVERY, redrawn

# Places in `memory`, after those of `redrawn`: the levels between which the lines hold, and the
# last one that was seen.
BEGIN, END, LAST = 2, 3, 4

# The lines hold while the level rises by this share. Longer lines are farther above the index,
# so that more indices are computed; shorter ones are drawn more often.
_SHARE = 1.0 / 128.0


@redrawn
class Chords(NamedTuple):
    """The chooser. curve: the promise about the policy's index. height, rise: the line of each arm,
    its value at the level BEGIN and its slope."""

    curve: Any
    height: Floats
    rise: Floats
    memory: Floats

    @classmethod
    def of(cls, curve: Any, n_arms: int) -> Chords:
        chords = cls(curve, np.zeros(n_arms), np.zeros(n_arms), np.zeros(LAST + 1))
        chords.restart()  # type: ignore[attr-defined]  # one of the methods of `redrawn`
        return chords

    def value(self, i: int, at: float) -> float:
        """The value of the line of arm i, if the level is so far above BEGIN."""
        return float(self.height[i] + self.rise[i] * at)

    def ahead(self, level: float) -> float:
        """How far the level is above BEGIN."""
        return float(level - self.memory[BEGIN])

    def straightened(self, family: Family, index: float) -> float:
        """The index as the lines have it."""
        return float(self.curve.straightened(family, index))

    def same(self, family: Family, arms: Arms, i: int, j: int) -> bool:
        """Whether two arms have the same index."""
        return bool(self.curve.same_index(family, arms, i, j))

    def renew(self, policy: Policy, family: Family, arms: Arms, level: float, clock: Clock) -> None:
        """Draw all lines anew if they no longer hold."""
        memory = self.memory
        if memory[EVERY] != 0.0 or not memory[LAST] <= level <= memory[END]:
            memory[BEGIN], memory[END] = level, level + _SHARE * abs(level)
            for i in range(arms.n_arms()):
                index = policy.index_of(family, arms, i, level)
                self.draw(policy, family, arms, i, level, clock, index)
            memory[CHANGED], memory[EVERY] = -1.0, 0.0
        memory[LAST] = level

    def hide(self, i: int) -> None:
        """Let the line of arm i be below all others."""
        self.height[i], self.rise[i] = -inf, 0.0

    def lower(
        self, policy: Policy, family: Family, arms: Arms, level: float, clock: Clock, floor: float
    ) -> None:
        """Nothing to do: no line is higher than it must be."""

    def draw(
        self, policy: Policy, family: Family, arms: Arms, i: int, level: float, clock: Clock,
        index: float,
    ) -> None:  # fmt: skip
        """Draw the line of arm i, which is above its index from this level, where it is given, to
        END.

        If the index is not finite, or does not bend one way, the line is infinite.
        """
        curve, span = self.curve, self.memory[END] - level
        convex = curve.bends() > 0
        other = level + span if convex else level - span
        here = curve.straightened(family, index)
        there = curve.straightened(family, policy.index_of(family, arms, i, other))
        low, high = (level, other) if convex else (other, level + span)
        size = max(abs(here), abs(there))
        self.height[i], self.rise[i] = inf, 0.0
        if size < inf and curve.bends_one_way(family, arms, i, low, high):
            # The values at both ends, the one compared and the line: each may be off by the error.
            slack = 4.0 * curve.index_error(family, arms, i, size)
            rise = (there - here) / (other - level) if span > 0.0 else 0.0
            self.height[i] = here + slack - rise * (level - self.memory[BEGIN])
            self.rise[i] = rise
