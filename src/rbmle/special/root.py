"""The search for quantiles of the gamma and beta distributions.

In u = log x (gamma) or u = log(x / (1 - x)) (beta) both have a density h(u) with (log h)' = slope
and (log h)'' = -bend < 0. Then the logarithms of both tails are concave in u, so that Newton's
method on them does not diverge; their derivatives follow from h, slope and bend, at no further
cost. Below, x stands for e^u: x itself (gamma) or the odds (beta), which keep full relative
precision at both ends of (0, 1).

The first guess is where r*(x) is the normal quantile: r* = r - log(w) / r is the modified signed
root of the deviance, with a distribution that is nearly normal (O. E. Barndorff-Nielsen, Biometrika
73 (1986) 307-322; N. M. Temme, Math. Comp. 58 (1992) 755-764 for the gamma distribution, J. Comput.
Appl. Math. 41 (1992) 145-157 for the beta distribution). For small x it comes from a power law
instead: P(a, x) ~ x^a / Gamma(a + 1), I_x ~ x^a / (a B(a, b)). Then follow steps of fourth order on
the logarithm of the smaller tail, inside a bracket. Typically the distribution function is
evaluated twice, for large a once.
"""

from __future__ import annotations

import math

from .._numba.compile import njit

# These affect speed only, except EXACT_ERROR: what they admit is a first guess, to be refined.
# From POWER_SHAPE on the power law is not tried: its error is below POWER_ERROR only for tails
# below 2e-10 (shape 16) or 1e-19 (shape 32).
POWER_SHAPE = 16.0
POWER_ERROR = 0.1  # the power law is the first guess if its estimated relative error is below this
EXACT_ERROR = 1e-17  # it is the answer if its error is below this, less than rounding (1e-16)
MOST_STEPS = 200  # a safeguard: bisection of a bracket to one part in 2^53 takes fewer
_CLOSE = 1e-4  # if |excess| is below this, one more step of fourth order leaves about its 4th power

Place = tuple[float, float, float]  # x, and the bracket (low, high) in which the root is
Density = tuple[float, float, float]  # h, slope, bend


@njit
def guess_step(z: float, gap: float, deviance: float, root: float) -> tuple[float, bool]:
    """The factor by which to change x so that r* is about z, and whether that is close enough.

    r is the signed root of twice the deviance, gap = r dr/du, and w = root r / gap.
    """
    r = math.copysign(math.sqrt(2.0 * deviance), gap)
    if math.fabs(r) < 1e-6:
        return 1.0, True
    per = gap / r  # dr/du
    miss = z - r - math.log(per / root) / r
    return math.exp(min(max(miss / per, -2.0), 2.0)), math.fabs(miss) < 0.02


@njit
def fourth_order(excess: float, rate: float, slope: float, bend: float) -> float:
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
def search_step(
    at: Place, found: float, target: float, density: Density, start: float, upper: bool
) -> tuple[Place, bool]:
    """The next place, and whether it is the root, given the tail `found` at this one.

    upper: the tail is the upper one, which falls in x. start: where to go if the tail is 0. A new x
    outside the bracket is replaced by the geometric mean of the ends; or, while one end is unknown,
    by x times or over 1000.
    """
    (x, low, high), (h, slope, bend) = at, density
    if (found < target) != upper:
        low = x
    else:
        high = x
    new = start
    if not found <= 0.0:
        excess, rate = math.log(found / target), h / found
        change = fourth_order(excess, -rate if upper else rate, slope, bend)
        new = x + x * math.expm1(min(change, 600.0))
        if not math.fabs(excess) >= _CLOSE:  # ends on a NaN too
            return (new, low, high), True
    if not low < new < high:
        if low > 0.0 and high < math.inf:
            new = math.sqrt(low) * math.sqrt(high)
        else:
            new = 1e-3 * x if high < math.inf else 1e3 * x
    return (new, low, high), False
