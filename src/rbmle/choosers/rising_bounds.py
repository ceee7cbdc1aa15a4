"""KL-UCB and Bayes-UCB, whose indices rise from round to round, for `Ceilings`."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

from .._numba.compile import Floats
from ..policies import KLUCB, BayesUCB
from ..policies.arms import Arms, Clock
from .index_bounds import BayesUCBBounds, KLUCBBounds
from .promises import BY_BOUNDS, rising_of

# Ceilings are for a round that is later by this share. Later ones make ceilings higher, sooner ones
# make them be drawn more often.
_LATER = 0.05
# A ceiling is above a lower bound of the index by this share of its distance from the mean, or by
# eight times as much, if the index is not surely below that; and so on.
_CLOSE = 1e-3


def size(self: Any) -> int:
    return 1


def falls(self: Any, memory: Floats, at: int) -> bool:
    """No: t rises."""
    return False


def keep(
    self: Any, memory: Floats, at: int, family: Any, arms: Arms, level: float, clock: Clock
) -> None:
    later = Clock(clock.t + int(_LATER * clock.t), clock.horizon)
    memory[at] = self.policy.level(family, arms, later)


def above(self: Any, memory: Floats, at: int, level: float) -> float:
    return float(memory[at])


def ceiling(self: Any, family: Any, arms: Arms, i: int, level: float) -> float:
    """A value close to a lower bound of the index, but surely above the index."""
    low = self.bounds().index_below(family, arms, i, level)
    width, share = abs(low - arms.mean(i)), _CLOSE
    while not self.bounds().surely_below(family, arms, i, level, low + share * width):
        share *= 8.0
        if not share < 1.0:
            return inf
    return float(low + share * width)


def index_below(self: Any, family: Any, arms: Arms, i: int, level: float, enough: float) -> float:
    return float(self.bounds().index_below(family, arms, i, level))


_SHARED = BY_BOUNDS | {
    each.__name__: each for each in (size, falls, keep, above, ceiling, index_below)
}


@rising_of(KLUCB, **_SHARED)
class KLUCBRising(NamedTuple):
    """The promise about KL-UCB: its level rises."""

    policy: Any

    def bounds(self) -> KLUCBBounds:
        return KLUCBBounds(self.policy)

    def holds(self, memory: Floats, at: int, level: float, clock: Clock) -> bool:
        return bool(level <= memory[at])


@rising_of(BayesUCB, **_SHARED)
class BayesUCBRising(NamedTuple):
    """The promise about Bayes-UCB: its level, the probability of a tail, falls, so that the
    quantile rises."""

    policy: Any

    def bounds(self) -> BayesUCBBounds:
        return BayesUCBBounds(self.policy)

    def holds(self, memory: Floats, at: int, level: float, clock: Clock) -> bool:
        return bool(level >= memory[at])
