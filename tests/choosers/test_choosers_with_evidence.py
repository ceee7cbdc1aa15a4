"""Where evidence changes all arms in every round, choosers make the scan's choices too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played import simulated
from tiers import tiered

import rbmle
from rbmle.choosers import CachedBounds, Scan, chooser_for, facts_for
from rbmle.choosers.cached_bounds import TOP
from rbmle.policies.arms import Arms, Clock
from rbmle.random import Draws
from rbmle.rewards.sources import RewardStream

PAIRS = [
    (rule, family)
    for rule in (rbmle.KLUCB(), rbmle.BayesUCB())
    for family in (rbmle.Bernoulli(), rbmle.Exponential())
]
# What evidence may leave of an arm: less than a pull, as much as another arm, or anything.
PULLS = st.floats(1.0, 500.0) | st.sampled_from([1e-90, 1e-3, 0.999, 1.0, 1.5, 20.0])
ARM = st.tuples(PULLS, st.floats(0.01, 0.99) | st.sampled_from([0.0, 0.5, 1.0]))


@pytest.mark.parametrize(
    ("rule", "family"), tiered(PAIRS, lambda pair: pair is PAIRS[0], "pairs"), ids=repr
)
@settings(max_examples=60, derandomize=True, deadline=None)
@given(known=st.lists(ARM, min_size=2, max_size=6), t=st.integers(2, 10**6), last=st.integers(0, 9))
def test_the_test_of_any_statistics_is_the_scan(
    rule: Any, family: Any, known: Any, t: int, last: int
) -> None:
    """Whatever evidence made of the arms, and whoever led last."""
    pulls, shares = np.array(known).T
    arms = Arms(pulls, pulls * shares, pulls * shares, np.zeros(0))
    chooser = CachedBounds.of(facts_for(rule, family), len(known), keeps=False)
    chooser.memory[TOP] = last % len(known)
    clock, rng, state = Clock(t, 0), Draws(1, 2, 3, t, True), np.zeros(0)
    with np.errstate(all="ignore"):  # numbers of the interpreter that overflow
        found = chooser.pick(rule, state, family, arms, clock, rng)
        assert found == rule.choose(state, family, arms, clock, rng)


FORGETTING = [rbmle.Discounted(0.98), rbmle.Discounted(0.6)]


@pytest.mark.pairs
@pytest.mark.parametrize("evidence", FORGETTING, ids=repr)
def test_a_forgetting_policy_chooses_as_by_a_scan(evidence: Any) -> None:
    """Compiled, round by round; with the factor 0.6 most arms are worth less than a pull."""
    problem, rule, family = (
        rbmle.Problem("exponential", np.linspace(0.3, 0.7, 7)),
        rbmle.KLUCB(),
        rbmle.Exponential(),
    )
    chooser = chooser_for(rule, family, 7, evidence)
    assert isinstance(chooser, CachedBounds)
    ours, scan = (
        simulated(each, problem, rule, 1200, 3, RewardStream(5), evidence=evidence)
        for each in (chooser, Scan(7))
    )
    assert np.array_equal(ours[0], scan[0])


def test_what_remembers_indices_is_not_used() -> None:
    """Bounds that are kept, and tournaments, need arms that stay as they are between pulls."""
    for evidence in (*FORGETTING, rbmle.Window(9), rbmle.Linear(3)):
        for rule in (rbmle.UCB(), rbmle.RBMLE()):
            for n_arms in (10, 10_000):
                found = chooser_for(rule, rbmle.Gaussian(), n_arms, evidence)
                assert isinstance(found, Scan)
    found = chooser_for(rbmle.KLUCB(), rbmle.Bernoulli(), 10, rbmle.Discounted(0.99))
    assert isinstance(found, CachedBounds)
    assert not found.keeps
