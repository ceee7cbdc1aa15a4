"""What laws are checked on: means inside a family's range, and small problems."""

from __future__ import annotations

from math import inf

from ..families import Family, Law
from ..families.registry import mean_at
from ..rewards.problems import Problem

SEED = 7  # of every check, so that a check always gives the same answer
PLACES = (0.05, 0.2, 0.5, 0.8, 0.95)


def means_of(law: Law) -> list[float]:
    """Five means, from near one end of the range to near the other."""
    return [mean_at(law, place) for place in PLACES]


def easy_problem(family: Family) -> Problem:
    """Three arms, well apart, inside the family's range of means."""
    low, high = family.mean_range()
    if high < inf:
        return Problem(family, [low + x * (high - low) for x in (0.2, 0.8, 0.5)])
    return Problem(family, [0.4, 2.0, 1.0] if low > -inf else [-0.5, 1.0, 0.0])


def two_means(family: Family) -> list[float]:
    """A worse and a better mean, far apart: a fifth from the ends of a bounded range; else 1.6
    standard deviations apart, and at least 1.6, for policies that assume a standard deviation of
    1."""
    low, high = family.mean_range()
    if high < inf:
        width = high - low
        return [low + 0.2 * width, low + 0.8 * width] if low > -inf else [high - 2.0, high - 0.4]
    worse = low + 0.4 if low > -inf else -0.5
    h = 1e-4
    precision = (family.natural(worse + h) - family.natural(worse - h)) / (2.0 * h)
    return [worse, worse + 1.6 * max(1.0, precision**-0.5)]
