"""Counts of events: Poisson."""

from __future__ import annotations

from math import exp, inf, log, log1p, sqrt
from typing import Annotated, NamedTuple

from ..errors import Interval
from ..random import Cell
from ..special import (
    count_root_below,
    deviance_below,
    gamma_quantile_below,
    gamma_quantile_upper,
    gamma_tail,
    gamma_tail_above,
)
from .divergences import LARGEST_RATIO, SMALL_RATIO, log_ratio
from .registry import DEVIANCE_ERROR, family


@family
class Poisson(NamedTuple):
    """Poisson rewards 0, 1, 2, ... with mean theta.

        F(eta) = e^eta,    natural(theta) = log theta

    prior_shape, prior_rate: the conjugate prior of theta is Gamma(prior_shape, prior_rate), with
    prior_shape in (0, inf) and prior_rate in [0, inf); shape 1 with rate 0 is the flat prior.

    >>> Poisson().posterior_mean(1, 3.0), round(Poisson().kl(1.0, 2.0), 6)
    (2.0, 0.306853)
    """

    prior_shape: Annotated[float, "[1e-4, 1e9]"] = 1.0
    prior_rate: Annotated[float, "[0, 1e9]"] = 1.0

    def natural(self, mean: float) -> float:
        return log(mean)

    def log_partition(self, eta: float) -> float:
        return exp(eta)

    def mean_range(self) -> tuple[float, float]:
        return 0.0, inf

    def mean_interval(self) -> Interval:
        """[0, 1e15]: rewards must stay below 2^53 = 9e15, where floats begin to skip counts."""
        return Interval(0.0, 1e15, closed_low=True, closed_high=True)

    def variance(self, mean: float) -> float:
        return mean

    def conjugate(self, mean: float) -> float:
        return mean * log(mean) - mean if mean > 0.0 else 0.0

    def bias_index(self, pulls: float, total: float, alpha: float) -> float:
        """alpha (log((S + alpha) / n) - 1) + S log(1 + alpha / S), which is Proposition 1's
        n (F*(nu + alpha/n) - F*(nu)) without the difference of two large numbers."""
        gain = total * log1p(alpha / total) if total > 0.0 else 0.0
        return alpha * (log((total + alpha) / pulls) - 1.0) + gain

    def kl(self, mean: float, other: float) -> float:
        if mean == other:
            return 0.0
        if other <= 0.0:
            return inf
        step = other - mean
        return step + (mean * log_ratio(mean, other, -step) if mean > 0.0 else 0.0)

    def kl_below(self, mean: float, other: float) -> float:
        return deviance_below(mean, other) - DEVIANCE_ERROR * other

    def kl_upper_below(self, mean: float, bound: float) -> float:
        return count_root_below(mean, bound)

    def sample(self, mean: float, cell: Cell) -> float:
        return cell.poisson(mean, 0)

    def sub_gaussian(self, mean: float) -> float:
        return inf

    def sub_exponential(self, mean: float) -> tuple[float, float]:
        """(rho, kappa) from e^u - 1 - u <= (e - 2) u^2 for |u| <= 1; kappa = 1."""
        return (2.0 * 0.7182818284590452 * mean) ** 0.5, 1.0

    def flat(self) -> Poisson:
        return Poisson(1.0, 0.0)

    def posterior_mean(self, pulls: float, total: float) -> float:
        return (self.prior_shape + total) / (self.prior_rate + pulls)

    def posterior_variance(self, pulls: float, total: float) -> float:
        rate = self.prior_rate + pulls
        return (self.prior_shape + total) / (rate * rate)

    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float:
        return cell.gamma(self.prior_shape + total, k) / (self.prior_rate + pulls)

    def posterior_law(self, pulls: float, total: float) -> tuple[str, float, float]:
        return "gamma", self.prior_shape + total, self.prior_rate + pulls

    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        return gamma_tail(value * (self.prior_rate + pulls), self.prior_shape + total)

    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float:
        quantile = gamma_quantile_upper(tail, self.prior_shape + total)
        return quantile / (self.prior_rate + pulls)

    def posterior_tail_above(self, pulls: float, total: float, value: float) -> float:
        return gamma_tail_above(value * (self.prior_rate + pulls), self.prior_shape + total)

    def posterior_quantile_below(self, pulls: float, total: float, tail: float) -> float:
        quantile = gamma_quantile_below(tail, self.prior_shape + total)
        return quantile / (self.prior_rate + pulls)

    def mean_index(self, pulls: float, total: float, alpha: float) -> float:
        """S / alpha log(n / (n - alpha)), m = n p / (n - alpha); infinite for n <= alpha."""
        if pulls <= alpha:
            return inf
        p, r = total / pulls, alpha / pulls
        if r < SMALL_RATIO:
            return p * (1.0 + 0.5 * r)
        return -p / r * (log1p(-r) if r < 0.5 else log((pulls - alpha) / pulls))

    def stable_index(self, pulls: float, total: float, alpha: float) -> float:
        """g = 2 sqrt theta; sqrt m is the positive root of s^2 - r s - p = 0."""
        p, r = total / pulls, alpha / pulls
        if r > LARGEST_RATIO:
            return inf
        s = 0.5 * (r + sqrt(r * r + 4.0 * p))
        fall = p * log_ratio(p, s * s, -r * s) if p > 0.0 else 0.0
        return s - fall / r if r > 0.0 else s
