"""RBMLE's index for other f than the paper's: closed forms for each family.

The likelihood is biased by f^alpha (Equation 2), with any increasing f. With g = log f the index is

    I = max over theta of {alpha g(theta) - n D(p, theta)}.

Its maximiser m solves alpha g'(m) V(m) = n (m - p), V the variance, because the derivative of
D(p, .) is (theta - p) / V(theta). Two choices of g:

    mean_index      g' = 1: g is the mean itself
    stable_index    g' = V^-1/2: g has the same standard error at every mean, as arcsin sqrt has
    bounded_index   the same with the maximum over means up to a given one

Below, r is alpha / n. Each form is accurate to some units in the last place of its terms, which are
of the order of alpha g(m): the difference m - p, which may be tiny, comes from the equation for m.
docs/mathematics.md derives them.
"""

from __future__ import annotations

from math import atan2, inf, log, log1p, nan, pi, sqrt
from typing import Any, Protocol

from .._numba.compile import extend, njit
from ..families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson, every_family
from ..families.logarithms import log_ratio
from .published_forms import PublishedIndex

_MOST = 1e100  # beyond it r^2 may overflow; a coin's index is then alpha g(1) to all digits


class Biased(PublishedIndex, Protocol):
    """A family with RBMLE's index for each f."""

    def mean_index(self, pulls: float, total: float, alpha: float) -> float: ...
    def stable_index(self, pulls: float, total: float, alpha: float) -> float: ...
    def bounded_index(self, pulls: float, total: float, alpha: float, largest: float) -> float: ...
    def in_units(self, index: float, alpha: float) -> float: ...


@njit
def coin_divergence(p: float, m: float, q: float, step: float) -> float:
    """D(p, m) for coins, with p < 1, q = 1 - m and step = m - p."""
    value = p * log_ratio(p, m, -step) if p > 0.0 else 0.0
    return value + (1.0 - p) * log_ratio(1.0 - p, q, step)


@extend(Bernoulli, name="mean_index")
def bernoulli_mean_index(self: Bernoulli, pulls: float, total: float, alpha: float) -> float:
    """m is the positive root of r m^2 + (1 - r) m - p = 0.

    Both m and q = 1 - m, a root of r q^2 - (1 + r) q + 1 - p = 0, are computed without a difference
    of nearly equal numbers. If p = 1, then m = 1, and the index is alpha, whatever n.
    """
    p, r = total / pulls, alpha / pulls
    if p >= 1.0 or r > _MOST:
        return alpha
    root = sqrt((1.0 - r) * (1.0 - r) + 4.0 * r * p)
    both = abs(1.0 - r) + root
    m = 0.5 * both / r if r > 1.0 else (2.0 * p / both if both > 0.0 else 0.0)
    q = 2.0 * (1.0 - p) / (1.0 + r + root)
    return alpha * m - pulls * coin_divergence(p, m, q, r * m * q)


@extend(Bernoulli, name="stable_index")
def bernoulli_stable_index(self: Bernoulli, pulls: float, total: float, alpha: float) -> float:
    """g = 2 arcsin sqrt theta; m is the larger root of (1 + r^2) m^2 - (2 p + r^2) m + p^2 = 0."""
    p, r = total / pulls, alpha / pulls
    if p >= 1.0 or r > _MOST:
        return pi * alpha
    push = r * (r + sqrt(r * r + 4.0 * p * (1.0 - p)))
    m = 0.5 * (2.0 * p + push) / (1.0 + r * r)
    q = 2.0 * (1.0 - p) * (1.0 - p) / (2.0 * (1.0 - p) + push)
    step = r * sqrt(m * q)
    return 2.0 * alpha * atan2(sqrt(m), sqrt(q)) - pulls * coin_divergence(p, m, q, step)


@extend(Binomial, name="mean_index")
def binomial_mean_index(self: Any, pulls: float, total: float, alpha: float) -> float:
    """That of `trials` coins a pull, whose g is `trials` times as large."""
    return float(self.coin().mean_index(self.trials * pulls, total, self.trials * alpha))


@extend(Binomial, name="stable_index")
def binomial_stable_index(self: Any, pulls: float, total: float, alpha: float) -> float:
    """g = 2 sqrt(trials) arcsin sqrt(theta / trials)."""
    return float(self.coin().stable_index(self.trials * pulls, total, sqrt(self.trials) * alpha))


@extend(Gaussian, name="mean_index")
def gaussian_mean_index(self: Gaussian, pulls: float, total: float, alpha: float) -> float:
    """p + alpha sigma^2 / (2 n): I / alpha, as all arms have alpha in common.

    It is the paper's index (Corollary 2) with sigma^2 alpha in place of alpha.
    """
    return total / pulls + alpha * self.sigma * self.sigma / (2.0 * pulls)


@extend(Gaussian, name="stable_index")
def gaussian_stable_index(self: Gaussian, pulls: float, total: float, alpha: float) -> float:
    """p + alpha sigma / (2 n): sigma I / alpha. Here g = theta / sigma, so that the unit of the
    rewards does not matter."""
    return total / pulls + alpha * self.sigma / (2.0 * pulls)


@extend(Poisson, name="mean_index")
def poisson_mean_index(self: Poisson, pulls: float, total: float, alpha: float) -> float:
    """S log(n / (n - alpha)), with m = n p / (n - alpha); infinite for n <= alpha."""
    if pulls <= alpha:
        return inf
    left = pulls - alpha
    return -total * (log1p(-alpha / pulls) if alpha < 0.5 * pulls else log(left / pulls))


@extend(Poisson, name="stable_index")
def poisson_stable_index(self: Poisson, pulls: float, total: float, alpha: float) -> float:
    """g = 2 sqrt theta; sqrt m is the positive root of s^2 - r s - p = 0."""
    p, r = total / pulls, alpha / pulls
    if r > _MOST:
        return inf
    s = 0.5 * (r + sqrt(r * r + 4.0 * p))
    fall = p * log_ratio(p, s * s, -r * s) if p > 0.0 else 0.0
    return 2.0 * alpha * s - pulls * (r * s + fall)


@extend(Exponential, name="mean_index")
def exponential_mean_index(self: Exponential, pulls: float, total: float, alpha: float) -> float:
    """alpha (1 + log p) + (n - alpha) log(1 - alpha/n), with g = log theta, m = n p / (n - alpha).

    It is infinite for n <= alpha. With g = theta it would be infinite for every n, because D grows
    only as log theta. And g = log theta is the one g whose choices do not depend on the unit of the
    rewards. An arm with mean 0 has an infinite D everywhere, and the index -inf.
    """
    if total <= 0.0:
        return -inf
    if pulls <= alpha:
        return inf
    left = pulls - alpha
    shrink = log1p(-alpha / pulls) if alpha < 0.5 * pulls else log(left / pulls)
    return alpha * (1.0 + log(total / pulls)) + left * shrink


@extend(Exponential, name="stable_index")
def exponential_stable_index(self: Any, pulls: float, total: float, alpha: float) -> float:
    """g = log theta, as in `mean_index`: the standard deviation is the mean."""
    return float(self.mean_index(pulls, total, alpha))


@extend(Gamma, name="mean_index")
def gamma_mean_index(self: Any, pulls: float, total: float, alpha: float) -> float:
    """g = log theta: that of `shape` exponential pulls with the same mean; infinite for
    shape n <= alpha."""
    return float(self.unit().mean_index(self.shape * pulls, self.shape * total, alpha))


@extend(Gamma, name="stable_index")
def gamma_stable_index(self: Any, pulls: float, total: float, alpha: float) -> float:
    """g = sqrt(shape) log theta."""
    return float(self.mean_index(pulls, total, sqrt(self.shape) * alpha))


@every_family
def mean_index(self: Any, pulls: float, total: float, alpha: float) -> float:
    """Not known for this family; `RBMLE.check_family` refuses it."""
    return nan


@every_family
def stable_index(self: Any, pulls: float, total: float, alpha: float) -> float:
    """Not known for this family; `RBMLE.check_family` refuses it."""
    return nan


@extend(Exponential, name="stable_of")
def exponential_stable_of(self: Exponential, mean: float) -> float:
    return log(mean)


@extend(Gamma, name="stable_of")
def gamma_stable_of(self: Gamma, mean: float) -> float:
    return sqrt(self.shape) * log(mean)


@every_family
def stable_of(self: Any, mean: float) -> float:
    """g of `stable_index` at the mean, for the families whose means can be bounded."""
    return nan


@extend(Exponential, Gamma, name="bounded_index")
def scale_bounded_index(
    self: Any, pulls: float, total: float, alpha: float, largest: float
) -> float:
    """`stable_index` with the maximum over theta <= largest; the arm's mean must not be larger.

    alpha g - n D rises with theta up to its maximiser, so the end is taken where its derivative is
    still positive: alpha V^1/2 > n (largest - p).
    """
    mean = total / pulls
    if largest == inf or alpha * sqrt(self.variance(largest)) <= pulls * (largest - mean):
        return float(self.stable_index(pulls, total, alpha))
    return float(alpha * self.stable_of(largest) - pulls * self.kl(mean, largest))


@every_family
def bounded_index(self: Any, pulls: float, total: float, alpha: float, largest: float) -> float:
    """`stable_index`: means of the other families are not bounded."""
    return float(self.stable_index(pulls, total, alpha))


@extend(Gaussian, name="in_units")
def gaussian_in_units(self: Gaussian, index: float, alpha: float) -> float:
    """The index itself: it has these units already."""
    return index


@every_family
def in_units(self: Any, index: float, alpha: float) -> float:
    """An index of this family in units of alpha, so that arms with different alphas compare."""
    return index / alpha
