"""Cheap bounds of divergences and of the means at which they reach a level.

Which arm has the largest index can most often be told from bounds that a few divisions give.

The deviance is (x - m)^2 / (2 m) times the integral of 2 (1 - t) / (1 + u t) over [0, 1], with
u = (x - m) / m >= -1. The integrand's derivatives of even order are positive, so that Gauss rules
for the weight 2 (1 - t) give no more than the integral (P. J. Davis and P. Rabinowitz, "Methods of
Numerical Integration" (1984), section 2.7). That with one point, t = 1/3, is Bernstein's
inequality and has a root in closed form; that with two points is u^4 / 300 short for small u.

The divergences are those of a coin (Bernoulli), of a count (Poisson), deviance(p, q), and of a
scale (Exponential), e^-y - 1 + y with y = log(q / p). Names end in `_above` where the root is
surely no larger, in `_below` where it is surely no smaller, rounding errors included.
"""

from __future__ import annotations

import math

from .._compile import njit

NOISE = 1e-13  # more than rounding errors take from a divergence, also of means clipped by 1e-15
_ROUNDING = 1e-12  # more, relatively, than they take from a deviance off its zero
_NEAR = 0.4  # the Gauss rule is right to 3e-4 for u between -_NEAR and 2 _NEAR
_SURE = 1e-9  # more, relatively, than they take from a level


@njit
def deviance_below(x: float, m: float) -> float:
    """A lower bound of `deviance` for x >= 0 and m > 0: the Gauss rule with two points, or next to
    nothing less than the deviance where the rule is not as sharp.

    >>> round(deviance_below(100.0, 99.0) * 1e6, 6), round(deviance_below(0.0, 1.0), 6)
    (5033.58535, 1.0)
    """
    s = x - m
    if -_NEAR * m <= s <= 2.0 * _NEAR * m:
        return 0.5 * s * s * (m + (7.0 / 15.0) * s) / (m * m + s * (0.8 * m + 0.1 * s))
    return (1.0 - _ROUNDING) * ((x * math.log(x / m) if x > 0.0 else 0.0) - s)


@njit
def pair_below(gap: float, x: float, y: float) -> float:
    """deviance_below(x - gap, x) + deviance_below(y + gap, y), in the main with one division."""
    if gap > _NEAR * min(x, 2.0 * y):
        return deviance_below(x - gap, x) + deviance_below(y + gap, y)
    part, square = (7.0 / 15.0) * gap, 0.1 * gap * gap
    under_x = x * (x - 0.8 * gap) + square
    under_y = y * (y + 0.8 * gap) + square
    both = (x - part) * under_y + (y + part) * under_x
    return 5.0 * square * both / (under_x * under_y)


@njit
def safe_step(excess: float, run: float, bend: float) -> float:
    """How far left of a point a function is surely negative; infinite where that is not known.

    At the point it is `excess` > 0 with the derivative 1 / `run`, and left of it the second
    derivative is `bend` at most. So it is negative at the smaller root of a quadratic: Newton's
    step times 2 / (1 + sqrt(1 - t)), which is 1 + 0.35 t at most up to t = 1/2.
    """
    newton = excess * run
    t = 2.0 * newton * (bend * run)
    return newton * (1.0 + 0.35 * t) if t <= 0.5 else math.inf


@njit
def coin_below(p: float, q: float) -> float:
    """A lower bound of the divergence of a coin for p < q, clipped by 1e-15 or not."""
    return pair_below(q - p, q, 1.0 - q) - NOISE if q < 1.0 - 1e-9 else 0.0


@njit
def scale_root_above(bound: float) -> float:
    """About the y > 0 with e^-y - 1 + y = bound, and no less: as for a coin, in x = e^-y, in which
    x - 1 - log x = deviance(1, x) is convex too; or 1 + bound - e^-y for a larger y."""
    if bound > 1.0:
        return 1.0 + bound - math.exp(-1.0 - bound)
    x = (3.0 + 2.0 * bound - math.sqrt(bound * (4.0 * bound + 18.0))) / 3.0
    if x < 1.0:
        x += max(deviance_below(1.0, x) - bound, 0.0) * (x / (1.0 - x))
    return -math.log(x)


@njit
def coin_root_above(p: float, bound: float) -> float:
    """About the q > p with kl(p, q) = bound, and no less.

    Bernstein's inequality is kl(p, q) >= (p - q)^2 / (2 r (1 - r)) with r = (p + 2 q) / 3; where
    that leads too near to 1, kl(p, q) >= deviance(1 - p, 1 - q). From the root of either follows a
    step that is at most Newton's, which stays above, as kl(p, q) is convex in q.
    """
    x = 1.0 - p
    k = 1.0 + bound * (8.0 / 9.0)
    c = bound * (2.0 / 3.0) * (x - p)
    s = (c + math.sqrt(c * c + 2.0 * bound * p * x * k)) * (1.0 / k)
    if s > 0.5 * x > 0.0:
        s = min(s, x - x * math.exp(-scale_root_above(bound / x)))
    q, y = p + s, x - s
    if not (s > 0.0 and y > 0.0):
        return q
    return q - max(pair_below(s, q, y) - bound, 0.0) * (q * y / s)


@njit
def coin_inside(p: float, q: float, bound: float) -> float:
    """Near q > p, and no larger: a mean where kl(p, .) is surely the bound at most; or p."""
    x, y, s = 1.0 - p, 1.0 - q, q - p
    if not (s > 0.0 and y > 0.0):
        return p
    found = x * math.log(x / y) + (p * math.log(p / q) if p > 0.0 else 0.0)
    excess = found - (bound - (_SURE * bound + NOISE))
    if excess <= 0.0:
        return q
    half = p + 0.5 * s
    back = safe_step(excess, q * y / s, p / (half * half) + x / (y * y))
    return q - back if back <= 0.5 * s else p


@njit
def coin_root_below(p: float, bound: float) -> float:
    """A lower bound of the q >= p with kl(p, q) = bound.

    >>> round(coin_root_below(0.5, 0.02), 6), round(coin_root_above(0.5, 0.02), 6)
    (0.599008, 0.599009)
    """
    return coin_inside(p, coin_root_above(p, bound), bound)


@njit
def count_root_above(p: float, bound: float) -> float:
    """About the q > p with deviance(p, q) = bound, and no less: as for a coin, from
    3 (q - p)^2 = 2 bound (p + 2 q)."""
    s = (2.0 * bound + math.sqrt(bound * (4.0 * bound + 18.0 * p))) / 3.0
    q = p + s
    return q - max(deviance_below(p, q) - bound, 0.0) * (q / s) if s > 0.0 else q


@njit
def count_inside(p: float, q: float, bound: float) -> float:
    """Near q > p, and no larger: a mean where deviance(p, .) is surely the bound at most; or p."""
    s = q - p
    if not s > 0.0:
        return p
    found = s + (p * math.log(p / q) if p > 0.0 else 0.0)
    excess = found - (bound - (_SURE * bound + NOISE * q))
    if excess <= 0.0:
        return q
    half = p + 0.5 * s
    back = safe_step(excess, q / s, p / (half * half))
    return q - back if back <= 0.5 * s else p


@njit
def count_root_below(p: float, bound: float) -> float:
    """A lower bound of the q >= p with deviance(p, q) = bound."""
    return count_inside(p, count_root_above(p, bound), bound)


@njit
def scale_inside(y: float, bound: float) -> float:
    """Near y > 0, and no larger: a place where e^-y - 1 + y is surely the bound at most; or 0."""
    ratio = math.exp(-y)
    if not ratio < 1.0:
        return 0.0
    excess = ratio - 1.0 + y - (bound - (_SURE * bound + NOISE))
    if excess <= 0.0:
        return y
    back = safe_step(excess, 1.0 / (1.0 - ratio), 1.0)
    return y - back if back <= y else 0.0


@njit
def scale_root_below(bound: float) -> float:
    """A lower bound of the y >= 0 with e^-y - 1 + y = bound."""
    return scale_inside(scale_root_above(bound), bound)
