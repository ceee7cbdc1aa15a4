"""Cached bounds: bounds on solved indices hold everywhere, and choices are the scan's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played import simulated
from tiers import tiered

from rbmle.choosers import facts_for
from rbmle.families import (
    Bernoulli,
    Binomial,
    Bounded,
    Exponential,
    Gamma,
    Gaussian,
    NegativeBinomial,
    Poisson,
)
from rbmle.policies import (
    GPUCB,
    KG,
    KLUCB,
    MOSS,
    RBMLE,
    UCB,
    ArmBias,
    BayesUCB,
    GPUCBTuned,
    UCBTuned,
)
from rbmle.policies.alpha import RootBias
from rbmle.policies.arms import Arms, Clock
from rbmle.policies.rbmle import recommended
from rbmle.random import Draws
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import RewardStream, Table
from rbmle.testing import easy_problem
from rbmle.testing.policy_checks import makers_of_choosers

FAMILIES = [Bernoulli(), Gaussian(), Exponential(), Poisson(), Gamma(2.0), Binomial(5)]
RULES = [KLUCB(), KLUCB(search="published"), KLUCB(upto="plus"), BayesUCB()]


@pytest.mark.pairs
@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_few_solved_arms_choose_as_all_do(by_each_chooser, rule, family):
    """On streams of rewards, with ties at random: regret equal at every checkpoint."""
    _, high = family.mean_range()
    means = np.linspace(0.3, 0.7, 8) * min(high, 2.0)
    problems = [Problem(family, means), easy_problem(family)]
    if facts_for(rule, family) is None:
        pytest.skip("its search is too rough for bounds")
    for problem in problems:

        def play(chooser, problem=problem):
            return simulated(chooser, problem, rule, 1500, 6, RewardStream(4))

        by_each_chooser(rule, family, problem.n_arms, play)


@pytest.mark.pairs
@pytest.mark.parametrize("ties", ["random", "first"])
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_ties_are_broken_the_same_way(by_each_chooser, rule, ties):
    """Rewards that make many arms equal in every round: all, none, or every other one pays."""
    rounds = 400
    by_turns = np.indices((rounds, 6)).sum(axis=0) % 2
    table = np.stack([np.ones((rounds, 6)), np.zeros((rounds, 6)), by_turns])
    problem = Problem(Bernoulli(), [0.5, 0.6, 0.5, 0.5, 0.6, 0.4])
    by_each_chooser(
        rule,
        Bernoulli(),
        6,
        lambda one: simulated(one, problem, rule, rounds, 3, Table(table), ties),
    )


CASES = [
    (KG(), Gaussian()), (KLUCB(), Bernoulli()), (KLUCB(upto="left"), Bernoulli()),
    (KLUCB(upto="moss"), Exponential()), (recommended("bernoulli"), Bernoulli()),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "family"), CASES, ids=repr)
def test_rounds_may_be_taken_back(policy, family):
    """As when pulls are withdrawn: then more rounds are left than before, or fewer have passed."""
    rng, n = np.random.default_rng(2), 4
    scan, *others = (make(n) for make in makers_of_choosers(policy, family))
    arms, t = Arms.fresh(n), 1
    for _ in range(300):
        clock, draws = Clock(t, 1000), Draws(1, 0, 0, t, True)
        picked = [
            chooser.pick(policy, np.zeros(0), family, arms, clock, draws)
            for chooser in (scan, *others)
        ]
        assert set(picked) == {picked[0]}
        arms.learn(picked[0], float(rng.random() < 0.4 + 0.1 * picked[0]))
        for chooser in others:
            chooser.changed(picked[0])
        t = min(t + 20, 1000) if t < 60 or rng.random() < 0.9 else int(rng.integers(n + 1, t))


def test_tails_are_those_of_the_quantiles():
    for family in FAMILIES:
        for tail in (1e-8, 1e-3, 0.4):
            value = family.posterior_quantile(30.0, 12.0, tail)
            assert family.posterior_tail(30.0, 12.0, value) == pytest.approx(tail, rel=1e-9)


# The bounds on indices: valid everywhere, and close where choices are made.

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
    """A lower bound is at most what the solver finds, an upper bound is above it, also at lower
    levels, and no divergence is overstated."""
    _, high = family.mean_range()
    mean = share * min(high, 3.0)
    arms = Arms(np.array([pulls]), np.array([pulls * mean]), np.array([0.0]))
    higher = pulls * np.exp(level)  # the round in which KL-UCB+ allows about `level`
    for rule, at in (
        (KLUCB(), level), (KLUCB(search="published"), level), (KLUCB(upto="plus"), higher)
    ):  # fmt: skip
        index, facts = rule.index_of(family, arms, 0, at), facts_for(rule, family)
        if facts is None or not facts.costly():
            continue
        assert facts.index_below(family, arms, 0, at, np.inf) <= index + 1e-14 * abs(index)
        for value in (index, index * (1.0 - 1e-13), index - ahead):
            assert not facts.surely_below(family, arms, 0, at, value)
        above = facts.index_above(family, arms, 0, at, at / 2.0)
        assert index < above
        assert rule.index_of(family, arms, 0, at / 2.0) < above
    other = mean + ahead * (high - mean) / 3.0 if high < np.inf else mean + ahead
    if mean < other < high:
        assert family.kl_below(mean, other) <= min(
            family.kl(mean, other) * (1.0 + 1e-12), family.clipped_kl(mean, other) * (1.0 + 1e-12)
        )


@pytest.mark.parametrize("family", tiered(COUNTS + SCALES[:3], in_core, "pairs"), ids=repr)
@settings(max_examples=400, derandomize=True, deadline=None)
@given(pulls=PULLS, share=SHARE, log_tail=st.floats(0.0, 60.0), ahead=st.floats(1e-9, 3.0))
def test_bounds_of_tails(family, pulls, share, log_tail, ahead):
    """A lower bound is at most the quantile, an upper bound is above it, also at larger tails, and
    an upper bound of a tail is at least the tail."""
    _, high = family.mean_range()
    total, tail = pulls * share * min(high, 3.0), np.exp(-log_tail)
    arms = Arms(np.array([pulls]), np.array([total]), np.array([0.0]))
    index, facts = BayesUCB().index_of(family, arms, 0, tail), facts_for(BayesUCB(), family)
    below = facts.index_below(family, arms, 0, tail, np.inf)
    assert below <= index * (1.0 + 1e-14) or index < 0.0
    for value in (index, index - ahead):
        assert not facts.surely_below(family, arms, 0, tail, value)
    most = facts.index_above(family, arms, 0, tail, tail)
    assert index < most
    assert BayesUCB().index_of(family, arms, 0, min(2.0 * tail, 1.0)) < most
    value = index + ahead
    if value < high:
        above = family.posterior_tail_above(pulls, total, value)
        tail = family.posterior_tail(pulls, total, value)
        assert above >= tail * (1.0 - 1e-10) or tail < 1e-300  # digits are lost down there


@pytest.mark.parametrize("family", COUNTS + SCALES[:3], ids=repr)
def test_bounds_are_close(family):
    """Loose bounds would mean that indices are solved in most rounds."""
    _, high = family.mean_range()
    for pulls in (50.0, 400.0, 5000.0):
        total = pulls * 0.4 * min(high, 2.0)
        arms, level = Arms(np.array([pulls]), np.array([total]), np.array([0.0])), 9.0
        for rule, at, least in ((KLUCB(), level, 2e-4), (BayesUCB(), np.exp(-level), 5e-3)):
            index = rule.index_of(family, arms, 0, at)
            width = index - arms.mean(0)
            facts = facts_for(rule, family)
            assert facts.index_below(family, arms, 0, at, np.inf) >= index - least * width
            assert facts.surely_below(family, arms, 0, at, index + 5e-3 * width)


@pytest.mark.parametrize("family", [*FAMILIES, NegativeBinomial(2.0), Bounded()], ids=repr)
@pytest.mark.parametrize("bound", [1e-4, 0.02, 0.5])
def test_the_bound_of_a_root_is_close(family, bound):
    """The mean would be a bound too, but then the arm that leads is never ahead by its bound."""
    mean = 0.4
    root, below = family.kl_upper(mean, bound), family.kl_upper_below(mean, bound)
    assert below <= root
    assert below >= root - 1e-3 * (root - mean)


# What rises with the level, of policies whose index is cheap.

FORMS = [
    UCB(), UCBTuned(), MOSS(anytime=True), GPUCB(), GPUCBTuned(), KLUCB(), KLUCB(upto="plus"),
    BayesUCB(), RBMLE(), RBMLE(0.3), RBMLE(RootBias()), RBMLE(f="mean"), RBMLE(f="stable"),
    RBMLE(boundary="published"), RBMLE(boundary="corollary"), RBMLE(ArmBias(), f="stable"),
]  # fmt: skip


@pytest.mark.parametrize("family", tiered(COUNTS + SCALES, in_core, "pairs"), ids=repr)
@settings(max_examples=100, derandomize=True, deadline=None)
@given(pulls=PULLS, share=SHARE, t=st.integers(3, 10**7), ahead=st.floats(0.0, 1.0))
def test_no_index_passes_its_bound(family, pulls, share, t, ahead):
    """The scaled index at any round from now on up to the later one is at most the bound."""
    _, high = family.mean_range()
    total = pulls * share * min(high, 3.0)
    arms = Arms(np.array([pulls, 1.0]), np.array([total, 0.5]), np.array([total, 0.5]))
    then, rounds = Clock(t + int(ahead * t), 0), int(ahead * t)
    for rule in FORMS:
        facts = facts_for(rule, family)
        if facts is None or not facts.rises(family):
            continue
        memory, level = np.zeros(20), rule.level(family, arms, Clock(t, 0))
        facts.keep(memory, family, arms, level, Clock(t, 0))
        later = facts.later(memory, family, arms, level, Clock(t, 0), rounds)
        above = facts.index_above(family, arms, 0, later, level)
        for at in (Clock(t, 0), Clock(t + rounds // 3, 0), then):
            level = rule.level(family, arms, at)
            value = rule.index_of(family, arms, 0, level) * facts.scale(family, level)
            assert value <= above, rule
            if facts.straight() and value < np.inf:
                base, rise = facts.line(family, arms, 0)
                size = abs(base) + abs(rise * facts.at(level))
                assert abs(value - (base + rise * facts.at(level))) <= 3e-15 * size, rule
