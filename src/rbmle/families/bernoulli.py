"""Counts of successes: Bernoulli, and Binomial with a known number of trials."""

from __future__ import annotations

from math import atan2, exp, log, log1p, pi, sqrt
from typing import Annotated, NamedTuple

from .._numba.compile import njit
from ..errors import Interval
from ..random import Cell
from ..special import (
    beta_quantile_below,
    beta_quantile_upper,
    beta_tail,
    beta_tail_above,
    coin_below,
    coin_root_below,
)
from .divergences import (
    LARGEST_RATIO,
    bernoulli_kl,
    close_coin_kl,
    coin_divergence,
    negative_entropy,
    plain_coin_kl,
    unclipped_entropy,
)
from .registry import TAIL, family


@njit
def bernstein_radius(variance: float, skew: float) -> float:
    """The t by which a beta variable exceeds its mean with probability at most 1e-15.

    That probability is at most exp(-t^2 / (2 (v + c t / 3))), where v is the variance and c is
    `skew`, or 0 if that is negative (Skorski 2023, "Bernstein-type bounds for beta distribution").
    """
    c = max(skew, 0.0) * TAIL / 3.0
    return c + sqrt(c * c + 2.0 * variance * TAIL)


@family
class Bernoulli(NamedTuple):
    """Bernoulli rewards, 0 or 1, with theta = P(X = 1); other rewards in [0, 1] are allowed too.

        F(eta) = log(1 + e^eta),    natural(theta) = log(theta / (1 - theta))    (Corollary 1)

    prior_a, prior_b: the conjugate prior of theta is Beta(prior_a, prior_b); both in (0, inf), 1 by
    default, the uniform prior of Section 5.

    >>> round(Bernoulli().kl(0.2, 0.5), 6), Bernoulli().posterior_mean(2, 1)
    (0.192745, 0.5)
    """

    prior_a: Annotated[float, "[1e-4, 1e9]"] = 1.0
    prior_b: Annotated[float, "[1e-4, 1e9]"] = 1.0

    def natural(self, mean: float) -> float:
        return log(mean / (1.0 - mean))

    def log_partition(self, eta: float) -> float:
        return eta + log1p(exp(-eta)) if eta > 0.0 else log1p(exp(eta))

    def mean_range(self) -> tuple[float, float]:
        return 0.0, 1.0

    def mean_interval(self) -> Interval:
        return Interval(0.0, 1.0, closed_low=True, closed_high=True)

    def largest_reward(self) -> float:
        return 1.0

    def variance(self, mean: float) -> float:
        return mean * (1.0 - mean)

    def conjugate(self, mean: float) -> float:
        return negative_entropy(mean)

    def kl(self, mean: float, other: float) -> float:
        return bernoulli_kl(mean, other)

    def kl_below(self, mean: float, other: float) -> float:
        return coin_below(mean, other)

    def kl_upper_below(self, mean: float, bound: float) -> float:
        return coin_root_below(mean, bound)

    def sample(self, mean: float, cell: Cell) -> float:
        return 1.0 if cell.uniform(0) < mean else 0.0

    def sub_gaussian(self, mean: float) -> float:
        """The sub-Gaussian sigma: Hoeffding's lemma for a variable in [0, 1]."""
        return 0.5

    def flat(self) -> Bernoulli:
        return Bernoulli(1.0, 1.0)

    def posterior_mean(self, pulls: float, total: float) -> float:
        return (total + self.prior_a) / self.posterior_size(pulls)

    def posterior_variance(self, pulls: float, total: float) -> float:
        mean = self.posterior_mean(pulls, total)
        return mean * (1.0 - mean) / (self.posterior_size(pulls) + 1.0)

    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float:
        return cell.beta(total + self.prior_a, pulls - total + self.prior_b, k)

    def posterior_law(self, pulls: float, total: float) -> tuple[str, float, float]:
        return "beta", total + self.prior_a, pulls - total + self.prior_b

    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        return beta_tail(value, total + self.prior_a, pulls - total + self.prior_b)

    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float:
        return beta_quantile_upper(tail, total + self.prior_a, pulls - total + self.prior_b)

    def posterior_tail_above(self, pulls: float, total: float, value: float) -> float:
        return beta_tail_above(value, total + self.prior_a, pulls - total + self.prior_b)

    def posterior_quantile_below(self, pulls: float, total: float, tail: float) -> float:
        return beta_quantile_below(tail, total + self.prior_a, pulls - total + self.prior_b)

    def mean_index(self, pulls: float, total: float, alpha: float) -> float:
        """m is the positive root of r m^2 + (1 - r) m - p = 0; see `base.mean_index`.

        Both m and q = 1 - m, a root of r q^2 - (1 + r) q + 1 - p = 0, are computed without a
        difference of nearly equal numbers. If p = 1, then m = 1, and the index is 1.
        """
        p, r = total / pulls, alpha / pulls
        if p >= 1.0 or r > LARGEST_RATIO:
            return 1.0
        root = sqrt((1.0 - r) * (1.0 - r) + 4.0 * r * p)
        both = abs(1.0 - r) + root
        m = 0.5 * both / r if r > 1.0 else (2.0 * p / both if both > 0.0 else 0.0)
        q = 2.0 * (1.0 - p) / (1.0 + r + root)
        kl = coin_divergence(p, m, q, r * m * q)
        return m - kl / r if kl > 0.0 else m

    def stable_index(self, pulls: float, total: float, alpha: float) -> float:
        """g = 2 arcsin sqrt theta; m is the larger root of (1 + r^2) m^2 - (2 p + r^2) m + p^2."""
        p, r = total / pulls, alpha / pulls
        if p >= 1.0 or r > LARGEST_RATIO:
            return pi
        push = r * (r + sqrt(r * r + 4.0 * p * (1.0 - p)))
        m = 0.5 * (2.0 * p + push) / (1.0 + r * r)
        q = 2.0 * (1.0 - p) * (1.0 - p) / (2.0 * (1.0 - p) + push)
        g, kl = 2.0 * atan2(sqrt(m), sqrt(q)), coin_divergence(p, m, q, r * sqrt(m * q))
        return g - kl / r if kl > 0.0 else g

    def knowledge_gain(self, pulls: float, total: float, rival: float) -> float:
        size = self.posterior_size(pulls)
        mean, up = (total + self.prior_a) / size, (total + self.prior_a + 1.0) / (size + 1.0)
        down = (total + self.prior_a) / (size + 1.0)
        if mean <= rival < up:
            return mean * (up - rival)
        if down < rival < mean:
            return (1.0 - mean) * (rival - down)
        return 0.0

    def pulls_to_cross(self, pulls: float, total: float, rival: float) -> tuple[float, float]:
        """By successes if the mean is below the rival, else by failures."""
        size, mean = self.posterior_size(pulls), self.posterior_mean(pulls, total)
        if mean <= rival:
            return size * (rival - mean) / (1.0 - rival), mean
        return size * (mean - rival) / rival, 1.0 - mean

    def posterior_size(self, pulls: float) -> float:
        return pulls + (self.prior_a + self.prior_b)

    def posterior_span(self, pulls: float, total: float) -> tuple[float, float, float]:
        a, b = total + self.prior_a, pulls - total + self.prior_b
        size = a + b
        mean, variance = a / size, (a / size) * (b / size) / (size + 1.0)
        skew = 2.0 * (b - a) / (size * (size + 2.0))
        low = mean - bernstein_radius(variance, -skew)
        high = mean + bernstein_radius(variance, skew)
        return max(low, 0.0), min(high, 1.0), sqrt(variance)

    def density_kl(self, mean: float, other: float) -> float:
        return plain_coin_kl(mean, other)

    def outcome_kl(self, mean: float, other: float) -> float:
        return close_coin_kl(mean, other)

    def unclipped_conjugate(self, mean: float) -> float:
        return unclipped_entropy(mean)

    def clipped_kl(self, mean: float, other: float) -> float:
        """D with both means clipped to [1e-15, 1 - 1e-15]."""
        p = min(max(mean, 1e-15), 1.0 - 1e-15)
        q = min(max(other, 1e-15), 1.0 - 1e-15)
        return p * log(p / q) + (1.0 - p) * log((1.0 - p) / (1.0 - q))

    def published_gain(self, pulls: float, total: float, rival: float, leads: bool) -> float:
        """KG's gain, but 0 for the leading arm: the code leaves out that its mean may fall."""
        mean = self.posterior_mean(pulls, total)
        return self.knowledge_gain(pulls, total, rival) if mean <= rival else 0.0


@family
class Binomial(NamedTuple):
    """Binomial rewards: the successes in a known number of trials, theta = trials x P(success).

        F(eta) = trials log(1 + e^eta),    natural(theta) = log(theta / (trials - theta))

    trials: in [1, 10^9]. prior_a, prior_b: the conjugate prior of theta / trials is
    Beta(prior_a, prior_b); both in (0, inf).
    One pull is worth `trials` pulls of a Bernoulli arm, so most methods call those of `Bernoulli`.

    >>> Binomial(4).posterior_mean(1, 2)
    2.0
    """

    trials: Annotated[int, "[1, 1000000000]"] = 1
    prior_a: Annotated[float, "[1e-4, 1e9]"] = 1.0
    prior_b: Annotated[float, "[1e-4, 1e9]"] = 1.0

    def coin(self) -> Bernoulli:
        return Bernoulli(self.prior_a, self.prior_b)

    def natural(self, mean: float) -> float:
        return log(mean / (self.trials - mean))

    def log_partition(self, eta: float) -> float:
        return self.trials * self.coin().log_partition(eta)

    def mean_range(self) -> tuple[float, float]:
        return 0.0, float(self.trials)

    def mean_interval(self) -> Interval:
        return Interval(0.0, float(self.trials), closed_low=True, closed_high=True)

    def largest_reward(self) -> float:
        return float(self.trials)

    def variance(self, mean: float) -> float:
        return mean * (1.0 - mean / self.trials)

    def conjugate(self, mean: float) -> float:
        return self.trials * negative_entropy(mean / self.trials)

    def kl(self, mean: float, other: float) -> float:
        return self.trials * bernoulli_kl(mean / self.trials, other / self.trials)

    def kl_below(self, mean: float, other: float) -> float:
        return self.trials * coin_below(mean / self.trials, other / self.trials)

    def kl_upper_below(self, mean: float, bound: float) -> float:
        return self.trials * coin_root_below(mean / self.trials, bound / self.trials)

    def sample(self, mean: float, cell: Cell) -> float:
        return cell.binomial(float(self.trials), mean / self.trials, 0)

    def sub_gaussian(self, mean: float) -> float:
        """The sub-Gaussian sigma of a sum of `trials` independent variables in [0, 1]."""
        return 0.5 * sqrt(self.trials)

    def flat(self) -> Binomial:
        return Binomial(self.trials, 1.0, 1.0)

    def posterior_mean(self, pulls: float, total: float) -> float:
        return self.trials * self.coin().posterior_mean(self.trials * pulls, total)

    def posterior_variance(self, pulls: float, total: float) -> float:
        square = float(self.trials) * self.trials
        return square * self.coin().posterior_variance(self.trials * pulls, total)

    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float:
        return self.trials * self.coin().posterior_draw(self.trials * pulls, total, cell, k)

    def posterior_law(self, pulls: float, total: float) -> tuple[str, float, float]:
        return self.coin().posterior_law(self.trials * pulls, total)

    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        return self.coin().posterior_tail(self.trials * pulls, total, value / self.trials)

    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float:
        return self.trials * self.coin().posterior_quantile(self.trials * pulls, total, tail)

    def posterior_tail_above(self, pulls: float, total: float, value: float) -> float:
        return self.coin().posterior_tail_above(self.trials * pulls, total, value / self.trials)

    def posterior_quantile_below(self, pulls: float, total: float, tail: float) -> float:
        return self.trials * self.coin().posterior_quantile_below(self.trials * pulls, total, tail)

    def mean_index(self, pulls: float, total: float, alpha: float) -> float:
        """That of `trials` coins a pull, whose g is `trials` times as large."""
        units = self.coin().mean_index(self.trials * pulls, total, self.trials * alpha)
        return self.trials * units

    def stable_index(self, pulls: float, total: float, alpha: float) -> float:
        """g = 2 sqrt(trials) arcsin sqrt(theta / trials)."""
        unit = sqrt(self.trials)
        return unit * self.coin().stable_index(self.trials * pulls, total, unit * alpha)

    def unclipped_conjugate(self, mean: float) -> float:
        """F* of binomial rewards by the same formula as for Bernoulli rewards."""
        return self.trials * unclipped_entropy(mean / self.trials)
