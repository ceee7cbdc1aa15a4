"""`simulate_log`: the rows of what `simulate` plays, for whoever takes a log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from decider_cases import Tally

import rbmle
from rbmle import Decider, Floor, ParameterError, Problem, evaluate, simulate, simulate_log

COINS = Problem("bernoulli", [0.3, 0.55, 0.5, 0.61])
LINES = rbmle.LinearProblem([0.8, -0.4], rbmle.SphereFeatures(4, 2))
CASES: list[tuple[Any, Any, Any]] = [
    ("moss", COINS, None),  # which needs the horizon
    (Floor("rbmle", {3: 0.1, 0: 0.2}), COINS, None),
    ("ucb", COINS, rbmle.Discounted(0.97)),
    ("ts", rbmle.Phases([COINS, Problem("bernoulli", [0.7, 0.1, 0.3, 0.2])], at=[80]), None),
    ("ucb", LINES, rbmle.Linear(2)),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", CASES, ids=["horizon", "floors", "discounted", "phases", "features"]
)
def test_rows_are_those_that_simulate_plays(case: Any) -> None:
    """Regret tells which arm was played in each round, as no two gaps are equal."""
    policy, problem, evidence = case
    rounds, seed, replication = 150, 5, 3
    log = simulate_log(
        problem, policy, rounds, seed=seed, replication=replication, evidence=evidence
    )
    told = {"checkpoints": range(1, rounds + 1), "first_replication": replication}
    result = simulate(problem, [policy], rounds, 1, seed=seed, evidence=evidence, **told)
    source = problem.source(seed, rounds)
    lost = []
    for t, arm in enumerate(log["arm"].tolist(), 1):
        source.meet(replication, t)
        gap = source.gap if problem is not COINS else lambda _, t, i: COINS.gaps[i]
        lost.append(gap(replication, t, arm))
        assert log["reward"][t - 1] == source.reward(replication, t, arm)
    assert np.cumsum(lost) == pytest.approx(result.regret[0, 0], abs=1e-9)
    assert ((log["probability"] > 0.0) & (log["probability"] <= 1.0)).all()
    assert ("context" in log) == (problem is LINES)


@pytest.mark.slow
def test_a_log_is_taken_wherever_a_log_is(tmp_path: Path) -> None:
    log = simulate_log(COINS, Floor("ucb", 0.1), 3_000, seed=1)
    target = {0: 0.2, 1: 0.0, 2: 0.3, 3: 0.5}
    found = evaluate(log, target, family="bernoulli")
    assert found["IPS"].low < COINS.means @ list(target.values()) < found["IPS"].high
    log.to_csv(tmp_path / "log.csv")
    assert evaluate(pd.read_csv(tmp_path / "log.csv"), target) == found
    assert evaluate(pd.DataFrame(log), target) == found
    warm: Any = Decider(range(4), "ucb", "bernoulli")
    assert warm.learn({"arm": log["arm"], "reward": log["reward"]}) == 3_000
    assert list(warm.counts.values()) == np.bincount(log["arm"]).tolist()


@pytest.mark.slow
def test_a_context_is_that_of_each_arm_and_has_a_column_for_each_number(tmp_path: Path) -> None:
    log = simulate_log(LINES, "ucb", 50, evidence=rbmle.Linear(2), seed=2)
    assert log["context"].shape == (50, 4, 2)
    assert np.square(log["context"]).sum(axis=2) == pytest.approx(1.0)
    log.to_csv(tmp_path / "log.csv")
    table = pd.read_csv(tmp_path / "log.csv")
    assert list(table)[:4] == ["arm", "reward", "probability", "context_0_0"]
    assert (table["context_3_1"] == log["context"][:, 3, 1]).all()
    warm: Any = Decider(range(4), "ucb", "gaussian", evidence=rbmle.Linear(2))
    own = log["context"][np.arange(50), log["arm"]]
    warm.update(log["arm"].tolist(), log["reward"].tolist(), own.tolist())
    assert sum(warm.counts.values()) == 50


@pytest.mark.slow
def test_a_policy_that_does_not_know_its_probabilities_has_none() -> None:
    log = simulate_log(COINS, Tally(), 20)
    assert list(log) == ["arm", "reward"]
    assert log["arm"].tolist() == [0, 1, 2, 3] * 5


@pytest.mark.slow
def test_what_is_no_log_is_told_what_makes_one() -> None:
    result = simulate(COINS, ["ucb"], 10, 1)
    told = "'log' must be .*, or what simulate_log returns. Got Result"
    with pytest.raises(ParameterError, match=f"evaluate: {told}"):
        evaluate(result, {0: 1.0})
    with pytest.raises(ParameterError, match=f"learn: {told}"):
        Decider([0, 1], "ucb", "bernoulli").learn(result)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((3, "ucb", 10), "'problem' must be a Problem"),
        ((COINS, "none", 10), "none"),
        ((COINS, "ucb", 2), r"'horizon' must be a whole number in \[4, "),
    ],
)
def test_refusals(given: Any, told: str) -> None:
    with pytest.raises(ParameterError, match=f"simulate_log: .*{told}"):
        simulate_log(*given)
