"""`worth`: what a policy believes that an arm pays, on the scale of rewards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbmle
from rbmle import RBMLE, Arms, Clock
from rbmle.policies.base import has_worth
from rbmle.random import Draws

FAMILIES = [
    rbmle.Bernoulli(), rbmle.Binomial(5), rbmle.Gaussian(2.0), rbmle.Poisson(), rbmle.Exponential(),
    rbmle.Gamma(2.0), rbmle.Bounded(-1.0, 9.0),
]  # fmt: skip
ARMS = Arms(
    np.array([10.0, 40.0, 3.0, 200.0]), np.array([5.0, 21.0, 1.0, 90.0]), np.ones(4), np.zeros(4)
)
NOW, RNG = Clock(254, 1_000), Draws(1, 0, 0, 254, True)


def worths(policy: Any, family: Any, arms: Arms = ARMS, now: Clock = NOW) -> list[float]:
    level, state = policy.level(family, arms, now), np.zeros(1 + arms.n_arms())
    return [policy.worth(state, family, arms, i, level, RNG) for i in range(arms.n_arms())]


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: type(family).__name__)
@pytest.mark.parametrize("f", ["canonical", "mean", "stable", "recommended"])
def test_an_arm_known_for_certain_with_the_worth_as_its_mean_has_the_index(
    family: Any, f: str
) -> None:
    """With n so large that n D / alpha leaves no room, the index of an arm of mean m is g(m). So
    the worth of an arm is the mean of a certain arm that RBMLE ranks the same. It is at least the
    empirical mean, and orders arms as the index does."""
    policy = rbmle.recommended(family) if f == "recommended" else RBMLE(f=f)
    level, found = policy.level(family, ARMS, NOW), worths(policy, family)
    index = [policy.index_of(family, ARMS, i, level) for i in range(4)]
    assert np.argsort(index).tolist() == np.argsort(found, kind="stable").tolist()
    for i, worth in enumerate(found):
        assert worth >= ARMS.mean(i)
        if np.isfinite(index[i]):
            n = 1e9
            certain = Arms(np.array([n]), np.array([n * worth]), np.ones(1), np.zeros(1))
            again = policy.index_of(family, certain, 0, level)
            assert again == pytest.approx(index[i], rel=1e-3, abs=1e-3)
        else:
            assert worth == family.mean_range()[1]


@pytest.mark.slow
def test_the_worth_of_a_bound_is_the_bound_and_that_of_a_draw_the_draw() -> None:
    coin = rbmle.Bernoulli()
    for policy in (rbmle.UCB(), rbmle.KLUCB(), rbmle.BayesUCB(), rbmle.MOSS(), rbmle.GPUCB()):
        level = policy.level(coin, ARMS, NOW)
        assert worths(policy, coin) == [policy.index_of(coin, ARMS, i, level) for i in range(4)]
    thompson = rbmle.ThompsonSampling()
    draws = [thompson.draw(np.zeros(0), coin, ARMS, i, RNG) for i in range(4)]
    assert worths(thompson, coin) == draws
    drawn = worths(rbmle.LinTS(), rbmle.Gaussian(2.0))  # N(mean, sigma^2 / n), by the same normals
    normal = [RNG.cell(i).normal(0) for i in range(4)]
    means = [ARMS.mean(i) + 2.0 * normal[i] / np.sqrt(ARMS.pulls[i]) for i in range(4)]
    assert drawn == pytest.approx(means, rel=1e-12)


def test_without_bias_rbmle_believes_the_mean() -> None:
    assert worths(RBMLE(), rbmle.Bernoulli(), now=Clock(1, 0)) == [ARMS.mean(i) for i in range(4)]


def test_which_policies_know_it() -> None:
    """Of the others the index is no mean: a divergence, a probability, or what a pull teaches."""
    ours = [kind for kind in rbmle.POLICIES.values() if kind.__module__.startswith("rbmle.")]
    assert {kind.__name__ for kind in ours if has_worth(kind())} == {
        "RBMLE", "UCB", "UCBTuned", "UCBV", "MOSS", "AdaUCB", "GPUCB", "GPUCBTuned", "KLUCB",
        "BayesUCB", "ThompsonSampling", "LinTS",
    }  # fmt: skip
