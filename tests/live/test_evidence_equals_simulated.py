"""A decider with evidence makes the simulator's choices, with prompt rewards and with late ones."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from evidence_cases import REPLICATION, SEED, interpret, simulated

import rbmle
from rbmle import BatchDelay, Decider, FixedDelay, GeometricDelay, Problem, TableDelay
from rbmle.evidence import Discounted, Linear, Logistic, Window
from rbmle.policies.base import has_index
from rbmle.random import delay_cell, key

COINS = Problem("bernoulli", [0.2, 0.5, 0.6, 0.4])
NORMAL = Problem("gaussian(sigma=0.5)", [0.2, 0.5, 0.6, 0.4])
LINES = rbmle.LinearProblem([0.8, -0.4], rbmle.SphereFeatures(4, 2))
CURVES = rbmle.LinearProblem([1.8, -1.4], rbmle.SphereFeatures(4, 2), "bernoulli")
EACH = rbmle.LinearProblem([[0.8, -0.4], [0.1, 0.3], [-0.5, 0.5], [0.0, 0.9]],
                           rbmle.SphereFeatures(4, 2))  # fmt: skip
DELAYS = [
    None,
    FixedDelay(3),
    FixedDelay(40),
    BatchDelay(7),
    GeometricDelay(mean=4, lost=0.2, patience=60),
    TableDelay([0, 3, 15], lost=0.6, patience=20),
]
FORGETTING = [
    (rbmle.RBMLE(), COINS, Discounted(0.9)),
    (rbmle.UCB(), COINS, Window(9)),
    (rbmle.ThompsonSampling(), COINS, Discounted(0.95)),
    (rbmle.MOSS(), NORMAL, Discounted(0.97)),
    (rbmle.UCBTuned(), NORMAL, Window(30)),
    (rbmle.IDS(commit=0.9), COINS, Window(50)),
]
FEATURES = [
    (rbmle.RBMLE(), LINES, Linear(2)),
    (rbmle.UCBTuned(), EACH, Linear(2, shared=False)),
    (rbmle.LinTS(), LINES, Linear(2)),
    (rbmle.LinTS(), EACH, Linear(2, 0.5, shared=False)),
    (rbmle.UCB(), CURVES, Logistic(2)),
    (rbmle.LinTS(), CURVES, Logistic(2)),
    (rbmle.UCBTuned(), LINES, rbmle.Diagonal(2)),
    (rbmle.LinTS(), CURVES, rbmle.Diagonal(2, logistical=True)),
]
# A reward that comes after its pull was given up has lost its context.
KEPT = [each for each in DELAYS if each is None or each.patience > 15]


def named(value: Any) -> str:
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return f"{type(value[0]).__name__}-{type(value[2]).__name__}"
    return str(value)


@pytest.fixture
def interpreted(monkeypatch: Any) -> None:
    interpret(monkeypatch)


def again(live: Decider[int], t: int, folder: Path | None) -> Decider[int]:
    """The decider after it was saved, pickled or copied, in turn."""
    if folder is None or t % 5:
        return live
    if t % 15 == 0:
        live.save(folder / "state.json")
        return Decider.load(folder / "state.json")
    return pickle.loads(pickle.dumps(live)) if t % 10 == 0 else copy.deepcopy(live)


def lived(case: Any, rounds: int, delay: Any, folder: Path | None = None) -> list[int]:
    """The arms that a decider pulls, if it is told each reward after its delay."""
    policy, problem, evidence = case
    live: Decider[int] = Decider(
        range(problem.n_arms), policy, problem.family, seed=SEED, replication=REPLICATION,
        horizon=rounds if policy.uses_horizon() else None, evidence=evidence,
        patience=1_000 if delay is None else delay.patience,
    )  # fmt: skip
    source = problem.source(SEED, rounds).own()
    due: dict[int, list[tuple[int, int, float]]] = {}
    chosen = []
    for t in range(1, rounds + 1):
        source.meet(REPLICATION, t)
        context = None
        if evidence.reads():
            values = [[source.feature(i, a) for a in range(2)] for i in range(problem.n_arms)]
            context = dict(enumerate(values))
        arm = live.pull(id=t, context=context)
        chosen.append(arm)
        late = 0
        if delay is not None:
            late = delay.arrivals().comes_after(t, delay_cell(*key(SEED), REPLICATION, t))
        if late >= 0:
            reward = float(source.reward(REPLICATION, t, arm))
            due.setdefault(t + late, []).append((t, arm, reward))
        for pull, _, reward in due.pop(t, []):
            live = again(live, pull, folder)
            live.update(id=pull, reward=reward)
        if t % 7 == 0 and has_index(policy):
            live.indices(context)  # looking changes nothing
    return chosen


@pytest.mark.parametrize(("k", "delay"), [(0, None), (0, DELAYS[4]), (1, DELAYS[5])])
def test_live_equals_simulated(k: int, delay: Any, interpreted: None) -> None:
    policy, problem, evidence = FORGETTING[k]
    assert lived(FORGETTING[k], 90, delay) == simulated(policy, problem, 90, delay, evidence)


@pytest.mark.pairs
@pytest.mark.parametrize("delay", DELAYS, ids=str)
@pytest.mark.parametrize("case", FORGETTING, ids=named)
def test_forgetting_live_equals_simulated(
    case: Any, delay: Any, interpreted: None, tmp_path: Path
) -> None:
    policy, problem, evidence = case
    rounds = 60 if isinstance(policy, rbmle.IDS) else 150
    told = simulated(policy, problem, rounds, delay, evidence)
    assert lived(case, rounds, delay, tmp_path) == told


@pytest.mark.pairs
@pytest.mark.parametrize("delay", KEPT, ids=str)
@pytest.mark.parametrize("case", FEATURES, ids=named)
def test_features_live_equals_simulated(
    case: Any, delay: Any, interpreted: None, tmp_path: Path
) -> None:
    policy, problem, evidence = case
    told = simulated(policy, problem, 150, delay, evidence)
    assert len(set(told)) == 4
    assert lived(case, 150, delay, tmp_path) == told


@pytest.mark.pairs
@pytest.mark.parametrize("delay", DELAYS[:3], ids=str)
def test_features_that_stay_are_the_same_up_to_rounding(delay: Any, interpreted: None) -> None:
    """The simulator knows that they stay and changes means step by step; no choice was so close."""
    values = [[1.0, 0.1], [0.5, 0.8], [0.1, -0.9], [0.7, -0.6]]
    world = rbmle.LinearProblem([0.8, -0.4], values)
    case = (rbmle.UCB(), world, Linear(2))
    assert lived(case, 150, delay) == simulated(*case[:2], 150, delay, case[2])
