"""The interface of a reward family, and the methods that every family gets by default.

A family is a one-parameter exponential family with densities

    p(x; eta) = A(x) exp(eta x - F(eta)),

written in terms of its mean theta = F'(eta). A class must define `natural` (the inverse of F'),
`log_partition` (F) and `mean_range`, and `sample` if it is also to be simulated. The functions
below follow from these and are the defaults. A class overrides one only to compute the same number
faster or, at the ends of the range, more safely.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log, nan, sqrt
from typing import Any, TypeVar

from .._numba.compile import record
from .._records.record import register
from ..errors import Interval
from .protocols import Conjugate, Family, Law, Learns
from .roots import k_star, kl_upper, xi

T = TypeVar("T")

FAMILIES: dict[str, type] = {}

# A margin for the rounding error of a deviance, x - 1 - log x or n log(n/m) - (n - m), which is
# some units in the last place (1e-16) of its largest term, 1 or m.
DEVIANCE_ERROR = 1e-13
LARGEST_MEAN = 1e100  # 2^53 squares of such rewards add up to 9e215, below the largest float
TAIL = 34.538776394910684  # -log(1e-15); `posterior_span` leaves out 1e-15 at each end


def nudged(self: Family, mean: float) -> float:
    """The mean, moved slightly inside if it is at an end of the range, where eta is infinite.

    It is moved by 1e-15 of itself, a few units in the last place; by 1e-300 from an end at 0.
    """
    low, high = self.mean_range()
    if mean <= low:
        return low + (1e-300 if low == 0.0 else 1e-15 * abs(low))
    if mean >= high:
        return high - (1e-300 if high == 0.0 else 1e-15 * abs(high))
    return mean


def conjugate(self: Family, mean: float) -> float:
    """F*(theta) = theta eta - F(eta) at eta = natural(theta), the convex conjugate of F."""
    eta = self.natural(self.nudged(mean))
    return mean * eta - self.log_partition(eta)


def bias_index(self: Family, pulls: float, total: float, alpha: float) -> float:
    """The RBMLE index of Proposition 1, with n = pulls and nu = total / pulls,

        I(nu, n, alpha) = n (F*(nu + alpha / n) - F*(nu)).

    If nu + alpha / n is at or beyond the upper end of the range of the mean, the reward-biased
    likelihood has no finite maximiser, and the index is infinite.
    """
    mean = total / pulls
    biased = mean + alpha / pulls
    _low, high = self.mean_range()
    if biased >= high:
        return inf
    return pulls * (self.conjugate(biased) - self.conjugate(mean))


def mean_index(self: Family, pulls: float, total: float, alpha: float) -> float:
    """RBMLE's index for g(theta) = theta, where the likelihood is biased by f^alpha, g = log f:

        I = max over theta of {alpha g(theta) - n D(p, theta)}    (Equation 2)

    Its maximiser m solves alpha g'(m) V(m) = n (m - p), V the variance, because the derivative of
    D(p, .) is (theta - p) / V(theta). Families have closed forms, in which r = alpha / n. Each is
    accurate to some units in the last place of its terms, which are of the order of alpha g(m): the
    difference m - p, which may be tiny, comes from the equation for m. docs/mathematics.md derives
    them. The default, NaN, says that there is none: `RBMLE.check_family` refuses the family.
    """
    return nan


def stable_index(self: Family, pulls: float, total: float, alpha: float) -> float:
    """As `mean_index`, for g' = V^-1/2: g has the same standard error at every mean."""
    return nan


def bounded_index(self: Family, pulls: float, total: float, alpha: float, largest: float) -> float:
    """`stable_index` with the maximum over means up to `largest`, by default infinity."""
    return self.stable_index(pulls, total, alpha)


def in_units(self: Family, index: float, alpha: float) -> float:
    """An index of this family in units of alpha, so that arms with different alphas compare."""
    return index / alpha


def unclipped_conjugate(self: Family, mean: float) -> float:
    """F*, beyond the upper end of the means as the code behind the tables has it."""
    return self.conjugate(mean)


def kl(self: Family, mean: float, other: float) -> float:
    """D(theta', theta'') of Section 4: the KL divergence between the laws with these two means.

    It is the Bregman divergence of F.
    """
    if mean == other:
        return 0.0
    eta, other_eta = self.natural(self.nudged(mean)), self.natural(self.nudged(other))
    return self.log_partition(other_eta) - self.log_partition(eta) - mean * (other_eta - eta)


def kl_below(self: Family, mean: float, other: float) -> float:
    """The divergence itself, for families without a cheaper bound."""
    return self.kl(mean, other)


def kl_upper_below(self: Family, mean: float, bound: float) -> float:
    """The mean itself, for families without a better bound."""
    return mean


def clipped_kl(self: Family, mean: float, other: float) -> float:
    """D as the code behind the tables computes it."""
    return self.kl(mean, other)


def density_kl(self: Family, mean: float, other: float) -> float:
    """`kl`, with an absolute error of some units in the last place of 1: enough for a density."""
    return self.kl(mean, other)


def published_gain(self: Learns, pulls: float, total: float, rival: float, leads: bool) -> float:
    """KG's gain as the code behind the tables computes it."""
    return self.knowledge_gain(pulls, total, rival)


def chart(self: Family, y: float) -> float:
    """The mean at the coordinate y in which posteriors are integrated; by default y itself."""
    return y


def chart_slope(self: Family, y: float) -> float:
    """The derivative of `chart`."""
    return 1.0


def posterior_sd(self: Conjugate, pulls: float, total: float) -> float:
    """The posterior standard deviation of the mean."""
    return sqrt(self.posterior_variance(pulls, total))


def flat(self: T) -> T:
    """The family with a flat prior on the mean, if its posterior is proper after one pull.

    The default is the family itself, which means that a flat prior is not supported.
    """
    return self


def mean_interval(self: Law) -> Interval:
    """The means that a problem may have: by default those inside `mean_range`, up to +-1e100."""
    low, high = self.mean_range()
    return Interval(
        max(low, -LARGEST_MEAN),
        min(high, LARGEST_MEAN),
        closed_low=low < -LARGEST_MEAN,
        closed_high=high > LARGEST_MEAN,
    )


def reward_interval(self: Law) -> Interval:
    """The rewards that are allowed: by default the closed interval `mean_range`."""
    low, high = self.mean_range()
    return Interval(low, high, closed_low=low > -inf, closed_high=high < inf)


_DEFAULTS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        nudged, conjugate, bias_index, mean_index, stable_index, bounded_index, in_units, kl,
        kl_upper, kl_below, kl_upper_below, density_kl, xi, k_star, flat, posterior_sd, chart,
        chart_slope, mean_interval, reward_interval, unclipped_conjugate, clipped_kl,
        published_gain,
    )
}  # fmt: skip


def mean_at(law: Law, place: float) -> float:
    """The mean at a place in (0, 1) of the range of means, whatever its ends are."""
    low, high = law.mean_range()
    if low > -inf and high < inf:
        return low + place * (high - low)
    if low > -inf:
        return low + place / (1.0 - place)
    if high < inf:
        return high - (1.0 - place) / place
    return 3.0 * log(place / (1.0 - place))


def family(cls: type[T]) -> type[T]:
    """Make a NamedTuple class a reward family: its fields are checked, its methods compiled.

    It gets the defaults above, and is known by its name from now on.
    """
    record(cls, _DEFAULTS)
    register(FAMILIES, cls)
    return cls
