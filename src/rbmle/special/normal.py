"""The standard normal distribution.

The quantile is algorithm AS 241, routine PPND16, of M. J. Wichura, "The percentage points of the
normal distribution", Applied Statistics 37 (1988) 477-484: three rational functions, each accurate
to about 1 part in 10^16. The distribution function uses erfc of the C library, which gives the same
number in interpreted and in compiled code.
"""

from __future__ import annotations

import math

from .._numba.compile import njit

SQRT_HALF = 0.7071067811865476  # 1 / sqrt(2)
INV_SQRT_2PI = 0.3989422804014327  # 1 / sqrt(2 pi)


@njit
def normal_density(x: float) -> float:
    """The density exp(-x^2 / 2) / sqrt(2 pi).

    >>> round(normal_density(1.0), 12)
    0.241970724519
    """
    return INV_SQRT_2PI * math.exp(-0.5 * x * x)


@njit
def normal_cdf(x: float) -> float:
    """Phi(x) = erfc(-x / sqrt(2)) / 2; small values keep all their digits.

    >>> round(normal_cdf(-1.0), 12)
    0.158655253931
    """
    return 0.5 * math.erfc(-SQRT_HALF * x)


@njit
def _central(q: float) -> float:
    """Phi^-1(q + 1/2) for |q| <= 0.425 (AS 241, coefficients a and b)."""
    r = 0.180625 - q * q  # 0.425^2 - q^2
    top = 2509.0809287301226727 * r + 33430.575583588128105
    top = (top * r + 67265.770927008700853) * r + 45921.953931549871457
    top = (top * r + 13731.693765509461125) * r + 1971.5909503065514427
    top = (top * r + 133.14166789178437745) * r + 3.387132872796366608
    low = 5226.495278852854561 * r + 28729.085735721942674
    low = (low * r + 39307.89580009271061) * r + 21213.794301586595867
    low = (low * r + 5394.1960214247511077) * r + 687.1870074920579083
    low = (low * r + 42.313330701600911252) * r + 1.0
    return q * top / low


@njit
def _near_tail(s: float) -> float:
    """Phi^-1(1 - exp(-s^2)) for s <= 5 (AS 241, coefficients c and d)."""
    r = s - 1.6
    top = 7.7454501427834140764e-4 * r + 0.0227238449892691845833
    top = (top * r + 0.24178072517745061177) * r + 1.27045825245236838258
    top = (top * r + 3.64784832476320460504) * r + 5.7694972214606914055
    top = (top * r + 4.6303378461565452959) * r + 1.42343711074968357734
    low = 1.05075007164441684324e-9 * r + 5.475938084995344946e-4
    low = (low * r + 0.0151986665636164571966) * r + 0.14810397642748007459
    low = (low * r + 0.68976733498510000455) * r + 1.6763848301838038494
    low = (low * r + 2.05319162663775882187) * r + 1.0
    return top / low


@njit
def _far_tail(s: float) -> float:
    """Phi^-1(1 - exp(-s^2)) for s > 5 (AS 241, coefficients e and f)."""
    r = s - 5.0
    top = 2.01033439929228813265e-7 * r + 2.71155556874348757815e-5
    top = (top * r + 0.0012426609473880784386) * r + 0.026532189526576123093
    top = (top * r + 0.29656057182850489123) * r + 1.7848265399172913358
    top = (top * r + 5.4637849111641143699) * r + 6.6579046435011037772
    low = 2.04426310338993978564e-15 * r + 1.4215117583164458887e-7
    low = (low * r + 1.8463183175100546818e-5) * r + 7.868691311456132591e-4
    low = (low * r + 0.0148753612908506148525) * r + 0.13692988092273580531
    low = (low * r + 0.59983220655588793769) * r + 1.0
    return top / low


@njit
def normal_quantile(p: float) -> float:
    """The quantile Phi^-1(p); -inf for p <= 0 and inf for p >= 1.

    >>> round(normal_quantile(0.975), 12)
    1.95996398454
    """
    q = p - 0.5
    if math.fabs(q) <= 0.425:
        return _central(q)
    smaller = p if q < 0.0 else 1.0 - p
    if smaller <= 0.0:
        return -math.inf if q < 0.0 else math.inf
    s = math.sqrt(-math.log(smaller))
    size = _near_tail(s) if s <= 5.0 else _far_tail(s)
    return -size if q < 0.0 else size


@njit
def normal_quantile_upper(q: float) -> float:
    """The upper quantile Phi^-1(1 - q), accurate for tiny q too, for which 1 - q would be 1.

    >>> round(normal_quantile_upper(1e-20), 12)
    9.262340089798
    """
    return -normal_quantile(q)
