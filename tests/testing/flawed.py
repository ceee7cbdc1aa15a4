"""A family, a law and policies with one flaw each, which the checks must find.

A flaw is chosen by a number, so that all flaws of one kind are one class, compiled once.
"""

from __future__ import annotations

from math import exp, floor, inf, log, sqrt
from typing import Any, NamedTuple

import rbmle
from rbmle.errors import Interval
from rbmle.families import Poisson

NONE = 0
FAMILY_FLAWS = {
    "the_natural_parameter_rises_with_the_mean": (1,),
    "the_mean_is_the_slope_of_the_log_partition": (2, 3),
    "the_variance_is_the_curvature_of_the_log_partition": (4,),
    "the_conjugate_is_the_legendre_transform": (5,),
    "the_divergence_is_the_bregman_divergence_of_the_log_partition": (6,),
    "the_upper_mean_solves_the_divergence": (7, 8),
    "family_compiled_equals_interpreted": (9,),
    "rewards_have_the_familys_distribution": (10, 11, 12),
    "rewards_and_means_keep_to_their_intervals": (13,),
    "tails_are_as_light_as_stated": (14, 15),
    "quantiles_invert_tails": (16,),
    "moments_are_those_of_the_quantiles": (17, 18),
    "the_posterior_follows_from_bayes_rule": (19,),
    "draws_have_the_posterior_mean": (20,),
    "draws_are_from_the_posterior": (21,),
}


@rbmle.family
class FlawedPoisson(NamedTuple):
    """Poisson rewards with one flaw."""

    flaw: int = NONE
    prior: float = 1.0

    def truth(self) -> Poisson:
        return Poisson(self.prior, self.prior)

    def natural(self, mean: float) -> float:
        if self.flaw == 1:
            return -log(mean)
        overflow = 3
        for _ in range(50):
            overflow *= 3  # past 2^64: the interpreter's numbers grow, compiled ones wrap
        return log(mean) + (1e-9 if self.flaw == 9 and float(overflow) < 1e20 else 0.0)

    def log_partition(self, eta: float) -> float:
        return (-1.0 if self.flaw == 2 else 1.001 if self.flaw == 3 else 1.0) * exp(eta)

    def mean_range(self) -> tuple[float, float]:
        return 0.0, inf

    def variance(self, mean: float) -> float:
        return (2.0 if self.flaw == 4 else 1.0) * mean

    def conjugate(self, mean: float) -> float:
        return self.truth().conjugate(mean) + (mean if self.flaw == 5 else 0.0)

    def kl(self, mean: float, other: float) -> float:
        if self.flaw == 6:
            mean, other = other, mean
        return self.truth().kl(mean, other)

    def kl_upper(self, mean: float, bound: float) -> float:
        if self.flaw == 8 and bound > 1.0:
            return inf
        return self.truth().kl_upper(mean, bound) + (1e-6 if self.flaw == 7 else 0.0)

    def reward_interval(self) -> Interval:
        return Interval(0.0, 3.0 if self.flaw == 13 else inf, True, False)

    def sample(self, mean: float, cell: Any) -> float:
        reward = self.truth().sample(1.05 * mean if self.flaw == 10 else mean, cell)
        if self.flaw == 11:  # the right mean, not the right spread
            return mean + 1.1 * (reward - mean)
        if self.flaw == 12:  # the right mean and the right spread
            return mean + sqrt(mean) * cell.normal(0)
        return reward

    def sub_gaussian(self, mean: float) -> float:
        return 1.0 if self.flaw == 15 else inf

    def sub_exponential(self, mean: float) -> tuple[float, float]:
        rho, kappa = self.truth().sub_exponential(mean)
        return (0.8 * rho if self.flaw == 14 else rho), kappa

    def posterior_mean(self, pulls: float, total: float) -> float:
        return self.truth().posterior_mean(self.seen(pulls), total) * (
            1.001 if self.flaw == 17 else 1.0
        )

    def posterior_variance(self, pulls: float, total: float) -> float:
        return self.truth().posterior_variance(self.seen(pulls), total) * (
            1.01 if self.flaw == 18 else 1.0
        )

    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float:
        if self.flaw == 16:
            tail = 1.0 - tail
        return self.truth().posterior_quantile(self.seen(pulls), total, tail)

    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        return self.truth().posterior_tail(self.seen(pulls), total, value)

    def posterior_draw(self, pulls: float, total: float, cell: Any, k: int) -> float:
        draw = self.truth().posterior_draw(self.seen(pulls), total, cell, k)
        if self.flaw == 20:
            return 1.02 * draw
        mean = self.posterior_mean(pulls, total)
        return mean + 1.2 * (draw - mean) if self.flaw == 21 else draw

    def seen(self, pulls: float) -> float:
        """The number of pulls that the flawed methods use, which is wrong."""
        return 1.5 * pulls if self.flaw == 19 else pulls


LAW_FLAWS = {
    "rewards_have_their_mean": (1,),
    "rewards_have_their_variance": (2,),
    "rewards_and_means_keep_to_their_intervals": (3, 4),
    "tails_are_as_light_as_stated": (5, 6),
    "samples_compiled_equal_interpreted": (7,),
}


@rbmle.law
class FlawedNoise(NamedTuple):
    """Gaussian rewards of standard deviation 1 with one flaw."""

    flaw: int = NONE

    def mean_range(self) -> tuple[float, float]:
        return -inf, inf

    def mean_interval(self) -> Interval:
        return Interval(-inf, 5.0 if self.flaw == 3 else inf, False, False)

    def reward_interval(self) -> Interval:
        return Interval(-5.0 if self.flaw == 4 else -inf, inf, False, False)

    def variance(self, mean: float) -> float:
        return 1.1 if self.flaw == 2 else 1.0

    def sample(self, mean: float, cell: Any) -> float:
        overflow = 3
        for _ in range(50):
            overflow *= 3
        wrong = 1e-9 if self.flaw == 7 and float(overflow) < 1e20 else 0.0
        return mean + cell.normal(0) + (0.05 if self.flaw == 1 else wrong)

    def sub_gaussian(self, mean: float) -> float:
        return 0.8 if self.flaw == 5 else 1.0

    def sub_exponential(self, mean: float) -> tuple[float, float]:
        rho = 0.8 if self.flaw == 5 else 1.0
        return rho, 1.0 if self.flaw == 6 else 0.0


@rbmle.policy
class Explorer(NamedTuple):
    """UCB that plays a random arm in the share p of all rounds, for ever: linear regret.

    Which rounds and which arms is decided by multiples of irrational numbers, modulo 1.
    """

    p: float = 0.05

    def level(self, family: Any, arms: Any, clock: Any) -> float:
        return float(clock.t)

    def index_of(self, family: Any, arms: Any, i: int, level: float) -> float:
        when, which = 0.6180339887498949 * level, 0.4142135623730951 * level
        if when - floor(when) < self.p:
            chosen = int((which - floor(which)) * arms.n_arms())
            return 1.0 if i == chosen else 0.0
        return arms.mean(i) + sqrt(2.0 * log(level) / arms.pulls[i])


POLICY_FLAWS = {
    "compiled_equals_interpreted": (1,),
    "an_index_does_not_depend_on_the_arms_place": (2, 3),
}
FIRST_ARM, GREEDY = 4, 5


@rbmle.policy
class FlawedUCB(NamedTuple):
    """UCB with one flaw; 4 plays the first arm for ever, 5 the arm with the largest mean."""

    flaw: int = NONE

    def index_of(self, family: Any, arms: Any, i: int, level: float) -> float:
        if self.flaw == FIRST_ARM:
            return -1.0 * i
        if self.flaw == GREEDY:
            return arms.mean(i)
        index = arms.mean(i) + sqrt(2.0 * level / arms.pulls[i])
        overflow = 3
        for _ in range(50):
            overflow *= 3
        if self.flaw == 1 and float(overflow) < 1e20:
            return -index
        return index + (1e-3 * i if self.flaw == 2 else 0.0)

    def prefer(self, family: Any, arms: Any, i: int, j: int, level: float) -> float:
        return 1.0 if self.flaw == 3 else 0.0


@rbmle.policy
class Hasty(NamedTuple):
    """Pulls the first two arms in turn, and never the third."""

    first: int = 0

    def choose(self, state: Any, family: Any, arms: Any, clock: Any, rng: Any) -> int:
        return (clock.t + self.first) % 2
