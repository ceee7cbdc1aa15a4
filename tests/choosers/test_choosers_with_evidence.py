"""Where evidence changes all arms in every round, choosers make the scan's choices too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import tiered

import rbmle
from rbmle.choosers import Champion, ForgetfulChampion, Scan, chooser_for
from rbmle.choosers.promises import bounds_for
from rbmle.engine import cpu_kernel
from rbmle.policies.arms import Arms, Clock
from rbmle.random import Draws

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
    chooser = ForgetfulChampion(Champion.of(bounds_for(rule, family)))
    chooser.champion.last[0] = last
    clock, rng, state = Clock(t, 0), Draws(1, 2, 3, t, True), np.zeros(0)
    with np.errstate(all="ignore"):  # numbers of the interpreter that overflow
        found = chooser.pick(rule, state, family, arms, clock, rng)
        assert found == rule.choose(state, family, arms, clock, rng)


FORGETTING = [rbmle.Discounted(0.98), rbmle.Discounted(0.6)]


@pytest.mark.pairs
def test_a_forgetting_policy_chooses_as_by_a_scan(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled, round by round; with the factor 0.6 most arms are worth less than a pull."""
    problem = rbmle.Problem("exponential", np.linspace(0.3, 0.7, 7))

    def played(evidence: Any) -> Any:
        rounds = range(1, 1201)
        return rbmle.simulate(
            problem, ["klucb"], 1200, 3, seed=5, evidence=evidence, checkpoints=rounds
        ).regret

    ours = [played(evidence) for evidence in FORGETTING]
    monkeypatch.setattr(cpu_kernel, "chooser_for", lambda p, f, n, *_: Scan(n))
    for evidence, regret in zip(FORGETTING, ours, strict=True):
        assert np.array_equal(regret, played(evidence))


def test_what_remembers_indices_is_not_used() -> None:
    """Lines, chords and tournaments rest on arms that stay as they are between their pulls."""
    for evidence in (*FORGETTING, rbmle.Window(9), rbmle.Linear(3)):
        for rule in (rbmle.UCB(), rbmle.RBMLE()):
            for n_arms in (10, 10_000):
                found = chooser_for(rule, rbmle.Gaussian(), n_arms, evidence)
                assert isinstance(found, Scan)
    found = chooser_for(rbmle.KLUCB(), rbmle.Bernoulli(), 10, rbmle.Discounted(0.99))
    assert isinstance(found, ForgetfulChampion)
