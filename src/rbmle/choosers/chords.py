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

from .._numba.compile import Floats
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws
from .redrawn import CHANGED, EVERY, highest, redrawn

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

    def find(self, policy: Policy, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
        """The arm that a scan finds.

        While one arm is pulled in round after round, its line is not drawn: only its index is
        computed, which the lines of the others must not reach.
        """
        level, memory, curve = policy.level(family, arms, clock), self.memory, self.curve
        self.renew(policy, family, arms, level)
        at = level - memory[BEGIN]
        known, index = int(memory[CHANGED]), 0.0
        if known >= 0:
            index = policy.index_of(family, arms, known, level)
            self.height[known], self.rise[known] = -inf, 0.0  # below all others
            _, best, _ = highest(self, at, arms.n_arms())
            if best < curve.straightened(family, index):
                return known
            self.draw(policy, family, arms, known, level, index)
            memory[CHANGED] = -1.0
        top, _, second = highest(self, at, arms.n_arms())
        if top != known:
            index = policy.index_of(family, arms, top, level)
        if second < curve.straightened(family, index):
            return top
        return self.settle(policy, family, arms, level, at, top, index, rng)

    def settle(
        self, policy: Policy, family: Family, arms: Arms, level: float, at: float, top: int,
        index: float, rng: Draws,
    ) -> int:  # fmt: skip
        """The arm that a scan finds, if several lines reach the index of arm `top`."""
        floor = self.curve.straightened(family, index)
        best, first, ties = -inf, 0, 0
        for i in range(arms.n_arms()):
            value = index
            if i != top and not self.curve.same_index(family, arms, i, top):
                if self.value(i, at) < floor:
                    continue
                value = policy.index_of(family, arms, i, level)
            if value > best:
                best, first, ties = value, i, 1
            elif value == best:
                preferred = policy.prefer(family, arms, i, first, level)
                if preferred > 0.0:
                    first, ties = i, 1
                elif preferred == 0.0:
                    ties += 1
        return int(policy.tied(family, arms, first, level, rng.among(ties))) if ties > 1 else first

    def renew(self, policy: Policy, family: Family, arms: Arms, level: float) -> None:
        """Draw all lines anew if they no longer hold."""
        memory = self.memory
        if memory[EVERY] != 0.0 or not memory[LAST] <= level <= memory[END]:
            memory[BEGIN], memory[END] = level, level + _SHARE * abs(level)
            for i in range(arms.n_arms()):
                index = policy.index_of(family, arms, i, level)
                self.draw(policy, family, arms, i, level, index)
            memory[CHANGED], memory[EVERY] = -1.0, 0.0
        memory[LAST] = level

    def draw(
        self, policy: Policy, family: Family, arms: Arms, i: int, level: float, index: float
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
