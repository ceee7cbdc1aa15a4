"""Quantiles of the beta distribution.

The method is that of `gamma_inverse`, with the odds x / (1 - x) in place of x: odds keep full
relative precision at both ends of the interval. The first guess is the point where the modified
signed root r* of the deviance equals the normal quantile (O. E. Barndorff-Nielsen, Biometrika 73
(1986) 307-322; N. M. Temme, J. Comput. Appl. Math. 41 (1992) 145-157), or comes from the power law
I_x ~ x^a / (a B(a, b)) for small x. Then follow steps of fourth order on the logarithm of the
smaller tail, inside a bracket. An upper quantile is a lower one with a and b exchanged.
"""

from __future__ import annotations

import math

from .._numba.compile import apart, njit
from .beta import beta_below, beta_deviance, beta_scale
from .fraction import beta_ratio
from .normal import normal_quantile
from .root import CLOSE, MOST_STEPS, kept_inside, step

# These affect speed only, except the last: what they admit is a first guess that is then refined.
_POWER_SHAPE = 16.0  # from this shape on the power law is not tried, as in `gamma_inverse`
_POWER_ERROR = 0.1  # the power law is the first guess if its estimated relative error is below this
_EXACT_ERROR = 1e-17  # it is the answer if its error is below this, less than rounding (1e-16)


@njit
def _signed_root_start(t: float, a: float, b: float) -> float:
    """About the u, of the sign of t, with log((b + a e^u) / n) - a u / n = t^2 a b / (2 n^2).

    For t > -1 it is a series in t. For t <= -1 the left side is about (b / n) (e^-u - 1 + u) while
    the odds exceed one, as for a gamma distribution, and then the line log(b / n) - a u / n.
    """
    n = a + b
    if t > -1.0:
        t = min(t, 1.0)
        return t * (1.0 - t * (b - a) / (6.0 * n))
    k = 0.5 * t * t * (a / n)
    small = b / n
    v = math.log(1.0 + k + math.log1p(k - t))
    return -v if small * math.exp(v) < 1.0 else (math.log(small) - k * small) * (n / a)


@njit
def _normal_guess(z: float, a: float, b: float) -> float:
    """The odds with r* = z, to a few digits.

    r* = r - log(w) / r with w = sqrt(a b / n) r / (b x - a y).
    """
    n = a + b
    root = math.sqrt(a * (b / n))
    limit = (b - a) / (3.0 * n * root)
    u = _signed_root_start((z - limit) / root, a, b)
    odds = a / b * math.exp(max(u, -600.0))
    for _ in range(8):
        y = 1.0 / (1.0 + odds)
        x = odds * y
        gap = b * x - a * y
        r = math.copysign(math.sqrt(2.0 * beta_deviance(x, y, a, b)), gap)
        if math.fabs(r) < 1e-6:
            break
        per = gap / r  # dr/du
        miss = z - r - math.log(per / root) / r
        odds *= math.exp(min(max(miss / per, -2.0), 2.0))
        if math.fabs(miss) < 0.02:
            break
    return odds


@njit
def _solve(target: float, a: float, b: float) -> float:
    """The odds x / (1 - x) with I_x(a, b) = target, for target in (0, 1/2]."""
    scale = beta_scale(a, b)
    n = a + b
    odds = -1.0
    if a < _POWER_SHAPE:  # I_x is about x^a / (a B) = scale / a * (n x / a)^a (n / b)^b
        log_x = (math.log(target * a / scale) - b * math.log1p(a / b)) / a + math.log(a / n)
        power = math.exp(min(log_x, 0.0))
        error = power * (b - 1.0) / (a + 1.0)
        if math.fabs(error) + power < _EXACT_ERROR:
            return power
        if math.fabs(error) < _POWER_ERROR and power < 0.5:
            guess = power * (1.0 + error)
            odds = guess / (1.0 - guess)
    if odds < 0.0:
        odds = _normal_guess(normal_quantile(target), a, b)
    low, high = 0.0, math.inf
    for _ in range(MOST_STEPS):
        y = 1.0 / (1.0 + odds)
        x = odds * y
        h = scale * math.exp(-beta_deviance(x, y, a, b))
        if beta_below(x, a, b):
            found = h * beta_ratio(x, y, a, b)
        else:
            found = 1.0 - h * beta_ratio(y, x, b, a)
        if found < target:
            low = odds
        else:
            high = odds
        if found <= 0.0:
            odds = kept_inside(a / b, odds, low, high)
            continue
        excess = math.log(found / target)
        change = step(excess, h / found, a * y - b * x, n * x * y)
        new = odds + odds * math.expm1(min(change, 600.0))
        if not math.fabs(excess) >= CLOSE:  # ends on a NaN too
            return new
        odds = kept_inside(new, odds, low, high)
    return odds


@apart
def beta_quantile(p: float, a: float, b: float) -> float:
    """The quantile: the x with I_x(a, b) = p; 0 for p <= 0 and 1 for p >= 1.

    >>> round(beta_quantile(0.5, 2.0, 3.0), 12)
    0.385727568132
    """
    if p <= 0.0:
        return 0.0
    if p >= 1.0:
        return 1.0
    if p > 0.5:
        return 1.0 / (1.0 + _solve(1.0 - p, b, a))
    odds = _solve(p, a, b)
    return odds / (1.0 + odds)


@apart
def beta_quantile_upper(q: float, a: float, b: float) -> float:
    """The upper quantile: the x with I_x(a, b) = 1 - q; 1 for q <= 0 and 0 for q >= 1.

    It is accurate for tiny q too, for which 1 - q would be rounded to 1.

    >>> round(beta_quantile_upper(1e-9, 2.0, 3.0), 12)
    0.999369940216
    """
    if q <= 0.0:
        return 1.0
    if q >= 1.0:
        return 0.0
    if q <= 0.5:
        return 1.0 / (1.0 + _solve(q, b, a))
    odds = _solve(1.0 - q, a, b)
    return odds / (1.0 + odds)
