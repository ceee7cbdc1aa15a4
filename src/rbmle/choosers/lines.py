"""Lines: a chooser for indices that are a base plus a rise times a function of the level.

Base and rise of an arm stay the same until it is pulled. So a choice computes them for one arm,
with the divisions and the root that this takes, and for each of the others only one product and one
sum. What it computes is the index up to rounding errors. If no other arm comes near the largest,
that arm is played; if one does, the scan decides.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from .._compile import Floats, lean, record
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws

# What is remembered besides the lines:
CHANGED = 0  # the arm whose line is to be drawn anew; -1 if there is none
EVERY = 1  # 1 if that is so for every arm, or if an arm may be without a reward; else 0

# The index that a policy computes and the value of a line differ by some ten roundings of the base
# and of the rise times the scale: by 3e-15 of them. So do two values of lines and their indices.
_NEAR = 1e-13


@lean
def leader(lines: Any, policy: Policy, family: Family, arms: Arms, clock: Clock) -> int:
    """The arm with the largest index, if the lines tell; else -1."""
    if not lines.ready(arms):
        return -1
    level = policy.level(family, arms, clock)
    lines.refresh(family, arms, level)
    scale = lines.line.scale(level)
    chosen, best, second = 0, -inf, -inf
    for i in range(arms.n_arms()):  # no branch on who leads: a processor could not predict it
        value = lines.base[i] + lines.rise[i] * scale
        lower = value if value < best else best
        second = lower if lower > second else second
        chosen = i if value > best else chosen
        best = value if value > best else best
    near = _NEAR * (abs(lines.base[chosen]) + abs(lines.rise[chosen] * scale))
    return chosen if second < best - near else -1


@record
class Lines(NamedTuple):
    """The chooser. line: the promise about the policy's index. base, rise: those of each arm."""

    line: Any
    base: Floats
    rise: Floats
    memory: Floats

    @classmethod
    def of(cls, line: Any, n_arms: int) -> Lines:
        return cls(line, np.zeros(n_arms), np.zeros(n_arms), np.array([-1.0, 1.0]))

    def restart(self) -> None:
        """Forget everything."""
        self.memory[CHANGED], self.memory[EVERY] = -1.0, 1.0

    def changed(self, i: int) -> None:
        """The statistics of arm i have changed."""
        if self.memory[CHANGED] >= 0.0 and self.memory[CHANGED] != i:  # only one is remembered
            self.memory[EVERY] = 1.0
        self.memory[CHANGED] = i

    def skips_absent(self) -> bool:
        return False

    def withdraw(self, i: int) -> None:
        """Draw every line anew when arms are all present again; until then there is a scan."""
        self.memory[EVERY] = 1.0

    def bring_back(self, i: int) -> None:
        """As for `withdraw`."""
        self.memory[EVERY] = 1.0

    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        """The arm to play: the one that a scan finds."""
        chosen = leader(self, policy, family, arms, clock)
        return chosen if chosen >= 0 else policy.choose(state, family, arms, clock, rng)

    def ready(self, arms: Arms) -> bool:
        """Whether every arm has a line, or a reward from which its line can be drawn."""
        i = int(self.memory[CHANGED])
        if self.memory[EVERY] != 0.0 or (i >= 0 and not arms.pulls[i] > 0.0):
            self.memory[EVERY] = 1.0
            # If some arms are absent, the places of the others are not those of the lines.
            return arms.n_arms() == self.base.size and arms.unpulled() < 0
        return True

    def refresh(self, family: Family, arms: Arms, level: float) -> None:
        """Draw the lines that are to be drawn anew."""
        i = int(self.memory[CHANGED])
        if self.memory[EVERY] != 0.0:
            for j in range(arms.n_arms()):
                self.draw(family, arms, j, level)
        elif i >= 0:
            self.draw(family, arms, i, level)
        self.memory[CHANGED], self.memory[EVERY] = -1.0, 0.0

    def draw(self, family: Family, arms: Arms, i: int, level: float) -> None:
        """Draw the line of arm i.

        It is raised by rounding errors, so that it is never below the index.
        """
        base, rise = self.line.base(family, arms, i, level), self.line.rise(family, arms, i)
        self.base[i] = base + 1e-14 * abs(base)
        self.rise[i] = rise + 1e-14 * abs(rise)
