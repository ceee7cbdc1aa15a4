"""What a reward family is, and what every family gets without writing it.

A family is the one-parameter exponential family p(x; eta) = A(x) exp(eta x - F(eta)), known by its
mean theta = F'(eta). A class needs `natural` (the inverse of F'), `log_partition` (F) and
`mean_range`, and `sample` if it is also to be simulated; all below follows from them. A method
written out in a class is only a faster or, at the ends of the range, a safer way to say the same.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any, TypeVar

from .._compile import record
from .._record import register
from ..errors import Interval
from .roots import (
    clipped_kl,
    k_star,
    kl_below,
    kl_upper,
    kl_upper_below,
    kl_upper_is_closed,
    published_kl_upper,
    xi,
)

T = TypeVar("T")

FAMILIES: dict[str, type] = {}


def nudged(self: Any, mean: float) -> float:
    """The mean, moved off an end of the range by the least there is: eta is infinite at an end."""
    low, high = self.mean_range()
    if mean <= low:
        return float(low + (1e-300 if low == 0.0 else 1e-15 * abs(low)))
    if mean >= high:
        return float(high - (1e-300 if high == 0.0 else 1e-15 * abs(high)))
    return mean


def conjugate(self: Any, mean: float) -> float:
    """F*(theta) = theta eta - F(eta) at eta = natural(theta): the negative entropy of the mean."""
    eta = self.natural(self.nudged(mean))
    return float(mean * eta - self.log_partition(eta))


def bias_index(self: Any, pulls: float, total: float, alpha: float) -> float:
    """The RBMLE index of Proposition 1, I(nu, n, alpha) with n = pulls, n nu = total.

    Inside the range of the mean, q = nu + alpha/n, it is n (F*(q) - F*(nu)). From the upper end on
    the reward-biased likelihood has no finite maximiser and the index is infinite.
    """
    mean = total / pulls
    biased = mean + alpha / pulls
    _low, high = self.mean_range()
    if biased >= high:
        return inf
    return float(pulls * (self.conjugate(biased) - self.conjugate(mean)))


def kl(self: Any, mean: float, other: float) -> float:
    """D(theta', theta'') of Section 4: F's Bregman divergence, the KL divergence of two means."""
    if mean == other:
        return 0.0
    eta, other_eta = self.natural(self.nudged(mean)), self.natural(self.nudged(other))
    return float(self.log_partition(other_eta) - self.log_partition(eta) - mean * (other_eta - eta))


def posterior_tail(self: Any, pulls: float, total: float, value: float) -> float:
    """The posterior probability that the mean exceeds the value; 1, where it is not known how to
    tell it sooner than `posterior_quantile`."""
    return 1.0


def posterior_tail_above(self: Any, pulls: float, total: float, value: float) -> float:
    """An upper bound of `posterior_tail`; where there is none that costs less, that itself."""
    return float(self.posterior_tail(pulls, total, value))


def posterior_quantile_below(self: Any, pulls: float, total: float, tail: float) -> float:
    """A lower bound of `posterior_quantile` that costs less; trivial where there is none."""
    return -inf


def posterior_sd(self: Any, pulls: float, total: float) -> float:
    """The posterior standard deviation of the mean."""
    return sqrt(self.posterior_variance(pulls, total))


def chart(self: Any, y: float) -> float:
    """The mean at y, a coordinate in which posteriors have light tails; the mean itself by default.

    Quadrature over posteriors (IDS, VIDS) runs in y. A family that it is to work with also has
    `posterior_size`, of how many rewards the mean is the posterior mean, those that the conjugate
    prior is worth among them; and `posterior_span`: ends, in y, between which all but 1e-15 of the
    posterior lies at each side, and its standard deviation.
    """
    return y


def chart_slope(self: Any, y: float) -> float:
    """The derivative of `chart`."""
    return 1.0


def flat(self: Any) -> Any:
    """The family with a flat prior on the mean if that is proper after one pull, else itself."""
    return self


def mean_interval(self: Any) -> Interval:
    """The means that a problem may have: by default the open range."""
    low, high = self.mean_range()
    return Interval(low, high, closed_low=False, closed_high=False)


def reward_interval(self: Any) -> Interval:
    """The rewards that a policy may be told: by default the closed range of the mean."""
    low, high = self.mean_range()
    return Interval(low, high, closed_low=low > -inf, closed_high=high < inf)


_DEFAULTS = {
    each.__name__: each
    for each in (
        nudged,
        conjugate,
        bias_index,
        kl,
        kl_upper,
        kl_upper_is_closed,
        kl_upper_below,
        kl_below,
        clipped_kl,
        published_kl_upper,
        xi,
        k_star,
        chart,
        chart_slope,
        flat,
        posterior_tail,
        posterior_tail_above,
        posterior_quantile_below,
        posterior_sd,
        mean_interval,
        reward_interval,
    )
}


def family(cls: type[T]) -> type[T]:
    """Make a NamedTuple class a reward family: checked, compiled, with the defaults above."""
    record(cls, _DEFAULTS)
    register(FAMILIES, cls)
    return cls
