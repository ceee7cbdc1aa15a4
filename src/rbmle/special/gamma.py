"""The gamma distribution with shape a and scale 1, and the logarithm of the gamma function.

The density is Loader's saddle form (see `deviance`), so that it keeps its digits for large a; the
distribution function is that density times a continued fraction (see `fraction`); quantiles are
found by the search of `root`.
"""

from __future__ import annotations

import math

from .._numba.compile import apart, njit
from .deviance import deviance, stirling_error
from .fraction import lower_gamma_ratio, probability, upper_gamma_ratio
from .normal import INV_SQRT_2PI, normal_quantile
from .root import EXACT_ERROR, MOST_STEPS, POWER_ERROR, POWER_SHAPE, guess_step, search_step

_HALF_LOG_2PI = 0.9189385332046728  # log(2 pi) / 2
_ONE_LESS_EULER = 0.42278433509846714  # 1 - Euler's constant


@njit
def _log_gamma_near_two(e: float) -> float:
    """log Gamma(2 + e) for |e| <= 1/4, from its power series (DLMF 5.7.3),

        (1 - Euler) e + sum over k >= 2 of (-1)^k (zeta(k) - 1) e^k / k,

    whose coefficients were computed from this formula with 50 digits.
    """
    s = 2.1207184805554665e-07 * e - 4.492469198764566e-07
    s = (s * e + 9.55141213040742e-07) * e - 2.039215753801366e-06
    s = (s * e + 4.374866789907488e-06) * e - 9.439488275268397e-06
    s = (s * e + 2.050721277567069e-05) * e - 4.492623673813314e-05
    s = (s * e + 9.945751278180853e-05) * e - 0.00022315475845357939
    s = (s * e + 0.0005096695247430425) * e - 0.001192753911703261
    s = (s * e + 0.0028905103307415234) * e - 0.007385551028673986
    s = (s * e + 0.020580808427784546) * e - 0.0673523010531981
    return e * ((s * e + 0.3224670334241132) * e + _ONE_LESS_EULER)


@njit
def log_gamma(x: float) -> float:
    """log Gamma(x) for x > 0; it keeps all its digits next to its zeros x = 1 and x = 2.

    >>> round(log_gamma(0.5), 12)
    0.572364942925
    """
    if x <= 0.0 or x == math.inf:
        return math.inf
    if math.fabs(x - 2.0) <= 0.25:
        return _log_gamma_near_two(x - 2.0)
    if math.fabs(x - 1.0) <= 0.25:
        return _log_gamma_near_two(x - 1.0) - math.log1p(x - 1.0)
    return stirling_error(x) + (((x - 0.5) * math.log(x) - x) + _HALF_LOG_2PI)


@njit
def gamma_scale(a: float) -> float:
    """a^a exp(-a) / Gamma(a): the largest value of `x^a exp(-x) / Gamma(a)`, at x = a."""
    return math.sqrt(a) * INV_SQRT_2PI * math.exp(-stirling_error(a))


@njit
def _tail_from(h: float, x: float, a: float) -> tuple[float, bool]:
    """P(a, x) and True, or Q(a, x) and False, without cancelling; h = x^a exp(-x) / Gamma(a)."""
    lower = x <= max(a, 1.0)
    return h * (lower_gamma_ratio(x, a) if lower else upper_gamma_ratio(x, a)), lower


@njit
def _either_tail(x: float, a: float) -> tuple[float, bool]:
    """P(a, x) and True, or Q(a, x) and False, for any x."""
    if x <= 0.0 or x == math.inf:
        return 0.0, x <= 0.0
    h = gamma_scale(a) * math.exp(-deviance(a, x))
    if h == 0.0:
        return 0.0, x < a
    return _tail_from(h, x, a)


@njit
def gamma_cdf(x: float, a: float) -> float:
    """P(a, x), the integral of the density from 0 to x; small values keep all their digits.

    >>> round(gamma_cdf(2.0, 3.0), 12)
    0.323323583817
    """
    part, lower = _either_tail(x, a)
    return probability(part, lower)


@njit
def gamma_tail(x: float, a: float) -> float:
    """The upper tail Q(a, x) = 1 - P(a, x); small values keep all their digits.

    >>> round(gamma_tail(2.0, 3.0), 12)
    0.676676416183
    """
    part, lower = _either_tail(x, a)
    return probability(part, not lower)


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
    """The x with r*(x) = z, to a few digits; see `root`."""
    root = math.sqrt(a)
    u = _signed_root_start((z - 1.0 / (3.0 * root)) / root)
    x = a * math.exp(max(u, -600.0))
    for _ in range(8):
        factor, close = guess_step(z, x - a, deviance(a, x), root)
        x *= factor
        if close:
            break
    return x


@njit
def _solve(target: float, a: float, upper: bool) -> float:
    """The x with P(a, x) = target, or Q(a, x) = target if `upper`; target is in (0, 1/2]."""
    x = -1.0
    if a < POWER_SHAPE:
        log_p = math.log1p(-target) if upper else math.log(target)
        power = math.exp((log_p + log_gamma(a + 1.0)) / a)
        error = power / (a + 1.0)
        if error < EXACT_ERROR:
            return power
        if error < POWER_ERROR:
            x = power * (1.0 + error)
    if x < 0.0:
        z = normal_quantile(target)
        x = _normal_guess(-z if upper else z, a)
    at, scale = (x, 0.0, math.inf), gamma_scale(a)
    for _ in range(MOST_STEPS):
        x = at[0]
        h = scale * math.exp(-deviance(a, x))
        part, lower = _tail_from(h, x, a)
        found = part if lower != upper else 1.0 - part
        at, done = search_step(at, found, target, (h, a - x, x), a, upper)
        if done:
            break
    return at[0]


@njit
def _quantile(tail: float, a: float, upper: bool) -> float:
    """The x at which the lower or the upper tail is `tail`."""
    if tail <= 0.0 or tail >= 1.0:
        return math.inf if (tail <= 0.0) == upper else 0.0
    return _solve(min(tail, 1.0 - tail), a, (tail <= 0.5) == upper)


@apart
def gamma_quantile(p: float, a: float) -> float:
    """The quantile: the x with P(a, x) = p; 0 for p <= 0 and inf for p >= 1.

    >>> round(gamma_quantile(0.5, 3.0), 12)
    2.674060313724
    """
    return _quantile(p, a, False)


@apart
def gamma_quantile_upper(q: float, a: float) -> float:
    """The upper quantile: the x with Q(a, x) = q; inf for q <= 0 and 0 for q >= 1.

    It is accurate for tiny q too, for which 1 - q would be rounded to 1.

    >>> round(gamma_quantile_upper(1e-20, 3.0), 11)
    53.34977407103
    """
    return _quantile(q, a, True)
