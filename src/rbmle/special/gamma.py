"""The gamma distribution with shape a and scale 1, and the logarithm of the gamma function.

The density is Loader's saddle form (see `deviance`), so that it keeps its digits for large a; the
distribution function is that density times a continued fraction (see `fraction`).
"""

from __future__ import annotations

import math

from .._numba.compile import njit
from .deviance import deviance, stirling_error
from .fraction import lower_gamma_ratio, upper_gamma_ratio
from .normal import INV_SQRT_2PI

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
def gamma_below(x: float, a: float) -> bool:
    """Whether to compute P(a, x) directly rather than as 1 - Q(a, x)."""
    return x <= max(a, 1.0)


@njit
def gamma_density(x: float, a: float) -> float:
    """The density x^(a - 1) exp(-x) / Gamma(a), for a > 0.

    >>> round(gamma_density(2.0, 3.0), 12)
    0.270670566473
    """
    if x < 0.0 or x == math.inf:
        return 0.0
    if x == 0.0:
        return 0.0 if a > 1.0 else (1.0 if a == 1.0 else math.inf)
    if x < 1e-280:  # the division by x below could overflow; exp(-x) is 1 here
        return math.exp((a - 1.0) * math.log(x) - log_gamma(a))
    return gamma_scale(a) * math.exp(-deviance(a, x)) / x


@njit
def gamma_cdf(x: float, a: float) -> float:
    """P(a, x), the integral of the density from 0 to x; small values keep all their digits.

    >>> round(gamma_cdf(2.0, 3.0), 12)
    0.323323583817
    """
    if x <= 0.0:
        return 0.0
    if x == math.inf:
        return 1.0
    h = gamma_scale(a) * math.exp(-deviance(a, x))
    if h == 0.0:
        return 0.0 if x < a else 1.0
    if gamma_below(x, a):
        return min(h * lower_gamma_ratio(x, a), 1.0)
    return 1.0 - h * upper_gamma_ratio(x, a)


@njit
def gamma_tail(x: float, a: float) -> float:
    """The upper tail Q(a, x) = 1 - P(a, x); small values keep all their digits.

    >>> round(gamma_tail(2.0, 3.0), 12)
    0.676676416183
    """
    if x <= 0.0:
        return 1.0
    if x == math.inf:
        return 0.0
    h = gamma_scale(a) * math.exp(-deviance(a, x))
    if h == 0.0:
        return 1.0 if x < a else 0.0
    if gamma_below(x, a):
        return max(1.0 - h * lower_gamma_ratio(x, a), 0.0)
    return h * upper_gamma_ratio(x, a)
