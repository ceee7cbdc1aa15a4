"""Cheap bounds on the functions of families that KL-UCB and Bayes-UCB use.

    kl_upper_below(mean, bound) <= kl_upper(mean, bound)
    kl_below(mean, other) <= kl(mean, other) and <= clipped_kl(mean, other), for mean < other
    posterior_tail_above(pulls, total, value) >= posterior_tail(pulls, total, value)
    posterior_quantile_below(pulls, total, tail) <= posterior_quantile(pulls, total, tail)

The bounds hold for the numbers as they are computed, rounding errors included.
"""

from __future__ import annotations

from math import exp
from typing import Any

from .._numba.compile import extend
from ..families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson, every_family
from ..special import (
    beta_quantile_below,
    beta_tail_above,
    coin_below,
    coin_root_below,
    count_root_below,
    deviance_below,
    gamma_cdf_above,
    gamma_quantile_above,
    gamma_quantile_below,
    gamma_tail_above,
    normal_density,
    ratio_above,
    scale_root_below,
)

_LARGEST = 700.0  # exp(710) overflows
# A margin for the rounding error of a deviance, x - 1 - log x or n log(n/m) - (n - m), which is
# some units in the last place (1e-16) of its largest term, 1 or m.
_DEVIANCE = 1e-13


@extend(Bernoulli, name="kl_upper_below")
def bernoulli_root_below(self: Bernoulli, mean: float, bound: float) -> float:
    return coin_root_below(mean, bound)


@extend(Bernoulli, name="kl_below")
def bernoulli_kl_below(self: Bernoulli, mean: float, other: float) -> float:
    return coin_below(mean, other)


@extend(Bernoulli, name="posterior_tail_above")
def bernoulli_tail_above(self: Bernoulli, pulls: float, total: float, value: float) -> float:
    return beta_tail_above(value, total + self.prior_a, pulls - total + self.prior_b)


@extend(Bernoulli, name="posterior_quantile_below")
def bernoulli_quantile_below(self: Bernoulli, pulls: float, total: float, tail: float) -> float:
    return beta_quantile_below(tail, total + self.prior_a, pulls - total + self.prior_b)


@extend(Binomial, name="kl_upper_below")
def binomial_root_below(self: Binomial, mean: float, bound: float) -> float:
    return self.trials * coin_root_below(mean / self.trials, bound / self.trials)


@extend(Binomial, name="kl_below")
def binomial_kl_below(self: Binomial, mean: float, other: float) -> float:
    return self.trials * coin_below(mean / self.trials, other / self.trials)


@extend(Binomial, name="posterior_tail_above")
def binomial_tail_above(self: Any, pulls: float, total: float, value: float) -> float:
    coin = self.coin()
    return float(coin.posterior_tail_above(self.trials * pulls, total, value / self.trials))


@extend(Binomial, name="posterior_quantile_below")
def binomial_quantile_below(self: Any, pulls: float, total: float, tail: float) -> float:
    coin = self.coin()
    return float(self.trials * coin.posterior_quantile_below(self.trials * pulls, total, tail))


@extend(Exponential, name="kl_upper_below")
def exponential_root_below(self: Exponential, mean: float, bound: float) -> float:
    return mean * exp(min(scale_root_below(bound), _LARGEST))


@extend(Exponential, name="kl_below")
def exponential_kl_below(self: Exponential, mean: float, other: float) -> float:
    return deviance_below(1.0, mean / other) - _DEVIANCE if mean > 0.0 else 0.0


@extend(Exponential, name="posterior_tail_above")
def exponential_tail_above(self: Exponential, pulls: float, total: float, value: float) -> float:
    if value <= 0.0:
        return 1.0
    return gamma_cdf_above((self.prior_rate + total) / value, self.prior_shape + pulls)


@extend(Exponential, name="posterior_quantile_below")
def exponential_quantile_below(self: Exponential, pulls: float, total: float, tail: float) -> float:
    return (self.prior_rate + total) / gamma_quantile_above(tail, self.prior_shape + pulls)


@extend(Gamma, name="kl_upper_below")
def gamma_root_below(self: Any, mean: float, bound: float) -> float:
    return float(self.unit().kl_upper_below(mean, bound / self.shape))


@extend(Gamma, name="kl_below")
def gamma_kl_below(self: Any, mean: float, other: float) -> float:
    return float(self.shape * self.unit().kl_below(mean, other))


@extend(Gamma, name="posterior_tail_above")
def gamma_family_tail_above(self: Any, pulls: float, total: float, value: float) -> float:
    unit = self.unit()
    return float(unit.posterior_tail_above(self.shape * pulls, total, value / self.shape))


@extend(Gamma, name="posterior_quantile_below")
def gamma_family_quantile_below(self: Any, pulls: float, total: float, tail: float) -> float:
    unit = self.unit()
    return float(self.shape * unit.posterior_quantile_below(self.shape * pulls, total, tail))


@extend(Gaussian, name="posterior_tail_above")
def gaussian_tail_above(self: Gaussian, pulls: float, total: float, value: float) -> float:
    z = (value - self.posterior_mean(pulls, total)) / self.posterior_sd(pulls, total)
    if z > 40.0:  # the density, exp(-800), is below the smallest float
        return 0.0
    return normal_density(z) * ratio_above(z, 1.0, 0.0) if z > 0.0 else 1.0


@extend(Gaussian, name="posterior_quantile_below")
def gaussian_quantile_below(self: Gaussian, pulls: float, total: float, tail: float) -> float:
    """The quantile itself: for a normal distribution it is cheap."""
    return self.posterior_quantile(pulls, total, tail)


@extend(Poisson, name="kl_upper_below")
def poisson_root_below(self: Poisson, mean: float, bound: float) -> float:
    return count_root_below(mean, bound)


@extend(Poisson, name="kl_below")
def poisson_kl_below(self: Poisson, mean: float, other: float) -> float:
    return deviance_below(mean, other) - _DEVIANCE * other


@extend(Poisson, name="posterior_tail_above")
def poisson_tail_above(self: Poisson, pulls: float, total: float, value: float) -> float:
    return gamma_tail_above(value * (self.prior_rate + pulls), self.prior_shape + total)


@extend(Poisson, name="posterior_quantile_below")
def poisson_quantile_below(self: Poisson, pulls: float, total: float, tail: float) -> float:
    quantile = gamma_quantile_below(tail, self.prior_shape + total)
    return quantile / (self.prior_rate + pulls)


@every_family
def kl_upper_below(self: Any, mean: float, bound: float) -> float:
    """The mean itself, for families without a better bound."""
    return mean


@every_family
def kl_below(self: Any, mean: float, other: float) -> float:
    """The divergence itself, for families without a cheaper bound; it costs less than its root."""
    return float(self.kl(mean, other))
