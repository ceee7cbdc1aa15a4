"""The beta distribution with shapes a and b.

The density is Loader's saddle form (see `deviance`), so that it keeps its digits for large shapes;
the distribution function is that density times a continued fraction (see `fraction`), taken on
the side of the mean where the fraction converges fast.
"""

from __future__ import annotations

import math

from .._numba.compile import njit
from .deviance import deviance, stirling_error
from .fraction import beta_ratio
from .normal import INV_SQRT_2PI


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
def beta_below(x: float, a: float, b: float) -> bool:
    """Whether to compute I_x(a, b) directly rather than as 1 - I_y(b, a)."""
    return x * (a + b + 2.0) <= a + 1.0


@njit
def beta_density(x: float, a: float, b: float) -> float:
    """The density x^(a - 1) (1 - x)^(b - 1) / B(a, b), for a, b > 0.

    >>> round(beta_density(0.25, 2.0, 3.0), 12)
    1.6875
    """
    if x < 0.0 or x > 1.0:
        return 0.0
    if x == 0.0:
        return 0.0 if a > 1.0 else (b if a == 1.0 else math.inf)
    if x == 1.0:
        return 0.0 if b > 1.0 else (a if b == 1.0 else math.inf)
    y = 1.0 - x
    return beta_scale(a, b) * math.exp(-beta_deviance(x, y, a, b)) / y / x


@njit
def beta_cdf(x: float, a: float, b: float) -> float:
    """I_x(a, b), the integral of the density from 0 to x; small values keep all their digits.

    >>> round(beta_cdf(0.25, 2.0, 3.0), 12)
    0.26171875
    """
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    y = 1.0 - x
    h = beta_scale(a, b) * math.exp(-beta_deviance(x, y, a, b))
    if beta_below(x, a, b):
        return min(h * beta_ratio(x, y, a, b), 1.0)
    return max(1.0 - h * beta_ratio(y, x, b, a), 0.0)


@njit
def beta_tail(x: float, a: float, b: float) -> float:
    """The upper tail 1 - I_x(a, b); small values keep all their digits.

    >>> round(beta_tail(0.25, 2.0, 3.0), 12)
    0.73828125
    """
    if x <= 0.0:
        return 1.0
    if x >= 1.0:
        return 0.0
    y = 1.0 - x
    h = beta_scale(a, b) * math.exp(-beta_deviance(x, y, a, b))
    if beta_below(x, a, b):
        return max(1.0 - h * beta_ratio(x, y, a, b), 0.0)
    return min(h * beta_ratio(y, x, b, a), 1.0)
