"""Means inside a family's range, and the small problem on which policies are checked."""

from __future__ import annotations

from math import inf
from typing import Any

from ..families.base import mean_at
from ..rewards.problems import Problem

SEED = 7  # of every check, so that a check always gives the same answer
PLACES = (0.05, 0.2, 0.5, 0.8, 0.95)


def means_of(law: Any) -> list[float]:
    """Five means, from near one end of the range to near the other."""
    return [mean_at(law, place) for place in PLACES]


def easy_problem(family: Any) -> Problem:
    """Three arms, well apart, inside the family's range of means."""
    low, high = family.mean_range()
    if high < inf:
        return Problem(family, [low + x * (high - low) for x in (0.2, 0.8, 0.5)])
    return Problem(family, [0.4, 2.0, 1.0] if low > -inf else [-0.5, 1.0, 0.0])
