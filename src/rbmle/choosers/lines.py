"""Lines: a chooser for indices that are a base plus a rise times a function of the level.

Base and rise of an arm stay the same until it is pulled. So a choice computes them for one arm,
with the divisions and the root that this takes, and for each of the others only one product and one
sum. What it computes is the index up to rounding errors. If no other arm comes near the largest,
that arm is played, or one of those with the same past; if another one does, the scan decides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .._numba.compile import Floats
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws
from .promises import same_past
from .redrawn import EVERY, highest, redrawn

# The index that a policy computes and the value of a line differ by some ten roundings of the base
# and of the rise times the scale: by 3e-15 of them. So do two values of lines and their indices.
_NEAR = 1e-13


@redrawn
class Lines(NamedTuple):
    """The chooser. line: the promise about the policy's index. base, rise: those of each arm."""

    line: Any
    base: Floats
    rise: Floats
    memory: Floats

    @classmethod
    def of(cls, line: Any, n_arms: int) -> Lines:
        lines = cls(line, np.zeros(n_arms), np.zeros(n_arms), np.zeros(EVERY + 1))
        lines.restart()  # type: ignore[attr-defined]  # one of the methods of `redrawn`
        return lines

    def places(self) -> int:
        """How many lines there are."""
        return self.base.size

    def value(self, i: int, at: float) -> float:
        """The value of the line of arm i, if the scale is `at`."""
        return float(self.base[i] + self.rise[i] * at)

    def find(self, policy: Policy, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
        """The arm with the largest index, one of them if they have the same past; -1 if the lines
        do not tell."""
        level = policy.level(family, arms, clock)
        self.refresh(family, arms, level)  # type: ignore[attr-defined]
        scale = self.line.scale(level)
        chosen, best, second = highest(self, scale, arms.n_arms())
        floor = best - _NEAR * (abs(self.base[chosen]) + abs(self.rise[chosen] * scale))
        return chosen if second < floor else self.tied(arms, chosen, floor, scale, rng)

    def tied(self, arms: Arms, chosen: int, floor: float, scale: float, rng: Draws) -> int:
        """One of the arms with the past of the chosen one; -1 if the line of another arm is not
        below the floor."""
        ties = 0
        for i in range(arms.n_arms()):
            if same_past(arms, i, chosen):
                ties += 1
            elif not self.value(i, scale) < floor:
                return -1
        place, i = rng.among(ties), -1
        while place >= 0:
            i += 1
            place -= int(same_past(arms, i, chosen))
        return i

    def draw(self, family: Family, arms: Arms, i: int, level: float) -> None:
        """Draw the line of arm i.

        It is raised by rounding errors, so that it is never below the index.
        """
        base, rise = self.line.base(family, arms, i, level), self.line.rise(family, arms, i)
        self.base[i] = base + 1e-14 * abs(base)
        self.rise[i] = rise + 1e-14 * abs(rise)
