"""Positive rewards whose standard deviation is proportional to the mean: Exponential and Gamma."""

from __future__ import annotations

from math import exp, inf, log, sqrt
from typing import Annotated, Any, NamedTuple

from .._compile import Floats, njit
from ..random import Cell
from ..special import (
    deviance_below,
    gamma_cdf,
    gamma_cdf_above,
    gamma_density,
    gamma_quantile,
    log_rate_below,
    scale_root_below,
)
from .base import family

_TAIL = 34.538776394910684  # -log(1e-15)


@family
class Exponential(NamedTuple):
    """Rewards with density e^(-x/theta) / theta.

    F(eta) = -log(-eta), natural(theta) = -1/theta (Corollary 3). The conjugate prior of the rate
    1/theta is Gamma(prior_shape, prior_rate), Gamma(1, 1) by default as in Section 5.

    >>> Exponential().posterior_mean(3, 2.0), round(Exponential().kl(1.0, 2.0), 6)
    (1.0, 0.193147)
    """

    prior_shape: Annotated[float, "(0, inf)"] = 1.0
    prior_rate: Annotated[float, "(0, inf)"] = 1.0

    def natural(self, mean: float) -> float:
        return -1.0 / mean

    def log_partition(self, eta: float) -> float:
        return -log(-eta)

    def mean_range(self) -> tuple[float, float]:
        return 0.0, inf

    def variance(self, mean: float) -> float:
        return mean * mean

    def bias_index(self, pulls: float, total: float, alpha: float) -> float:
        """n log(S / (S + alpha)), Corollary 3."""
        return pulls * log(total / (total + alpha)) if total > 0.0 else -inf

    def conjugate(self, mean: float) -> float:
        return -1.0 - log(mean) if mean > 0.0 else inf

    def kl(self, mean: float, other: float) -> float:
        if mean == other:
            return 0.0
        if mean <= 0.0 or other <= 0.0:
            return inf
        ratio = mean / other
        return ratio - 1.0 - log(ratio)

    def kl_scale(self, mean: float) -> float:
        """D(p, e^y) = p e^-y - 1 - log p + y is convex in y."""
        return log(mean) if mean > 0.0 else -inf

    def kl_upper_below(self, mean: float, bound: float) -> float:
        return mean * exp(min(scale_root_below(bound), 700.0))

    def kl_below(self, mean: float, other: float) -> float:
        return deviance_below(1.0, mean / other) - 1e-13 if mean > 0.0 else 0.0

    def sample(self, mean: float, cell: Cell) -> float:
        return mean * cell.exponential(0)

    def legacy_table(self, generator: Any, means: Floats, shape: tuple[int, int]) -> Floats:
        return means * generator.standard_exponential(shape)  # type: ignore[no-any-return]

    def sub_gaussian(self, mean: float) -> float:
        return inf

    def sub_exponential(self, mean: float) -> tuple[float, float]:
        """-u - log(1 - u) <= 2 u^2 for |u| < 1/2, with u = lambda theta."""
        return 2.0 * mean, 2.0 * mean

    def posterior_mean(self, pulls: float, total: float) -> float:
        shape = self.prior_shape + pulls
        return (self.prior_rate + total) / (shape - 1.0) if shape > 1.0 else inf

    def posterior_variance(self, pulls: float, total: float) -> float:
        """Of the inverse-gamma posterior; infinite up to shape 2."""
        shape, mean = self.prior_shape + pulls, self.posterior_mean(pulls, total)
        return mean * mean / (shape - 2.0) if shape > 2.0 else inf

    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float:
        return (self.prior_rate + total) / cell.gamma(self.prior_shape + pulls, k)

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
        shape = self.prior_shape + pulls
        return (self.prior_rate + total) / shape * exp(min(log_rate_below(tail, shape), 700.0))

    def posterior_density(self, pulls: float, total: float, mean: float) -> float:
        rate = (self.prior_rate + total) / mean
        return gamma_density(rate, self.prior_shape + pulls) * rate / mean

    def chart(self, y: float) -> float:
        """theta = e^y: the posterior of theta itself has heavy tails."""
        return exp(y)

    def chart_slope(self, y: float) -> float:
        return exp(y)

    def posterior_span(self, pulls: float, total: float) -> tuple[float, float, float]:
        """From Chernoff's bounds: a gamma variable of shape a is x = a e^-u or less, or at u < 0 or
        more, with probability exp(-a (e^-u - 1 + u)) at most. The upper end is where all but 1e-15
        of the mean's own integral lies below, which is a gamma variable of shape a - 1."""
        a, b = self.prior_shape + pulls, self.prior_rate + total
        k = _TAIL / a
        low = log(b / a) - log(1.0 + sqrt(2.0 * k) + k)
        k = _TAIL / (a - 1.0)
        u = sqrt(2.0 * k) + k  # beyond the root of the convex e^-u - 1 + u - k, and so is Newton's
        u -= (exp(-u) - 1.0 + u - k) / (1.0 - exp(-u))
        return low, log(b / (a - 1.0)) + u, 1.0 / sqrt(a)

    def posterior_size(self, pulls: float) -> float:
        return self.prior_shape + pulls - 1.0

    def knowledge_gain(self, pulls: float, total: float, rival: float) -> float:
        """E[max(mu', rival)] - max(mu, rival), mu' the posterior mean after one more pull.

        With shape a and rate b the next reward has tail (b / (b + y))^a and mu' = (b + y) / a, so
        E[max(mu' - rival, 0)] = (b/a)^a rival^(1-a) / (a - 1) where rival >= b/a, taken in
        logarithms: the powers themselves underflow.
        """
        a, b = self.prior_shape + pulls, self.prior_rate + total
        if rival <= b / a:  # one reward cannot bring the mean below its rival
            return 0.0
        exponent = a * log(b / a) - (a - 1.0) * log(rival)
        excess = exp(exponent) / (a - 1.0)
        lead = b / (a - 1.0) - rival
        return max(excess - lead, 0.0) if lead > 0.0 else excess

    def published_gain(self, pulls: float, total: float, rival: float, leads: bool) -> float:
        """The same in powers, which underflow to 0, inf and NaN, as the published tables ran it."""
        a, b = self.prior_shape + pulls, self.prior_rate + total
        excess = underflowing_excess(a, b, rival)
        if not leads:
            return excess
        return excess - (b / (a - 1.0) - rival) if rival >= b / a else 0.0


@njit
def underflowing_excess(a: float, b: float, rival: float) -> float:
    """1 / (rival^(a-1) (a-1)) (b/a)^a in this order; compiled, so that 1/0 is inf, not an error."""
    return float(1.0 / (rival ** (a - 1.0) * (a - 1.0)) * (b / a) ** a)


@family
class Gamma(NamedTuple):
    """Rewards Gamma(shape, scale = theta / shape) with a known shape; shape 1 is Exponential.

    F(eta) = -shape log(-eta), natural(theta) = -shape/theta. The conjugate prior of the rate
    shape/theta is Gamma(prior_shape, prior_rate). A pull tells as much as `shape` pulls of an
    exponential arm whose mean is theta / shape, so `Exponential` says what follows from that.

    >>> Gamma(2.0).posterior_mean(1, 3.0)
    4.0
    """

    shape: Annotated[float, "(0, inf)"] = 1.0
    prior_shape: Annotated[float, "(0, inf)"] = 1.0
    prior_rate: Annotated[float, "(0, inf)"] = 1.0

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
        """shape n log(S / (S + alpha)): Proposition 1, as Corollary 3."""
        return self.unit().bias_index(self.shape * pulls, total, alpha)

    def conjugate(self, mean: float) -> float:
        return self.shape * (log(self.shape) + self.unit().conjugate(mean))

    def kl(self, mean: float, other: float) -> float:
        return self.shape * self.unit().kl(mean, other)

    def kl_scale(self, mean: float) -> float:
        return self.unit().kl_scale(mean)

    def kl_upper_below(self, mean: float, bound: float) -> float:
        return self.unit().kl_upper_below(mean, bound / self.shape)

    def kl_below(self, mean: float, other: float) -> float:
        return self.shape * self.unit().kl_below(mean, other)

    def sample(self, mean: float, cell: Cell) -> float:
        return mean / self.shape * cell.gamma(self.shape, 0)

    def legacy_table(self, generator: Any, means: Floats, shape: tuple[int, int]) -> Floats:
        return generator.gamma(self.shape, means / self.shape, shape)  # type: ignore[no-any-return]

    def sub_gaussian(self, mean: float) -> float:
        return inf

    def sub_exponential(self, mean: float) -> tuple[float, float]:
        """As for Exponential, shape times, with u = lambda theta / shape."""
        return 2.0 * mean / sqrt(self.shape), 2.0 * mean / self.shape

    def posterior_mean(self, pulls: float, total: float) -> float:
        return self.shape * self.unit().posterior_mean(self.shape * pulls, total)

    def posterior_variance(self, pulls: float, total: float) -> float:
        square = self.shape * self.shape
        return square * self.unit().posterior_variance(self.shape * pulls, total)

    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float:
        return self.shape * self.unit().posterior_draw(self.shape * pulls, total, cell, k)

    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        return self.unit().posterior_tail(self.shape * pulls, total, value / self.shape)

    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float:
        return self.shape * self.unit().posterior_quantile(self.shape * pulls, total, tail)

    def posterior_tail_above(self, pulls: float, total: float, value: float) -> float:
        return self.unit().posterior_tail_above(self.shape * pulls, total, value / self.shape)

    def posterior_quantile_below(self, pulls: float, total: float, tail: float) -> float:
        return self.shape * self.unit().posterior_quantile_below(self.shape * pulls, total, tail)
