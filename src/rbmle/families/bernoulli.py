"""Counts of successes: Bernoulli, and Binomial with a known number of trials."""

from __future__ import annotations

from math import exp, inf, log, log1p, sqrt
from typing import Annotated, Any, NamedTuple

from .._compile import Floats, njit
from ..errors import Interval
from ..random import Cell
from ..special import (
    beta_density,
    beta_quantile_below,
    beta_quantile_upper,
    beta_tail,
    beta_tail_above,
    coin_below,
    coin_root_below,
)
from .base import family

_TAIL = 34.538776394910684  # -log(1e-15)


@njit
def negative_entropy(p: float) -> float:
    """p log p + (1 - p) log(1 - p), with 0 log 0 = 0 and no second term from p = 1 on."""
    value = p * log(p) if p > 0.0 else 0.0
    return value + (1.0 - p) * log(1.0 - p) if p < 1.0 else value


@njit
def bernoulli_kl(p: float, q: float) -> float:
    """p log(p/q) + (1 - p) log((1 - p)/(1 - q)); infinite where q rules out what p allows."""
    if p == q:
        return 0.0
    if q <= 0.0 or q >= 1.0:
        return inf
    value = p * log(p / q) if p > 0.0 else 0.0
    return value + (1.0 - p) * log((1.0 - p) / (1.0 - q)) if p < 1.0 else value


@njit
def near_kl(p: float, q: float) -> float:
    """`bernoulli_kl`, fast and without cancellation where p is near q.

    It is q g(s / q) + (1 - q) g(-s / (1 - q)) with s = p - q and
    g(u) = (1 + u) log(1 + u) - u = u^2 / 2 - u^3 / 6 + u^4 / 12 - ..., of which eleven terms are
    right to 1e-11 up to |u| = 1/10.
    """
    s = p - q
    if not abs(s) <= 0.1 * min(q, 1.0 - q):
        return bernoulli_kl(p, q)
    u, v = s / q, s / (q - 1.0)
    return s * (u * entropy_series(u) - v * entropy_series(v))


@njit
def entropy_series(u: float) -> float:
    """((1 + u) log(1 + u) - u) / u^2 near u = 0."""
    r = 1.0 / 110.0 - u / 132.0
    r = 1.0 / 56.0 - u * (1.0 / 72.0 - u * (1.0 / 90.0 - u * r))
    r = 0.05 - u * (1.0 / 30.0 - u * (1.0 / 42.0 - u * r))
    return 0.5 - u * (1.0 / 6.0 - u * (1.0 / 12.0 - u * r))


@njit
def bernstein_radius(variance: float, skew: float) -> float:
    """How far above its mean a beta variable is with probability 1e-15 at most.

    It exceeds the mean by t with probability exp(-t^2 / (2 (v + c t / 3))) at most, where c is
    `skew`, or 0 if that is negative (Skorski 2023, "Bernstein-type bounds for beta distribution").
    """
    c = max(skew, 0.0) * _TAIL / 3.0
    return c + sqrt(c * c + 2.0 * variance * _TAIL)


@family
class Bernoulli(NamedTuple):
    """Rewards 0 and 1, or any in [0, 1]; theta = P(X = 1).

    F(eta) = log(1 + e^eta), natural(theta) = log(theta / (1 - theta)) (Corollary 1). The conjugate
    prior of theta is Beta(prior_a, prior_b), uniform by default as in Section 5.

    >>> round(Bernoulli().kl(0.2, 0.5), 6), Bernoulli().posterior_mean(2, 1)
    (0.192745, 0.5)
    """

    prior_a: Annotated[float, "(0, inf)"] = 1.0
    prior_b: Annotated[float, "(0, inf)"] = 1.0

    def natural(self, mean: float) -> float:
        return log(mean / (1.0 - mean))

    def log_partition(self, eta: float) -> float:
        return eta + log1p(exp(-eta)) if eta > 0.0 else log1p(exp(eta))

    def mean_range(self) -> tuple[float, float]:
        return 0.0, 1.0

    def mean_interval(self) -> Interval:
        return Interval(0.0, 1.0, closed_low=True, closed_high=True)

    def variance(self, mean: float) -> float:
        return mean * (1.0 - mean)

    def conjugate(self, mean: float) -> float:
        return negative_entropy(mean)

    def kl(self, mean: float, other: float) -> float:
        return bernoulli_kl(mean, other)

    def kl_scale(self, mean: float) -> float:
        """D(p, .) is convex on it: here, that of the mean itself."""
        return mean

    def kl_upper_below(self, mean: float, bound: float) -> float:
        return coin_root_below(mean, bound)

    def kl_below(self, mean: float, other: float) -> float:
        return coin_below(mean, other)

    def clipped_kl(self, mean: float, other: float) -> float:
        """Both means within [1e-15, 1 - 1e-15]."""
        p = min(max(mean, 1e-15), 1.0 - 1e-15)
        q = min(max(other, 1e-15), 1.0 - 1e-15)
        return p * log(p / q) + (1.0 - p) * log((1.0 - p) / (1.0 - q))

    def sample(self, mean: float, cell: Cell) -> float:
        return 1.0 if cell.uniform(0) < mean else 0.0

    def legacy_table(self, generator: Any, means: Floats, shape: tuple[int, int]) -> Floats:
        """A table of rewards from NumPy's legacy generator, as in the published protocol."""
        return generator.binomial(1, means, shape).astype(float)  # type: ignore[no-any-return]

    def sub_gaussian(self, mean: float) -> float:
        """Hoeffding's lemma for a variable in [0, 1]."""
        return 0.5

    def sub_exponential(self, mean: float) -> tuple[float, float]:
        return 0.5, 0.0

    def flat(self) -> Bernoulli:
        return Bernoulli(1.0, 1.0)

    def posterior_mean(self, pulls: float, total: float) -> float:
        return (total + self.prior_a) / (pulls + (self.prior_a + self.prior_b))

    def posterior_variance(self, pulls: float, total: float) -> float:
        size = pulls + (self.prior_a + self.prior_b)
        mean = (total + self.prior_a) / size
        return mean * (1.0 - mean) / (size + 1.0)

    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float:
        return cell.beta(total + self.prior_a, pulls - total + self.prior_b, k)

    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        """The posterior probability that the mean exceeds the value."""
        return beta_tail(value, total + self.prior_a, pulls - total + self.prior_b)

    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float:
        """The mean that the posterior exceeds with probability `tail`."""
        return beta_quantile_upper(tail, total + self.prior_a, pulls - total + self.prior_b)

    def posterior_tail_above(self, pulls: float, total: float, value: float) -> float:
        return beta_tail_above(value, total + self.prior_a, pulls - total + self.prior_b)

    def posterior_quantile_below(self, pulls: float, total: float, tail: float) -> float:
        return beta_quantile_below(tail, total + self.prior_a, pulls - total + self.prior_b)

    def posterior_density(self, pulls: float, total: float, mean: float) -> float:
        return beta_density(mean, total + self.prior_a, pulls - total + self.prior_b)

    def posterior_span(self, pulls: float, total: float) -> tuple[float, float, float]:
        a, b = total + self.prior_a, pulls - total + self.prior_b
        size = a + b
        mean, variance = a / size, (a / size) * (b / size) / (size + 1.0)
        skew = 2.0 * (b - a) / (size * (size + 2.0))
        low = mean - bernstein_radius(variance, -skew)
        high = mean + bernstein_radius(variance, skew)
        return max(low, 0.0), min(high, 1.0), sqrt(variance)

    def posterior_size(self, pulls: float) -> float:
        return pulls + (self.prior_a + self.prior_b)

    def outcome_kl(self, mean: float, other: float) -> float:
        """The divergence of the next rewards if their means are these: all there is to a coin."""
        return near_kl(mean, other)

    def knowledge_gain(self, pulls: float, total: float, rival: float) -> float:
        """E[max(mu', rival)] - max(mu, rival), mu' the posterior mean after one more pull."""
        size = pulls + (self.prior_a + self.prior_b)
        mean = (total + self.prior_a) / size
        up, down = (
            (total + self.prior_a + 1.0) / (size + 1.0),
            (total + self.prior_a) / (size + 1.0),
        )
        if mean <= rival < up:
            return mean * (up - rival)
        if down < rival < mean:
            return (1.0 - mean) * (rival - down)
        return 0.0

    def published_gain(self, pulls: float, total: float, rival: float, leads: bool) -> float:
        """The gain without the loss side, as the published tables ran it."""
        mean = self.posterior_mean(pulls, total)
        return self.knowledge_gain(pulls, total, rival) if mean <= rival else 0.0

    def pulls_to_cross(self, pulls: float, total: float, rival: float) -> tuple[float, float]:
        """How many equal outcomes in a row carry the posterior mean to the rival's, and the
        probability of one such outcome."""
        size, mean = pulls + (self.prior_a + self.prior_b), self.posterior_mean(pulls, total)
        if mean <= rival:
            return size * (rival - mean) / (1.0 - rival), mean
        return size * (mean - rival) / rival, 1.0 - mean


@family
class Binomial(NamedTuple):
    """Rewards 0..trials, the successes in a known number of trials; theta = trials x P(success).

    F(eta) = trials log(1 + e^eta), natural(theta) = log(theta / (trials - theta)). The conjugate
    prior of theta / trials is Beta(prior_a, prior_b). One pull is `trials` pulls of a coin, so
    what is known of a coin is said by `Bernoulli`, once.

    >>> Binomial(4).posterior_mean(1, 2)
    2.0
    """

    trials: Annotated[int, "[1, 1000000000]"] = 1
    prior_a: Annotated[float, "(0, inf)"] = 1.0
    prior_b: Annotated[float, "(0, inf)"] = 1.0

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

    def variance(self, mean: float) -> float:
        return mean * (1.0 - mean / self.trials)

    def conjugate(self, mean: float) -> float:
        return self.trials * negative_entropy(mean / self.trials)

    def kl(self, mean: float, other: float) -> float:
        return self.trials * bernoulli_kl(mean / self.trials, other / self.trials)

    def kl_scale(self, mean: float) -> float:
        return mean

    def kl_upper_below(self, mean: float, bound: float) -> float:
        return self.trials * coin_root_below(mean / self.trials, bound / self.trials)

    def kl_below(self, mean: float, other: float) -> float:
        return self.trials * coin_below(mean / self.trials, other / self.trials)

    def sample(self, mean: float, cell: Cell) -> float:
        return cell.binomial(float(self.trials), mean / self.trials, 0)

    def legacy_table(self, generator: Any, means: Floats, shape: tuple[int, int]) -> Floats:
        p = means / self.trials
        return generator.binomial(self.trials, p, shape).astype(float)  # type: ignore[no-any-return]

    def sub_gaussian(self, mean: float) -> float:
        """A sum of `trials` independent variables in [0, 1]."""
        return 0.5 * sqrt(self.trials)

    def sub_exponential(self, mean: float) -> tuple[float, float]:
        return 0.5 * sqrt(self.trials), 0.0

    def flat(self) -> Binomial:
        return Binomial(self.trials, 1.0, 1.0)

    def posterior_mean(self, pulls: float, total: float) -> float:
        return self.trials * self.coin().posterior_mean(self.trials * pulls, total)

    def posterior_variance(self, pulls: float, total: float) -> float:
        square = float(self.trials) * self.trials
        return square * self.coin().posterior_variance(self.trials * pulls, total)

    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float:
        return self.trials * self.coin().posterior_draw(self.trials * pulls, total, cell, k)

    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        return self.coin().posterior_tail(self.trials * pulls, total, value / self.trials)

    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float:
        return self.trials * self.coin().posterior_quantile(self.trials * pulls, total, tail)

    def posterior_tail_above(self, pulls: float, total: float, value: float) -> float:
        return self.coin().posterior_tail_above(self.trials * pulls, total, value / self.trials)

    def posterior_quantile_below(self, pulls: float, total: float, tail: float) -> float:
        return self.trials * self.coin().posterior_quantile_below(self.trials * pulls, total, tail)
