"""Bounds of KG and KG* hold, and choosers that use them make the scan's choices."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played import simulated

from rbmle.choosers import facts_for
from rbmle.families import Bernoulli, Exponential, Gaussian
from rbmle.policies import KG, KGStar
from rbmle.policies.arms import Arms
from rbmle.policies.kg import Race
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import RewardStream, Table
from rbmle.testing.policy_checks import makers_of_choosers
from rbmle.timing import Recording

CASES = [(KG(), Gaussian()), (KG(), Exponential()), (KGStar(), Gaussian())]
OTHERS = [
    (KG(), Gaussian(3.0, 1.0, 0.2)),
    (KG(), Gaussian(1e-40, -2.0, inf)),
    (KG(), Exponential(0.5, 20.0)),
    (KGStar(), Gaussian(3.0, 1.0, 0.2)),
    (KGStar(), Gaussian(1e45, 1e30, 1e44)),
]
PAIRS = [pytest.param(*each, marks=pytest.mark.pairs) for each in OTHERS]
PULLS = st.floats(1.0, 1e7) | st.integers(1, 300).map(float)
AWAY = st.floats(0.0, 40.0) | st.sampled_from([0.0, 1e-9, 0.1, 3.0])
LEFT = st.integers(0, 10**7) | st.sampled_from([0, 1, 2, 30])
PAID = st.floats(-3.0, 3.0) | st.sampled_from([0.0, 1.0, 1e9])


def arm_of(family, pulls, paid):
    """An arm whose mean is `paid` times the unit of its rewards."""
    exponential = isinstance(family, Exponential)
    mean = abs(paid) if exponential else family.prior_mean + family.sigma * paid
    return Arms(np.array([pulls]), np.array([pulls * mean]), np.array([0.0]))


@pytest.mark.parametrize(("rule", "family"), CASES + PAIRS, ids=repr)
@settings(max_examples=200, derandomize=True, deadline=None)
@given(pulls=PULLS, paid=PAID, away=AWAY, left=LEFT, share=st.floats(1e-12, 10.0))
def test_bounds_of_knowledge_gradients(rule, family, pulls, paid, away, left, share):
    """No index is below its lower bound, nor above a value that it is said to be below."""
    arms, facts = arm_of(family, pulls, paid), facts_for(rule, family)
    mean = family.posterior_mean(pulls, arms.sums[0])
    if not 0.0 < abs(mean) < 1e100:
        return
    # A gap of that many deviations: of the next mean for KG, of the posterior for KG*.
    spread = mean / np.sqrt(pulls) if isinstance(family, Exponential) else family.sigma
    spread = abs(spread) / (np.sqrt(pulls) if isinstance(rule, KGStar) else pulls)
    for rival in (mean + away * spread, mean - away * spread):
        leads = rival < mean
        level = Race(float(left), 0 if leads else 1, max(mean, rival), min(mean, rival))
        index = rule.index_of(family, arms, 0, level)
        below = facts.index_below(family, arms, 0, level, inf)
        assert below <= index
        for value in (below, index, mean + (1.0 - 1e-8) * (index - mean), mean):
            assert not facts.surely_below(family, arms, 0, level, value)
        if facts.surely_below(family, arms, 0, level, mean + share * spread):
            assert index < mean + share * spread


@pytest.mark.parametrize(("rule", "family"), CASES + PAIRS, ids=repr)
@settings(max_examples=100, derandomize=True, deadline=None)
@given(
    pulls=PULLS, paid=PAID, away=AWAY, left=LEFT,
    spent=st.floats(0.0, 1.0), risen=st.floats(0.0, 3.0) | st.sampled_from([0.0, 1e-12]),
)  # fmt: skip
def test_no_index_passes_its_bound_later(rule, family, pulls, paid, away, left, spent, risen):
    """With fewer rounds left and the largest mean not below what the bound is for."""
    arms, facts = arm_of(family, pulls, paid), facts_for(rule, family)
    mean = family.posterior_mean(pulls, arms.sums[0])
    if not 0.0 < abs(mean) < 1e100:
        return
    spread = abs(mean) / np.sqrt(pulls) if isinstance(family, Exponential) else family.sigma
    spread /= np.sqrt(pulls) if isinstance(rule, KGStar) else pulls
    level = Race(float(left), 1, mean + away * spread, -inf)
    bound = facts.index_above(family, arms, 0, level, level)
    later = float(int(left * spent))
    best = level.best + risen * spread
    assert rule.index_of(family, arms, 0, Race(later, 1, best, -inf)) <= bound


def test_bounds_are_close_enough():
    """An arm whose gain is two percent smaller is out of the race for KG*."""
    arms = Arms(np.array([40.0]), np.array([20.0]), np.array([0.0]))
    mean = Gaussian().posterior_mean(40.0, 20.0)
    for away in (0.3, 1.0, 3.0, 6.0):
        level = Race(1e5, 1, mean + away / 6.4, 0.0)
        index = KGStar().index_of(Gaussian(), arms, 0, level)
        facts, gain = facts_for(KGStar(), Gaussian()), index - mean
        assert facts.index_below(Gaussian(), arms, 0, level, inf) > index - 0.02 * gain
        assert facts.surely_below(Gaussian(), arms, 0, level, index + 0.02 * gain)


def test_other_forms_and_families_have_none():
    for rule, family in (
        (KG(form="published"), Gaussian()),
        (KGStar(form="published"), Gaussian()),
        (KG(), Bernoulli()),
        (KG(), Gaussian(1e60)),
    ):
        assert facts_for(rule, family) is None


@pytest.mark.pairs
@pytest.mark.parametrize("ties", ["random", "first"])
@pytest.mark.parametrize(("rule", "family"), CASES, ids=repr)
def test_every_chooser_makes_the_choices_of_a_scan(by_each_chooser, rule, family, ties):
    """On streams of rewards, and on tables of few different rewards, in which many arms tie."""
    rng, n = np.random.default_rng(5), 12
    table = rng.choice([0.5, 1.0, 2.0], (4, 600, n))
    table[0], table[1, :, ::2] = 1.0, 1.0
    problem = Problem(family, np.linspace(0.3, 0.7, n))

    def play(chooser):
        rows = simulated(chooser, problem, rule, 600, 4, Table(table), ties)
        return (*rows, *simulated(chooser, problem, rule, 3000, 6, RewardStream(4), ties))

    by_each_chooser(rule, family, n, play)


@pytest.mark.pairs
@pytest.mark.parametrize(
    ("rule", "family", "means"),
    [
        (KG(), Gaussian(), -1e12 + 30.0 * np.linspace(0.0, 1.0, 40)),
        (KG(), Gaussian(1e-9), 0.5 + 3e-9 * np.linspace(0.0, 1.0, 40)),
        (KGStar(), Gaussian(), 1e8 + np.linspace(0.0, 1.0, 40)),
        (KG(), Exponential(), 1e17 * np.linspace(1.0, 2.0, 40)),
    ],
    ids=repr,
)
def test_so_they_do_where_numbers_are_extreme(rule, family, means):
    problem = Problem(family, means)
    scan, *others = (
        Recording(rule, problem, horizon=2000, seed=3, chooser=make(40)).chosen
        for make in makers_of_choosers(rule, family)
    )
    for other in others:
        assert np.array_equal(scan, other)
