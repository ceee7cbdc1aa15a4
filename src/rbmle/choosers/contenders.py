"""Contenders: a chooser for policies that draw a number for each arm and play the largest.

What is random is a function of its place alone, so a draw can be foreseen: roughly, but with a
bound of the error, and sooner than it is drawn. In most rounds that tells which arm's draw is the
largest, and none is drawn. Otherwise those of the contenders are, the arms that may win.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from .._numba.compile import Floats
from ..families import Family
from ..policies.arms import Arms, Clock
from ..random import Draws
from .redrawn import EVERY, redrawn


@redrawn
class Contenders(NamedTuple):
    """The chooser. promise: about the policy's draws. one, two, three: what it keeps of each arm,
    which stays the same until the arm is pulled."""

    promise: Any
    one: Floats
    two: Floats
    three: Floats
    memory: Floats

    @classmethod
    def of(cls, promise: Any, n_arms: int) -> Contenders:
        one, two, three = (np.zeros(n_arms) for _ in range(3))
        made = cls(promise, one, two, three, np.zeros(EVERY + 1))
        made.restart()  # type: ignore[attr-defined]  # one of the methods of `redrawn`
        return made

    def places(self) -> int:
        """How many arms are kept."""
        return self.one.size

    def pick(
        self, policy: Any, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        """The arm to play: each arm once, then the one with the largest draw."""
        top, floor, unknown = -1, -inf, -1
        if self.ready(arms):  # type: ignore[attr-defined]
            top, floor, highest, unknown, several = self.foremost(family, arms, rng)
            if several or not highest < floor:
                top = -1
            elif unknown < 0:
                return top
        else:
            unpulled = arms.unpulled()
            if unpulled >= 0:
                return unpulled
        return self.drawn(policy, family, arms, floor, top, unknown, rng)

    def foremost(
        self, family: Family, arms: Arms, rng: Draws
    ) -> tuple[int, float, float, int, bool]:
        """The arm whose draw has the largest lower bound, and that bound; the largest upper bound
        of the others; an arm of whose draw nothing is known (-1: none), and whether there are
        several."""
        self.refresh(family, arms, 0.0)  # type: ignore[attr-defined]
        top, floor, ceiling, highest, unknown, several = 0, -inf, -inf, -inf, -1, False
        for i in range(arms.n_arms()):  # no branch: threads of a device would wait for each other
            value, doubt = self.foreseen(family, i, rng)
            low, high, known = value - doubt, value + doubt, doubt < inf
            leads = low > floor
            loser = ceiling if leads else high
            highest = loser if known and loser > highest else highest
            top = i if leads else top
            ceiling = high if leads else ceiling
            floor = low if leads else floor
            several = several or not (known or unknown < 0)
            unknown = unknown if known else i
        return top, floor, highest, unknown, several

    def drawn(
        self, policy: Any, family: Family, arms: Arms, floor: float, top: int, unknown: int,
        rng: Draws,
    ) -> int:  # fmt: skip
        """The first arm with the largest draw: of `top` and `unknown`, if only they may win, or,
        if top is -1, of all whose draws may reach the floor."""
        best, chosen = -inf, 0
        for k in range(arms.n_arms() if top < 0 else 2):
            i = k if top < 0 else (min(top, unknown) if k == 0 else max(top, unknown))
            out = False
            if top < 0:
                value, doubt = self.foreseen(family, i, rng)
                out = value + doubt < floor
            if not out:
                draw = policy.draw(family, arms, i, rng)
                if draw > best:
                    best, chosen = draw, i
        return chosen

    def foreseen(self, family: Family, i: int, rng: Draws) -> tuple[float, float]:
        """A rising function of arm i's draw, roughly, and by how much it may differ."""
        value, doubt = self.promise.score(
            family, self.one[i], self.two[i], self.three[i], rng.cell(i)
        )
        return value, doubt

    def draw(self, family: Family, arms: Arms, i: int, level: float) -> None:
        """Compute anew what is kept of arm i; no draw depends on a level."""
        self.one[i], self.two[i], self.three[i] = self.promise.numbers(family, arms, i)
