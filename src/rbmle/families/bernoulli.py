"""Counts of successes: Bernoulli, and Binomial with a known number of trials."""

from __future__ import annotations

from math import exp, inf, log, log1p, sqrt
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
from .base import family
from .logarithms import log_ratio


@njit
def negative_entropy(p: float) -> float:
    """p log p + (1 - p) log(1 - p), with 0 log 0 = 0; infinite for p > 1."""
    if p >= 1.0:
        return 0.0 if p == 1.0 else inf
    value = p * log(p) if p > 0.0 else 0.0
    # log1p for small p: there the rounding of 1 - p, 1e-16, is a large part of log(1 - p).
    return value + (1.0 - p) * (log(1.0 - p) if p > 0.01 else log1p(-p))


@njit
def bernoulli_kl(p: float, q: float) -> float:
    """p log(p/q) + (1 - p) log((1 - p)/(1 - q)); infinite for q = 0 or 1, unless p = q.

    Both logarithms are accurate to some units in the last place, also for p near q and near an end.
    So the root q of D(p, q) = bound is accurate to some units in its last place too.
    """
    if p == q:
        return 0.0
    if q <= 0.0 or q >= 1.0:
        return inf
    value = p * log_ratio(p, q, p - q) if p > 0.0 else 0.0
    return value + (1.0 - p) * log_ratio(1.0 - p, 1.0 - q, q - p) if p < 1.0 else value


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
