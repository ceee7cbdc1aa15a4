"""Steps of a root search that inverts a distribution function with a log-concave density.

The gamma distribution in u = log x and the beta distribution in u = log(x / (1 - x)) both have a
density h(u) with (log h)' = slope and (log h)'' = -bend < 0. Then the logarithms of both tails, log
P and log Q, are concave in u, so that Newton's method on them does not diverge. Their derivatives
follow from h, slope and bend, at no further cost.
"""

from __future__ import annotations

import math

from .._numba.compile import njit

CLOSE = 1e-4  # if |excess| is below this, one more step of fourth order leaves about its 4th power
MOST_STEPS = 200  # a safeguard: bisection of a bracket to one part in 2^53 takes fewer


@njit
def step(excess: float, rate: float, slope: float, bend: float) -> float:
    """The change of u that makes excess = log(F(u) / target) zero, given rate = (log F)'(u).

    It is a step of fourth order, by reversion of the Taylor series of log F, whose derivatives are
    rate, rate m and rate (m (m - rate) - bend) with m = slope - rate. Far from the root
    (|excess| > 2, or where the correction is large) it is a Newton step.
    """
    newton = -excess / rate
    if math.fabs(excess) > 2.0:
        return newton
    m = slope - rate
    second = 0.5 * m
    third = (m * (m - rate) - bend) / 6.0
    divisor = 1.0 + newton * (second + newton * (third - second * second))
    return newton / divisor if 0.4 < divisor < 2.5 else newton


@njit
def kept_inside(new: float, old: float, low: float, high: float) -> float:
    """`new`, if it is in the bracket (low, high); else another point of the bracket.

    That is the geometric mean of the ends; or, while one end is unknown, `old` times or over 1000.
    """
    if low < new < high:
        return new
    if low > 0.0 and high < math.inf:
        return math.sqrt(low) * math.sqrt(high)
    return 1e-3 * old if high < math.inf else 1e3 * old
