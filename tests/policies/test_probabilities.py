"""`policy.probabilities`: exact where there is a formula, refused in one sentence where there is
none. That they are the frequencies of choices is a law of every policy (`policy_checks`)."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import rbmle
from rbmle.errors import ParameterError
from rbmle.policies.base import share_ties
from rbmle.random import Draws

COINS = rbmle.Bernoulli()


def test_an_index_policy_plays_one_arm_or_those_that_tie() -> None:
    ucb, pulls = rbmle.UCB(), [8, 8, 9]
    assert ucb.probabilities(COINS, pulls, [4, 2, 4]).tolist() == [1.0, 0.0, 0.0]
    assert ucb.probabilities(COINS, [8, 8, 8], [2, 4, 4]).tolist() == [0.0, 0.5, 0.5]
    first = ucb.probabilities(COINS, [8, 8, 8], [2, 4, 4], ties="first")
    assert first.tolist() == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("name", ["ucb", "ts", "maillard-sampling", "ids"])
def test_an_arm_without_a_reward_is_next(name: str) -> None:
    policy = rbmle.policy_named(name)()
    assert policy.probabilities(COINS, [3, 0, 0], [1, 0, 0]).tolist() == [0.0, 1.0, 0.0]
    assert policy.probabilities(COINS, [3], [1]).tolist() == [1.0]


def test_thompson_sampling_agrees_with_scipy() -> None:
    """P(draw a is the largest) = E[prod of the other F at a draw of arm a]."""
    pulls, sums = np.array([12, 30, 7]), np.array([5, 15, 2])
    found = rbmle.ThompsonSampling().probabilities(COINS, pulls, sums)
    laws = [stats.beta(1 + s, 1 + n - s) for n, s in zip(pulls, sums, strict=True)]
    for a in range(3):

        def others(x: float, a: int = a) -> float:
            return float(laws[a].pdf(x) * np.prod([laws[j].cdf(x) for j in range(3) if j != a]))

        assert found[a] == pytest.approx(integrate.quad(others, 0, 1, epsabs=1e-10)[0], abs=1e-8)


@pytest.mark.slow
def test_ten_arms_of_thompson_sampling_take_microseconds() -> None:
    """Measured: 28 to 42 us; 100 are allowed, for a busy machine."""
    live: Any = rbmle.Decider(range(10), "ts", "bernoulli")
    live.update(list(range(10)) * 20, np.random.default_rng(1).integers(0, 2, 200).astype(float))
    times = []
    for _ in range(300):
        start = time.perf_counter()
        live.probabilities()
        times.append(time.perf_counter() - start)
    assert min(times) < 100e-6


def test_flat_priors_and_lin_ts_draw_normal_means() -> None:
    z = (0.5 - 0.25) / np.sqrt(1 / 8 + 1 / 4)
    for policy in (rbmle.ThompsonSampling("flat"), rbmle.LinTS()):
        found = policy.probabilities("gaussian", [8, 4], [4, 1])
        assert found == pytest.approx([stats.norm.cdf(z), stats.norm.cdf(-z)], abs=1e-9)


def test_maillard_sampling_has_a_closed_form() -> None:
    gaussian = rbmle.MaillardSampling().probabilities(rbmle.Gaussian(2.0), [10, 6], [5, 0])
    w = np.exp(-6 * 0.25 / (2 * 4.0))
    assert gaussian == pytest.approx([1 / (1 + w), w / (1 + w)], rel=1e-14)
    coins = rbmle.MaillardSampling().probabilities(COINS, [10, 10, 4], [5, 2, 2])
    w = np.exp(-10 * (0.2 * np.log(0.2 / 0.5) + 0.8 * np.log(0.8 / 0.5)))
    assert coins == pytest.approx(np.array([1, w, 1]) / (2 + w), rel=1e-14)
    assert rbmle.MaillardSampling().probabilities(COINS, [3, 9], [3, 8]).tolist() == [1.0, 0.0]


@pytest.mark.slow
def test_ids_mixes_two_arms_as_it_draws_them() -> None:
    arms = rbmle.Arms(*(np.array(each, float) for each in ([33, 18, 4], [12, 11, 2], [12, 11, 2])))
    policy, state = rbmle.VIDS(), np.zeros(10**6)
    first, second, odds = policy.mixture(state, COINS, arms, Draws(0, 0, 0, 0, False))
    p = policy.probabilities(COINS, arms.pulls, arms.sums)
    assert 0.0 < odds < 1.0
    assert (p[first], p[second], p.sum()) == pytest.approx((odds, 1.0 - odds, 1.0), abs=1e-9)
    committed = rbmle.VIDS(commit=0.3)
    assert sorted(committed.probabilities(COINS, arms.pulls, arms.sums)) == [0.0, 0.0, 1.0]


@pytest.mark.slow
@pytest.mark.parametrize("policy", [rbmle.RBMLE(), rbmle.KLUCB(), rbmle.KG()], ids=str)
def test_compiled_equals_interpreted(policy: Any) -> None:
    rng = np.random.default_rng(1)
    clock = rbmle.Clock(300, 1000)
    for _ in range(20):
        pulls = rng.integers(1, 6, 6).astype(float)
        sums = rng.binomial(pulls.astype(int), 0.5).astype(float)
        arms = rbmle.Arms(pulls, sums, sums, np.zeros(6))
        compiled, interpreted = np.empty(6), np.empty(6)
        share_ties(policy, COINS, arms, clock, True, compiled)
        share_ties.interpreted(policy, COINS, arms, clock, True, interpreted)
        assert compiled.tolist() == interpreted.tolist()
        assert compiled.sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("policy", "given", "told"),
    [
        (rbmle.UCB(), {"pulls": [1, 2], "sums": [1]}, "'sums' must be 2 numbers, one for each arm"),
        (rbmle.UCB(), {"pulls": [1, -2], "sums": [1, 1]}, "'pulls' must be a list of numbers in"),
        (rbmle.UCB(), {"pulls": [1, np.inf], "sums": [1, 1]}, "'pulls' must be a list of finite"),
        (rbmle.UCB(), {"pulls": "ab", "sums": [1, 1]}, "'pulls' must be a list of finite"),
        (rbmle.UCB(), {"pulls": [1, 1], "sums": [1, 1], "t": 0}, "'t' must be a whole number in"),
        (rbmle.UCB(), {"pulls": [1, 1], "sums": [1, 1], "ties": "x"}, "'ties' must be one of"),
        (rbmle.UCBTuned(), {"pulls": [1, 1], "sums": [1, 1]}, "'squares' must be given for"),
        (rbmle.MOSS(), {"pulls": [1, 1], "sums": [1, 1]}, "'horizon' must be given for MOSS"),
        (rbmle.RBSDA(), {"pulls": [1, 1], "sums": [1, 1]}, "next to its 'choose'. Got RBSDA."),
        (rbmle.IDS("monte_carlo"), {"pulls": [1, 1], "sums": [1, 1]}, "'quadrature', for its"),
    ],
    ids=str,
)
def test_bad_statistics_are_refused_in_one_sentence(policy: Any, given: Any, told: str) -> None:
    with pytest.raises(ParameterError) as refused:
        policy.probabilities(COINS, **given)
    assert told in str(refused.value)
    assert str(refused.value).count(". ") <= 1


def test_who_reads_variances_by_the_family_needs_squares() -> None:
    """Maillard sampling has no index; it took the sums for the sums of squares."""
    policy, family = rbmle.MaillardSampling(), rbmle.GaussianUnknown()
    with pytest.raises(ParameterError, match="'squares' must be given for MaillardSampling with"):
        policy.probabilities(family, [6, 6], [1, 2])
    assert policy.probabilities(family, [6, 6], [1, 2], squares=[2, 3]).sum() == pytest.approx(1.0)
    assert rbmle.UCB().probabilities(family, [6, 6], [1, 2]).tolist() == [0.0, 1.0]


def test_a_family_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ParameterError, match="IDS: 'family' must be"):
        rbmle.IDS().probabilities("poisson", [1, 1], [1, 1])
