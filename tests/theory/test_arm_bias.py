"""RBMLE with an alpha for each arm, step by step: docs/explanation/mathematics.md, "An alpha for
each arm"."""

from itertools import product
from math import exp, log, sqrt

import numpy as np
import pytest
from scipy import stats
from test_bias_theory import CASES, in_units, k_g

from rbmle.families import Bernoulli
from rbmle.policies import RBMLE, ArmBias, Arms, Clock

BIASES = [
    ArmBias(0.1, 2.0, s, a, b) for s, a, b in product((0.0, 0.25, 0.5), (0.0, 1.0), (0.0, 1.0))
]
COIN_CASES = [each for each in CASES if type(each[0]).__name__ == "Bernoulli"]


def alpha_at(bias: ArmBias, t: int, n: float, n_arms: int = 10) -> float:
    level = bias.alpha(Bernoulli(), Arms.fresh(n_arms), Clock(t, 0))
    return bias.of_arm(n, level)


@pytest.mark.parametrize("bias", BIASES, ids=str)
def test_alpha_is_between_the_bounds_of_the_proof(bias):
    n_arms = 10
    for t in (10, 1000, 10**6, 10**12, 10**18):
        top = log(t)
        for n in np.unique(np.geomspace(1, t, 40).astype(int)).tolist():
            alpha = alpha_at(bias, t, n, n_arms)
            if n <= sqrt(t) and 0.5 * log(t) - log(n_arms) >= 0.5:
                least = bias.c * bias.least**bias.spread
                assert alpha >= least * (0.5 * log(t) - log(n_arms)) ** (1.0 + bias.power)
            if n >= top:
                most = bias.c * top ** (1.0 + bias.power - bias.spread) * n**bias.spread
                assert alpha <= most * (1.0 + 1e-12)


@pytest.mark.parametrize(("family", "name", "g"), COIN_CASES)
@pytest.mark.parametrize("bias", BIASES[::5], ids=str)
def test_an_arm_is_left_alone_after_the_pulls_of_the_proof(bias, family, name, g):
    t, mean, other = 10**5, 0.6, 0.45
    k, top = k_g(family, g, mean, other), log(t)
    enough = (1.01 * bias.c * k * top ** (1.0 + bias.power - bias.spread)) ** (
        1.0 / (1.0 - bias.spread)
    )
    for n in (max(top, enough), 3.0 * max(top, enough)):
        alpha = alpha_at(bias, t, n)
        assert in_units(family, name, n, n * other, alpha) <= g(mean)


@pytest.mark.parametrize(("family", "name", "g"), COIN_CASES)
def test_the_best_arm_is_lost_as_seldom_as_the_proof_says(family, name, g):
    bias, best, other, t = ArmBias(0.5, 2.0, 0.25, 1.0, 0.0), 0.6, 0.4, 1000
    for n in range(1, t // 4, 9):
        alpha, totals = alpha_at(bias, t, n), np.arange(n + 1)
        index = [in_units(family, name, float(n), float(s), alpha) for s in totals.tolist()]
        bad = totals[np.array(index) <= g(other)]
        lost = float(stats.binom(n, best).cdf(bad.max())) if bad.size else 0.0
        limit = min(exp(-alpha * (g(best) - g(other))), exp(-n * family.kl(other, best)))
        assert lost <= limit * (1.0 + 1e-9)


def test_the_index_is_in_units_of_alpha():
    """Two arms with the same mean, the first pulled more often: it has the smaller index."""
    family, _, g = CASES[2]
    bias = ArmBias(0.1, 2.0, 0.25)
    arms = Arms(np.array([40.0, 20.0]), np.array([20.0, 10.0]), np.array([20.0, 10.0]))
    policy = RBMLE(bias, f="stable")
    level = policy.level(family, arms, Clock(100, 0))
    first, second = (policy.index_of(family, arms, i, level) for i in (0, 1))
    assert g(0.5) < first < second < g(1.0)
    alpha = bias.of_arm(40.0, level)
    assert first == pytest.approx(family.stable_index(40.0, 20.0, alpha), rel=1e-12)
