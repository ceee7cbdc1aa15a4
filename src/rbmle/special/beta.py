"""The beta distribution with shapes a and b.

The density is Loader's saddle form (see `deviance`), so that it keeps its digits for large shapes;
the distribution function is that density times a continued fraction (see `fraction`), taken on
the side of the mean where the fraction converges fast; quantiles are found by the search of `root`,
and an upper quantile is a lower one with a and b exchanged.
"""

from __future__ import annotations

import math

from .._numba.compile import apart, njit
from .deviance import deviance, stirling_error
from .fraction import beta_ratio, probability
from .normal import INV_SQRT_2PI, normal_quantile
from .root import EXACT_ERROR, MOST_STEPS, POWER_ERROR, POWER_SHAPE, guess_step, search_step


@njit
def beta_scale(a: float, b: float) -> float:
    """The maximum of x^a y^b / B(a, b) over x, where y = 1 - x; it is at x = a / (a + b)."""
    n = a + b
    excess = stirling_error(n) - stirling_error(a) - stirling_error(b)
    return math.sqrt(a * (b / n)) * INV_SQRT_2PI * math.exp(excess)


@njit
def beta_deviance(x: float, y: float, a: float, b: float) -> float:
    """a log(a / (n x)) + b log(b / (n y)), n = a + b: -log of x^a y^b divided by its maximum."""
    n = a + b
    return deviance(a, n * x) + deviance(b, n * y)


@njit
def _tail_from(h: float, x: float, y: float, a: float, b: float) -> tuple[float, bool]:
    """I_x(a, b) and True, or I_y(b, a) and False, without cancelling; h = x^a y^b / B(a, b)."""
    lower = x * (a + b + 2.0) <= a + 1.0
    return h * (beta_ratio(x, y, a, b) if lower else beta_ratio(y, x, b, a)), lower


@njit
def _either_tail(x: float, a: float, b: float) -> tuple[float, bool]:
    """I_x(a, b) and True, or the upper tail and False, for any x."""
    if x <= 0.0 or x >= 1.0:
        return 0.0, x <= 0.0
    y = 1.0 - x
    return _tail_from(beta_scale(a, b) * math.exp(-beta_deviance(x, y, a, b)), x, y, a, b)


@njit
def beta_cdf(x: float, a: float, b: float) -> float:
    """I_x(a, b), the integral of the density from 0 to x; small values keep all their digits.

    >>> round(beta_cdf(0.25, 2.0, 3.0), 12)
    0.26171875
    """
    part, lower = _either_tail(x, a, b)
    return probability(part, lower)


@njit
def beta_tail(x: float, a: float, b: float) -> float:
    """The upper tail 1 - I_x(a, b); small values keep all their digits.

    >>> round(beta_tail(0.25, 2.0, 3.0), 12)
    0.73828125
    """
    part, lower = _either_tail(x, a, b)
    return probability(part, not lower)


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
    """The odds with r* = z, to a few digits; see `root`."""
    n = a + b
    root = math.sqrt(a * (b / n))
    limit = (b - a) / (3.0 * n * root)
    u = _signed_root_start((z - limit) / root, a, b)
    odds = a / b * math.exp(max(u, -600.0))
    for _ in range(8):
        y = 1.0 / (1.0 + odds)
        x = odds * y
        factor, close = guess_step(z, b * x - a * y, beta_deviance(x, y, a, b), root)
        odds *= factor
        if close:
            break
    return odds


@njit
def _solve(target: float, a: float, b: float) -> float:
    """The odds x / (1 - x) with I_x(a, b) = target, for target in (0, 1/2]."""
    scale = beta_scale(a, b)
    n = a + b
    odds = -1.0
    if a < POWER_SHAPE:  # I_x is about x^a / (a B) = scale / a * (n x / a)^a (n / b)^b
        log_x = (math.log(target * a / scale) - b * math.log1p(a / b)) / a + math.log(a / n)
        power = math.exp(min(log_x, 0.0))
        error = power * (b - 1.0) / (a + 1.0)
        if math.fabs(error) + power < EXACT_ERROR:
            return power
        if math.fabs(error) < POWER_ERROR and power < 0.5:
            guess = power * (1.0 + error)
            odds = guess / (1.0 - guess)
    if odds < 0.0:
        odds = _normal_guess(normal_quantile(target), a, b)
    at = odds, 0.0, math.inf
    for _ in range(MOST_STEPS):
        y = 1.0 / (1.0 + at[0])
        x = at[0] * y
        h = scale * math.exp(-beta_deviance(x, y, a, b))
        part, lower = _tail_from(h, x, y, a, b)
        found = part if lower else 1.0 - part
        density = h, a * y - b * x, n * x * y
        at, done = search_step(at, found, target, density, a / b, False)
        if done:
            break
    return at[0]


@njit
def _quantile(tail: float, a: float, b: float, upper: bool) -> float:
    """The x at which the lower or the upper tail is `tail`."""
    if tail <= 0.0 or tail >= 1.0:
        return 1.0 if (tail <= 0.0) == upper else 0.0
    smaller = min(tail, 1.0 - tail)
    if (tail <= 0.5) == upper:
        return 1.0 / (1.0 + _solve(smaller, b, a))
    odds = _solve(smaller, a, b)
    return odds / (1.0 + odds)


@apart
def beta_quantile(p: float, a: float, b: float) -> float:
    """The quantile: the x with I_x(a, b) = p; 0 for p <= 0 and 1 for p >= 1.

    >>> round(beta_quantile(0.5, 2.0, 3.0), 12)
    0.385727568132
    """
    return _quantile(p, a, b, False)


@apart
def beta_quantile_upper(q: float, a: float, b: float) -> float:
    """The upper quantile: the x with I_x(a, b) = 1 - q; 1 for q <= 0 and 0 for q >= 1.

    It is accurate for tiny q too, for which 1 - q would be rounded to 1.

    >>> round(beta_quantile_upper(1e-9, 2.0, 3.0), 12)
    0.999369940216
    """
    return _quantile(q, a, b, True)


@apart
def beta_odds_upper(q: float, a: float, b: float) -> float:
    """The odds x / (1 - x) of the upper quantile x, which keep their digits where x is next to 1.

    >>> round(beta_odds_upper(1e-9, 2.0, 3.0), 6)
    1586.150973
    """
    if q <= 0.0 or q >= 1.0:
        return math.inf if q <= 0.0 else 0.0
    if q > 0.5:
        return _solve(1.0 - q, a, b)
    reverse = _solve(q, b, a)
    return 1.0 / reverse if reverse > 0.0 else math.inf
