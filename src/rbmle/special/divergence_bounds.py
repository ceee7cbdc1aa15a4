"""Cheap bounds on divergences, and on the means at which a divergence reaches a given value.

Most often such bounds, which cost a few divisions, already tell which arm has the largest index.

The deviance is (x - m)^2 / (2 m) times the integral of 2 (1 - t) / (1 + u t) over t in [0, 1], with
u = (x - m) / m >= -1. All derivatives of even order of 1 / (1 + u t) are positive, so that Gauss
rules for the weight 2 (1 - t) give lower bounds of the integral (P. J. Davis and P. Rabinowitz,
"Methods of Numerical Integration" (1984), section 2.7). The rule with one point, t = 1/3, is
Bernstein's inequality, whose root has a closed form. The rule with two points falls short of the
integral by u^4 / 300 of it for small u.

There are three divergences: of a coin, kl(p, q) (Bernoulli); of a count, deviance(p, q) (Poisson);
of a scale, e^-y - 1 + y with y = log(q / p) (Exponential). A function whose name ends in `_above`
returns at least the true value, one whose name ends in `_below` at most the true value, rounding
errors included.
"""

from __future__ import annotations

import math

from .._numba.compile import apart, njit

# Margins for rounding errors, tried on random means, up to 10^7 pulls, by
# `test_bounds_of_divergences` in tests/choosers/test_cached_bounds.py. The first is absolute: a
# divergence is a sum of terms of size 1, each off by some 1e-16. It covers the published code too,
# which clips means by 1e-15 and so changes a divergence by about as much.
_NOISE = 1e-13
_ROUNDING = 1e-12  # relative: x log(x / m) - (x - m) off its zero, a difference of two terms
_NEAR = 0.4  # for u in [-_NEAR, 2 _NEAR] the two-point rule is at most 4.4e-4 short (measured)
_SURE = 1e-9  # relative, of a level; the same margin as in choosers/solved_facts.py


@njit
def deviance_below(x: float, m: float) -> float:
    """A lower bound of `deviance` for x >= 0 and m > 0.

    It is the Gauss rule with two points near x = m; elsewhere the deviance less 1e-12 of it.

    >>> round(deviance_below(100.0, 99.0) * 1e6, 6), round(deviance_below(0.0, 1.0), 6)
    (5033.58535, 1.0)
    """
    s = x - m
    if -_NEAR * m <= s <= 2.0 * _NEAR * m:
        return 0.5 * s * s * (m + (7.0 / 15.0) * s) / (m * m + s * (0.8 * m + 0.1 * s))
    return (1.0 - _ROUNDING) * ((x * math.log(x / m) if x > 0.0 else 0.0) - s)


@njit
def pair_below(gap: float, x: float, y: float) -> float:
    """deviance_below(x - gap, x) + deviance_below(y + gap, y); for small gaps in one division."""
    if gap > _NEAR * min(x, 2.0 * y):
        return deviance_below(x - gap, x) + deviance_below(y + gap, y)
    part, square = (7.0 / 15.0) * gap, 0.1 * gap * gap
    under_x = x * (x - 0.8 * gap) + square
    under_y = y * (y + 0.8 * gap) + square
    both = (x - part) * under_y + (y + part) * under_x
    return 5.0 * square * both / (under_x * under_y)


@njit
def _stepped_back(
    q: float, excess: float, run: float, bend: float, reach: float, otherwise: float
) -> float:
    """A point near q, and at most q, at which a function is surely not positive; or `otherwise`.

    At q the function is `excess` and its derivative is 1 / `run`; left of it, at least as far as
    `reach`, the second derivative is at most `bend`. So it is negative at the nearer root of a
    quadratic, which is Newton's step times 2 / (1 + sqrt(1 - t)), t = 2 newton bend run. For
    t <= 1/2 that factor is at most 1 + 0.35 t, which is used; larger t are not.
    """
    if excess <= 0.0:
        return q
    newton = excess * run
    t = 2.0 * newton * (bend * run)
    back = newton * (1.0 + 0.35 * t) if t <= 0.5 else math.inf
    return q - back if back <= reach else otherwise


@apart
def coin_below(p: float, q: float) -> float:
    """A lower bound of the coin's kl(p, q) for p < q, and of the published code's clipped kl."""
    return pair_below(q - p, q, 1.0 - q) - _NOISE if q < 1.0 - 1e-9 else 0.0


@njit
def scale_root_above(bound: float) -> float:
    """At least, and about, the y > 0 with e^-y - 1 + y = bound.

    Up to bound = 1 it is found as in `coin_root_above`, in x = e^-y, in which the divergence
    x - 1 - log x = deviance(1, x) is convex too. Beyond, it is one step of y = 1 + bound - e^-y.
    """
    if bound > 1.0:
        return 1.0 + bound - math.exp(-1.0 - bound)
    x = (3.0 + 2.0 * bound - math.sqrt(bound * (4.0 * bound + 18.0))) / 3.0
    if x < 1.0:
        x += max(deviance_below(1.0, x) - bound, 0.0) * (x / (1.0 - x))
    return -math.log(x)


@njit
def coin_root_above(p: float, bound: float) -> float:
    """At least, and about, the q > p with kl(p, q) = bound.

    First the root of a lower bound of kl: Bernstein's kl(p, q) >= (p - q)^2 / (2 r (1 - r)) with
    r = (p + 2 q) / 3 or, if that root is near 1, kl(p, q) >= deviance(1 - p, 1 - q). Then a step
    that is at most as long as Newton's: it stays above the root, as kl(p, q) is convex in q.
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
    """A mean near q > p, and at most q, at which kl(p, .) is surely at most the bound; or p."""
    x, y, s = 1.0 - p, 1.0 - q, q - p
    if not (s > 0.0 and y > 0.0):
        return p
    found = x * math.log(x / y) + (p * math.log(p / q) if p > 0.0 else 0.0)
    excess = found - (bound - (_SURE * bound + _NOISE))
    half = p + 0.5 * s
    return _stepped_back(q, excess, q * y / s, p / (half * half) + x / (y * y), 0.5 * s, p)


@apart
def coin_root_below(p: float, bound: float) -> float:
    """A lower bound of the q >= p with kl(p, q) = bound.

    >>> round(coin_root_below(0.5, 0.02), 6), round(coin_root_above(0.5, 0.02), 6)
    (0.599008, 0.599009)
    """
    return coin_inside(p, coin_root_above(p, bound), bound)


@njit
def count_root_above(p: float, bound: float) -> float:
    """At least, and about, the q > p with deviance(p, q) = bound.

    As in `coin_root_above`, from Bernstein's 3 (q - p)^2 = 2 bound (p + 2 q).
    """
    s = (2.0 * bound + math.sqrt(bound * (4.0 * bound + 18.0 * p))) / 3.0
    q = p + s
    return q - max(deviance_below(p, q) - bound, 0.0) * (q / s) if s > 0.0 else q


@njit
def count_inside(p: float, q: float, bound: float) -> float:
    """A mean near q > p, and at most q, where deviance(p, .) is surely at most the bound; or p."""
    s = q - p
    if not s > 0.0:
        return p
    found = s + (p * math.log(p / q) if p > 0.0 else 0.0)
    excess = found - (bound - (_SURE * bound + _NOISE * q))
    half = p + 0.5 * s
    return _stepped_back(q, excess, q / s, p / (half * half), 0.5 * s, p)


@apart
def count_root_below(p: float, bound: float) -> float:
    """A lower bound of the q >= p with deviance(p, q) = bound."""
    return count_inside(p, count_root_above(p, bound), bound)


@njit
def scale_inside(y: float, bound: float) -> float:
    """A number near y > 0, and at most y, where e^-y - 1 + y is surely at most the bound; or 0."""
    ratio = math.exp(-y)
    if not ratio < 1.0:
        return 0.0
    excess = ratio - 1.0 + y - (bound - (_SURE * bound + _NOISE))
    return _stepped_back(y, excess, 1.0 / (1.0 - ratio), 1.0, y, 0.0)


@apart
def scale_root_below(bound: float) -> float:
    """A lower bound of the y >= 0 with e^-y - 1 + y = bound."""
    return scale_inside(scale_root_above(bound), bound)
