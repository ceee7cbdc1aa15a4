"""EXP3, a policy with a memory of each arm, which draws from round 1 on."""

from __future__ import annotations

from math import e, exp, log, sqrt
from typing import Any

import numpy as np
import pytest

import rbmle
from rbmle import EXP3
from rbmle.policies.base import fresh_state
from rbmle.random import Draws
from rbmle.testing import check_policy

COINS = rbmle.Bernoulli()


def test_its_probabilities_are_the_papers() -> None:
    """Figure 1 of Auer, Cesa-Bianchi, Freund and Schapire (2002), with the weights themselves."""
    policy, n, rewards = EXP3(0.3), 4, np.random.default_rng(1).uniform(size=(300, 4))
    arms, state, weights = rbmle.Arms.fresh(n), fresh_state(policy, COINS, n), np.ones(n)
    for t in range(1, 301):
        p = (1.0 - policy.gamma) * weights / weights.sum() + policy.gamma / n
        rng = Draws(1, 0, 0, t, True)
        chosen = policy.choose(state, COINS, arms, rbmle.Clock(t, 0), rng)
        total = policy.total(state, arms)
        assert np.allclose([policy.probability(state, arms, i, total) for i in range(n)], p, 1e-9)
        assert chosen == np.searchsorted(np.cumsum(p), rng.cell(0).uniform(0), side="right")
        arms.learn(chosen, rewards[t - 1, chosen])
        weights[chosen] *= exp(policy.gamma * rewards[t - 1, chosen] / p[chosen] / n)


def test_it_draws_from_round_1_on() -> None:
    policy, arms = EXP3(), rbmle.Arms.fresh(3)
    drawn = [
        policy.choose(np.zeros(9), COINS, arms, rbmle.Clock(1, 0), Draws(1, 0, r, 1, True))
        for r in range(300)
    ]
    assert np.bincount(drawn).min() > 70


@pytest.mark.slow
def test_it_obeys_every_law() -> None:
    holds = [check for check, outcome in check_policy(EXP3(), COINS) if outcome == "holds"]
    assert {"live_equals_simulated", "probabilities_are_those_of_its_choices"} <= set(holds)


@pytest.mark.slow
@pytest.mark.parametrize("delay", [None, rbmle.FixedDelay(20)])
def test_its_regret_is_sublinear(delay: Any) -> None:
    """Below the bound of Corollary 3.2, 2.63 sqrt(T K log K), and of that order: 16 times the
    rounds have 4 times the regret, not 16 times. So too if rewards come late."""
    problem, regret = rbmle.Problem(COINS, [0.2, 0.8, 0.5]), {}
    for horizon in (1_000, 16_000):
        tuned = EXP3(sqrt(3 * log(3) / ((e - 1.0) * horizon)))
        result = rbmle.simulate(problem, [tuned], horizon, 100, delay=delay)
        regret[horizon] = result.regret[0, :, -1].mean()
        assert regret[horizon] < 2.63 * sqrt(horizon * 3 * log(3))
    assert regret[16_000] < 8.0 * regret[1_000]
