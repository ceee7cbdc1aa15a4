"""The champion test and ceilings: bounds hold everywhere, and choices are the scan's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import tiered

from rbmle.choosers.index_bounds import BayesUCBBounds, KLUCBBounds
from rbmle.choosers.promises import bounds_for, rising_for
from rbmle.engine import simulate
from rbmle.families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from rbmle.policies import KLUCB, BayesUCB
from rbmle.policies.arms import Arms
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import RewardStream, Table
from rbmle.testing import easy_problem

FAMILIES = [Bernoulli(), Gaussian(), Exponential(), Poisson(), Gamma(2.0), Binomial(5)]
RULES = [KLUCB(), KLUCB(search="published"), KLUCB(plus=True), BayesUCB()]


@pytest.mark.pairs
@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_few_solved_arms_choose_as_all_do(by_each_chooser, rule, family):
    """On streams of rewards, with ties at random: regret equal at every checkpoint."""
    _, high = family.mean_range()
    means = np.linspace(0.3, 0.7, 8) * min(high, 2.0)
    problems = [Problem(family, means), easy_problem(family)]
    if bounds_for(rule, family) is None:
        pytest.skip("a closed form: nothing is solved")
    for problem in problems:

        def play(problem=problem):
            return simulate(problem, [rule], 1500, 6, RewardStream(4))

        scan, *others = by_each_chooser(rule, family, play)
        for other in others:
            assert np.array_equal(scan.regret, other.regret)
            assert np.array_equal(scan.pulls, other.pulls)


@pytest.mark.pairs
@pytest.mark.parametrize("ties", ["random", "first"])
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_ties_are_broken_the_same_way(by_each_chooser, rule, ties):
    """Rewards that make many arms equal in every round: all, none, or every other one pays."""
    rounds = 400
    by_turns = np.indices((rounds, 6)).sum(axis=0) % 2
    table = np.stack([np.ones((rounds, 6)), np.zeros((rounds, 6)), by_turns])
    problem = Problem(Bernoulli(), [0.5, 0.6, 0.5, 0.5, 0.6, 0.4])
    scan, *others = by_each_chooser(
        rule, Bernoulli(), lambda: simulate(problem, [rule], rounds, 3, Table(table), ties=ties)
    )
    for other in others:
        assert np.array_equal(scan.pulls, other.pulls)


def test_tails_are_those_of_the_quantiles():
    for family in FAMILIES:
        for tail in (1e-8, 1e-3, 0.4):
            value = family.posterior_quantile(30.0, 12.0, tail)
            assert family.posterior_tail(30.0, 12.0, value) == pytest.approx(tail, rel=1e-9)


# The bounds that the champion test uses: valid everywhere, and close where choices are made.

PULLS = st.floats(1.0, 1e7) | st.integers(1, 2000).map(float)
SHARE = st.floats(1e-30, 1.0) | st.sampled_from([0.0, 1e-12, 1e-3, 0.5, 0.999, 1.0 - 1e-12, 1.0])
LEVEL = st.floats(1e-3, 60.0) | st.sampled_from([1e-9, 0.1, 2.3, 9.2])
COUNTS = [Bernoulli(), Binomial(5), Bernoulli(0.01, 30.0), Poisson(), Poisson(0.5, 3.0)]
SCALES = [Exponential(), Gamma(2.0), Gamma(0.3, 2.5, 0.1), Gaussian(), Gaussian(3.0, 1.0, 0.2)]


def in_core(family):
    return isinstance(family, (Bernoulli, Exponential))


@pytest.mark.parametrize("family", tiered(COUNTS + SCALES, in_core, "pairs"), ids=repr)
@settings(max_examples=400, derandomize=True, deadline=None)
@given(pulls=PULLS, share=SHARE, level=LEVEL, ahead=st.floats(1e-9, 3.0))
def test_bounds_of_divergences(family, pulls, share, level, ahead):
    """A lower bound is at most what the solver finds, a ceiling is above it, also at lower levels,
    and no divergence is overstated."""
    _, high = family.mean_range()
    mean = share * min(high, 3.0)
    arms = Arms(np.array([pulls]), np.array([pulls * mean]), np.array([0.0]))
    higher = level + np.log(pulls)  # at which KL-UCB+ allows about `level`
    for rule, at in (
        (KLUCB(), level), (KLUCB(search="published"), level), (KLUCB(plus=True), higher)
    ):  # fmt: skip
        index = rule.index_of(family, arms, 0, at)
        bounds = KLUCBBounds(rule)
        assert bounds.index_below(family, arms, 0, at) <= index + 1e-14 * abs(index)
        for value in (index, index * (1.0 - 1e-13), index - ahead):
            assert not bounds.surely_below(family, arms, 0, at, value)
        if (rising := rising_for(rule, family)) is not None:
            ceiling = rising.ceiling(family, arms, 0, at)
            assert index < ceiling
            assert rule.index_of(family, arms, 0, at / 2.0) < ceiling
    other = mean + ahead * (high - mean) / 3.0 if high < np.inf else mean + ahead
    if mean < other < high:
        assert family.kl_below(mean, other) <= min(
            family.kl(mean, other) * (1.0 + 1e-12), family.clipped_kl(mean, other) * (1.0 + 1e-12)
        )


@pytest.mark.parametrize("family", tiered(COUNTS + SCALES, in_core, "pairs"), ids=repr)
@settings(max_examples=400, derandomize=True, deadline=None)
@given(pulls=PULLS, share=SHARE, log_tail=st.floats(0.0, 60.0), ahead=st.floats(1e-9, 3.0))
def test_bounds_of_tails(family, pulls, share, log_tail, ahead):
    """A lower bound is at most the quantile, a ceiling is above it, also at larger tails, and an
    upper bound is at least the tail."""
    _, high = family.mean_range()
    total, tail = pulls * share * min(high, 3.0), np.exp(-log_tail)
    arms = Arms(np.array([pulls]), np.array([total]), np.array([0.0]))
    index, bounds = BayesUCB().index_of(family, arms, 0, tail), BayesUCBBounds(BayesUCB())
    assert bounds.index_below(family, arms, 0, tail) <= index * (1.0 + 1e-14) or index < 0.0
    for value in (index, index - ahead):
        assert not bounds.surely_below(family, arms, 0, tail, value)
    ceiling = rising_for(BayesUCB(), family).ceiling(family, arms, 0, tail)
    assert index < ceiling
    assert BayesUCB().index_of(family, arms, 0, min(2.0 * tail, 1.0)) < ceiling
    value = index + ahead
    if value < high:
        above = family.posterior_tail_above(pulls, total, value)
        tail = family.posterior_tail(pulls, total, value)
        assert above >= tail * (1.0 - 1e-10) or tail < 1e-300  # digits are lost down there


@pytest.mark.parametrize("family", [f for f in COUNTS + SCALES if f != Gaussian()], ids=repr)
def test_bounds_are_close(family):
    """Loose bounds would mean that indices are solved in most rounds."""
    _, high = family.mean_range()
    for pulls in (50.0, 400.0, 5000.0):
        total = pulls * 0.4 * min(high, 2.0)
        arms, level = Arms(np.array([pulls]), np.array([total]), np.array([0.0])), 9.0
        for rule, at, least in ((KLUCB(), level, 2e-4), (BayesUCB(), np.exp(-level), 5e-3)):
            index = rule.index_of(family, arms, 0, at)
            width = index - arms.mean(0)
            bounds = bounds_for(rule, family)
            if bounds is not None:
                assert bounds.index_below(family, arms, 0, at) >= index - least * width
                assert bounds.surely_below(family, arms, 0, at, index + 5e-3 * width)
