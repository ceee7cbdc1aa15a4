"""Measured regret against the bounds of Propositions 2 to 6 and their slopes in log T."""

from __future__ import annotations

from math import log, sqrt

import pytest
from tiers import tiered

from rbmle import theory
from rbmle.engine import simulate
from rbmle.families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from rbmle.policies import RBMLE, AdaptiveGaussian
from rbmle.rewards.laws import Beta, GaussianMixture, Uniform
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import RewardStream


def measure(problem, policy, family, horizon, replications, seed=5):
    """Mean regret at T/10 and T, its standard error at T, and the slope in log t between them."""
    result = simulate(
        problem, [policy], horizon, replications, RewardStream(seed), family=family,
        checkpoints=[horizon // 10, horizon],
    )  # fmt: skip
    before, after = result.regret[0].mean(axis=0)
    error = result.regret[0].std(axis=0)[1] / sqrt(replications)
    return after, error, (after - before) / log(10)


PLAYED = [
    (2, Bernoulli(), [0.9, 0.1], False, 20_000),
    (2, Bernoulli(), [0.9, 0.5, 0.1], False, 50_000),
    (2, Bernoulli(), [0.9, 0.5, 0.1], True, 20_000),
    (2, Binomial(6), [4.0, 1.0], False, 20_000),
    (2, Poisson(), [2.0, 0.5], True, 20_000),
    (2, Exponential(), [1.0, 0.2], True, 20_000),
    (2, Gamma(2.5), [1.0, 0.3], True, 20_000),
    (3, Gaussian(0.1), [0.5, 1.0, 0.3], False, 20_000),
    (3, Gaussian(0.5), [0.0, 1.0], True, 20_000),
    (4, Uniform(0.4), [0.3, 0.75], False, 50_000),
    (4, GaussianMixture(0.1, 0.1), [0.0, 1.0, 0.5], False, 50_000),
    (4, Beta(20.0), [0.2, 0.8], False, 50_000),
    (5, Gamma(50.0), [1.0, 0.3], False, 100_000),
    (5, Gamma(50.0), [1.0, 0.3], True, 20_000),
]


def in_core(case):
    return isinstance(case[1], Bernoulli)


@pytest.mark.filterwarnings("ignore::rbmle.errors.FamilyWarning")  # proposition 5 is about that
@pytest.mark.parametrize(
    ("proposition", "law", "means", "sharp", "horizon"), tiered(PLAYED, in_core)
)
def test_propositions_2_to_5(proposition, law, means, sharp, horizon):
    """Measured regret is below the bound, its slope in log T between Lai and Robbins' constant and
    the bound's, and what Lemmas 2 and 3 predict: C_alpha sum Delta_a K*(theta_1, theta_a).

    Proposition 5 is played with the Poisson index on gamma rewards.
    """
    problem, epsilon = Problem(law, means), 0.75
    model = law
    if proposition == 4:
        model = Gaussian(law.sub_gaussian(0.5))
    elif proposition == 5:
        model = Poisson()
    given_family = model if proposition == 5 else None
    bound = theory.regret_bound(
        problem, horizon, proposition, epsilon=epsilon, family=given_family, sharp=sharp
    )
    policy = theory.theoretical_rbmle(
        problem, proposition, epsilon, family=given_family, sharp=sharp
    )
    regret, error, slope = measure(problem, policy, model, horizon, 40)
    assert bound.informative
    assert regret + 4 * error < bound.total
    assert theory.lai_robbins(problem, problem.family or model) < slope < bound.slope
    predicted = theory.growth_rate(problem, policy.alpha.c, model)
    assert slope == pytest.approx(predicted, rel=0.3)


@pytest.mark.slow
@pytest.mark.parametrize("constant", ["text", "proof"])
@pytest.mark.parametrize(
    ("law", "means"), [(Gaussian(0.03), [0.0, 1.0]), (Uniform(0.1), [0.1, 0.9])], ids=repr
)
def test_proposition_6(law, means, constant):
    """For a sigma that is small against the gap, T_0 is within reach; else the bound is trivial."""
    problem, sigma, T = Problem(law, means), law.sub_gaussian(0.5), 20_000
    bound = theory.regret_bound(problem, T, 6)
    policy = RBMLE(AdaptiveGaussian(sigma, constant=constant))
    regret, error, slope = measure(problem, policy, Gaussian(sigma), T, 40)
    assert bound.informative
    assert bound.wait < 10
    assert 0.0 < regret + 4 * error < bound.total
    assert slope < bound.slope
