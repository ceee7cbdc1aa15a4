"""Gaussian rewards with a known standard deviation."""

from __future__ import annotations

from math import inf, sqrt
from typing import Annotated, NamedTuple

from ..random import Cell
from ..special import normal_cdf, normal_quantile_upper
from .base import family


@family
class Gaussian(NamedTuple):
    """Gaussian rewards N(theta, sigma^2) with a known sigma.

        F(eta) = sigma^2 eta^2 / 2,    natural(theta) = theta / sigma^2    (Corollary 2)

    sigma: in (0, inf). prior_mean, prior_sd: the conjugate prior of theta is
    N(prior_mean, prior_sd^2), N(0, 1) by default as in Section 5; prior_sd = inf is the flat prior.

    >>> Gaussian().posterior_mean(4, 3.0), Gaussian(2.0).kl(1.0, 3.0)
    (0.6, 0.5)
    """

    sigma: Annotated[float, "[1e-300, 1e300]"] = 1.0
    prior_mean: Annotated[float, "[-1e100, 1e100]"] = 0.0
    prior_sd: Annotated[float, "[1e-300, inf]"] = 1.0

    def natural(self, mean: float) -> float:
        return mean / (self.sigma * self.sigma)

    def log_partition(self, eta: float) -> float:
        return 0.5 * (self.sigma * eta) * (self.sigma * eta)

    def mean_range(self) -> tuple[float, float]:
        return -inf, inf

    def variance(self, mean: float) -> float:
        return self.sigma * self.sigma

    def bias_index(self, pulls: float, total: float, alpha: float) -> float:
        """p + alpha / (2 n) (Corollary 2).

        It is the index of Proposition 1 divided by alpha / sigma^2, which all arms have in common.
        """
        return total / pulls + alpha / (2.0 * pulls)

    def kl(self, mean: float, other: float) -> float:
        gap = (mean - other) / self.sigma
        return 0.5 * gap * gap

    def kl_upper(self, mean: float, bound: float) -> float:
        return mean + self.sigma * sqrt(2.0 * max(bound, 0.0))

    def sample(self, mean: float, cell: Cell) -> float:
        return mean + self.sigma * cell.normal(0)

    def sub_gaussian(self, mean: float) -> float:
        return self.sigma

    def sub_exponential(self, mean: float) -> tuple[float, float]:
        return self.sigma, 0.0

    def flat(self) -> Gaussian:
        return Gaussian(self.sigma, 0.0, inf)

    def has_squares(self) -> bool:
        """Whether formulas with sigma^2 and prior_sd^2 neither overflow nor underflow.

        Between 1e-50 and 1e50 squares are between 1e-100 and 1e100; rewards up to 1e200 divided by
        them stay below the largest float, 1.8e308.
        """
        return 1e-50 <= self.sigma <= 1e50 and self.prior_sd >= 1e-50

    def prior_weight(self) -> float:
        """The number of pulls that the prior is worth, (sigma / prior_sd)^2."""
        ratio = self.sigma / self.prior_sd
        return ratio * ratio

    def posterior_precision(self, pulls: float) -> float:
        return 1.0 / (self.prior_sd * self.prior_sd) + pulls / (self.sigma * self.sigma)

    def posterior_mean(self, pulls: float, total: float) -> float:
        if not self.has_squares():
            ahead = total - pulls * self.prior_mean
            return self.prior_mean + ahead / (self.prior_weight() + pulls)
        known = self.prior_mean / (self.prior_sd * self.prior_sd)
        return (known + total / (self.sigma * self.sigma)) / self.posterior_precision(pulls)

    def posterior_variance(self, pulls: float, total: float) -> float:
        sd = self.posterior_sd(pulls, total)
        return 1.0 / self.posterior_precision(pulls) if self.has_squares() else sd * sd

    def posterior_sd(self, pulls: float, total: float) -> float:
        if not self.has_squares():
            weight = self.prior_weight()
            return self.sigma / sqrt(weight + pulls) if weight < inf else self.prior_sd
        return 1.0 / sqrt(self.posterior_precision(pulls))

    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float:
        return self.posterior_mean(pulls, total) + self.posterior_sd(pulls, total) * cell.normal(k)

    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float:
        return self.posterior_mean(pulls, total) + (
            self.posterior_sd(pulls, total) * normal_quantile_upper(tail)
        )

    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        sd = self.posterior_sd(pulls, total)
        return normal_cdf((self.posterior_mean(pulls, total) - value) / sd)
