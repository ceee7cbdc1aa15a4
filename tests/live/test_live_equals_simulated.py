"""A decider that gets the simulator's rewards makes its choices, also after it was saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from decider_cases import MEANS, ROUNDS, SEED, Greedy, Tally, decider_for, table

from rbmle.engine import simulate
from rbmle.families import Bernoulli, Exponential, Gaussian
from rbmle.live.decider import Decider
from rbmle.policies import (
    IDS,
    MOSS,
    RBMLE,
    UCB,
    AdaptiveExponential,
    ThompsonSampling,
)
from rbmle.policies.rbmle import recommended
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import Table

PLAYERS = [
    (UCB(), Bernoulli()),
    (RBMLE(), Bernoulli()),
    (ThompsonSampling(), Bernoulli()),
    (IDS(commit=0.9), Bernoulli()),
    (RBMLE(2.0), Gaussian(0.5)),
    (MOSS(), Gaussian(0.5)),
    (RBMLE(AdaptiveExponential()), Exponential()),
    (recommended("gaussian"), Gaussian(0.5)),  # it uses the horizon, which it does not need
    (recommended("exponential"), Exponential()),
    (Greedy(), Bernoulli()),
    (Tally(), Bernoulli()),
]


def named(player: Any) -> str:
    return "-".join(type(each).__name__ for each in player)


def marked(player: Any) -> Any:
    marks = [] if player is PLAYERS[0] else pytest.mark.slow
    return pytest.param(player, marks=marks, id=named(player))


@pytest.fixture(params=map(marked, PLAYERS))
def player(request: Any) -> Any:
    return request.param


@pytest.mark.parametrize("ties", ["random", "first"])
def test_live_equals_simulated_and_resumed(player: Any, ties: str, tmp_path: Path) -> None:
    policy, family = player
    problem = Problem(family, MEANS)
    values = table(family)
    result = simulate(
        problem, [policy], ROUNDS, 2, Table(values, SEED), ties, checkpoints=range(1, ROUNDS + 1)
    )
    for replication in range(2):
        live = decider_for(player, ties=ties, replication=replication)
        counts, regret = np.zeros(len(MEANS)), []
        for t in range(ROUNDS):
            assert live.t == t + 1
            if t == 120:
                live.save(tmp_path / "state.json")
                live = Decider.load(tmp_path / "state.json")
            arm: Any = live.pull()
            live.update(arm, values[replication, t, arm])
            counts[arm] += 1
            total = 0.0
            for pulls, gap in zip(counts, problem.gaps, strict=True):
                total += pulls * gap
            regret.append(total)
        assert np.array_equal(regret, result.regret[0, replication])
        assert np.array_equal(list(live.counts.values()), result.pulls[0, replication])


@pytest.mark.slow
def test_a_commitment_survives_a_save(tmp_path: Path) -> None:
    """IDS that has committed to an arm plays it for good, whatever it pays."""
    live = Decider(["a", "b"], IDS(commit=0.9), Bernoulli())
    live.update(["a"] * 20 + ["b"] * 20, [1.0] * 20 + [0.0] * 20)
    assert live.pull() == "a"
    live.update(["a"] * 60, [0.0] * 60)
    live.enable("b")  # it is
    live.save(tmp_path / "s")
    assert {Decider.load(tmp_path / "s").pull() for _ in range(5)} == {live.pull()} == {"a"}


@pytest.mark.slow
def test_no_commitment_to_rewards_that_are_only_supposed() -> None:
    live = Decider(["a", "b"], IDS(commit=0.9), Bernoulli())
    live.update(["a", "a", "b", "b"], [1.0, 0.0, 0.0, 0.0])
    assert len(live.pull(300)) == 300
    assert live._live.memory == [0.0]
