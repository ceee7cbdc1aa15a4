"""A decider says once if rewards contradict the family that it was given."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbmle import Bernoulli, Discounted, Gaussian, Linear
from rbmle.errors import FamilyWarning
from rbmle.live.decider import Decider
from rbmle.policies import UCB

ARMS = ["a", "b", "c"]
TOLD = r"Gaussian\(sigma=1\) assumes a standard deviation of 1, the rewards so far have \d"


def played(live: Decider[str], sd: float, rounds: int, context: Any = None) -> list[str]:
    """Play rounds with means of 100 to 110, and tell the warnings."""
    rng = np.random.default_rng(5)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(rounds):
            arm = live.pull(context=context)
            live.update(arm, 100.0 + 5.0 * ARMS.index(arm) + sd * rng.normal())
    assert all(each.category is FamilyWarning for each in caught)
    assert all(each.filename == __file__ for each in caught)  # it is about the line of the caller
    return [str(each.message) for each in caught]


def test_a_standard_deviation_of_sixty_is_not_one(tmp_path: Path) -> None:
    live = Decider(ARMS, UCB(), "gaussian")
    assert played(live, 60.0, 19) == []
    [told] = played(live, 60.0, 200)
    assert told.startswith("Gaussian(sigma=1) assumes a standard deviation of 1, the rewards so")
    live.save(tmp_path / "s.json")
    assert len(played(Decider.load(tmp_path / "s.json"), 60.0, 100)) == 1  # in a process anew


def test_it_is_said_when_an_old_log_is_learned() -> None:
    live, rewards = Decider(ARMS, UCB(), "gaussian"), np.random.default_rng(2).normal(0.0, 9.0, 90)
    with pytest.warns(FamilyWarning, match=TOLD):
        live.update(ARMS * 30, rewards)
    assert live.counts == dict.fromkeys(ARMS, 30)


def test_nothing_is_said_of_rewards_that_fit() -> None:
    assert played(Decider(ARMS, UCB(), Gaussian(60.0)), 60.0, 200) == []
    live = Decider(ARMS, UCB(), Bernoulli())
    live.update(ARMS * 30, [0.5, 0.6, 0.7] * 30)  # less than coins vary, which is allowed


@pytest.mark.slow
def test_forgetting_evidence_is_asked_what_it_has_left() -> None:
    """It is worth 50 rewards at most: a world that changes slowly does not seem to vary."""
    for sd in (1.0, 9.0):
        live = Decider(ARMS, UCB(), Gaussian(), evidence=Discounted(0.98))
        rewards = 0.01 * np.arange(2_001) + np.random.default_rng(3).normal(0.0, sd, 2_001)
        with pytest.warns(FamilyWarning, match=TOLD) if sd > 1.0 else nullcontext():
            for k in range(667):
                live.update(ARMS, rewards[3 * k : 3 * k + 3])


@pytest.mark.slow
def test_nothing_is_said_with_features() -> None:
    live = Decider(ARMS, UCB(), Gaussian(), evidence=Linear(1))
    assert played(live, 60.0, 100, {arm: [1.0] for arm in ARMS}) == []
