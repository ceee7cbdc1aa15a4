"""Quantiles of the gamma distribution.

The first guess solves r*(x) = z, where z is the normal quantile and r* = r - log(w) / r is the
modified signed root of the deviance, whose distribution is nearly normal (O. E. Barndorff-Nielsen,
Biometrika 73 (1986) 307-322; for the gamma distribution N. M. Temme, Math. Comp. 58 (1992)
755-764). If x is so small that exp(-x) is about 1, the first guess comes from the power law
P(a, x) ~ x^a / Gamma(a + 1) instead. Then follow steps of fourth order on the logarithm of the
smaller tail (see `root`), inside a bracket. Typically the distribution function is evaluated twice,
for large a once.
"""

from __future__ import annotations

import math

from .._numba.compile import apart, njit
from .deviance import deviance
from .fraction import lower_gamma_ratio, upper_gamma_ratio
from .gamma import gamma_below, gamma_scale, log_gamma
from .normal import normal_quantile
from .root import CLOSE, MOST_STEPS, kept_inside, step

# These affect speed only, except the last: what they admit is a first guess that is then refined.
# From this shape on the power law is not tried: its error is below _POWER_ERROR only for tails
# below 2e-10 (shape 16) or 1e-19 (shape 32).
_POWER_SHAPE = 16.0
_POWER_ERROR = 0.1  # the power law is the first guess if its estimated relative error is below this
_EXACT_ERROR = 1e-17  # it is the answer if its error is below this, less than rounding (1e-16)


@njit
def _signed_root_start(t: float) -> float:
    """Approximately the u, of the sign of t, with exp(u) - 1 - u = t^2 / 2."""
    if t > 1.5:
        k = 0.5 * t * t
        return math.log(1.0 + k + math.log1p(k + t))
    if t < -1.5:
        k = 1.0 + 0.5 * t * t
        return math.exp(-k) - k
    return t * (1.0 - t * (1.0 / 6.0 - t / 36.0))


@njit
def _normal_guess(z: float, a: float) -> float:
    """The x with r*(x) = z, to a few digits; r* = r - log(w) / r, w = sqrt(a) r / (x - a)."""
    root = math.sqrt(a)
    u = _signed_root_start((z - 1.0 / (3.0 * root)) / root)
    x = a * math.exp(max(u, -600.0))
    for _ in range(8):
        r = math.copysign(math.sqrt(2.0 * deviance(a, x)), x - a)
        if math.fabs(r) < 1e-6:
            break
        per = (x - a) / r  # dr/du
        miss = z - r - math.log(per / root) / r
        x *= math.exp(min(max(miss / per, -2.0), 2.0))
        if math.fabs(miss) < 0.02:
            break
    return x


@njit
def _solve(target: float, a: float, upper: bool) -> float:
    """The x with P(a, x) = target, or Q(a, x) = target if `upper`; target is in (0, 1/2]."""
    scale = gamma_scale(a)
    x = -1.0
    if a < _POWER_SHAPE:
        log_p = math.log1p(-target) if upper else math.log(target)
        power = math.exp((log_p + log_gamma(a + 1.0)) / a)
        error = power / (a + 1.0)
        if error < _EXACT_ERROR:
            return power
        if error < _POWER_ERROR:
            x = power * (1.0 + error)
    if x < 0.0:
        z = normal_quantile(target)
        x = _normal_guess(-z if upper else z, a)
    low, high = 0.0, math.inf
    for _ in range(MOST_STEPS):
        h = scale * math.exp(-deviance(a, x))
        below = gamma_below(x, a)
        part = h * (lower_gamma_ratio(x, a) if below else upper_gamma_ratio(x, a))
        found = part if below != upper else 1.0 - part
        if (found < target) != upper:
            low = x
        else:
            high = x
        if found <= 0.0:
            x = kept_inside(a, x, low, high)
            continue
        excess = math.log(found / target)
        rate = h / found
        change = step(excess, -rate if upper else rate, a - x, x)
        new = x + x * math.expm1(min(change, 600.0))
        if not math.fabs(excess) >= CLOSE:  # ends on a NaN too
            return new
        x = kept_inside(new, x, low, high)
    return x


@apart
def gamma_quantile(p: float, a: float) -> float:
    """The quantile: the x with P(a, x) = p; 0 for p <= 0 and inf for p >= 1.

    >>> round(gamma_quantile(0.5, 3.0), 12)
    2.674060313724
    """
    if p <= 0.0:
        return 0.0
    if p >= 1.0:
        return math.inf
    return _solve(p, a, False) if p <= 0.5 else _solve(1.0 - p, a, True)


@apart
def gamma_quantile_upper(q: float, a: float) -> float:
    """The upper quantile: the x with Q(a, x) = q; inf for q <= 0 and 0 for q >= 1.

    It is accurate for tiny q too, for which 1 - q would be rounded to 1.

    >>> round(gamma_quantile_upper(1e-20, 3.0), 11)
    53.34977407103
    """
    if q <= 0.0:
        return math.inf
    if q >= 1.0:
        return 0.0
    return _solve(q, a, True) if q <= 0.5 else _solve(1.0 - q, a, False)
