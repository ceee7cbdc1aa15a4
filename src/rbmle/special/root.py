"""Steps for the inversion of a distribution function whose density is log-concave.

The gamma distribution in u = log x and the beta distribution in u = log(x / (1 - x)) both have a
density h(u) with (log h)' = slope and (log h)'' = -bend < 0. Then log P and log Q are concave in
u, so that a Newton step on either never diverges, and their derivatives cost nothing more.
"""

from __future__ import annotations

import math

from .._compile import njit

CLOSE = 1e-4  # |excess| below which one more step of fourth order is exact to rounding
MOST_STEPS = 200  # bisection alone would need fewer


@njit
def step(excess: float, rate: float, slope: float, bend: float) -> float:
    """The change of u that removes `excess` = log(F(u) / target), where rate = (log F)'(u).

    A step of fourth order, from the reversion of the series of log F: the first derivative is
    `rate`, the second rate * m, the third rate * (m (m - rate) - bend) with m = slope - rate.
    Far from the root it is a Newton step.
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
    """`new` where low < new < high, else a point there: the geometric mean, or out from `old`."""
    if low < new < high:
        return new
    if low > 0.0 and high < math.inf:
        return math.sqrt(low) * math.sqrt(high)
    return 1e-3 * old if high < math.inf else 1e3 * old
