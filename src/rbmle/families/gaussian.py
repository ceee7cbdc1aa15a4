"""Gaussian rewards with a known standard deviation."""

from __future__ import annotations

from math import inf, sqrt
from typing import Annotated, NamedTuple

from .._numba.compile import njit
from ..random import Cell
from ..special import normal_cdf, normal_density, normal_quantile_upper
from .registry import family


@njit
def expected_excess(z: float) -> float:
    """E[max(X + z, 0)] of a standard normal X: z Phi(z) + phi(z)."""
    return z * normal_cdf(z) + normal_density(z)


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

    def unbounded_means(self) -> bool:
        """Whether a mean may be any number, so that N(mean, ...) stays in the range of means."""
        return True

    def mean_index(self, pulls: float, total: float, alpha: float) -> float:
        """p + alpha sigma^2 / (2 n): I / alpha, as all arms have alpha in common.

        It is the paper's index (Corollary 2) with sigma^2 alpha in place of alpha.
        """
        return total / pulls + alpha * self.sigma * self.sigma / (2.0 * pulls)

    def stable_index(self, pulls: float, total: float, alpha: float) -> float:
        """p + alpha sigma / (2 n): sigma I / alpha. Here g = theta / sigma, so that the unit of the
        rewards does not matter."""
        return total / pulls + alpha * self.sigma / (2.0 * pulls)

    def in_units(self, index: float, alpha: float) -> float:
        """The index itself: it has these units already."""
        return index

    def knowledge_gain(self, pulls: float, total: float, rival: float) -> float:
        s = self.look_ahead_sd(pulls, 1.0)
        if s == 0.0:  # underflow, for sigma above 1e150
            return 0.0
        return s * expected_excess(-abs(self.posterior_mean(pulls, total) - rival) / s)

    def look_ahead_sd(self, pulls: float, m: float) -> float:
        """The standard deviation of the change that m more pulls bring to the posterior mean."""
        sd = self.posterior_sd(pulls, 0.0)
        if not self.has_squares():
            ratio = sd / self.sigma
            if ratio > 1.0:
                return sd * sqrt(m / (m + 1.0 / ratio / ratio))
            return sd * (ratio * sqrt(m / (1.0 + m * ratio * ratio)))
        variance = sd * sd
        return sqrt(m * variance / (self.sigma * self.sigma / variance + m))

    def look_ahead_bounds(self, pulls: float, gap: float) -> tuple[float, float]:
        """Two numbers between which the best number of pulls in a row lies: see `KGStar`."""
        sd = self.posterior_sd(pulls, 0.0)
        r = (gap / sd) * (gap / sd)
        if self.has_squares():
            unit = 4.0 * (sd * sd) / (self.sigma * self.sigma)
        else:
            unit = max(4.0 * (sd / self.sigma) * (sd / self.sigma), 1e-300)
        low = (-1.0 + r + sqrt(1.0 + 6.0 * r + r * r)) / unit
        return low, (1.0 + r + sqrt(1.0 + 10.0 * r + r * r)) / unit

    def posterior_size(self, pulls: float) -> float:
        if not self.has_squares():
            return self.prior_weight() + pulls
        return self.sigma * self.sigma * self.posterior_precision(pulls)

    def posterior_span(self, pulls: float, total: float) -> tuple[float, float, float]:
        mean, sd = self.posterior_mean(pulls, total), self.posterior_sd(pulls, total)
        return mean - 8.0 * sd, mean + 8.0 * sd, sd  # Phi(-8) = 6e-16
