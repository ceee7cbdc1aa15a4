"""Counts of failures before successes: NegativeBinomial, and Geometric."""

from __future__ import annotations

from math import asinh, exp, expm1, inf, log, log1p, sqrt
from typing import Annotated, NamedTuple

from ..errors import Interval
from ..random import Cell
from ..special import beta_cdf, beta_odds_upper, beta_tail
from .divergences import log_ratio
from .registry import family


@family
class NegativeBinomial(NamedTuple):
    """Negative binomial rewards 0, 1, 2, ...: the failures before success number r; mean theta.

        F(eta) = -r log(1 - e^eta),    natural(theta) = log(theta / (r + theta))

    Their variance is theta + theta^2 / r: counts that vary more than Poisson ones, whose limit for
    large r they are.
    r: in [1e-3, 1e6], a whole number or not (then a Poisson number whose mean is a gamma number).
    prior_a, prior_b: the conjugate prior of r / (r + theta), the probability of a success, is
    Beta(prior_a, prior_b), both in (0, inf).

    >>> round(NegativeBinomial(2.0).kl(1.0, 2.0), 6), NegativeBinomial(2.0).variance(2.0)
    (0.169899, 4.0)
    """

    r: Annotated[float, "[1e-3, 1e6]"] = 1.0
    prior_a: Annotated[float, "[1e-4, 1e9]"] = 2.0
    prior_b: Annotated[float, "[1e-4, 1e9]"] = 1.0

    def natural(self, mean: float) -> float:
        return log_ratio(mean, self.r + mean, -self.r)

    def log_partition(self, eta: float) -> float:
        return -self.r * (log(-expm1(eta)) if eta > -0.7 else log1p(-exp(eta)))

    def mean_range(self) -> tuple[float, float]:
        return 0.0, inf

    def mean_interval(self) -> Interval:
        """[0, 1e12]: rewards, up to some thousand times that, must stay below 2^53 = 9e15."""
        return Interval(0.0, 1e12, closed_low=True, closed_high=True)

    def variance(self, mean: float) -> float:
        return mean + mean * mean / self.r

    def conjugate(self, mean: float) -> float:
        """theta log(theta / (r + theta)) - r log(1 + theta / r)."""
        first = mean * self.natural(mean) if mean > 0.0 else 0.0
        return first - self.r * log1p(mean / self.r)

    def bias_index(self, pulls: float, total: float, alpha: float) -> float:
        """alpha eta - n D at its maximiser; a difference of F* would be rounded away."""
        mean, biased = total / pulls, (total + alpha) / pulls
        if not biased > 0.0:
            return 0.0
        return alpha * self.natural(biased) - pulls * self.kl(mean, biased)

    def kl(self, mean: float, other: float) -> float:
        """p log(a / b) - r log((p + r) / (q + r)), a = p / (p + r) and b = q / (q + r): where means
        are much larger than r, both terms are of the order of r, as D is."""
        if mean == other:
            return 0.0
        if other <= 0.0:
            return inf
        step, one, two = mean - other, mean + self.r, other + self.r
        gap = self.r / one * (step / two)
        first = mean * log_ratio(mean / one, other / two, gap) if mean > 0.0 else 0.0
        return max(first - self.r * log_ratio(one, two, step), 0.0)

    def sample(self, mean: float, cell: Cell) -> float:
        return cell.poisson(cell.gamma(self.r, 1) * (mean / self.r), 0)

    def sub_gaussian(self, mean: float) -> float:
        return inf

    def sub_exponential(self, mean: float) -> tuple[float, float]:
        """(rho, kappa): up to lambda = log((1 + q) / (2 q)), q = e^eta, the probability of a
        failure is at most (1 + q) / 2, where the variance, which bounds the curvature of the
        cumulant, is 2 (r + 2 theta) (r + theta) / r."""
        rho = sqrt(2.0 * (self.r + 2.0 * mean) * (self.r + mean) / self.r)
        return rho, 1.0 / log1p(0.5 * self.r / mean) if mean > 0.0 else 0.0

    def posterior_mean(self, pulls: float, total: float) -> float:
        """r (prior_b + S) / (prior_a + r n - 1), infinite if that has no positive divisor."""
        size = self.prior_a + self.r * pulls - 1.0
        return self.r * (self.prior_b + total) / size if size > 0.0 else inf

    def posterior_variance(self, pulls: float, total: float) -> float:
        a, b = self.prior_a + self.r * pulls, self.prior_b + total
        if a <= 2.0:
            return inf
        return self.r * self.r * b * (a + b - 1.0) / ((a - 2.0) * (a - 1.0) * (a - 1.0))

    def odds(self, failure: float) -> float:
        """The mean, given the probability of a failure."""
        return self.r * failure / (1.0 - failure) if failure < 1.0 else inf

    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float:
        return self.odds(cell.beta(self.prior_b + total, self.prior_a + self.r * pulls, k))

    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        """By the rarer of success and failure: the other is 1 but for its last digits."""
        a, b = self.prior_a + self.r * pulls, self.prior_b + total
        if value > self.r:
            return beta_cdf(self.r / (self.r + value), a, b)
        return beta_tail(value / (self.r + value), b, a)

    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float:
        a, b = self.prior_a + self.r * pulls, self.prior_b + total
        return self.r * beta_odds_upper(tail, b, a)

    def stable_index(self, pulls: float, total: float, alpha: float) -> float:
        """g = 2 sqrt r arsinh sqrt(theta / r); m is the larger root of
        (1 - r^-1 d^2) m^2 - (2 p + d^2) m + p^2 = 0, d = alpha / n. Infinite for d^2 >= r."""
        p, d = total / pulls, alpha / pulls
        left = 1.0 - d * d / self.r
        if left <= 0.0:
            return inf
        push = d * sqrt(d * d + 4.0 * p + 4.0 * p * p / self.r)
        m = (2.0 * p + d * d + push) / (2.0 * left)
        g = 2.0 * sqrt(self.r) * asinh(sqrt(m / self.r))
        return g - self.kl(p, m) / d if d > 0.0 else g


def Geometric(prior_a: float = 2.0, prior_b: float = 1.0) -> NegativeBinomial:
    """Geometric rewards 0, 1, 2, ..., the failures before the first success: `NegativeBinomial(1)`.

    >>> Geometric().variance(2.0)
    6.0
    """
    return NegativeBinomial(1.0, prior_a, prior_b)
