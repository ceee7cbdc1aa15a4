"""Bounds on the indices of the knowledge-gradient policies KG and KG*.

Their gains take an exponential and an erfc or two logarithms, and for KG* a search. In most rounds
the arm with the largest posterior mean is played, and of the others it is enough to know that
their gains are small. The bounds take a few products and a division; for KG*, if that does not
tell, one look at its gain near the best number of pulls.

With f(-x) = phi(x) - x Phi(-x) and x >= 0:

    f(-x) <= phi(x) (y + 3) / (y^2 + 6 y + 3),  y = x^2,

because Phi(-x) / phi(x) is at least the fourth convergent of Laplace's fraction,
(x^3 + 5 x) / (x^4 + 6 x^2 + 3) (see `special.tail_bounds`). The right-hand side falls in x. And

    e^q >= (1 + u + u^2/2 + u^3/6 + u^4/24)^8,  u = q / 8 >= 0.

The margins for rounding errors: 1e-13 of the terms of a sum, 1e-9 of a gain. Means and deviations
are computed by about ten operations; z Phi(z) + phi(z) loses the digits of x^3, at most 5e4 of
1e16. Numbers below 1e-300 have fewer digits, and are not trusted. If a mean is beyond 1e150, gains
may be NaN; then the bounds say nothing.
`test_bounds_of_knowledge_gradients` tries them on random arms.
"""

from __future__ import annotations

from math import floor, inf
from typing import Any, NamedTuple

from .._numba.compile import extend, njit
from ..families import Exponential, Gaussian
from ..policies import KG, KGStar
from ..policies.arms import Arms
from ..policies.kg import Form, Race
from ..special import normal_cdf, normal_density
from .promises import bounds_of

NEAR, _LESS, _MORE = 1e-13, 1.0 - 1e-9, 1.0 + 1e-9
TINY, _HUGE = 1e-300, 1e150
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
def moderate(level: Race) -> bool:
    """Whether no gain of the two leading arms can be NaN."""
    return bool(level.best < _HUGE and level.second > -_HUGE)


def squared(family: Any) -> bool:
    """Whether rewards are Gaussian, and the squares of the family's parameters can be used."""
    return isinstance(family, Gaussian) and bool(family.has_squares())


@extend(Gaussian, name="stays_below")
def gaussian_stays_below(
    self: Any, pulls: float, total: float, rival: float, left: float, value: float, several: bool
) -> bool:
    """Whether mu + left x gain is certainly below the value; several: the gain is that of KG*.

    In the notation of `KGStar`, with the posterior precision p = 1 / sd^2, the gap g = |mu - rival|
    and G = p g: one pull has s^2 = 1 / (p (p sigma^2 + 1)), hence

        y = (g / s)^2 = G^2 (sigma^2 + 1 / p),    (value - mu) / s = p (value - mu) sqrt(y) / G.

    For KG* let r = (g / sd)^2 = G^2 / p. As m = p sigma^2 s^2 / (sd^2 - s^2), and y > r for each m,

        v(m) / m = s f(-g/s) / m = f(-sqrt(y)) (y - r) / sqrt(y) / (p^1.5 sigma^2 sqrt(r)),

    where f(-sqrt(y)) is at most e^-(y-r)/2 times its bound at r, (y - r) e^-(y-r)/2 is at most 2/e,
    and 1 / sqrt(y) at most 1 / sqrt(r).
    """
    square = self.sigma * self.sigma
    weight, unit = 1.0 / (self.prior_sd * self.prior_sd), 1.0 / square
    precision, prior, paid = weight + pulls * unit, self.prior_mean * weight, total * unit
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
    most = left * (y + 3.0) * _MORE
    if several:
        least, most = least * (gap * gap * square), most * _STEEPEST
    else:
        most *= _PEAK
    return bool(most * most < least * least * width)


@extend(Exponential, name="stays_below")
def exponential_stays_below(
    self: Any, pulls: float, total: float, rival: float, left: float, value: float, several: bool
) -> bool:
    """Whether mu + left x gain is certainly below the value.

    With shape a and rate b of the posterior, mu = b / (a - 1), and the gain is at most
    rival u^a / (a - 1) with u = b / (a rival) if u < 1, else 0. With d = 1 - u,
    log u <= -(d + d^2/2 + d^3/3). The policy computes a log(b/a) - (a - 1) log(rival), whose
    rounding errors are below 1e-12 a, as logarithms are below 745.
    """
    a, b = self.prior_shape + pulls, self.prior_rate + total
    if not (a > 1.0 and rival > 0.0):
        return False
    worth = value * (a - 1.0)
    ahead = worth - b - NEAR * (abs(worth) + b)
    d = max(1.0 - b / (a * rival), 0.0)
    q = a * (d * (1.0 + d * (0.5 + d * (1.0 / 3.0))) - 1e-12)
    return bool(ahead > _LEAST and left * rival * _MORE < ahead * exp_below(max(q, 0.0)))


@bounds_of(KG)
class KGBounds(NamedTuple):
    """Bounds for KG: the posterior mean, and a gain without exponentials."""

    policy: Any

    def fits(self, family: Any) -> bool:
        exact = self.policy.form == Form.exact
        return bool(exact and (isinstance(family, Exponential) or squared(family)))

    def helps_devices(self, family: Any) -> bool:
        """Exponential rewards, ten arms, 50,000 rounds on an H200: 2.9e9 rounds a second with
        bounds, 4.4e9 by a scan."""
        return squared(family)

    def index_below(self, family: Any, arms: Arms, i: int, level: Race) -> float:
        mean: float = family.posterior_mean(arms.pulls[i], arms.sums[i])
        return mean - TINY if moderate(level) else -inf

    def index_closely_below(self, family: Any, arms: Arms, i: int, level: Race) -> float:
        """The index itself."""
        return float(self.policy.index_of(family, arms, i, level))

    def index_above(self, family: Any, arms: Arms, i: int, level: Race) -> float:
        """The index of an arm behind, and what rounding may add: of a gain 1e-9, and 1e-12 for each
        pull where logarithms are multiplied with them."""
        n, mean = arms.pulls[i], family.posterior_mean(arms.pulls[i], arms.sums[i])
        index = self.policy.index_of(family, arms, i, level)
        error = (index - mean) * (_MORE - 1.0 + 2e-12 * n)
        return float(index + error + NEAR * (abs(index) + abs(mean)) + TINY)

    def surely_below(self, family: Any, arms: Arms, i: int, level: Race, value: float) -> bool:
        return bool(
            family.stays_below(
                arms.pulls[i], arms.sums[i], level.rival(i), level.left, value, False
            )
        )


@bounds_of(KGStar)
class KGStarBounds(NamedTuple):
    """Bounds for KG*: the gain of one number of pulls, and a tangent to the gain at that number.

    As a function of m, v has the slope phi(g/s) s R / (2 m (R + m)), where R is what the posterior
    is worth in pulls, and s^2 = sd^2 m / (R + m). The logarithm of the slope falls for m above
    R (r - 1 + sqrt(1 + 14 r + r^2)) / 8, which is below the lower bound of `KGStar`. So up to there
    v is convex, and v(m) / m rises; beyond, v is concave, and its tangent at any m is above it.
    """

    policy: Any

    def fits(self, family: Any) -> bool:
        return bool(self.policy.form == Form.exact and squared(family))

    def helps_devices(self, family: Any) -> bool:
        """On an H200 bounds took 1.4 times as long as a scan."""
        return False

    def near(self, family: Any, n: float, gap: float, left: float) -> tuple[float, float, float]:
        """About the best number of pulls, and two numbers between which it is.

        How far it is from one bound to the other: r (r + 3) / (r^2 + 6 r + 1), fitted to the
        maximum, from which it differs by 0.03 at most. That affects how close the bounds are only.
        """
        last, sd = max(left, 1.0), family.posterior_sd(n, 0.0)
        low, high = family.look_ahead_bounds(n, gap)
        r = (gap / sd) * (gap / sd)
        share = r * (r + 3.0) / (r * r + 6.0 * r + 1.0) if r < _HUGE else 1.0
        m = low + (high - low) * share
        return min(max(m, 1.0), last), max(low, 1.0), min(max(high, 1.0), last)

    def index_below(self, family: Any, arms: Arms, i: int, level: Race) -> float:
        """The value of a whole number of pulls."""
        n, mean = arms.pulls[i], family.posterior_mean(arms.pulls[i], arms.sums[i])
        gap = mean - level.rival(i)
        m, _, _ = self.near(family, n, gap, level.left)
        rate = self.policy.rate(family, n, gap, floor(m + 0.5))
        return float(mean + level.left * rate * _LESS - TINY) if moderate(level) else -inf

    def index_closely_below(self, family: Any, arms: Arms, i: int, level: Race) -> float:
        return float(self.index_below(family, arms, i, level))

    def index_above(self, family: Any, arms: Arms, i: int, level: Race) -> float:
        """The tangent's bound on the largest v(m) / m.

        Let c be the tangent's value at m = 0, so that v(m) / m <= slope + c / m. If c < 0, v(m) / m
        rises where the tangent touches, so that its maximum is further on; if not, it is before.
        """
        n, total = arms.pulls[i], arms.sums[i]
        mean, sd = family.posterior_mean(n, total), family.posterior_sd(n, total)
        gap = abs(mean - level.rival(i))
        m, low, high = self.near(family, n, gap, level.left)
        s = family.look_ahead_sd(n, m)
        x, share = gap / s, s / sd
        density = normal_density(x)
        worth = s * (density - x * normal_cdf(-x))
        slope = density * s * (1.0 - share * share) / (2.0 * m)
        c = worth - slope * m
        most = mean + level.left * (slope + c / (high if c < 0.0 else low)) * _MORE
        return float(most + TINY + NEAR * (abs(most) + abs(mean)))

    def surely_below(self, family: Any, arms: Arms, i: int, level: Race, value: float) -> bool:
        n, total, rival = arms.pulls[i], arms.sums[i], level.rival(i)
        if family.stays_below(n, total, rival, level.left, value, True):
            return True
        return bool(self.index_above(family, arms, i, level) < value - NEAR * abs(value))
