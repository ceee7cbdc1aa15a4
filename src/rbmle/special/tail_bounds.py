"""Cheap bounds on the tails of beta and gamma distributions, and on their quantiles.

A tail is a Stirling factor times exp(-deviance) times a ratio. Each of the three has bounds in
closed form; those of the deviance are in `divergence_bounds`.

The Stirling error d(z) (see `deviance`) is the fraction 1/12 / (z + 1/30 / (z + ...)), whose terms
are all positive for z > 0 (DLMF 5.10.1). Hence z / (12 z^2 + 2/5) < d(z) < 1 / (12 z).

The ratio rho of a tail to its density h in u (see `fraction` for u and h) satisfies
rho' = g rho - 1 with g = -(log h)'. If a function B satisfies B' <= g B - 1 from u on, then
(B - rho) h falls to 0, so that B >= rho at u; if B' >= g B - 1 from u on, then B <= rho. For the
normal distribution, where g = z, such functions are the convergents of Laplace's fraction
1 / (z + 1 / (z + 2 / (z + 3 / z))), in turn above and below (R. D. Gordon, Ann. Math. Stat. 12
(1941) 364-366). With c = g'' / g' the corresponding fraction is

    1 / (g + g' / (g - c + 2 g' / (g - 2 c + 3 g' / g))).

By the criterion above, its convergents are bounds where g > 0, g' > 0 and
    the second (below):  c <= 2 g' / g;
    the third (above):   4 c - c' g / g' <= 6 g' / g;
    the fourth (below):  9 c - 2 c' g / g' <= 12 g' / g and c' <= 0 < g - c + ... from there on.
The beta distribution has g = n x - a, g' = n x y, c = y - x, c' = -2 g' / n, so that g' / g >= y
and -c' g / g' <= 2 x. The gamma distribution has g' = x and c' = 0; above its mean g = x - a and
c = 1, and g' / g > 1; below its mean g = a - x and c = -1. In all these cases c <= 1 and g - c
rises, so that g > 1 suffices for the fourth convergent.
"""

from __future__ import annotations

import math

from .._numba.compile import apart, njit
from .divergence_bounds import (
    coin_inside,
    coin_root_above,
    count_inside,
    count_root_above,
    deviance_below,
    pair_below,
    scale_inside,
    scale_root_above,
)
from .normal import INV_SQRT_2PI

_TWO_PI = 6.283185307179586
_LOG_TWO_PI = 1.8378770664093453
# The quantile bounds improve a guess up to this often. A bound after any number of turns is valid;
# more turns only make it sharper.
_TURNS = 3
_LARGE_SHAPE = 40.0  # from here on the guess of `near_quantile_above` is good enough for its step
_LARGEST = 0.4  # no quantile bound for larger tails: near the mean (g = 0) the bounds are poor


@njit
def ratio_below(g: float, slope: float, c: float) -> float:
    """A lower bound of the ratio rho of a tail to its density; slope = g', c = g'' / g' <= 1."""
    if g <= 1.0:
        return g / (g * g + slope)
    under = g * (g - 2.0 * c) + 3.0 * slope
    top = (g - c) * under + 2.0 * slope * g
    return top / (g * top + slope * under)


@njit
def ratio_above(g: float, slope: float, c: float) -> float:
    """An upper bound of the ratio rho of a tail to its density; slope = g', c = g'' / g'."""
    top = g * (g - c) + 2.0 * slope
    return top / (g * (top + slope))


@njit
def rate_above(g: float, s: float) -> float:
    """An upper bound of the ratio rho of the gamma distribution below its mean; s = x, g = a - x.

    The ratio is the fraction 1 / (g + s / (g + 1 + 2 s / (g + 2 + 3 s / (g + 3 + ...)))), all of
    whose terms are positive, so that its convergents are in turn above and below it; this is the
    fifth. The fraction follows from rho = M_0, 1 = g M_0 + s M_1, k M_(k-1) = (g + k) M_k +
    s M_(k+1), where M_k > 0 is the integral of (1 - e^-w)^k exp(x (1 - e^-w) - a w) over w > 0, by
    parts.
    """
    fourth = (g + 3.0) * (g + 4.0) + 4.0 * s
    third = (g + 2.0) * fourth + 3.0 * s * (g + 4.0)
    second = (g + 1.0) * third + 2.0 * s * fourth
    return second / (g * second + s * third)


@njit
def rate_below(g: float, s: float) -> float:
    """A lower bound of the same ratio: the sixth convergent."""
    fifth = (g + 4.0) * (g + 5.0) + 5.0 * s
    fourth = (g + 3.0) * fifth + 4.0 * s * (g + 5.0)
    third = (g + 2.0) * fourth + 3.0 * s * fifth
    second = (g + 1.0) * third + 2.0 * s * fourth
    return second / (g * second + s * third)


@njit
def stirling_below(z: float) -> float:
    """A lower bound of `stirling_error` for z > 0."""
    return z / (12.0 * z * z + 0.4)


@njit
def half_square(tail: float) -> float:
    """About, and somewhat less than, z^2 / 2, where P(Z > z) = tail for a normal variable Z.

    It comes from z^2 + log z^2 = L = -2 log(tail) - log(2 pi), which holds nearly. It is only a
    first guess: the functions below turn it into a guess of a quantile by Cornish and Fisher's term
    in the skewness. It is low on purpose, because a low guess makes the next one high.
    """
    level = max(-2.0 * math.log(tail) - _LOG_TWO_PI, 1.0)
    return 0.48 * (level - math.log(level) * (1.0 - 1.0 / level))


@apart
def beta_tail_above(x: float, a: float, b: float) -> float:
    """An upper bound of `beta_tail`.

    >>> round(beta_tail_above(0.75, 40.0, 30.0), 7)  # 0.0006179 is the tail
    0.0006199
    """
    n = a + b
    g = n * x - a
    if not g > 0.0:
        return 1.0
    if x >= 1.0:
        return 0.0
    y = 1.0 - x
    per = 1.0 / n
    v = a * b * per
    # d(n) - d(a) - d(b), the Stirling errors, is at most 0; for a, b >= 1 it is at most this.
    stirling = per / 12.0 - (29.0 / 360.0) / v if min(a, b) >= 1.0 else 0.0
    ratio = ratio_above(g, n * x * y, y - x)
    return math.sqrt(v / _TWO_PI) * ratio * math.exp(stirling - pair_below(g, n * x, n * y))


@apart
def gamma_tail_above(x: float, a: float) -> float:
    """An upper bound of `gamma_tail`."""
    g = x - a
    if not g > 0.0:
        return 1.0
    ratio = ratio_above(g, x, 1.0)
    return math.sqrt(a / _TWO_PI) * ratio * math.exp(-stirling_below(a) - deviance_below(a, x))


@apart
def gamma_cdf_above(x: float, a: float) -> float:
    """An upper bound of `gamma_cdf`."""
    g = a - x
    if not (g > 0.0 and x > 0.0):
        return 1.0
    ratio = rate_above(g, x)
    return math.sqrt(a / _TWO_PI) * ratio * math.exp(-stirling_below(a) - deviance_below(a, x))


@apart
def beta_quantile_below(q: float, a: float, b: float) -> float:
    """A lower bound of `beta_quantile_upper`; 0 if no useful one is found.

    A lower bound of the ratio at a guess w gives the value k that the divergence must have for a
    tail of q. At a point x <= w whose divergence is at most k, the tail is at least q, so that x is
    below the quantile, provided that the bound of the ratio is at least as large at x as at w.

    >>> round(beta_quantile_below(0.001, 40.0, 30.0), 6)  # 0.743086 is the quantile
    0.743072
    """
    if not 0.0 < q < _LARGEST:
        return 0.0
    n = a + b
    mean = a / n
    k = half_square(q) / n
    w = (
        mean
        + math.sqrt(2.0 * mean * (1.0 - mean) * k)
        + (1.0 - 2.0 * mean) * (2.0 * k - 1.0 / n) / 3.0
    )
    if not mean < w < 1.0:
        return 0.0
    first = ratio_below(n * w - a, n * w * (1.0 - w), 1.0 - 2.0 * w)
    stirling = stirling_below(n) - n / (12.0 * a * b)
    k = (math.log(math.sqrt(a * (b / (_TWO_PI * n))) / q * first) + stirling) / n
    ratio, x = first, 0.0
    for _ in range(_TURNS):
        w = coin_root_above(mean, k) if k > 0.0 else mean
        if not mean < w < 1.0:
            return 0.0
        ratio = ratio_below(n * w - a, n * w * (1.0 - w), 1.0 - 2.0 * w)
        k += (1.0 - first / ratio) / n  # log(ratio / first) or less
        x = coin_inside(mean, w, k) if k > 0.0 else mean
        if x < w:
            break
        first = ratio
    if not x > mean:
        return 0.0
    return x if ratio_below(n * x - a, n * x * (1.0 - x), 1.0 - 2.0 * x) >= ratio else 0.0


@apart
def gamma_quantile_below(q: float, a: float) -> float:
    """A lower bound of `gamma_quantile_upper`, found as in `beta_quantile_below`; or 0."""
    if not 0.0 < q < _LARGEST:
        return 0.0
    k = half_square(q)
    w = a + math.sqrt(2.0 * a * k) + (2.0 * k - 1.0) / 3.0
    if not w > a:
        return 0.0
    first = ratio_below(w - a, w, 1.0)
    k = math.log(math.sqrt(a / _TWO_PI) / q * first) - 1.0 / (12.0 * a)
    ratio, x = first, 0.0
    for _ in range(_TURNS):
        w = count_root_above(a, k) if k > 0.0 else a
        if not w > a:
            return 0.0
        ratio = ratio_below(w - a, w, 1.0)
        k += 1.0 - first / ratio
        x = count_inside(a, w, k) if k > 0.0 else a
        if x < w:
            break
        first = ratio
    return x if x > a and ratio_below(x - a, x, 1.0) >= ratio else 0.0


@njit
def log_rate_below(p: float, a: float) -> float:
    """A lower bound of log(a / gamma_quantile(p, a)), found as in `beta_quantile_below`.

    It is minus infinity if no useful one is found.
    """
    if not 0.0 < p < _LARGEST:
        return -math.inf
    k = half_square(p) / a
    x = a * math.exp(-math.sqrt(2.0 * k) - (k + 1.0 / a) / 3.0)
    if not x < a:
        return -math.inf
    first = rate_below(a - x, x)
    k = (math.log(math.sqrt(a / _TWO_PI) / p * first) - 1.0 / (12.0 * a)) / a
    ratio, y = first, 0.0
    for _ in range(_TURNS):
        w = scale_root_above(k) if k > 0.0 else 0.0
        x = a * math.exp(-w)
        if not x < a:
            return -math.inf
        ratio = rate_below(a - x, x)
        k += (1.0 - first / ratio) / a
        y = scale_inside(w, k) if k > 0.0 else 0.0
        if y < w:
            break
        first = ratio
    x = a * math.exp(-y)
    return y if x < a and rate_below(a - x, x) >= ratio else -math.inf


@apart
def gamma_quantile_above(p: float, a: float) -> float:
    """An upper bound of `gamma_quantile`; infinite if no useful one is found.

    >>> round(gamma_quantile_above(0.001, 400.0), 6)  # 341.033226 is the quantile
    341.033395
    """
    if not 0.0 < p < _LARGEST:
        return math.inf
    x = near_quantile_above(p, a) if a >= _LARGE_SHAPE else math.inf
    return x if x < math.inf else a * math.exp(-min(log_rate_below(p, a), 700.0))


@njit
def near_quantile_above(p: float, a: float) -> float:
    """An upper bound of `gamma_quantile` for large a, to about 1e-7 of it; or infinity.

    The first guess inverts Temme's expansion (Math. Comp. 58 (1992) 755-764, x / a = 1 + t + t^2/3
    + t^3/36 - ...) at the normal quantile by Hastings' formula (Abramowitz and Stegun 26.2.23), to
    5e-4. Then comes a step of third order on the logarithm of the tail, a little too long. The
    result is returned only if a lower bound of the tail there is at least p, which is a proof that
    the quantile is below it. That needs no further logarithm: log r >= 1 - 1 / r.
    """
    per, root = 1.0 / a, math.sqrt(a)
    z = math.sqrt(-2.0 * math.log(p))
    z -= (2.515517 + z * (0.802853 + z * 0.010328)) / (
        1.0 + z * (1.432788 + z * (0.189269 + z * 0.001308))
    )
    t = -(z * root + 1.0 / 3.0) * per
    x = a * (1.0 + t * (1.0 + t * (1.0 / 3.0 + t * (1.0 / 36.0 - t * (1.0 / 270.0)))))
    g = a - x
    if not (g > 0.0 and x > 0.0):
        return math.inf
    ratio, exponent = rate_below(g, x), deviance_above(g, x)
    miss = math.log(p / (root * INV_SQRT_2PI * ratio)) + per / 12.0 + exponent
    longer = ratio * (1e-6 + 0.3 * math.fabs(miss * miss * miss))
    step = miss * ratio * (1.0 + 0.5 * (1.0 - g * ratio) * miss) + longer
    x *= 1.0 + step * (1.0 + 0.5 * step)
    g = a - x
    if not (g > 0.0 and math.fabs(miss) < 0.3):
        return math.inf
    more = 1.0 - ratio / rate_below(g, x) - (deviance_above(g, x) - exponent)
    return x if more >= miss else math.inf


@njit
def deviance_above(g: float, x: float) -> float:
    """An upper bound of `deviance(x + g, x)` for g >= 0 and x > 0.

    With u = g / x it is the Pade approximant [2/2] of the integral in `divergence_bounds`, which is
    a Stieltjes function of u: diagonal approximants are above it (G. A. Baker and P. Graves-Morris,
    "Pade Approximants" (1996), section 5.2). For u < 1 it is at most 1.8e-4 of it too large.
    """
    top = 0.5 * g * g * (x * x + g * ((2.0 / 3.0) * x + g * (1.0 / 30.0)))
    return top / (x * (x * x + g * (x + 0.2 * g)))
