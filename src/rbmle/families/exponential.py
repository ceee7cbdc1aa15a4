"""Positive rewards whose standard deviation is proportional to the mean: Exponential and Gamma."""

from __future__ import annotations

from math import exp, inf, log, log1p, sqrt
from typing import Annotated, NamedTuple

from ..random import Cell
from ..special import (
    deviance_below,
    gamma_cdf,
    gamma_cdf_above,
    gamma_quantile,
    gamma_quantile_above,
    scale_root_below,
)
from .divergences import SMALL_RATIO, log_ratio, underflowing_gain
from .registry import DEVIANCE_ERROR, TAIL, family

_LARGEST = 700.0  # exp(710) overflows


@family
class Exponential(NamedTuple):
    """Exponential rewards, with density e^(-x/theta) / theta.

        F(eta) = -log(-eta),    natural(theta) = -1/theta    (Corollary 3)

    prior_shape, prior_rate: the conjugate prior of the rate 1/theta is
    Gamma(prior_shape, prior_rate); both in (0, inf), Gamma(1, 1) by default as in Section 5.

    >>> Exponential().posterior_mean(3, 2.0), round(Exponential().kl(1.0, 2.0), 6)
    (1.0, 0.193147)
    """

    prior_shape: Annotated[float, "[1e-4, 1e9]"] = 1.0
    prior_rate: Annotated[float, "[1e-4, 1e9]"] = 1.0

    def natural(self, mean: float) -> float:
        return -1.0 / mean

    def log_partition(self, eta: float) -> float:
        return -log(-eta)

    def mean_range(self) -> tuple[float, float]:
        return 0.0, inf

    def variance(self, mean: float) -> float:
        return mean * mean

    def bias_index(self, pulls: float, total: float, alpha: float) -> float:
        """n log(S / (S + alpha)) (Corollary 3), written so that it does not cancel for large S."""
        return -pulls * log1p(alpha / total) if total > 0.0 else -inf

    def conjugate(self, mean: float) -> float:
        return -1.0 - log(mean) if mean > 0.0 else inf

    def kl(self, mean: float, other: float) -> float:
        if mean == other:
            return 0.0
        if mean <= 0.0 or other <= 0.0:
            return inf
        excess = (mean - other) / other
        return excess - log_ratio(mean, other, mean - other)

    def kl_below(self, mean: float, other: float) -> float:
        return deviance_below(1.0, mean / other) - DEVIANCE_ERROR if mean > 0.0 else 0.0

    def kl_upper_below(self, mean: float, bound: float) -> float:
        return mean * exp(min(scale_root_below(bound), _LARGEST))

    def sample(self, mean: float, cell: Cell) -> float:
        return mean * cell.exponential(0)

    def sub_gaussian(self, mean: float) -> float:
        return inf

    def sub_exponential(self, mean: float) -> tuple[float, float]:
        """(rho, kappa) from -u - log(1 - u) <= 2 u^2 for |u| < 1/2, with u = lambda theta."""
        return 2.0 * mean, 2.0 * mean

    def posterior_mean(self, pulls: float, total: float) -> float:
        shape = self.prior_shape + pulls
        return (self.prior_rate + total) / (shape - 1.0) if shape > 1.0 else inf

    def posterior_variance(self, pulls: float, total: float) -> float:
        """The variance of the inverse-gamma posterior; infinite for shapes up to 2."""
        shape, mean = self.prior_shape + pulls, self.posterior_mean(pulls, total)
        return mean * mean / (shape - 2.0) if shape > 2.0 else inf

    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float:
        rate = cell.gamma(self.prior_shape + pulls, k)
        return (self.prior_rate + total) / rate if rate > 0.0 else inf

    def posterior_law(self, pulls: float, total: float) -> tuple[str, float, float]:
        return "inverse gamma", self.prior_shape + pulls, self.prior_rate + total

    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        if value <= 0.0:
            return 1.0
        return gamma_cdf((self.prior_rate + total) / value, self.prior_shape + pulls)

    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float:
        return (self.prior_rate + total) / gamma_quantile(tail, self.prior_shape + pulls)

    def posterior_tail_above(self, pulls: float, total: float, value: float) -> float:
        if value <= 0.0:
            return 1.0
        return gamma_cdf_above((self.prior_rate + total) / value, self.prior_shape + pulls)

    def posterior_quantile_below(self, pulls: float, total: float, tail: float) -> float:
        return (self.prior_rate + total) / gamma_quantile_above(tail, self.prior_shape + pulls)

    def mean_index(self, pulls: float, total: float, alpha: float) -> float:
        """1 + log p + (n / alpha - 1) log(1 - alpha/n), with g = log theta and
        m = n p / (n - alpha).

        It is infinite for n <= alpha. With g = theta it would be infinite for every n, because D
        grows only as log theta. And g = log theta is the one g whose choices do not depend on the
        unit of the rewards. An arm with mean 0 has an infinite D everywhere, and the index -inf.
        """
        if total <= 0.0:
            return -inf
        if pulls <= alpha:
            return inf
        g, r, left = log(total / pulls), alpha / pulls, pulls - alpha
        if r < SMALL_RATIO:
            return g + 0.5 * r
        return g + (1.0 + left / alpha * (log1p(-r) if r < 0.5 else log(left / pulls)))

    def stable_index(self, pulls: float, total: float, alpha: float) -> float:
        """g = log theta, as in `mean_index`: the standard deviation is the mean."""
        return self.mean_index(pulls, total, alpha)

    def bounded_index(self, pulls: float, total: float, alpha: float, largest: float) -> float:
        """`stable_index` with the maximum over theta <= largest; the arm's mean must not be larger.

        alpha g - n D rises with theta up to its maximiser, so the end is taken where its derivative
        is still positive: alpha V^1/2 > n (largest - p).
        """
        mean = total / pulls
        if largest == inf or alpha * sqrt(self.variance(largest)) <= pulls * (largest - mean):
            return self.stable_index(pulls, total, alpha)
        return log(largest) - pulls / alpha * self.kl(mean, largest)

    def knowledge_gain(self, pulls: float, total: float, rival: float) -> float:
        """With posterior shape a and rate b, the next reward exceeds y with probability
        (b / (b + y))^a, and then mu' = (b + y) / a. So for rival >= b/a

            E[max(mu' - rival, 0)] = (b/a)^a rival^(1-a) / (a - 1),

        which is computed by logarithms, because the powers themselves underflow.
        """
        a, b = self.prior_shape + pulls, self.prior_rate + total
        if rival <= b / a:  # no single reward can bring the mean below the rival
            return 0.0
        exponent = a * log(b / a) - (a - 1.0) * log(rival)
        excess = exp(exponent) / (a - 1.0)
        lead = b / (a - 1.0) - rival
        return max(excess - lead, 0.0) if lead > 0.0 else excess

    def chart(self, y: float) -> float:
        """theta = e^y, because the posterior of theta itself has heavy tails."""
        return exp(y)

    def chart_slope(self, y: float) -> float:
        return exp(y)

    def posterior_size(self, pulls: float) -> float:
        return self.prior_shape + pulls - 1.0

    def posterior_span(self, pulls: float, total: float) -> tuple[float, float, float]:
        """The interval from Chernoff's bounds, for the rate, a gamma variable of shape a.

        It is below a e^-u (u > 0), or above it (u < 0), with probability at most
        exp(-a (e^-u - 1 + u)). The upper end is chosen for the integral of the mean instead, of
        which 1e-15 is left out; that is the bound for a gamma variable of shape a - 1.
        """
        a, b = self.prior_shape + pulls, self.prior_rate + total
        k = TAIL / a
        low = log(b / a) - log(1.0 + sqrt(2.0 * k) + k)
        k = TAIL / (a - 1.0)
        u = sqrt(2.0 * k) + k  # above the root of e^-u - 1 + u - k; a Newton step stays above it
        u -= (exp(-u) - 1.0 + u - k) / (1.0 - exp(-u))
        return low, log(b / (a - 1.0)) + u, 1.0 / sqrt(a)

    def density_kl(self, mean: float, other: float) -> float:
        if mean == other:
            return 0.0
        ratio = mean / other
        return ratio - 1.0 - log(ratio)

    def clipped_kl(self, mean: float, other: float) -> float:
        """D by the plain formula, so that it rounds as in the tables."""
        ratio = mean / other if other > 0.0 else inf
        return ratio - 1.0 - log(ratio) if 0.0 < ratio < inf else inf

    def published_gain(self, pulls: float, total: float, rival: float, leads: bool) -> float:
        return underflowing_gain(self.prior_shape + pulls, self.prior_rate + total, rival, leads)


@family
class Gamma(NamedTuple):
    """Gamma rewards of a known shape, Gamma(shape, scale = theta / shape); shape 1 is Exponential.

        F(eta) = -shape log(-eta),    natural(theta) = -shape/theta

    shape: in (0, inf). prior_shape, prior_rate: the conjugate prior of the rate shape/theta is
    Gamma(prior_shape, prior_rate); both in (0, inf).
    A pull is worth `shape` pulls of an exponential arm with mean theta / shape, so most methods
    call those of `Exponential`.

    >>> Gamma(2.0).posterior_mean(1, 3.0)
    4.0
    """

    shape: Annotated[float, "[1e-3, 1e9]"] = 1.0
    prior_shape: Annotated[float, "[1e-4, 1e9]"] = 1.0
    prior_rate: Annotated[float, "[1e-4, 1e9]"] = 1.0

    def unit(self) -> Exponential:
        return Exponential(self.prior_shape, self.prior_rate)

    def natural(self, mean: float) -> float:
        return -self.shape / mean

    def log_partition(self, eta: float) -> float:
        return -self.shape * log(-eta)

    def mean_range(self) -> tuple[float, float]:
        return 0.0, inf

    def variance(self, mean: float) -> float:
        return mean * mean / self.shape

    def bias_index(self, pulls: float, total: float, alpha: float) -> float:
        """shape n log(S / (S + alpha)), from Proposition 1 as in Corollary 3."""
        return self.unit().bias_index(self.shape * pulls, total, alpha)

    def conjugate(self, mean: float) -> float:
        return self.shape * (log(self.shape) + self.unit().conjugate(mean))

    def kl(self, mean: float, other: float) -> float:
        return self.shape * self.unit().kl(mean, other)

    def kl_below(self, mean: float, other: float) -> float:
        return self.shape * self.unit().kl_below(mean, other)

    def kl_upper_below(self, mean: float, bound: float) -> float:
        return self.unit().kl_upper_below(mean, bound / self.shape)

    def sample(self, mean: float, cell: Cell) -> float:
        return mean / self.shape * cell.gamma(self.shape, 0)

    def sub_gaussian(self, mean: float) -> float:
        return inf

    def sub_exponential(self, mean: float) -> tuple[float, float]:
        """(rho, kappa) as for Exponential: `shape` times that bound, u = lambda theta / shape."""
        return 2.0 * mean / sqrt(self.shape), 2.0 * mean / self.shape

    def posterior_mean(self, pulls: float, total: float) -> float:
        return self.shape * self.unit().posterior_mean(self.shape * pulls, total)

    def posterior_variance(self, pulls: float, total: float) -> float:
        square = self.shape * self.shape
        return square * self.unit().posterior_variance(self.shape * pulls, total)

    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float:
        return self.shape * self.unit().posterior_draw(self.shape * pulls, total, cell, k)

    def posterior_law(self, pulls: float, total: float) -> tuple[str, float, float]:
        return self.unit().posterior_law(self.shape * pulls, total)

    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        return self.unit().posterior_tail(self.shape * pulls, total, value / self.shape)

    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float:
        return self.shape * self.unit().posterior_quantile(self.shape * pulls, total, tail)

    def posterior_tail_above(self, pulls: float, total: float, value: float) -> float:
        return self.unit().posterior_tail_above(self.shape * pulls, total, value / self.shape)

    def posterior_quantile_below(self, pulls: float, total: float, tail: float) -> float:
        return self.shape * self.unit().posterior_quantile_below(self.shape * pulls, total, tail)

    def mean_index(self, pulls: float, total: float, alpha: float) -> float:
        """g = log theta: that of `shape` exponential pulls with the same mean; infinite for
        shape n <= alpha."""
        return self.unit().mean_index(self.shape * pulls, self.shape * total, alpha)

    def stable_index(self, pulls: float, total: float, alpha: float) -> float:
        """g = sqrt(shape) log theta."""
        unit = sqrt(self.shape)
        return unit * self.mean_index(pulls, total, unit * alpha)

    def bounded_index(self, pulls: float, total: float, alpha: float, largest: float) -> float:
        """As for Exponential, with g = sqrt(shape) log theta."""
        mean = total / pulls
        if largest == inf or alpha * sqrt(self.variance(largest)) <= pulls * (largest - mean):
            return self.stable_index(pulls, total, alpha)
        return sqrt(self.shape) * log(largest) - pulls / alpha * self.kl(mean, largest)
