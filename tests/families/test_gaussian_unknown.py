"""`GaussianUnknown`: its index is a maximum of the profile likelihood; no policy reads sigma."""

from __future__ import annotations

from math import exp, inf, log, log1p, sqrt

import numpy as np
import pytest
import scipy.optimize
import scipy.stats

import rbmle
from rbmle import Arms, GaussianUnknown
from rbmle.random import Draws
from rbmle.special.grid import GRID

READERS = [
    rbmle.RBMLE(),
    rbmle.RBMLE(f="stable"),
    rbmle.RBMLE(f="mean"),
    rbmle.KLUCB(),
    rbmle.KLUCB(level="moss"),
    rbmle.IMED(),
    rbmle.BayesUCB(),
    rbmle.GPUCBTuned(),
    rbmle.MaillardSampling(),
    rbmle.ThompsonSampling(),
]


def arms_of(*rewards: list[float]) -> Arms:
    arms = Arms.fresh(len(rewards))
    for i, each in enumerate(rewards):
        for reward in each:
            arms.learn(i, reward)
    return arms


def log_likelihood(rewards: np.ndarray, mean: float, sd: float) -> float:
    return float(scipy.stats.norm(mean, sd).logpdf(rewards).sum())


def profile(rewards: np.ndarray, mean: float) -> float:
    """The likelihood of a mean, maximised over sigma by a search."""
    found = scipy.optimize.minimize_scalar(
        lambda scale: -log_likelihood(rewards, mean, exp(scale)), bounds=(-8.0, 8.0),
        method="bounded", options={"xatol": 1e-10},
    )  # fmt: skip
    return float(-found.fun)


@pytest.mark.parametrize("seed", range(4))
def test_the_divergence_is_what_the_profile_likelihood_loses(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rewards = rng.normal(3.0, 0.7, 12)
    known = GaussianUnknown(rewards.std())  # per reward, without the n - 2 of an arm
    for mean in (2.0, 3.5, 40.0):
        lost = profile(rewards, rewards.mean()) - profile(rewards, mean)
        assert 12 * known.kl(rewards.mean(), mean) == pytest.approx(lost, rel=1e-7)


@pytest.mark.parametrize("f", ["canonical", "mean", "stable"])
@pytest.mark.parametrize("alpha", [0.3, 2.0, 5.5])
def test_the_index_is_the_local_maximum_of_the_biased_profile(f: str, alpha: float) -> None:
    """The largest of theta - (n / alpha) D, alpha per unit of reward, over a standard deviation."""
    rewards = np.random.default_rng(1).normal(-2.0, 0.5, 12)
    arms, s = arms_of(rewards.tolist()), rewards.std()
    per_reward = alpha if f == "mean" else alpha / s
    found = scipy.optimize.minimize_scalar(
        lambda mean: -per_reward * mean - profile(rewards, mean),
        bounds=(rewards.mean(), rewards.mean() + s), method="bounded", options={"xatol": 1e-10},
    )  # fmt: skip
    best = (-found.fun - profile(rewards, rewards.mean())) / per_reward
    index = rbmle.RBMLE(f=f).index_of(GaussianUnknown(), arms, 0, alpha)
    assert index == pytest.approx(best, rel=1e-6)


def test_the_index_is_infinite_where_there_is_no_local_maximum() -> None:
    """From r = alpha / n = 1/2 on the biased likelihood rises for ever; up to it the index rises to
    p + s (1 - log 2)."""
    family = GaussianUnknown(2.0, 12.0)
    assert family.stable_index(12.0, 12.0, 6.0) == inf
    limit = family.stable_index(12.0, 12.0, 6.0 * (1.0 - 1e-14))
    assert limit == pytest.approx(1.0 + 2.0 * (1.0 - log(2.0)), rel=1e-6)
    rises = [family.stable_index(12.0, 12.0, alpha) for alpha in np.linspace(0.0, 5.99, 50)]
    assert rises == sorted(rises)
    lead = np.linspace(0.0, 50.0, 500)
    biased = 6.5 * lead - 6.0 * np.log1p(lead * lead)
    assert (np.diff(biased) > 0.0).all()


def test_the_inequalities_of_the_proof() -> None:
    """r / 2 <= psi <= 2 r; and the bound of the tail of (theta - nu) / s, a Student number over the
    root of its degrees of freedom."""
    for r in (1e-9, 0.01, 0.3, 0.499):
        psi = GaussianUnknown().stable_index(1.0, 0.0, r)
        assert 0.5 * r * (1.0 - 1e-6) <= psi <= 2.0 * r
    for n in (4, 5, 20, 300):
        for y in (0.0, 0.5, 3.0, 30.0):
            least = sqrt((exp(2.0 * y / n) - 1.0) * (n - 1))
            assert scipy.stats.t(n - 1).sf(least) <= 2.0 * sqrt(n) * exp(-y * (n - 2) / n)


def test_the_index_of_many_rewards_is_that_of_a_known_sigma() -> None:
    known, unknown = rbmle.Gaussian(2.0), GaussianUnknown(2.0, 1e6)
    for f in ("mean_index", "stable_index"):
        width = getattr(known, f)(1e6, 0.0, 30.0)
        assert getattr(unknown, f)(1e6, 0.0, 30.0) == pytest.approx(width, rel=1e-6)
    assert unknown.kl_upper(0.0, 1e-5) == pytest.approx(known.kl_upper(0.0, 1e-5), rel=1e-4)
    assert unknown.posterior_quantile(1e6, 0.0, 0.01) == pytest.approx(
        known.flat().posterior_quantile(1e6, 0.0, 0.01), rel=1e-5
    )


def test_the_bound_is_that_of_cowan_honda_and_katehakis() -> None:
    rewards = np.random.default_rng(2).normal(1.0, 3.0, 9)
    arms, t = arms_of(rewards.tolist()), 500
    index = rbmle.KLUCB().index_of(GaussianUnknown(), arms, 0, log(t))
    expected = rewards.mean() + rewards.std() * sqrt(t ** (2.0 / (9 - 2)) - 1.0)
    assert index == pytest.approx(expected, rel=1e-12)
    score = rbmle.IMED().index_of(GaussianUnknown(), arms, 0, 4.0)
    gap = (4.0 - rewards.mean()) / rewards.std()
    assert score == pytest.approx(-(3.5 * log1p(gap * gap) + log(9)), abs=GRID / 2)


def test_the_posterior_is_the_average_over_sigma_under_the_flat_prior() -> None:
    rewards = np.random.default_rng(3).normal(0.0, 1.0, 7)
    family = GaussianUnknown(rewards.std(), 7.0)
    sds = np.exp(np.linspace(-5.0, 6.0, 4001))

    def density(mean: float) -> float:
        logs = -7.0 * np.log(sds) - ((rewards - mean) ** 2).sum() / (2.0 * sds * sds)
        return float(np.trapezoid(np.exp(logs), sds))

    here, there = (rewards.mean() + x for x in (0.2, 1.1))
    tails = [
        family.posterior_tail(7.0, rewards.sum(), x + h)
        for x in (here, there)
        for h in (-1e-4, 1e-4)
    ]
    ratio = (tails[0] - tails[1]) / (tails[2] - tails[3])
    assert ratio == pytest.approx(density(here) / density(there), rel=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("policy", READERS, ids=str)
def test_no_policy_reads_sigma_and_no_unit_matters(policy: object) -> None:
    """Whatever sigma the family has; and with rewards shifted, and in another unit, but where f is
    "mean", whose alpha has the unit of rewards."""
    problem = rbmle.Problem(GaussianUnknown(0.5), [0.0, 1.0])
    other = rbmle.Problem(GaussianUnknown(4.0), [-16.0, -8.0])
    seen = rbmle.simulate(problem, [policy], 300, 3, seed=5, family=GaussianUnknown()).pulls
    again = rbmle.simulate(problem, [policy], 300, 3, seed=5, family=GaussianUnknown(9.0)).pulls
    assert (seen == again).all()
    if policy != rbmle.RBMLE(f="mean"):
        moved = rbmle.simulate(other, [policy], 300, 3, seed=5, family=GaussianUnknown()).pulls
        assert (seen == moved).all()


@pytest.mark.slow
@pytest.mark.parametrize("policy", READERS, ids=str)
def test_every_arm_is_pulled_four_times_first(policy: object) -> None:
    """Where a policy draws an arm by its weight, as Maillard sampling does, in all likelihood."""
    problem = rbmle.Problem(GaussianUnknown(), [0.0, 50.0, -50.0])
    pulls = rbmle.simulate(problem, [policy], 60, 8, seed=2, family=GaussianUnknown()).pulls
    assert pulls.min() >= (2 if policy == rbmle.MaillardSampling() else 4)


def test_ts_ucb_pulls_arms_without_a_posterior_before_all_others() -> None:
    """A draw of such an arm is infinite, and with it the largest draw for all arms."""
    problem = rbmle.Problem(GaussianUnknown(), [0.0, 0.5, 1.0])
    assert (rbmle.simulate(problem, [rbmle.TSUCB(draws=3)], 12, 8).pulls == 4.0).all()


def test_rewards_that_are_all_equal() -> None:
    """They are known for certain; but RBMLE plays them for as long as alpha asks for it."""
    arms, family = arms_of([2.0] * 5, [1.0, 2.5, 3.0, 1.5]), GaussianUnknown()
    assert rbmle.KLUCB().index_of(family, arms, 0, 3.0) == 2.0
    assert family.given(arms, 0).posterior_quantile(5.0, 10.0, 0.01) == 2.0
    assert family.given(arms, 0).posterior_tail(5.0, 10.0, 2.1) == 0.0
    assert rbmle.IMED().index_of(family, arms, 0, 3.0) == -inf
    assert rbmle.RBMLE().index_of(family, arms, 0, 2.0) == 2.0
    assert rbmle.RBMLE().index_of(family, arms, 0, 2.5) == inf


def test_what_an_arm_is_worth_is_its_index() -> None:
    """Of RBMLE, in the unit of rewards: what a cost is set against."""
    arms = arms_of(np.random.default_rng(4).normal(1.0, 2.0, 40).tolist())
    for f in ("canonical", "mean", "stable"):
        policy = rbmle.RBMLE(f=f)
        worth = policy.worth(np.zeros(1), GaussianUnknown(), arms, 0, 3.0, Draws(1, 0, 0, 3, True))
        assert worth == pytest.approx(policy.index_of(GaussianUnknown(), arms, 0, 3.0), rel=1e-12)


def test_what_does_not_fit_is_refused() -> None:
    problem = rbmle.Problem(GaussianUnknown(), [0.0, 1.0])
    for policy in ("track_and_stop", "toptwo", "glrklucb", "kg", "ids", "recommended"):
        with pytest.raises(rbmle.errors.ParameterError, match="family"):
            rbmle.simulate(problem, [policy.replace("_", "")], 10, 1)
    with pytest.raises(rbmle.errors.ParameterError, match="'search' must be 'exact'"):
        rbmle.simulate(problem, [rbmle.KLUCB(search="published")], 10, 1)
    with pytest.raises(rbmle.errors.ParameterError, match="only parameter is the mean"):
        rbmle.simulate(problem, [rbmle.RBMLE(rbmle.ArmBias())], 10, 1)
    with pytest.raises(rbmle.errors.ParameterError, match="only parameter is the mean"):
        rbmle.theory.k_star(GaussianUnknown(), 1.0, 0.0)
