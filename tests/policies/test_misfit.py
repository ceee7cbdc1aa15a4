"""Rewards that contradict the variance of a family: it is said, and of other rewards it is not."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import pytest

import rbmle
from rbmle import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson, Problem, Table
from rbmle.errors import FamilyWarning
from rbmle.policies import KLUCB, MOSS, RBMLE, UCB, BayesUCB, ThompsonSampling
from rbmle.policies.arms import Arms
from rbmle.policies.fit import as_family
from rbmle.policies.misfit import misfit, misfit_so_far

MEANS = np.array([1.0, 3.0])
FAMILIES = [Gaussian(), Gaussian(7.0), Exponential(), Gamma(2.5), Poisson(), Binomial(6)]


def varying(family: Any, factor: float) -> str | None:
    """What is said if rewards have so many times the variance that the family assumes."""
    variances = np.array([factor * family.variance(each) for each in MEANS.tolist()])
    return misfit(KLUCB(), family, MEANS, variances, np.ones(2))


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_a_variance_off_by_more_than_four_is_said_with_a_family_that_fits(family: Any) -> None:
    for factor in (0.26, 1.0, 3.9):
        assert varying(family, factor) is None
    for factor in (0.24, 4.1, 3400.0):
        told = varying(family, factor)
        assert told is not None
        named = re.search(r"use (\w+\(.*\))\.$", told)
        assert named is not None
        variances = np.array([factor * family.variance(each) for each in MEANS.tolist()])
        assert misfit(KLUCB(), as_family(named[1].lower()), MEANS, variances, np.ones(2)) is None


def test_the_sentence_names_both_numbers() -> None:
    assert varying(Gaussian(), 58.3**2) == (
        "Gaussian(sigma=1) assumes a standard deviation of 1, the rewards have 58.3: "
        "use Gaussian(sigma=58)."
    )
    assert varying(Exponential(), 0.1) == (
        "Exponential() assumes a standard deviation of 2.24, the rewards have 0.707: "
        "use Gamma(shape=10)."
    )


class Silent(NamedTuple):
    """A family that does not state its variance."""

    def mean_range(self) -> tuple[float, float]:
        return 0.0, np.inf


def test_nothing_is_said_where_nothing_is_wrong_or_known() -> None:
    assert (
        misfit(KLUCB(), Bernoulli(), MEANS / 4.0, np.full(2, 1e-3), np.ones(2)) is None
    )  # less is allowed
    assert varying(Gaussian(), 0.0) is None
    assert misfit(KLUCB(), Silent(), MEANS, np.full(2, 1e6), np.ones(2)) is None


def statistics(family: Any, rounds: int, seed: int) -> Arms:
    """Rewards of the family itself, most of them of one of five arms."""
    rng, arms = np.random.default_rng(seed), Arms.fresh(5)
    draws = {
        Gaussian: lambda mean: rng.normal(mean, family.sigma),
        Exponential: rng.exponential,
        Gamma: lambda mean: rng.gamma(family.shape, mean / family.shape),
        Poisson: lambda mean: float(rng.poisson(mean)),
        Binomial: lambda mean: float(rng.binomial(family.trials, mean / family.trials)),
    }
    for k in range(rounds):
        i = k if k < 5 else int(rng.integers(5)) if k % 2 else 0
        arms.learn(i, draws[type(family)](1.0 + i))
    return arms


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_rewards_of_the_family_itself_are_not_doubted(family: Any) -> None:
    """Of 400 histories fewer than 1 % are, at any of five lengths."""
    for rounds in (20, 25, 45, 60, 200):
        found = [
            misfit_so_far(KLUCB(), family, statistics(family, rounds, seed)) for seed in range(400)
        ]
        assert sum(each is not None for each in found) < 4


def test_a_policy_that_does_not_read_the_variance_is_named() -> None:
    """A sigma alone would not help it."""
    also = "use Gaussian(sigma=58), with a policy that reads it: {} does not."
    players = {"UCB": UCB(), "MOSS": MOSS(), "RBMLE": RBMLE()}
    for name, policy in players.items():
        assert str(misfit(policy, Gaussian(), MEANS, np.full(2, 3400.0), np.ones(2))).endswith(
            also.format(name)
        )
    for policy in (
        KLUCB(),
        ThompsonSampling(),
        BayesUCB(),
        RBMLE(f="mean"),
        rbmle.recommended("gaussian"),
    ):
        told = misfit(policy, Gaussian(), MEANS, np.full(2, 3400.0), np.ones(2))
        assert str(told).endswith("use Gaussian(sigma=58).")


def test_a_few_rewards_are_not_judged() -> None:
    arms = statistics(Gaussian(60.0), 19, seed=1)
    assert misfit_so_far(KLUCB(), Gaussian(), arms) is None
    arms.learn(0, 100.0)
    assert "use Gaussian(sigma=" in str(misfit_so_far(KLUCB(), Gaussian(), arms))


def warned(problem: Problem, **given: Any) -> list[str]:
    """The warnings of a short simulation."""
    with pytest.warns(FamilyWarning) as caught:
        rbmle.simulate(problem, ["ucb", "ucb(alpha=1)"], 10, 1, **given)
    return [str(each.message) for each in caught]


@pytest.mark.slow
def test_simulate_says_it_once_for_each_family() -> None:
    noisy = Problem(Gaussian(60.0), [100.0, 110.0])
    assert warned(noisy, family="gaussian") == [
        "Gaussian(sigma=1) assumes a standard deviation of 1, the rewards have 60: "
        "use Gaussian(sigma=60), with a policy that reads it: UCB does not."
    ]
    rewards = np.random.default_rng(1).normal(100.0, 60.0, (1, 100, 2))
    assert len(warned(Problem(Gaussian(), [100.0, 100.0]), rewards=Table(rewards))) == 1


@pytest.mark.slow
def test_simulate_says_nothing_of_a_family_that_fits() -> None:
    """Warnings are errors here."""
    rbmle.simulate(Problem(Gaussian(60.0), [100.0, 110.0]), ["ucb"], 10, 1)
    rbmle.simulate(Problem("laplace", [0.0, 0.5]), ["ucb"], 10, 1, family="gaussian")
    rbmle.simulate(Problem("uniform", [0.4, 0.5]), ["ucb"], 10, 1, family="bernoulli")


def test_means_that_follow_from_features_are_not_judged() -> None:
    """They change from round to round, so that no round's means stand for the others."""
    features = rbmle.TableFeatures(2, np.ones((50, 2)), common=True)
    phases = [rbmle.LinearProblem(each, features, Bernoulli()) for each in (np.eye(2), -np.eye(2))]
    for world in (phases[0], rbmle.Phases(phases, at=[5])):
        means, variances = rbmle.RewardStream(1).moments(world)
        assert means.size == variances.size == 0
