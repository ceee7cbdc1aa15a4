"""IDS and VIDS: posteriors are integrated accurately, and the least information ratio is found."""

import itertools
from decimal import Decimal

import numpy as np
import pytest
from numba import njit
from scipy import integrate, stats

from rbmle.engine import simulate
from rbmle.families import Bernoulli, Exponential, Gaussian
from rbmle.policies import IDS, VIDS
from rbmle.policies.arms import Arms
from rbmle.policies.base import fresh_state
from rbmle.policies.ids import best_odds, dominated, ratio
from rbmle.policies.quadrature_panels import MAX_PANELS
from rbmle.random import Draws
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import RewardStream

POSTERIORS = {
    Bernoulli: lambda n, s: stats.beta(1 + s, 1 + n - s),
    Gaussian: lambda n, s: stats.norm(s / (n + 1), (n + 1) ** -0.5),
    Exponential: lambda n, s: stats.invgamma(1 + n, scale=1 + s),
}

# Posteriors alike, posteriors of very different widths, and ones that a grid of 100 points on
# [0, 1] would not see: 1e6 pulls leave a standard deviation of 5e-4.
HISTORIES = {
    Bernoulli: [
        ([1, 1, 1], [0, 1, 1]),
        ([10, 20, 1e5, 3], [5, 12, 55000, 1]),
        ([1e6, 1e6, 40], [700_000, 699_500, 28]),
        ([5000, 5000], [5000, 4998]),
    ],
    Gaussian: [
        ([1, 1, 1], [-0.3, 0.2, 1.1]),
        ([10, 20, 1e6, 3], [5, 12, 5.5e5, 1]),
        ([1e6, 1e6, 1e6], [1e5, 1.001e5, 1.002e5]),
    ],
    Exponential: [
        ([1, 1, 1], [0.2, 1.4, 0.6]),
        ([1, 2, 1e4, 30], [0.5, 0.7, 3e3, 12]),
        ([1e5, 1e5], [3e4, 3.01e4]),
    ],
}
CASES = [(family, *history) for family in HISTORIES for history in HISTORIES[family]]


@njit
def quadrature(state, family, arms):
    state.solve(family, arms)


@njit
def monte_carlo(state, family, arms, rng):
    state.draw_jointly(family, arms, rng)


def fresh_beliefs(policy, family, n_arms):
    state = fresh_state(policy, family, n_arms)
    return policy.beliefs_in(state[1:], n_arms)


def arms_of(pulls, sums):
    return Arms(np.array(pulls, float), np.array(sums, float), np.zeros(len(pulls)))


def believe(family, pulls, sums):
    state = fresh_beliefs(VIDS(), family, len(pulls))
    quadrature(state, family, arms_of(pulls, sums))
    return state


def reference(posteriors):
    """p_a and E[theta_j | A* = a] p_a by SciPy's adaptive quadrature."""
    low = max(each.ppf(1e-15) for each in posteriors)
    high = max(each.isf(1e-15) for each in posteriors)
    levels = [1e-9, 1e-6, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-6, 1 - 1e-9]
    inner = {each.ppf(q) for each in posteriors for q in levels}
    ends = [low, *sorted(x for x in inner if low < x < high), high]

    def integral(f):
        pieces = itertools.pairwise(ends)
        return sum(integrate.quad(f, a, b, epsabs=1e-13, epsrel=1e-11)[0] for a, b in pieces)

    def others_below(x, a):
        return np.prod([d.cdf(x) for j, d in enumerate(posteriors) if j != a])

    best = [integral(lambda x, a=a, d=d: d.pdf(x) * others_below(x, a)) for a, d in
            enumerate(posteriors)]  # fmt: skip
    top = [integral(lambda x, a=a, d=d: x * d.pdf(x) * others_below(x, a)) for a, d in
           enumerate(posteriors)]  # fmt: skip
    return np.array(best), np.array(top)


@pytest.mark.pairs
@pytest.mark.parametrize(("family", "pulls", "sums"), CASES)
def test_quadrature_is_accurate(family, pulls, sums):
    state = believe(family(), pulls, sums)
    posteriors = [POSTERIORS[family](n, s) for n, s in zip(pulls, sums, strict=True)]
    best, top = reference(posteriors)
    np.testing.assert_allclose(state.best, best, atol=1e-9)
    np.testing.assert_allclose(
        state.best * np.diag(state.given.reshape((len(state.best), -1))), top, atol=1e-8
    )
    assert 0 < state.panels[0] < MAX_PANELS


@pytest.mark.pairs
@pytest.mark.parametrize(("family", "pulls", "sums"), CASES)
def test_conditional_means_average_to_the_posterior_mean(family, pulls, sums):
    """The law of total expectation."""
    state = believe(family(), pulls, sums)
    np.testing.assert_allclose(state.best.sum(), 1.0, atol=1e-15)
    np.testing.assert_allclose(
        state.best @ state.given.reshape((len(state.best), -1)), state.means, rtol=1e-9
    )


@pytest.mark.pairs
@pytest.mark.parametrize("family", HISTORIES)
def test_arms_of_all_widths(family):
    pulls, sums = np.array([2, 7, 60, 900, 20_000]), np.array([1, 4, 28, 440, 10_100])
    state = believe(family(), pulls, sums)
    best, top = reference([POSTERIORS[family](*each) for each in zip(pulls, sums, strict=True)])
    np.testing.assert_allclose(state.best, best, atol=1e-8)
    np.testing.assert_allclose(
        state.best * np.diag(state.given.reshape((len(state.best), -1))), top, atol=1e-8
    )


@pytest.mark.pairs
@pytest.mark.parametrize("family", HISTORIES)
@pytest.mark.parametrize(("n", "total"), [(1, 0.3), (7, 5.0), (400, 130.0)])
def test_a_posterior_is_told_by_its_size_and_mean(family, n, total):
    """In the natural parameter its density falls off as exp(-size D(mean, x)), and the mean below
    x is mean - density / (size F): what `Beliefs` builds on."""
    family, law = family(), POSTERIORS[family](n, total)
    size, mean = family.posterior_size(n), family.posterior_mean(n, total)
    ratios = []
    for x in law.ppf([0.01, 0.3, 0.9]):
        density = law.pdf(x) * family.variance(x)
        ratios.append(density * np.exp(size * family.kl(mean, x)))
        below = x - integrate.quad(law.cdf, law.ppf(1e-14), x, epsabs=1e-13)[0] / law.cdf(x)
        assert below == pytest.approx(mean - density / (size * law.cdf(x)), rel=1e-7)
    np.testing.assert_allclose(ratios, ratios[0], rtol=1e-9)


@pytest.mark.pairs
@pytest.mark.parametrize("family", HISTORIES)
@pytest.mark.parametrize("n", [1, 2, 5, 30, 1000, 1e6])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 1.0])
def test_spans_hold_the_posteriors_and_little_else(family, n, share):
    low, high, sd = family().posterior_span(n, n * share)
    law = POSTERIORS[family](n, n * share)
    ends = family().chart(low), family().chart(high)
    assert law.cdf(ends[0]) < 1.1e-15
    assert law.sf(ends[1]) < 1.1e-15
    assert high - low < 64 * sd


@pytest.mark.pairs
@pytest.mark.parametrize("family", HISTORIES)
def test_tables_kept_from_round_to_round_are_those_made_afresh(family):
    """Whatever came before, the same arms give the same beliefs, bit for bit."""
    rng = np.random.default_rng(5)
    kept = fresh_beliefs(VIDS(), family(), 4)
    pulls, sums = np.ones(4), rng.uniform(0, 1, 4).round()
    for _ in range(300):
        i = rng.integers(4)
        pulls[i] += 1
        sums[i] += float(rng.uniform() < 0.5)
        quadrature(kept, family(), arms_of(pulls, sums))
        fresh = believe(family(), pulls, sums)
        assert np.array_equal(kept.best, fresh.best)
        assert np.array_equal(kept.given, fresh.given)


@pytest.mark.pairs
@pytest.mark.parametrize("family", HISTORIES)
def test_monte_carlo_agrees_with_quadrature(family):
    pulls, sums = [4, 9, 6], [2, 5, 3]
    exact = believe(family(), pulls, sums)
    drawn = fresh_beliefs(VIDS(method="monte_carlo", samples=200_000), family(), 3)
    monte_carlo(drawn, family(), arms_of(pulls, sums), Draws(1, 0, 0, 1, True))
    error = 4.5 * np.sqrt(0.25 / 200_000)
    np.testing.assert_allclose(drawn.best, exact.best, atol=error)
    np.testing.assert_allclose(drawn.given, exact.given, atol=20 * error)


def test_odds_minimise_the_ratio():
    rng = np.random.default_rng(3)
    grid = np.linspace(0.0, 1.0, 20_001)
    for _ in range(200):
        a, c = rng.uniform(0, 1, 2) * 10.0 ** rng.integers(-3, 1)
        g, h = rng.uniform(0, 1, 2) * 10.0 ** rng.integers(-3, 1)
        q = best_odds(a, g, c, h)
        least = ((grid * a + (1 - grid) * c) ** 2 / (grid * g + (1 - grid) * h)).min()
        assert ratio(q * a + (1 - q) * c, q * g + (1 - q) * h) <= least * (1 + 1e-12)
    assert best_odds(0.1, 0.5, 0.1, 0.2) == 1.0
    assert best_odds(0.1, 0.5, 0.3, 0.5) == 1.0
    assert best_odds(0.3, 0.5, 0.1, 0.5) == 0.0


def test_an_arm_that_costs_more_and_tells_less_is_in_no_best_pair():
    rng = np.random.default_rng(4)
    for _ in range(200):
        regret, information = rng.integers(1, 12, (2, 6)) / 10
        kept = [i for i in range(6) if not dominated(i, regret, information)]
        least = {}
        for arms in (tuple(range(6)), tuple(kept)):
            values = []
            for i, j in itertools.product(arms, repeat=2):
                q = best_odds(regret[i], information[i], regret[j], information[j])
                mixed = (q * each[i] + (1 - q) * each[j] for each in (regret, information))
                values.append(ratio(*mixed))
            least[arms] = min(values)
        assert least[tuple(kept)] == pytest.approx(least[tuple(range(6))], rel=1e-12)


def test_divergence_of_close_coins():
    for q in (0.003, 0.4, 0.5, 0.98):
        for shift in (0.11, 0.099, 1e-2, 1e-4, 1e-7, -1e-3, -0.09):
            p = q + shift * min(q, 1 - q)
            exact = Decimal(p) * (Decimal(p) / Decimal(q)).ln()
            exact += (1 - Decimal(p)) * ((1 - Decimal(p)) / (1 - Decimal(q))).ln()
            close = 1e-11 if abs(shift) < 0.1 else 1e-9
            assert Bernoulli().outcome_kl(p, q) == pytest.approx(float(exact), rel=close)
    assert Bernoulli().outcome_kl(0.3, 0.3) == 0.0
    assert Bernoulli().outcome_kl(0.3, 0.0) == np.inf


@pytest.mark.pairs
def test_commitment_is_for_one_replication_only():
    """Once an arm is best with probability `commit` it is played for good; a new replication
    starts free."""
    problem = Problem(Bernoulli(), [0.05, 0.95])
    bold = simulate(problem, [IDS(commit=0.6)], 400, 30, RewardStream(1), checkpoints=[50])
    assert len(np.unique(bold.pulls[0], axis=0)) > 1
    never = simulate(problem, [VIDS(), VIDS(commit=1.0)], 100, 5, RewardStream(1))
    assert np.array_equal(never.regret[0], never.regret[1])
