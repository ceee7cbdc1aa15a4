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
from math import inf, log, sqrt
from typing import Any, ParamSpec, Protocol, TypeVar

from .._numba.compile import extend, record
from .._records.record import register
from ..errors import Interval
from ..random import Cell
from .roots import k_star, kl_upper, xi

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

FAMILIES: dict[str, type] = {}

# A margin for the rounding error of a deviance, x - 1 - log x or n log(n/m) - (n - m), which is
# some units in the last place (1e-16) of its largest term, 1 or m.
DEVIANCE_ERROR = 1e-13


class Family(Protocol):
    """The methods of every family. A policy that needs more names them in `policy(needs=...)`.

    natural: eta as a function of the mean. log_partition: F(eta). mean_range: the open interval of
    means. variance: of a reward, F''(eta). conjugate: F*(mean). bias_index: RBMLE's index.
    kl, kl_upper: KL-UCB's divergence D and index. kl_below, kl_upper_below: cheap lower bounds of
    both, for mean < other, rounding errors included. xi, k_star: the paper's xi and K*.
    mean_interval: the means that a problem may have. reward_interval: the rewards that are allowed.
    sample: a reward, drawn with the random numbers of the cell.
    """

    def natural(self, mean: float) -> float: ...
    def log_partition(self, eta: float) -> float: ...
    def mean_range(self) -> tuple[float, float]: ...
    def variance(self, mean: float) -> float: ...
    def conjugate(self, mean: float) -> float: ...
    def bias_index(self, pulls: float, total: float, alpha: float) -> float: ...
    def kl(self, mean: float, other: float) -> float: ...
    def kl_upper(self, mean: float, bound: float) -> float: ...
    def kl_below(self, mean: float, other: float) -> float: ...
    def kl_upper_below(self, mean: float, bound: float) -> float: ...
    def xi(self, k: float, nu: float) -> float: ...
    def k_star(self, mean: float, other: float) -> float: ...
    def mean_interval(self) -> Interval: ...
    def reward_interval(self) -> Interval: ...
    def sample(self, mean: float, cell: Cell) -> float: ...


class Conjugate(Family, Protocol):
    """A family with a conjugate prior: the posterior of the mean after `pulls` that paid `total`.

    posterior_quantile: the mean that is exceeded with probability `tail`.
    posterior_tail: the probability that the mean exceeds `value`.
    posterior_quantile_below, posterior_tail_above: cheap bounds of these two, rounding errors
    included, where they cost much (not for Gaussian).
    posterior_draw: a random draw, with the random numbers of the cell from block k on.
    flat: the family with a flat prior on the mean; itself if that is not supported.
    """

    def posterior_mean(self, pulls: float, total: float) -> float: ...
    def posterior_variance(self, pulls: float, total: float) -> float: ...
    def posterior_sd(self, pulls: float, total: float) -> float: ...
    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float: ...
    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float: ...
    def posterior_tail(self, pulls: float, total: float, value: float) -> float: ...
    def flat(self) -> Any: ...


def nudged(self: Any, mean: float) -> float:
    """The mean, moved slightly inside if it is at an end of the range, where eta is infinite.

    It is moved by 1e-15 of itself, a few units in the last place; by 1e-300 from an end at 0.
    """
    low, high = self.mean_range()
    if mean <= low:
        return float(low + (1e-300 if low == 0.0 else 1e-15 * abs(low)))
    if mean >= high:
        return float(high - (1e-300 if high == 0.0 else 1e-15 * abs(high)))
    return mean


def conjugate(self: Any, mean: float) -> float:
    """F*(theta) = theta eta - F(eta) at eta = natural(theta), the convex conjugate of F."""
    eta = self.natural(self.nudged(mean))
    return float(mean * eta - self.log_partition(eta))


def bias_index(self: Any, pulls: float, total: float, alpha: float) -> float:
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
    return float(pulls * (self.conjugate(biased) - self.conjugate(mean)))


def kl(self: Any, mean: float, other: float) -> float:
    """D(theta', theta'') of Section 4: the KL divergence between the laws with these two means.

    It is the Bregman divergence of F.
    """
    if mean == other:
        return 0.0
    eta, other_eta = self.natural(self.nudged(mean)), self.natural(self.nudged(other))
    return float(self.log_partition(other_eta) - self.log_partition(eta) - mean * (other_eta - eta))


def kl_below(self: Any, mean: float, other: float) -> float:
    """The divergence itself, for families without a cheaper bound."""
    return float(self.kl(mean, other))


def kl_upper_below(self: Any, mean: float, bound: float) -> float:
    """The mean itself, for families without a better bound."""
    return mean


def posterior_sd(self: Any, pulls: float, total: float) -> float:
    """The posterior standard deviation of the mean."""
    return sqrt(self.posterior_variance(pulls, total))


def flat(self: Any) -> Any:
    """The family with a flat prior on the mean, if its posterior is proper after one pull.

    The default is the family itself, which means that a flat prior is not supported.
    """
    return self


LARGEST_MEAN = 1e100  # 2^53 squares of such rewards add up to 9e215, below the largest float


def mean_interval(self: Any) -> Interval:
    """The means that a problem may have: by default those inside `mean_range`, up to +-1e100."""
    low, high = self.mean_range()
    return Interval(
        max(low, -LARGEST_MEAN),
        min(high, LARGEST_MEAN),
        closed_low=low < -LARGEST_MEAN,
        closed_high=high > LARGEST_MEAN,
    )


def reward_interval(self: Any) -> Interval:
    """The rewards that are allowed: by default the closed interval `mean_range`."""
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
        kl_below,
        kl_upper_below,
        xi,
        k_star,
        flat,
        posterior_sd,
        mean_interval,
        reward_interval,
    )
}


def mean_at(law: Any, place: float) -> float:
    """The mean at a place in (0, 1) of the range of means, whatever its ends are."""
    low, high = law.mean_range()
    if low > -inf and high < inf:
        return float(low + place * (high - low))
    if low > -inf:
        return float(low + place / (1.0 - place))
    if high < inf:
        return float(high - (1.0 - place) / place)
    return 3.0 * log(place / (1.0 - place))


def family(cls: type[T]) -> type[T]:
    """Make a NamedTuple class a reward family: its fields are checked, its methods compiled.

    It gets the defaults above, and is known by its name from now on.
    """
    record(cls, _DEFAULTS)
    register(FAMILIES, cls)
    return cls


def every_family(function: Callable[P, R]) -> Callable[P, R]:
    """A decorator that gives a method to every family, present or future, that does not have it.

    A module that needs a method of all families can thus define it itself: first, by `extend`, for
    the families that have a special form, then by `every_family` for all others.
    """
    for each in FAMILIES.values():
        if not hasattr(each, function.__name__):
            extend(each)(function)
    _DEFAULTS[function.__name__] = function
    return function
