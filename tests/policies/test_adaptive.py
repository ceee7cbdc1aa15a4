"""Algorithms 1 to 3 in runs where the estimated gap becomes positive: when C_alpha takes over."""

from __future__ import annotations

from math import inf, log, sqrt

import numpy as np
import pytest
import scipy.stats
from numba import njit

from rbmle import theory
from rbmle.engine import simulate
from rbmle.families import Bernoulli, Exponential, Gamma, Gaussian
from rbmle.policies import RBMLE, AdaptiveBernoulli, AdaptiveExponential, AdaptiveGaussian
from rbmle.policies.arms import Arms, Clock
from rbmle.random import Counter, key
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import RewardStream, Stream

GAMMA = AdaptiveExponential(2 / sqrt(200) + 1e-9, 0.01, 0.45, lower=0.1, power=1.5)
RUNS = {
    "Algorithm 1": (Problem(Gaussian(0.05), [0.5, 1.0]), AdaptiveGaussian(0.05), 20_000),
    "Algorithm 1, four arms": (
        Problem(Gaussian(0.05), [0.5, 1.0, 0.2, 0.3]),
        AdaptiveGaussian(0.05),
        20_000,
    ),
    "Algorithm 1, proof": (
        Problem(Gaussian(0.05), [0.0, 1.0]),
        AdaptiveGaussian(0.05, power=1.0, constant="proof"),
        20_000,
    ),
    "Algorithm 2": (Problem(Bernoulli(), [0.9, 0.1]), AdaptiveBernoulli(0.45, power=2.0), 100_000),
    "Algorithm 3": (Problem(Gamma(200.0), [1.0, 0.2]), GAMMA, 50_000),
}

every_run = pytest.mark.parametrize("name", RUNS)


@pytest.fixture(scope="module")
def traces():
    return {
        name: theory.adaptive_trace(problem, bias, horizon, seed=11)
        for name, (problem, bias, horizon) in RUNS.items()
    }


@pytest.mark.slow
@every_run
def test_beta_governs_first_then_the_estimate(traces, name):
    trace = traces[name]
    start = trace.takes_over
    assert start is not None
    assert start < trace.rounds[-1] / 5
    before, after = trace.rounds < start, trace.rounds > 2 * start
    assert before.sum() > 2
    assert (trace.c_alpha[before] >= trace.beta[before]).all()
    assert (trace.c_alpha[after] < trace.beta[after]).all()
    assert (np.diff(trace.beta) > 0).all()


@pytest.mark.slow
@every_run
def test_the_estimate_comes_down_to_its_target_from_above(traces, name):
    trace = traces[name]
    quarters = [np.median(part[part < inf]) for part in np.array_split(trace.c_alpha, 50)]
    assert trace.c_alpha.min() > trace.target
    assert quarters[-1] < quarters[0]
    assert quarters[-1] < trace.c_alpha[trace.rounds == trace.takes_over][0]


@pytest.mark.slow
@every_run
def test_and_stops_at_its_limit_which_is_not_the_target(traces, name):
    """The other arms' pulls grow like log t, as do their squared widths' numerators: so the widths
    do not shrink."""
    trace = traces[name]
    last = np.median(trace.c_alpha[-trace.rounds.size // 10 :])
    assert last == pytest.approx(trace.limit, rel=0.12)
    assert last > 1.05 * trace.target


def test_the_limit_of_algorithm_1_in_closed_form():
    """Two arms: the estimated gap is r Delta with r + sqrt((N + 2) r / 64) = 1."""
    problem = Problem(Gaussian(0.05), [0.5, 1.0])
    for constant, factor in (("text", 4 / 64), ("proof", 1 / 64)):
        bias = AdaptiveGaussian(0.05, constant=constant)
        r = theory.adaptive_target(problem, bias) / theory.adaptive_limit(problem, bias)
        assert r + sqrt(factor * r) == pytest.approx(1.0, rel=1e-9)


@pytest.mark.slow
def test_the_estimate_never_takes_over_where_the_paper_ran_it():
    """sigma = 1 and beta = sqrt(log t): with the largest gap of the paper's means, and with 1."""
    for gap in (0.01, 1.0):
        trace = theory.adaptive_trace(Problem(Gaussian(), [0.0, gap]), AdaptiveGaussian(), 20_000)
        assert trace.takes_over is None
        assert trace.target == pytest.approx(256 / gap)
    zero = theory.adaptive_trace(Problem(Exponential(), [1.0, 0.1]), AdaptiveExponential(), 2000)
    assert zero.target == zero.limit == inf
    assert (zero.c_alpha == inf).all()


@pytest.mark.slow
@every_run
def test_the_trace_is_the_run(traces, name):
    problem, bias, horizon = RUNS[name]
    result = simulate(problem, [RBMLE(bias)], horizon, 1, RewardStream(11))
    assert result.pulls[0, 0].tolist() == traces[name].pulls.tolist()


@pytest.mark.slow
def test_the_estimate_saves_pulls_once_it_governs():
    problem, horizon = Problem(Gaussian(0.05), [0.5, 1.0]), 20_000
    policies = [RBMLE(AdaptiveGaussian(0.05)), RBMLE()]
    result = simulate(problem, policies, horizon, 30, RewardStream(2))
    adaptive, beta = result.final_regret.mean(axis=1)
    assert adaptive < 0.75 * beta


@njit
def misses(policy, bias, family, source, randomness, replications, horizon, means, out):
    """out[0, t]: how often some mean was outside its bounds before round t; out[1, t] and out[2,
    t]: how often the gap was overestimated and the best mean underestimated."""
    n_arms = means.size
    best = means.max()
    gap = best - np.sort(means)[-2]
    for replication in range(replications):
        arms = Arms(np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms), np.zeros(n_arms))
        state = np.zeros(0)
        for t in range(1, horizon + 1):
            clock = Clock(t, 0)
            if t > n_arms:
                missed = False
                for i in range(n_arms):
                    width = bias.width(arms.pulls[i], n_arms, clock.log_t())
                    missed = missed or abs(arms.mean(i) - means[i]) > width
                estimate, top = bias.gap_and_top(arms, clock, -np.inf, np.inf)
                out[0, t] += missed
                out[1, t] += estimate > gap
                out[2, t] += top < best
            i = policy.choose(state, family, arms, clock, randomness.at(replication, t))
            arms.learn(i, source.reward(replication, t, i))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("problem", "bias"),
    [
        (Problem(Gaussian(0.5), [0.5, 1.0]), AdaptiveGaussian(0.5)),
        (Problem(Bernoulli(), [0.5, 0.8]), AdaptiveBernoulli()),
        (Problem(Exponential(), [1.0, 0.5]), AdaptiveExponential(2.0, 2.0)),
    ],
    ids=repr,
)
def test_bounds_cover_the_means_at_the_rate_of_the_analysis(problem, bias):
    """Each bound fails with probability 2 t^-(N + 2) at each number of pulls, of which there are
    at most t: N sums of 2 t^-(N + 1) in all. With these bounds the estimates err on the safe side.
    """
    replications, horizon, n_arms = 20_000, 60, problem.n_arms
    out = np.zeros((3, horizon + 1))
    source = Stream(problem.law, np.array(problem.means), *key(3))
    misses(
        RBMLE(bias), bias, problem.law, source, Counter(*key(3), True), replications, horizon,
        np.array(problem.means), out,
    )  # fmt: skip
    t = np.arange(n_arms + 1, horizon + 1)
    rate = 2.0 * n_arms * t ** -(n_arms + 1.0)
    spread = 4.0 * np.sqrt(rate / replications) + 4.0 / replications
    for counts in out:
        assert (counts[t] / replications <= rate + spread).all()
    assert (out[1] <= out[0]).all()  # both only where a bound fails
    assert (out[2] <= out[0]).all()
    if isinstance(bias, AdaptiveGaussian):
        assert out[0].sum() > 100  # misses do happen, so the test is not vacuous


@pytest.mark.parametrize("t", [2, 3, 5, 20])
@pytest.mark.parametrize("n", [1, 10, 200])
def test_widths_against_exact_tails(t, n):
    """The widths of Algorithms 1 and 3 hold at their rate for each n; the width that the appendix's
    tail bound gives, without n under the root, does not."""
    n_arms = 2
    rate, log_t = 2.0 * t ** -(n_arms + 2.0), log(t)
    assert 2 * scipy.stats.norm.sf(AdaptiveGaussian().width(n, n_arms, log_t) * sqrt(n)) < rate

    def tail(bounds):
        width = AdaptiveExponential(2.0, 2.0, bounds=bounds).width(n, n_arms, log_t)
        total = scipy.stats.gamma(n)
        return total.sf(n * (1 + width)) + total.cdf(n * (1 - width))

    assert tail("tail") < rate
    assert tail("appendix") > rate or n < 200


def test_printed_widths_fail_for_many_pulls():
    """10,000 exponential rewards, t = 20: claimed 1.25e-5, in truth 0.62 and 0.15."""
    n, n_arms, log_t = 10_000, 2, log(20)
    total = scipy.stats.gamma(n)
    for bounds in ("appendix", "text"):
        width = AdaptiveExponential(2.0, 2.0, bounds=bounds).width(n, n_arms, log_t)
        missed = total.sf(n * (1 + width)) + total.cdf(n * (1 - width))
        assert missed > 0.05 > 1000 * 2 * 20.0**-4
