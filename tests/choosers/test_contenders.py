"""What is foreseen of a draw holds, and contenders make the scan's choices."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rbmle.choosers import Contenders, Scan, chooser_for
from rbmle.choosers.promises import draw_for
from rbmle.choosers.selection import chooser_on_device
from rbmle.engine import simulate
from rbmle.evidence import Discounted
from rbmle.families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from rbmle.policies import UCB, ThompsonSampling
from rbmle.policies.arms import Arms
from rbmle.random import Draws
from rbmle.rewards.problems import Problem

TS, FLAT = ThompsonSampling(), ThompsonSampling("flat")
# The family, and the score of a draw from its posterior.
CASES = [
    (TS, Gaussian(), lambda x: x),
    (TS, Gaussian(1e120, -3.0, 1e119), lambda x: x),
    (FLAT, Gaussian(0.2), lambda x: x),
    (TS, Bernoulli(), lambda x: 1.0 - 1.0 / x),
    (TS, Bernoulli(0.5, 0.5), lambda x: 1.0 - 1.0 / x),
    (FLAT, Binomial(4), lambda x: 1.0 - 4.0 / x),
    (TS, Exponential(), lambda x: -1.0 / x),
    (TS, Exponential(0.6, 1e-4), lambda x: -1.0 / x),
    (TS, Gamma(2.5), lambda x: -2.5 / x),
    (TS, Poisson(), lambda x: x),
    (FLAT, Poisson(), lambda x: x),
]
PULLS = st.integers(1, 300).map(float) | st.floats(1.0, 1e12)


def arm_of(family, pulls, share):
    """An arm with so many pulls; its mean is the share of what rewards can be, or of 3."""
    whole = isinstance(family, (Bernoulli, Binomial, Poisson))
    most = {Bernoulli: 1.0, Binomial: getattr(family, "trials", 0.0)}.get(type(family), 3.0)
    pulls = float(np.floor(pulls)) if whole else pulls
    total = np.floor(pulls * most * share) if whole else pulls * most * share
    return Arms(np.array([pulls]), np.array([total]), np.array([total]))


@pytest.mark.parametrize(
    ("policy", "family", "score"), CASES, ids=lambda each: "" if callable(each) else repr(each)
)
@settings(max_examples=60, derandomize=True, deadline=None)
@given(pulls=PULLS, share=st.floats(0.0, 1.0), t=st.integers(1, 10**9))
def test_what_is_foreseen_of_a_draw_holds(policy, family, score, pulls, share, t):
    """The score of the draw is as near to the foreseen one as is said; and mostly something is."""
    arms, promise, known = arm_of(family, pulls, share), draw_for(policy, family), 0
    numbers = promise.numbers(family, arms, 0)
    for replication in range(20):
        rng = Draws(7, 0, replication, t, True)
        value, doubt = promise.score(family, *numbers, rng.cell(0))
        drawn = policy.draw(family, arms, 0, rng)
        if doubt < inf:
            known += 1
            assert abs(score(drawn) - value) <= doubt
    if pulls > 1000 and 0.1 < share < 0.9:
        assert known > 15


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "family"), [case[:2] for case in CASES[3:7]], ids=repr)
def test_contenders_make_the_choices_of_a_scan(by_each_chooser, policy, family):
    """In every round, with few arms and with many, of which several are alike."""
    for n_arms in (2, 40):
        problem = Problem(family, np.linspace(0.3, 0.5, n_arms).round(2))
        scan, foreseen = by_each_chooser(
            policy,
            family,
            lambda problem=problem: simulate(
                problem, [policy], 1500, 6, seed=3, checkpoints=range(1, 1501)
            ),
        )
        assert np.array_equal(scan.regret, foreseen.regret)
        assert np.array_equal(scan.pulls, foreseen.pulls)


def check_choices(policy, family, arms, rounds):
    """Contenders choose what Thompson sampling itself does."""
    chooser, none = Contenders.of(draw_for(TS, family), arms.n_arms()), np.zeros(0)
    for t in range(1, rounds + 1):
        rng = Draws(1, 0, 0, t, True)
        chosen = chooser.pick(policy, none, family, arms, None, rng)
        assert chosen == TS.choose(none, family, arms, None, rng)


def test_arms_of_which_nothing_is_known_are_drawn():
    """Posteriors whose shapes are below 1, of one arm, of several and of all, among known ones."""
    family, n_arms = Bernoulli(0.5, 0.5), 5
    for unknown in (1, 2, 5):
        sums = np.where(np.arange(n_arms) < unknown, 0.0, [1.0, 2.0, 1.0, 2.0, 1.0])
        check_choices(TS, family, Arms(np.full(n_arms, 3.0), sums, np.zeros(n_arms)), 100)


def test_draws_that_round_to_one_are_ties():
    """Draws just below 1 are few floats apart: of equal ones the first arm's is taken."""
    check_choices(TS, Bernoulli(), Arms(np.full(4, 1e15), np.full(4, 1e15), np.zeros(4)), 200)


def test_most_choices_draw_nothing():
    """After some hundred pulls of each arm one arm's draw is nearly always known to be the
    largest."""
    draws = []

    class Counting(ThompsonSampling):  # interpreted: it counts the draws
        def draw(self, family, arms, i, rng):
            draws.append(i)
            return ThompsonSampling.draw(self, family, arms, i, rng)

    arms = Arms(np.full(10, 900.0), np.linspace(500.0, 600.0, 10), np.zeros(10))
    check_choices(Counting(), Bernoulli(), arms, 500)
    assert 0 < len(draws) < 50


def test_a_device_foresees_draws_where_statistics_stay():
    assert isinstance(chooser_on_device(TS, Bernoulli(), 10), Contenders)
    assert isinstance(chooser_on_device(TS, Bernoulli(), 10, Discounted(0.99)), Scan)
    assert not isinstance(chooser_on_device(UCB(), Bernoulli(), 10), Contenders)
    assert isinstance(chooser_for(TS, Bernoulli(), 10), Scan)
