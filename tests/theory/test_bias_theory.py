"""The theory of RBMLE with any f: docs/explanation/mathematics.md, "Another f", claim by claim."""

from math import asin, exp, inf, log, sqrt

import numpy as np
import pytest
from scipy import stats
from tiers import tiered

from rbmle.engine import simulate
from rbmle.families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from rbmle.policies import RBMLE, BetaBias, LogBias
from rbmle.rewards.problems import Problem

COIN, COUNT, SCALE, NORMAL = Bernoulli(), Poisson(), Exponential(), Gaussian(1.0)
# (family, name of its index, g)
CASES = [
    (COIN, "bias_index", lambda x: log(x / (1.0 - x))),
    (COIN, "mean_index", lambda x: x),
    (COIN, "stable_index", lambda x: 2.0 * asin(sqrt(x))),
    (COUNT, "bias_index", log),
    (COUNT, "mean_index", lambda x: x),
    (COUNT, "stable_index", lambda x: 2.0 * sqrt(x)),
    (SCALE, "bias_index", lambda x: -1.0 / x),
    (SCALE, "mean_index", log),
]
IDS = [f"{type(family).__name__}-{name}" for family, name, _ in CASES]


def in_core(case):
    return isinstance(case[0], Bernoulli) and case[1] == "mean_index"


def in_units(family, name, n, total, alpha):
    """The index in units of alpha."""
    found = getattr(family, name)(n, total, alpha)
    return found / alpha if name == "bias_index" else found


def k_g(family, g, mean, other):
    """K_g: the supremum over theta > mean of (g(theta) - g(mean)) / D(other, theta)."""
    high = family.mean_range()[1]
    steps = np.geomspace(1e-6, 1.0 - 1e-9 if high < inf else 1e9, 4000)
    thetas = mean + steps * (high - mean if high < inf else 1.0)
    return max((g(float(x)) - g(mean)) / family.kl(other, float(x)) for x in thetas if x < high)


@pytest.mark.parametrize(("family", "name", "g"), tiered(CASES, in_core), ids=IDS)
def test_an_arm_is_left_alone_after_k_g_alpha_pulls(family, name, g):
    mean, other, alpha = 0.6, 0.45, 30.0
    k = k_g(family, g, mean, other)
    for factor, below in ((1.001, True), (0.98, False)):
        n = factor * k * alpha
        assert (in_units(family, name, n, n * other, alpha) <= g(mean)) == below
    n = 2.0 * k * alpha
    assert in_units(family, name, n, 0.3 * n, alpha) < g(mean)


@pytest.mark.parametrize(("family", "name", "g"), tiered(CASES, in_core), ids=IDS)
def test_k_g_of_close_means(family, name, g):
    """K_g is about g'^2 V / (2 (g(theta') - g(theta''))), as long as it exceeds its value at the
    end of the range."""
    mean, other = 0.5, 0.495
    slope = (g(mean + 1e-5) - g(mean - 1e-5)) / 2e-5
    expected = slope**2 * family.variance(mean) / (2.0 * (g(mean) - g(other)))
    assert k_g(family, g, mean, other) == pytest.approx(expected, rel=0.05)


def lost(family, name, g, n, alpha, best, other):
    """The probability that the best arm's index after n pulls is at most alpha g(other)."""
    if isinstance(family, Bernoulli):
        totals, law = np.arange(n + 1), stats.binom(n, best)
    else:
        totals, law = np.arange(int(n * best) + 1), stats.poisson(n * best)
    totals = totals.astype(float).tolist()
    bad = [s for s in totals if in_units(family, name, float(n), s, alpha) <= g(other)]
    return float(law.cdf(max(bad))) if bad else 0.0


@pytest.mark.parametrize(("family", "name", "g"), tiered(CASES[:6], in_core), ids=IDS[:6])
def test_the_best_arm_is_lost_with_probability_below_exp_of_alpha(family, name, g):
    """At every n; and at the worst n the exponent is the right one, up to a quarter."""
    best, other = 0.6, 0.4
    rise = g(best) - g(other)
    alpha = 12.0 / rise
    found = [lost(family, name, g, n, alpha, best, other) for n in range(1, 400)]
    assert max(found) <= exp(-alpha * rise)
    assert max(found) >= exp(-1.25 * alpha * rise)


@pytest.mark.slow
def test_the_best_exponential_arm_is_lost_as_seldom():
    best, other, alpha = 1.0, 0.5, 8.0
    for name, g in (("bias_index", lambda x: -1.0 / x), ("mean_index", log)):
        worst = 0.0
        for n in range(9, 200):
            totals = np.linspace(1e-3, 1.0, 400) * n * best
            bad = [s for s in totals if in_units(SCALE, name, float(n), s, alpha) <= g(other)]
            worst = max(worst, stats.gamma(n, scale=best).cdf(max(bad)) if bad else 0.0)
        assert 0.0 < worst <= exp(-alpha * (g(best) - g(other)))


def bound(g, means, alpha, horizon):
    """The bound on the pulls of the second arm, the least over some theta' and epsilon."""
    best, other = means
    rounds = np.arange(1.0, horizon + 1.0)
    least = inf
    for share in (0.3, 0.5, 0.7, 0.9):
        for part in (0.1, 0.3, 0.6):
            between = other + share * (best - other)
            seen = other + part * (between - other)
            late = (rounds * np.exp(-alpha(rounds) * (g(best) - g(between)))).sum()
            early = 1.0 / (exp(COIN.kl(seen, other)) - 1.0)
            found = 2.0 + alpha(horizon) * k_g(COIN, g, between, seen) + early + late
            least = min(least, float(found))
    return least


@pytest.mark.slow
@pytest.mark.parametrize("f", ["mean", "stable"])
def test_regret_is_below_its_bound(f):
    means, horizon = [0.9, 0.3], 5000
    g = {"mean": lambda x: x, "stable": lambda x: 2.0 * asin(sqrt(x))}[f]
    for bias, alpha in (
        (LogBias(12.0), lambda t: 12.0 * np.log(t)),
        (BetaBias(0.5, 4.0), lambda t: 4.0 * np.log(t) ** 1.5),
    ):
        played = simulate(Problem(COIN, means), [RBMLE(bias, f=f)], horizon, 50, seed=1)
        limit = bound(g, means, alpha, horizon)
        assert played.pulls[0, :, 1].mean() < limit < 0.3 * horizon


# (family, means, f, g(theta_1) - g(theta_2)), as in the table of docs/explanation/mathematics.md
CONSTANTS = [
    (SCALE, [100.0, 50.0], "mean", log(2.0)),
    (COIN, [0.6, 0.4], "mean", 0.2),
    (COIN, [0.6, 0.4], "stable", 2.0 * (asin(sqrt(0.6)) - asin(sqrt(0.4)))),
    (Binomial(4), [2.0, 1.0], "mean", 1.0),
    (Gaussian(2.0), [1.0, 0.0], "mean", 1.0),
    (Gaussian(2.0), [1.0, 0.0], "stable", 0.5),
    (Gaussian(2.0), [1.0, 0.0], "canonical", 0.25),
    (COUNT, [2.0, 1.0], "mean", 1.0),
    (COUNT, [2.0, 1.0], "stable", 2.0 * (sqrt(2.0) - 1.0)),
    (SCALE, [2.0, 1.0], "canonical", 0.5),
    (Gamma(4.0), [100.0, 50.0], "mean", log(2.0)),
    (Gamma(4.0), [100.0, 50.0], "stable", 2.0 * log(2.0)),
    (Gamma(4.0), [2.0, 1.0], "canonical", 2.0),
]


@pytest.mark.slow
@pytest.mark.parametrize(("family", "means", "f", "rise"), CONSTANTS)
def test_too_small_a_constant(family, means, f, rise):
    """Measured over 32 times as many rounds: with C (g(theta_1) - g(theta_2)) = 0.2 regret grows
    by more than 10, with 2.5 by less than 2, as log T does."""
    marks = [2_000, 64_000]
    policies = [RBMLE(share / rise, f=f) for share in (0.2, 2.5)]
    result = simulate(Problem(family, means), policies, marks[1], 200, seed=1, checkpoints=marks)
    few, enough = result.regret.mean(axis=1)
    assert few[1] > 10.0 * few[0]
    assert enough[1] < 2.0 * enough[0]


@pytest.mark.parametrize("family", tiered([SCALE, Gamma(4.0)], core=lambda each: each == SCALE))
def test_the_gap_alone_does_not_tell_the_constant(family):
    """With f = mean, g is log theta for these two: 2.5 / gap is below 2 / log(theta_1 / theta_2),
    and regret is linear."""
    marks, policies = [1_000, 8_000], [RBMLE(c, f="mean") for c in (2.5 / 50.0, 2.5 / log(2.0))]
    result = simulate(
        Problem(family, [100.0, 50.0]), policies, 8_000, 100, seed=1, checkpoints=marks
    )
    few, enough = result.regret.mean(axis=1)
    assert few[1] > 7.0 * few[0]
    assert enough[1] < 2.0 * enough[0]
