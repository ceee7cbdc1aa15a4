"""Rewards of pulls made elsewhere are learned, and take no rounds from the horizon."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbmle import Bernoulli, Linear, recommended
from rbmle.errors import StateError
from rbmle.live.decider import Decider
from rbmle.policies import MOSS

ARMS, MEANS = ["a", "b", "c", "d"], [0.3, 0.5, 0.6, 0.55]
SLOW = pytest.mark.slow
POLICIES = [MOSS(), pytest.param(recommended("bernoulli"), marks=SLOW)]


def decider(policy: Any, horizon: int) -> Decider[str]:
    return Decider(ARMS, policy, Bernoulli(), seed=3, horizon=horizon)


def rounds(live: Decider[str], n: int, seed: int) -> list[tuple[str, float]]:
    """Play n rounds, and tell the arms and what they paid."""
    rng, played = np.random.default_rng(seed), []
    for _ in range(n):
        arm = live.pull()
        played.append((arm, float(rng.random() < MEANS[ARMS.index(arm)])))
        live.update(*played[-1])
    return played


@pytest.mark.parametrize("policy", POLICIES, ids=lambda each: type(each).__name__)
def test_the_horizon_counts_the_pulls_that_are_yet_to_be_made(policy: Any) -> None:
    """After m rewards of pulls made elsewhere a decider with horizon T is as one with horizon T + m
    that has made these m pulls itself, up to its last round and beyond."""
    whole = decider(policy, 300 + 100)
    past = rounds(whole, 300, seed=1)
    live = decider(policy, 100)
    live.update([arm for arm, _ in past], [reward for _, reward in past])
    assert live.t == whole.t == 301
    assert live.indices() == whole.indices()
    assert rounds(live, 120, seed=2) == rounds(whole, 120, seed=2)


def test_rewards_from_elsewhere_may_come_between_pulls() -> None:
    """Indices depend on the horizon: bounds of them that were kept are not used any longer."""
    live = decider(MOSS(), 200)
    for k in range(30):
        rounds(live, 5, seed=k)
        again = copy.deepcopy(live)  # with nothing kept
        for each in (live, again):
            each.update(["a"] * (100 * k), [0.0, 1.0] * (50 * k))
        assert rounds(live, 1, seed=0) == rounds(again, 1, seed=0)


def test_an_arm_that_goes_takes_its_history_with_it() -> None:
    live, other = decider(MOSS(), 50), decider(MOSS(), 50)
    other.remove("d")
    for each in (live, other):
        each.update(["a", "b", "c"], [0.0, 1.0, 1.0])
    live.update(["d"] * 500, [1.0] * 500)
    live.remove("d")
    assert live.indices() == other.indices()


def test_a_saved_decider_knows_which_pulls_it_made(tmp_path: Path) -> None:
    live, file = decider(MOSS(), 50), tmp_path / "decider.json"
    live.update(ARMS * 30, [0.0, 1.0] * 60)
    rounds(live, 10, seed=4)
    live.save(file)
    again = Decider.load(file)
    assert again.indices() == live.indices()
    assert rounds(again, 60, seed=5) == rounds(live, 60, seed=5)
    file.write_text(file.read_text().replace('"elsewhere": 30', '"elsewhere": 3000', 1))
    with pytest.raises(StateError, match="'elsewhere' must be at most"):
        Decider.load(file)


@pytest.mark.slow
def test_history_with_features_takes_no_rounds_either() -> None:
    context = {arm: [1.0, 0.1 * k] for k, arm in enumerate(ARMS)}
    whole, live = (
        Decider(ARMS, MOSS(), "gaussian", seed=3, horizon=horizon, evidence=Linear(2))
        for horizon in (60, 20)
    )
    for k in range(40):
        arm = whole.pull(context=context)
        for each in (whole, live):
            each.update(arm, 0.1 * (k % 7), context[arm])
    assert live.indices(context) == whole.indices(context)
    chosen = [[each.pull(context=context) for _ in range(20)] for each in (whole, live)]
    assert chosen[0] == chosen[1]
