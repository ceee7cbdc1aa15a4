"""Laws of choices with evidence, and of the features that are drawn; played in the interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import rbmle
from rbmle._numba.compile import kernel
from rbmle.evidence import Features
from rbmle.random import Draws

pytestmark = pytest.mark.slow  # what is called is compiled

K, D, FORCED, ROUNDS = 4, 2, 12, 40
CASES = [
    (rbmle.Discounted(0.9), rbmle.KLUCB(), rbmle.Bernoulli()),
    (rbmle.Window(20), rbmle.RBMLE(), rbmle.Gaussian()),
    (rbmle.Linear(D), rbmle.RBMLE(rbmle.RootBias(0.5)), rbmle.Gaussian()),
    (rbmle.Linear(D, shared=False), rbmle.UCB(), rbmle.Gaussian()),
    (rbmle.Logistic(D), rbmle.UCB(), rbmle.Bernoulli()),
    (rbmle.Diagonal(D), rbmle.UCB(), rbmle.Gaussian()),
]


def chosen(case: Any, features: Any, rewards: Any, forced: Any) -> list[int]:
    """The arms that a policy chooses after some forced ones; rewards (rounds, arms)."""
    evidence, policy, family = case
    arms, memory = rbmle.Arms.fresh(K), np.zeros(evidence.memory_size(K))
    evidence.begin(arms, memory)
    found = []
    for t in range(1, FORCED + ROUNDS + 1):
        now, rng = Features(features[t - 1]), Draws(1, 2, 0, t, False)
        evidence.look(arms, memory, now, True)
        if t <= FORCED:
            i = int(forced[t - 1])
        else:
            i = int(policy.choose(np.zeros(0), family, arms, evidence.clock(memory, t, 0), rng))
        evidence.learn(arms, memory, now, True, i, float(rewards[t - 1, i]))
        found.append(i)
    return found


@pytest.mark.parametrize("case", CASES, ids=lambda case: type(case[0]).__name__)
def test_permuting_arms_permutes_choices(case: Any) -> None:
    rng = np.random.default_rng(3)
    features = rng.normal(size=(FORCED + ROUNDS, K, D))
    bernoulli = isinstance(case[2], rbmle.Bernoulli)
    # Rewards that are not 0 or 1 leave no ties, which would be broken by the places of arms.
    draw = rng.uniform if bernoulli else rng.normal
    rewards, forced = draw(size=(FORCED + ROUNDS, K)), np.arange(FORCED) % K
    order = np.array([2, 0, 3, 1])  # the arm at place p was at place order[p]
    places = np.argsort(order)
    here = chosen(case, features, rewards, forced)
    there = chosen(case, features[:, order], rewards[:, order], places[forced])
    assert there == places[here].tolist()
    assert len(set(here[FORCED:])) > 1


@kernel
def drawn_points(drawing: Any, points: Any) -> None:
    for t in range(points.shape[0]):
        drawing.draw(points[t], 7, 8, 0, t + 1)


@pytest.mark.parametrize("dimension", [3, 4])
def test_points_of_the_sphere_are_uniform(dimension: int) -> None:
    """Three dimensions have a way of their own. An odd number of arms: they share random words."""
    points = np.zeros((8000, 5, dimension))
    drawn_points(rbmle.SphereFeatures(5, dimension), points)
    assert (points**2).sum(axis=2) == pytest.approx(np.ones((8000, 5)), abs=1e-12)
    flat = points.reshape(8000, -1)
    covariance = np.cov(flat.T)  # of all coordinates of all arms: none depends on another
    assert np.abs(covariance - np.eye(5 * dimension) / dimension).max() < 0.02
    assert np.abs(flat.mean(axis=0)).max() < 5.0 / np.sqrt(8000 * dimension)
    law = stats.beta((dimension - 1) / 2, (dimension - 1) / 2, loc=-1, scale=2)
    for a in range(dimension):  # for d = 3 uniform in [-1, 1] (Archimedes)
        assert stats.kstest(points[:, :, a].ravel(), law.cdf).pvalue > 1e-4
    turned = points[:, :, 0] * points[:, :, 1]  # of a sphere, not of a cube
    assert turned.var() == pytest.approx(1 / (dimension * (dimension + 2)), rel=0.05)


def test_normal_features_are_normal() -> None:
    points = np.zeros((4000, 2, 3))
    drawn_points(rbmle.GaussianFeatures(2, 3, 1.5), points)
    assert stats.kstest(points.ravel() / 1.5, stats.norm.cdf).pvalue > 1e-4
