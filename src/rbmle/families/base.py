"""What a reward family is, and what every family gets without writing it.

A family is the one-parameter exponential family p(x; eta) = A(x) exp(eta x - F(eta)), known by its
mean theta = F'(eta). A class needs `natural` (the inverse of F'), `log_partition` (F) and
`mean_range`, and `sample` if it is also to be simulated; all below follows from them. A method
written out in a class is only a faster or, at the ends of the range, a safer way to say the same.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, sqrt
from typing import Any, ParamSpec, Protocol, TypeVar

from .._compile import extend, record
from .._record import register
from ..errors import Interval
from ..random import Cell
from .roots import k_star, kl_upper, xi

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

FAMILIES: dict[str, type] = {}


class Family(Protocol):
    """A family as the rest of the package sees it; policies that need more of it name that."""

    def natural(self, mean: float) -> float: ...
    def log_partition(self, eta: float) -> float: ...
    def mean_range(self) -> tuple[float, float]: ...
    def variance(self, mean: float) -> float: ...
    def conjugate(self, mean: float) -> float: ...
    def bias_index(self, pulls: float, total: float, alpha: float) -> float: ...
    def kl(self, mean: float, other: float) -> float: ...
    def kl_upper(self, mean: float, bound: float) -> float: ...
    def xi(self, k: float, nu: float) -> float: ...
    def k_star(self, mean: float, other: float) -> float: ...
    def mean_interval(self) -> Interval: ...
    def reward_interval(self) -> Interval: ...
    def sample(self, mean: float, cell: Cell) -> float: ...


class Conjugate(Family, Protocol):
    """A family whose conjugate posterior of the mean is known, after `pulls` that paid `total`."""

    def posterior_mean(self, pulls: float, total: float) -> float: ...
    def posterior_variance(self, pulls: float, total: float) -> float: ...
    def posterior_sd(self, pulls: float, total: float) -> float: ...
    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float: ...
    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float: ...
    def posterior_tail(self, pulls: float, total: float, value: float) -> float: ...
    def flat(self) -> Any: ...


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


def posterior_sd(self: Any, pulls: float, total: float) -> float:
    """The posterior standard deviation of the mean."""
    return sqrt(self.posterior_variance(pulls, total))


def flat(self: Any) -> Any:
    """The family with a flat prior on the mean if that is proper after one pull, else itself."""
    return self


LARGEST_MEAN = 1e100  # squares of rewards about such means, and their sums, are still numbers


def mean_interval(self: Any) -> Interval:
    """The means that a problem may have: by default the open range, up to 1e100 in size."""
    low, high = self.mean_range()
    return Interval(
        max(low, -LARGEST_MEAN),
        min(high, LARGEST_MEAN),
        closed_low=low < -LARGEST_MEAN,
        closed_high=high > LARGEST_MEAN,
    )


def reward_interval(self: Any) -> Interval:
    """The rewards that a policy may be told: by default the closed range of the mean."""
    low, high = self.mean_range()
    return Interval(low, high, closed_low=low > -inf, closed_high=high < inf)


_DEFAULTS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        nudged,
        conjugate,
        bias_index,
        kl,
        kl_upper,
        xi,
        k_star,
        flat,
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


def every_family(function: Callable[P, R]) -> Callable[P, R]:
    """Give every family, those to come included, this method unless it has one of that name.

    So a room that needs something of all families writes it itself: first for those families that
    have a form of their own, by `extend`, then this for the others.
    """
    for each in FAMILIES.values():
        if not hasattr(each, function.__name__):
            extend(each)(function)
    _DEFAULTS[function.__name__] = function
    return function
