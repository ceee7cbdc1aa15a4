"""The knowledge-gradient policies, for `Ceilings`.

The index of an arm behind, mu_i + (T - t) v_i, falls with the rounds that are left, and if the
largest mean rises: then less is to be gained.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

from .._numba.compile import Floats
from ..policies import KG, KGStar
from ..policies.arms import Arms, Clock
from ..policies.kg import Race
from .knowledge_bounds import TINY, KGBounds, KGStarBounds, moderate
from .promises import BY_BOUNDS, rising_of

# Ceilings hold while the same arm leads and its mean falls by less than `_DOWN` standard deviations
# of its posterior; they are drawn anew, to be closer, if it rises by more than `_UP` of them.
_DOWN, _UP = 0.1, 0.2
LEADER, LEAST, MOST = 0, 1, 2  # places in the chooser's memory, from `at` on


def helps_devices(self: Any, family: Any) -> bool:
    """No. Ten arms on an H200, rounds a second with ceilings and without: KG on Gaussian rewards
    2.3e9 and 4.0e9, on Exponential ones 2.4e9 and 4.4e9 (T = 100,000); KG* 1.6e8 and 1.7e8 (T =
    10,000)."""
    return False


def size(self: Any) -> int:
    return 3


def falls(self: Any, memory: Floats, at: int) -> bool:
    """Yes: ever fewer rounds are left."""
    return True


def keep(
    self: Any, memory: Floats, at: int, family: Any, arms: Arms, level: Race, clock: Clock
) -> None:
    i = level.leader
    sd = family.posterior_sd(arms.pulls[i], arms.sums[i])
    memory[at + LEADER] = i
    memory[at + LEAST], memory[at + MOST] = level.best - _DOWN * sd, level.best + _UP * sd


def holds(self: Any, memory: Floats, at: int, level: Race, clock: Clock) -> bool:
    led = level.leader == memory[at + LEADER]
    return bool(led and memory[at + LEAST] <= level.best <= memory[at + MOST])


def lasts(self: Any, memory: Floats, at: int, level: Race, i: int, height: float) -> bool:
    """Whether the ceiling is below the least best mean: see `ceiling`."""
    return bool(i != level.leader and height < memory[at + LEAST])


def above(self: Any, memory: Floats, at: int, level: Race) -> Race:
    return Race(level.left, level.leader, memory[at + LEAST], level.second)


def ceiling(self: Any, family: Any, arms: Arms, i: int, level: Race) -> float:
    """An upper bound of the index while the largest mean is not below that of the level.

    If the index is below some b while the largest mean is b, it is below b while the largest mean
    is not below b. So such a b, here half-way between the means or the level's largest mean itself,
    is a ceiling as long as the largest mean is above it, however that moves.
    Of the leader nothing is known: its index rises with the second mean.
    """
    mean, bounds = family.posterior_mean(arms.pulls[i], arms.sums[i]), self.bounds()
    if i == level.leader or not (mean < level.best and moderate(level)):
        return inf
    b = 0.5 * (mean + level.best)
    if bounds.surely_below(family, arms, i, Race(level.left, level.leader, b, b), b):
        return float(b)
    return max(level.best, float(bounds.index_above(family, arms, i, level)))


def index_below(self: Any, family: Any, arms: Arms, i: int, level: Race, enough: float) -> float:
    """The mean, as gains are not negative; where that is not enough, a closer bound."""
    mean: float = family.posterior_mean(arms.pulls[i], arms.sums[i])
    if mean - TINY > enough and moderate(level):
        return mean - TINY
    return float(self.bounds().index_closely_below(family, arms, i, level))


_SHARED = BY_BOUNDS | {
    each.__name__: each
    for each in (helps_devices, size, falls, keep, holds, lasts, above, ceiling, index_below)
}


@rising_of(KG, **_SHARED)
class KGRising(NamedTuple):
    """The promise about KG."""

    policy: Any

    def bounds(self) -> KGBounds:
        return KGBounds(self.policy)


@rising_of(KGStar, **_SHARED)
class KGStarRising(NamedTuple):
    """The promise about KG*."""

    policy: Any

    def bounds(self) -> KGStarBounds:
        return KGStarBounds(self.policy)
