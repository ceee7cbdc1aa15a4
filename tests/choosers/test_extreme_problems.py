"""Choosers agree with the scan where numbers are at the ends of what is admitted."""

import numpy as np
import pytest

from rbmle.families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from rbmle.policies import KLUCB, RBMLE, UCB, UCBTuned
from rbmle.policies.arms import Arms
from rbmle.rewards.problems import Problem
from rbmle.testing.policy_checks import makers_of_choosers
from rbmle.timing import Recording

N = 40
NEAR = np.linspace(0.0, 1.0, N)
CASES = [
    (UCBTuned(), Gaussian(), 1e8 + 3.0 * NEAR),
    (UCBTuned(1e9), Gaussian(), 1e10 + 3.0 * NEAR),
    (UCBTuned(), Gaussian(1e-9), 0.5 + 3e-9 * NEAR),
    (UCB(), Gaussian(), 1e12 + 30.0 * NEAR),
    (RBMLE(), Gaussian(), -1e12 + 30.0 * NEAR),
    (RBMLE(), Binomial(10**8), 1.0 + 30.0 * NEAR),
    (RBMLE(), Binomial(10**9), 4e8 * (1.0 + 1e-4 * NEAR)),
    (RBMLE(), Bernoulli(), 1e-6 * (1.0 + NEAR)),
    (RBMLE(), Bernoulli(), 1.0 - 1e-6 * (1.0 + NEAR)),
    (RBMLE(), Exponential(), 1e17 * (1.0 + NEAR)),
    (RBMLE(), Poisson(), 1e9 * (1.0 + 1e-4 * NEAR)),
    (RBMLE(f="mean"), Bernoulli(), 1e-6 * (1.0 + NEAR)),
    (RBMLE(f="mean"), Bernoulli(), 1.0 - 1e-6 * (1.0 + NEAR)),
    (RBMLE(f="stable"), Bernoulli(), 1.0 - 1e-6 * (1.0 + NEAR)),
    (RBMLE(f="mean"), Binomial(10**9), 4e8 * (1.0 + 1e-4 * NEAR)),
    (RBMLE(f="stable"), Binomial(10**8), 1.0 + 30.0 * NEAR),
    (RBMLE(f="mean"), Gaussian(), -1e12 + 30.0 * NEAR),
    (RBMLE(f="mean"), Exponential(), 1e17 * (1.0 + NEAR)),
    (RBMLE(f="stable"), Gamma(0.01), 1e-17 * (1.0 + NEAR)),
    (RBMLE(f="mean"), Poisson(), 1e9 * (1.0 + 1e-4 * NEAR)),
    (RBMLE(f="stable"), Poisson(), 1e-6 * (1.0 + NEAR)),
    (KLUCB(upto="plus"), Bernoulli(), 1.0 - 1e-6 * (1.0 + NEAR)),
    (KLUCB(upto="plus"), Exponential(), 1e99 * (1.0 + NEAR)),
    (KLUCB(), Poisson(), 1e7 + 3e4 * NEAR),
    (KLUCB(), Poisson(), 1e-6 * (1.0 + NEAR)),
    (KLUCB(), Binomial(10**8), 1e3 * (1.0 + NEAR)),
    (KLUCB(), Bernoulli(), 1.0 - 1e-6 * (1.0 + NEAR)),
    (KLUCB(), Exponential(), 1e99 * (1.0 + NEAR)),
    (KLUCB(), Exponential(), 1e-60 * (1.0 + NEAR)),
    (KLUCB(), Gamma(2.0), 1e-200 * (1.0 + NEAR)),
    (KLUCB(upto="plus"), Exponential(), 1e-100 * (1.0 + NEAR)),
    (KLUCB(), Bernoulli(), 1e-20 * (1.0 + NEAR)),
    (KLUCB(upto="plus"), Poisson(), 1e-20 * (1.0 + NEAR)),
]


@pytest.mark.pairs
@pytest.mark.parametrize(("policy", "family", "means"), CASES)
def test_every_chooser_equals_the_scan(policy, family, means):
    problem = Problem(family, means)
    scan, *others = (make(N) for make in makers_of_choosers(policy, family))
    chosen = Recording(policy, problem, horizon=3000, seed=3, chooser=scan).chosen
    for other in others:
        found = Recording(policy, problem, horizon=3000, seed=3, chooser=other).chosen
        assert np.array_equal(found, chosen), type(other).__name__


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e6])
@pytest.mark.parametrize("at", [0.0, 0.5, 1e8, -1e12])
def test_the_empirical_variance_keeps_its_digits(at, scale):
    """Rewards at + scale x, of which a sum of squares about 0 would keep nothing."""
    x = np.random.default_rng(1).normal(size=400)
    rewards = at + scale * x
    arms = Arms.fresh(2)
    for reward in rewards.tolist():
        arms.learn(1, reward)
    spacing = abs(at) * 2.2e-16
    exact = float((rewards - rewards[0]).var())
    assert arms.variance(1) == pytest.approx(exact, rel=1e-9, abs=400 * spacing * scale)


def test_counts_stay_exactly_alike_whatever_their_order():
    one, other = Arms.fresh(1), Arms.fresh(1)
    for reward in (1.0, 0.0, 0.0, 1.0, 7.0):
        one.learn(0, reward)
    for reward in (7.0, 0.0, 1.0, 1.0, 0.0):
        other.learn(0, reward)
    assert one.variance(0) == other.variance(0)
