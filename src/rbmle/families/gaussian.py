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

    def posterior_law(self, pulls: float, total: float) -> tuple[str, float, float]:
        if pulls == 0.0 and self.prior_sd == inf:
            return "normal", 0.0, inf
        return "normal", self.posterior_mean(pulls, total), self.posterior_sd(pulls, total)

    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        sd = self.posterior_sd(pulls, total)
        return normal_cdf((self.posterior_mean(pulls, total) - value) / sd)

    def unbounded_means(self) -> bool:
        """Whether a mean may be any number, so that N(mean, ...) stays in the range of means."""
        return True

    def mean_index(self, pulls: float, total: float, alpha: float) -> float:
        """p + alpha sigma^2 / (2 n).

        It is the paper's index (Corollary 2) with sigma^2 alpha in place of alpha.
        """
        return total / pulls + alpha * self.sigma * self.sigma / (2.0 * pulls)

    def stable_index(self, pulls: float, total: float, alpha: float) -> float:
        """p + alpha sigma / (2 n), which is sigma I / alpha. Here g = theta / sigma, so that the
        unit of the rewards does not matter."""
        return total / pulls + alpha * self.sigma / (2.0 * pulls)

    def index_unit(self, alpha: float) -> float:
        return 1.0

    def knowledge_gain(self, pulls: float, total: float, rival: float) -> float:
        s = self.look_ahead_sd(pulls, 1.0)
        if s == 0.0:  # underflow, for sigma above 1e150
            return 0.0
        return s * expected_excess(-abs(self.posterior_mean(pulls, total) - rival) / s)

    def look_ahead_sd(self, pulls: float, m: float) -> float:
        sd = self.posterior_sd(pulls, 0.0)
        if not self.has_squares():
            ratio = sd / self.sigma
            if ratio > 1.0:
                return sd * sqrt(m / (m + 1.0 / ratio / ratio))
            return sd * (ratio * sqrt(m / (1.0 + m * ratio * ratio)))
        variance = sd * sd
        return sqrt(m * variance / (self.sigma * self.sigma / variance + m))

    def look_ahead_bounds(self, pulls: float, gap: float) -> tuple[float, float]:
        sd = self.posterior_sd(pulls, 0.0)
        r = (gap / sd) * (gap / sd)
        if self.has_squares():
            unit = 4.0 * (sd * sd) / (self.sigma * self.sigma)
        else:
            unit = max(4.0 * (sd / self.sigma) * (sd / self.sigma), 1e-300)
        low = (-1.0 + r + sqrt(1.0 + 6.0 * r + r * r)) / unit
        return low, (1.0 + r + sqrt(1.0 + 10.0 * r + r * r)) / unit

    def look_ahead_near(self, pulls: float, gap: float, left: float) -> tuple[float, float, float]:
        """About the best number of pulls in a row, and two numbers between which it is.

        How far it is from one bound to the other: r (r + 3) / (r^2 + 6 r + 1), fitted to the
        maximum, from which it differs by 0.03 at most. That affects how close bounds are only.
        """
        last, sd = max(left, 1.0), self.posterior_sd(pulls, 0.0)
        low, high = self.look_ahead_bounds(pulls, gap)
        r = (gap / sd) * (gap / sd)
        share = r * (r + 3.0) / (r * r + 6.0 * r + 1.0) if r < 1e150 else 1.0
        m = low + (high - low) * share
        return min(max(m, 1.0), last), max(low, 1.0), min(max(high, 1.0), last)

    def look_ahead_rate_above(self, pulls: float, gap: float, left: float) -> float:
        """An upper bound of the largest v(m) / m of `KGStar`, by a tangent to v.

        As a function of m, v has the slope phi(g/s) s R / (2 m (R + m)), where R is what the
        posterior is worth in pulls, and s^2 = sd^2 m / (R + m). The logarithm of the slope falls
        for m above R (r - 1 + sqrt(1 + 14 r + r^2)) / 8, which is below the lower bound of
        `KGStar`. So up to there v is convex, and v(m) / m rises; beyond, v is concave, and its
        tangent at any m is above it. Let c be the tangent's value at m = 0, so that
        v(m) / m <= slope + c / m. If c < 0, v(m) / m rises where the tangent touches, so that its
        maximum is further on; if not, it is before.
        """
        sd, gap = self.posterior_sd(pulls, 0.0), abs(gap)
        m, low, high = self.look_ahead_near(pulls, gap, left)
        s = self.look_ahead_sd(pulls, m)
        x, share = gap / s, s / sd
        density = normal_density(x)
        worth = s * (density - x * normal_cdf(-x))
        slope = density * s * (1.0 - share * share) / (2.0 * m)
        c = worth - slope * m
        return slope + c / (high if c < 0.0 else low)

    def posterior_size(self, pulls: float) -> float:
        if not self.has_squares():
            return self.prior_weight() + pulls
        return self.sigma * self.sigma * self.posterior_precision(pulls)

    def posterior_span(self, pulls: float, total: float) -> tuple[float, float, float]:
        mean, sd = self.posterior_mean(pulls, total), self.posterior_sd(pulls, total)
        return mean - 8.0 * sd, mean + 8.0 * sd, sd  # Phi(-8) = 6e-16
