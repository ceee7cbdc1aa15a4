"""`Bounded`: coins on any interval, and `EmpiricalIMED`, which looks at the rewards themselves."""

from __future__ import annotations

from math import inf, log
from typing import Any

import numpy as np
import pytest
import scipy.optimize

import rbmle
from rbmle import Arms, Bernoulli, Bounded
from rbmle.errors import ParameterError
from rbmle.inference.intervals import beats, difference, interval
from rbmle.policies.empirical import empirical_divergence
from rbmle.policies.posteriors import best_and_loss
from rbmle.random import Cell
from rbmle.service.definition import Definition
from rbmle.service.messages import NewExperiment

INDICES = [rbmle.RBMLE(), rbmle.RBMLE(f="stable"), rbmle.KLUCB(), rbmle.IMED(), rbmle.BayesUCB()]


@pytest.mark.parametrize("policy", INDICES, ids=str)
def test_an_index_is_that_of_rewards_brought_to_the_unit_interval(policy: Any) -> None:
    """A bound of the mean is moved with the interval; RBMLE's first two have the unit of alpha."""
    pulls, parts = np.array([9.0, 5.0, 30.0]), np.array([0.4, 0.75, 0.2])
    shown = Arms(pulls, pulls * parts, pulls)
    moved = Arms(pulls, pulls * (40.0 * parts - 8.0), pulls)
    coin, bounded = Bernoulli(), Bounded(-8.0, 32.0)
    bound_of_mean = isinstance(policy, (rbmle.KLUCB, rbmle.BayesUCB))
    for i in range(3):
        level, there = (0.75, 22.0) if isinstance(policy, rbmle.IMED) else (0.1, 0.1)
        alpha = 40.0 if policy == rbmle.RBMLE() else 1.0  # the canonical parameter is in 1 / reward
        one = policy.index_of(coin, shown, i, level)
        other = policy.index_of(bounded, moved, i, there * alpha)
        assert other == pytest.approx(40.0 * one - 8.0 if bound_of_mean else one, rel=1e-9)


@pytest.mark.parametrize("policy", INDICES, ids=str)
def test_on_the_unit_interval_it_is_bernoulli_bit_for_bit(policy: Any) -> None:
    pulls = np.array([9.0, 5.0, 30.0])
    arms = Arms(pulls, pulls * np.array([0.4, 0.75, 0.21]), pulls)
    for i in range(3):
        one, other = (policy.index_of(each, arms, i, 0.8) for each in (Bernoulli(), Bounded()))
        assert one == other
        n, total, cell = float(pulls[i]), float(arms.sums[i]), Cell(1, 2, 3, 4, i)
        assert Bounded().posterior_draw(n, total, cell, 0) == (
            Bernoulli().posterior_draw(n, total, cell, 0)
        )


def test_sums_at_an_end_are_at_the_end_to_the_last_bit() -> None:
    """However the product rounds."""
    family = Bounded(0.1, 0.7)
    for n in range(1, 200):
        assert family.stable_index(float(n), 0.7 * n, 3.0) == Bernoulli().stable_index(
            1.0, 1.0, 3.0
        )
        assert family.successes(float(n), 0.1 * n) == pytest.approx(0.0, abs=1e-12)


def test_an_interval_that_is_none_is_refused() -> None:
    for low, high in ((3.0, 3.0), (0.0, 0.0), (4.0, -1.0)):
        with pytest.raises(
            ParameterError, match=rf"^Bounded: 'high' must be above 'low' \({low:g}\)"
        ):
            Bounded(low, high)
    with pytest.raises(ParameterError, match="'high' must be above"):
        Bounded(0.0, 10.0).replace(high=-1.0)


@pytest.mark.parametrize("low", [1e7, 1e12, -1e12])
def test_an_interval_that_is_narrow_for_its_place_is_refused(low: float) -> None:
    """From 10^12 to 10^12 + 1 every mean counted as `low`, so that no policy learned anything."""
    with pytest.raises(ParameterError, match=r"'high' must be above .*1e-6 of either \(else"):
        Bounded(low, low + 1.0)
    wide = Bounded(low, low + 1e-6 * abs(low) * 1.01)
    for place in (1e-3, 0.4, 0.999):
        assert wide.seen(wide.low + place * wide.width()) == pytest.approx(place, rel=2e-3)


@pytest.mark.slow
def test_live_it_takes_its_interval_and_no_more() -> None:
    decider = rbmle.Decider(["a", "b"], "klucb", Bounded(0, 10), seed=1)
    for _ in range(30):
        arm = decider.pull()
        decider.update(arm, 7.5 if arm == "b" else 2.5)
    assert decider.counts["b"] > decider.counts["a"]
    assert decider.probability_best()["b"] > 0.9
    with pytest.raises(ParameterError, match=r"a number in \[0, 10\] for Bounded. Got 10.5"):
        decider.update(decider.pull(), 10.5)


@pytest.mark.parametrize("spec", ["bounded(low=0, high=10)", {"name": "Bounded", "high": 10}])
def test_an_experiment_of_the_service_takes_it_by_name(spec: Any) -> None:
    body = NewExperiment(arms=["a", "b"], policy="recommended", family=spec)
    assert Definition.of(body).settings.family == Bounded(0.0, 10.0)


@pytest.mark.slow
def test_what_is_concluded_moves_with_the_interval() -> None:
    pulls, parts = np.array([200.0, 300.0]), np.array([0.4, 0.6])
    coin, moved = pulls * parts, pulls * (40.0 * parts - 8.0)
    family = Bounded(-8.0, 32.0)
    plain = interval(Bernoulli(), pulls, coin)
    assert np.allclose(interval(family, pulls, moved), 40.0 * np.array(plain) - 8.0, rtol=1e-9)
    ends = difference(Bernoulli(), (300.0, coin[1]), (200.0, coin[0]))
    found = difference(family, (300.0, moved[1]), (200.0, moved[0]))
    assert np.allclose(found, 40.0 * np.array(ends), rtol=1e-9)
    for alpha in (0.05, 1e-9):
        known = beats(Bernoulli(), (300.0, coin[1]), (pulls[:1], coin[:1]), alpha)
        assert beats(family, (300.0, moved[1]), (pulls[:1], moved[:1]), alpha) == known
    best, loss = best_and_loss(Bernoulli(), pulls, coin, np.ones(2))
    there, lost = best_and_loss(family, pulls, moved, np.ones(2))
    assert np.allclose(there, best, rtol=1e-9)
    assert np.allclose(lost, 40.0 * loss, rtol=1e-9)


def least_divergence(rewards: np.ndarray, mean: float, high: float) -> float:
    """The primal problem: weights q on the rewards and on `high`, with a mean from `mean` on."""
    values, counts = np.unique(rewards, return_counts=True)
    p, at = counts / rewards.size, np.append(values, high)
    found = scipy.optimize.minimize(
        lambda q: -(p * np.log(np.maximum(q[:-1], 1e-300))).sum(), np.full(at.size, 1.0 / at.size),
        bounds=[(1e-12, 1.0)] * at.size, method="SLSQP", options={"ftol": 1e-14, "maxiter": 500},
        constraints=[
            {"type": "eq", "fun": lambda q: q.sum() - 1.0},
            {"type": "ineq", "fun": lambda q: q @ at - mean},
        ],
    )  # fmt: skip
    return float(found.fun + (p * np.log(p)).sum())


@pytest.mark.parametrize("seed", range(6))
def test_the_empirical_divergence_is_the_least_of_any_law(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rewards = np.round(10.0 * rng.beta(1.0, 2.0, 8), 1)
    rewards[0] = 10.0 if seed % 2 else rewards[0]
    for share in (0.1, 0.5, 0.9):
        mean = rewards.mean() + share * (10.0 - rewards.mean())
        found = empirical_divergence(rewards, mean, 10.0)
        assert found == pytest.approx(least_divergence(rewards, mean, 10.0), rel=1e-5, abs=1e-7)
        assert found >= Bounded(0.0, 10.0).kl(rewards.mean(), mean) - 1e-12


def test_the_empirical_divergence_at_its_ends() -> None:
    coins = np.array([1.0, 0.0, 0.0, 1.0, 0.0])
    for mean in (0.41, 0.5, 0.999):
        expected = Bernoulli().kl(0.4, mean)
        assert empirical_divergence(coins, mean, 1.0) == pytest.approx(expected, rel=1e-12)
    assert empirical_divergence(coins, 0.4, 1.0) == empirical_divergence(coins, 0.3, 1.0) == 0.0
    assert empirical_divergence(coins, 1.0, 1.0) == inf
    for short in (1e-16, 1e-13, 1e-10):  # of the end, as rewards are that come from sums
        almost = empirical_divergence(coins * (1.0 - short), 0.5, 1.0)
        assert almost == pytest.approx(Bernoulli().kl(0.4, 0.5), rel=1e-8)
    one = np.array([0.25])  # its law moves weight to the end: log((1 - x) / (1 - mean))
    assert empirical_divergence(one, 0.7, 1.0) == pytest.approx(log(0.75 / 0.3), rel=1e-12)


@pytest.mark.slow
def test_empirical_imed_gains_where_rewards_vary_less_than_coins() -> None:
    problem = rbmle.Problem("beta(concentration=10)", [0.3, 0.4, 0.5, 0.6])
    policies = [rbmle.IMED(), rbmle.EmpiricalIMED(memory=1000)]
    mean, own = rbmle.simulate(problem, policies, 1000, 20, family=Bounded(), seed=3).regret[
        :, :, -1
    ]
    assert own.mean() < 0.6 * mean.mean()


def test_empirical_imed_needs_an_upper_end() -> None:
    with pytest.raises(ParameterError, match=r"one of Bernoulli, Binomial, Bounded\. Got Gaussian"):
        rbmle.Decider(["a", "b"], "empiricalimed", "gaussian")
