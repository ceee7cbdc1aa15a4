"""IDS and VIDS with many arms, and with `commit` at 1."""

import numpy as np
import pytest
from numba import njit
from scipy import stats

from rbmle import IDS, VIDS, Bernoulli, Decider, Exponential, Gaussian
from rbmle.policies.arms import Arms
from rbmle.policies.base import fresh_state

pytestmark = pytest.mark.pairs


@njit
def solve(beliefs, family, arms):
    beliefs.solve(family, arms)


def believe(family, pulls, sums):
    policy, n = VIDS(), len(pulls)
    beliefs = policy.beliefs_in(fresh_state(policy, family, n)[1:], n)
    solve(beliefs, family, Arms(np.array(pulls, float), np.array(sums, float), np.zeros(n)))
    return beliefs


def expected_best(beliefs):
    return float(beliefs.best @ np.diag(beliefs.given.reshape((len(beliefs.best), -1))))


MANY = [2, 10, 100, 300]


@pytest.mark.parametrize("n_arms", MANY)
def test_uniform_posteriors(n_arms):
    """K means that are uniform on [0, 1]: each is the best with probability 1/K, the largest is
    K / (K + 1) on average, and the others then K / (2 (K + 1))."""
    beliefs = believe(Bernoulli(0.5, 0.5), [1] * n_arms, [0.5] * n_arms)
    np.testing.assert_allclose(beliefs.best, 1 / n_arms, rtol=1e-9)
    assert expected_best(beliefs) == pytest.approx(n_arms / (n_arms + 1), rel=1e-8)
    others = beliefs.given[1:n_arms]
    np.testing.assert_allclose(others, n_arms / (2 * (n_arms + 1)), rtol=1e-8)


def by_fine_grid(groups):
    """p_a and E[max] of groups of equal posteriors, on 100,000 Gauss-Legendre nodes."""
    low = max(law.ppf(1e-17) for law, _ in groups)
    high = max(law.isf(1e-17) for law, _ in groups)
    chances = np.concatenate([np.geomspace(1e-16, 0.5, 60), 1 - np.geomspace(1e-16, 0.5, 60)])
    ends = np.concatenate([law.ppf(chances) for law, _ in groups] + [np.linspace(low, high, 400)])
    ends = np.unique(ends[(ends >= low) & (ends <= high)])
    x, w = np.polynomial.legendre.leggauss(16)
    half, middle = 0.5 * np.diff(ends), 0.5 * (ends[1:] + ends[:-1])
    at, weight = (middle[:, None] + half[:, None] * x).ravel(), (half[:, None] * w).ravel()
    logs = [np.log(np.maximum(law.cdf(at), 1e-300)) for law, _ in groups]
    product = sum(count * log for log, (_, count) in zip(logs, groups, strict=True))
    shares = [
        weight * law.pdf(at) * np.exp(product - log)
        for log, (law, _) in zip(logs, groups, strict=True)
    ]
    top = sum((at * s).sum() * count for s, (_, count) in zip(shares, groups, strict=True))
    return [s.sum() for s in shares], top


GROUPS = {  # family, then pulls and sum of each group of equal arms, the last of one arm
    "wide": (Bernoulli(), [(1, 1), (1, 0)]),
    "narrow": (Bernoulli(), [(1000, 500), (1000, 480)]),
    "one narrow above many wide": (Bernoulli(), [(2, 1), (100_000, 97_000)]),
    "one wide above many narrow": (Bernoulli(), [(5000, 1500), (2, 1)]),
    "only successes": (Bernoulli(), [(5, 5), (9, 9)]),
    "gaussian": (Gaussian(), [(1, 0.0), (100, 20.0)]),
    "exponential": (Exponential(), [(2, 2.0), (4, 3.0)]),
}
LAWS = {
    Bernoulli: lambda n, s: stats.beta(1 + s, 1 + n - s),
    Gaussian: lambda n, s: stats.norm(s / (n + 1), (n + 1) ** -0.5),
    Exponential: lambda n, s: stats.invgamma(1 + n, scale=1 + s),
}


@pytest.mark.parametrize("n_arms", MANY)
@pytest.mark.parametrize("kind", GROUPS)
def test_wide_narrow_and_mixed_posteriors(kind, n_arms):
    family, (many, one) = GROUPS[kind]
    history = [many] * (n_arms - 1) + [one]
    beliefs = believe(family, [n for n, _ in history], [s for _, s in history])
    law = LAWS[type(family)]
    (each, last), top = by_fine_grid([(law(*many), n_arms - 1), (law(*one), 1)])
    np.testing.assert_allclose(beliefs.best[:-1], each, atol=1e-9 / n_arms, rtol=1e-7)
    assert beliefs.best[-1] == pytest.approx(last, abs=1e-9)
    assert expected_best(beliefs) == pytest.approx(top, rel=1e-8)


def test_what_is_known_depends_on_the_arms_alone():
    """Rewards that come one by one leave the same beliefs as all at once, although panels are
    halved on the way."""
    rng = np.random.default_rng(5)
    n_arms, policy, family = 60, VIDS(), Bernoulli()
    pulls, sums = np.ones(n_arms), rng.integers(0, 2, n_arms).astype(float)
    beliefs = policy.beliefs_in(fresh_state(policy, family, n_arms)[1:], n_arms)
    for _ in range(40):
        arm = rng.integers(n_arms)
        pulls[arm] += 1
        sums[arm] += rng.integers(0, 2)
        solve(beliefs, family, Arms(pulls, sums, sums))
        fresh = believe(family, pulls, sums)
        assert np.array_equal(beliefs.best, fresh.best)
        assert np.array_equal(beliefs.given, fresh.given)


@pytest.mark.parametrize("policy", [IDS(), VIDS()], ids=str)
def test_commit_at_one_never_commits(policy):
    """An arm that was the best for 200 rounds, so that p rounds to 1, and then pays nothing."""
    decider = Decider(["first", "second"], policy, Bernoulli(), seed=1)
    played = []
    for t in range(1, 700):
        arm = decider.pull()
        good = arm == "first" if t <= 200 else arm == "second"
        decider.update(arm, float(good))
        played.append(arm)
    assert played[150:200] == ["first"] * 50
    assert played[-50:] == ["second"] * 50
