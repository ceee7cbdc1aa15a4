"""Whether the index of KG or KG* is certainly below a value, without exponentials.

With f(-x) = phi(x) - x Phi(-x) and x >= 0:

    f(-x) <= phi(x) (y + 3) / (y^2 + 6 y + 3),  y = x^2,

because Phi(-x) / phi(x) is at least the fourth convergent of Laplace's fraction,
(x^3 + 5 x) / (x^4 + 6 x^2 + 3) (see `special.tail_bounds`). The right-hand side falls in x. And

    e^q >= (1 + u + u^2/2 + u^3/6 + u^4/24)^8,  u = q / 8 >= 0.
"""

from __future__ import annotations

from .._numba.compile import njit
from ..families import Exponential, Gaussian

# Margins for rounding errors, explained in `knowledge_facts`.
NEAR, MORE, TINY = 1e-13, 1.0 + 1e-9, 1e-300
_LEAST = 1e-150  # a smaller lead over an arm, in the units below, may be one of those tiny numbers
_PEAK = 0.3989422804014328  # phi(0), rounded up
_STEEPEST = 0.2935254  # phi(0) times 2 / e, the maximum of d e^(-d/2), rounded up
_FAR = 50.0  # exponents beyond this are not needed: e^-50 is less than any gain that matters


@njit
def exp_below(q: float) -> float:
    """A lower bound of e^q for q >= 0; 5 % below it at q = 9."""
    u = 0.125 * min(q, _FAR)
    root = 1.0 + u * (1.0 + u * (0.5 + u * (1.0 / 6.0 + u * (1.0 / 24.0))))
    root *= root
    root *= root
    return root * root


@njit
def gaussian_stays_below(
    family: Gaussian, pulls: float, total: float, rival: float, left: float, value: float,
    several: bool,
) -> bool:  # fmt: skip
    """Whether mu + left x gain is certainly below the value; several: the gain is that of KG*.

    In the notation of `KGStar`, with the posterior precision p = 1 / sd^2, the gap g = |mu - rival|
    and G = p g: one pull has s^2 = 1 / (p (p sigma^2 + 1)), hence

        y = (g / s)^2 = G^2 (sigma^2 + 1 / p),    (value - mu) / s = p (value - mu) sqrt(y) / G.

    For KG* let r = (g / sd)^2 = G^2 / p. As m = p sigma^2 s^2 / (sd^2 - s^2), and y > r for each m,

        v(m) / m = s f(-g/s) / m = f(-sqrt(y)) (y - r) / sqrt(y) / (p^1.5 sigma^2 sqrt(r)),

    where f(-sqrt(y)) is at most e^-(y-r)/2 times its bound at r, (y - r) e^-(y-r)/2 is at most 2/e,
    and 1 / sqrt(y) at most 1 / sqrt(r).
    """
    square = family.sigma * family.sigma
    weight, unit = 1.0 / (family.prior_sd * family.prior_sd), 1.0 / square
    precision, prior, paid = weight + pulls * unit, family.prior_mean * weight, total * unit
    size = abs(prior) + abs(paid)
    ahead = value * precision - (prior + paid) - NEAR * (abs(value) * precision + size)
    if not ahead > _LEAST:
        return False
    gap = abs(rival * precision - (prior + paid)) - NEAR * (abs(rival) * precision + size)
    gap = max(gap, 0.0)
    inverse = 1.0 / precision
    width = inverse if several else square + inverse
    y = min(gap * gap * width, 2.0 * _FAR)
    least = ahead * (y * y + 6.0 * y + 3.0) * exp_below(0.5 * y)
    most = left * (y + 3.0) * MORE
    if several:
        least, most = least * (gap * gap * square), most * _STEEPEST
    else:
        most *= _PEAK
    return bool(most * most < least * least * width)


@njit
def exponential_stays_below(
    family: Exponential, pulls: float, total: float, rival: float, left: float, value: float
) -> bool:
    """Whether mu + left x gain is certainly below the value.

    With shape a and rate b of the posterior, mu = b / (a - 1), and the gain is at most
    rival u^a / (a - 1) with u = b / (a rival) if u < 1, else 0. With d = 1 - u,
    log u <= -(d + d^2/2 + d^3/3). The policy computes a log(b/a) - (a - 1) log(rival), whose
    rounding errors are below 1e-12 a, as logarithms are below 745.
    """
    a, b = family.prior_shape + pulls, family.prior_rate + total
    if not (a > 1.0 and rival > 0.0):
        return False
    worth = value * (a - 1.0)
    ahead = worth - b - NEAR * (abs(worth) + b)
    d = max(1.0 - b / (a * rival), 0.0)
    q = a * (d * (1.0 + d * (0.5 + d * (1.0 / 3.0))) - 1e-12)
    return bool(ahead > _LEAST and left * rival * MORE < ahead * exp_below(max(q, 0.0)))
