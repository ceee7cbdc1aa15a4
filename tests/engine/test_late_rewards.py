"""Rewards that come late: the simulator makes the choices of a `Decider` that gets them as late."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rbmle
from rbmle import BatchDelay, Decider, FixedDelay, GeometricDelay, Problem, TableDelay
from rbmle.engine import arguments, play
from rbmle.engine.plan import Setup, Task, plan
from rbmle.evidence import Counting, Discounted, Linear, Logistic, Window
from rbmle.live import live_game
from rbmle.random import delay_cell, key
from rbmle.rewards.sources import RewardStream

SEED, REPLICATION, COUNTING = 5, 2, Counting()
X = [[1.0, 0.0], [0.6, 0.8], [0.0, -1.0], [0.8, -0.6]]
DELAYS = [
    FixedDelay(3),
    FixedDelay(40),
    BatchDelay(7),
    GeometricDelay(mean=10, lost=0.3, patience=15),
    TableDelay([0, 3, 50], lost=0.8, patience=20),
    FixedDelay(40, lost=0.5, patience=25),
]
BERNOULLI = Problem("bernoulli", [0.2, 0.5, 0.6, 0.4])
GAUSSIAN = Problem("gaussian(sigma=0.5)", [0.2, 0.5, 0.6, 0.4])
PLAYERS = [
    (rbmle.RBMLE(), BERNOULLI),
    (rbmle.ThompsonSampling(), BERNOULLI),
    (rbmle.UCBTuned(), GAUSSIAN),
    (rbmle.KLUCB(), BERNOULLI),
    (rbmle.MOSS(), GAUSSIAN),
    (rbmle.IDS(commit=0.9), BERNOULLI),
]


def named(value: Any) -> str:
    return str(value) if hasattr(value, "_fields") else type(value[0]).__name__


def simulated(
    policy: Any, problem: Problem, rounds: int, delay: Any, evidence: Any = COUNTING
) -> list[int]:
    """The arms that the simulator's loop plays, in the interpreter: nothing is compiled."""
    chosen: list[int] = []
    given = Setup("test", [problem], [policy], rounds, 1, RewardStream(SEED))
    given = given._replace(first_replication=REPLICATION, evidence=evidence, delay=delay)
    planned = plan(given)

    class Noting:
        def note(self, source: Any, replication: int, t: int, i: int) -> None:
            chosen.append(i)

        def begin(self) -> None: ...
        def totals(self, arms: Any) -> tuple[float, float]:
            return 0.0, 0.0

        def pulls(self, arms: Any, j: int) -> float:
            return 0.0

    [(regret, best_pulls, pulls)] = planned.fresh()
    rules, game, course, *others = arguments(
        planned, Task(0, 0, REPLICATION, REPLICATION + 1), problem.source(SEED, rounds),
        planned.draws(0, 0), (regret[0], best_pulls[0], pulls[0]), np.zeros(1, np.int64),
    )  # fmt: skip
    play.interpreted(rules, game, course._replace(counters=Noting()), *others)
    return chosen


def lived(policy: Any, problem: Problem, rounds: int, delay: Any) -> list[int]:
    """The arms that a decider pulls, if it is told each reward after its delay."""
    live: Decider[int] = Decider(
        range(problem.n_arms), policy, problem.law, seed=SEED, replication=REPLICATION,
        horizon=rounds if policy.uses_horizon() else None, patience=delay.patience,
    )  # fmt: skip
    source, arrivals = problem.source(SEED, rounds), delay.arrivals()
    due: dict[int, list[tuple[int, int]]] = {}
    chosen = []
    for t in range(1, rounds + 1):
        arm = live.pull(id=t)
        chosen.append(arm)
        late = arrivals.comes_after(t, delay_cell(*key(SEED), REPLICATION, t))
        if late >= 0:
            due.setdefault(t + late, []).append((t, arm))
        for pull, its in due.pop(t, []):
            live.update(id=pull, reward=source.reward(REPLICATION, pull, its))
    return chosen


@pytest.fixture
def interpreted(monkeypatch: Any) -> None:
    """Deciders choose in the interpreter."""
    plain = live_game.choose.interpreted
    monkeypatch.setattr(live_game, "choose", SimpleNamespace(specialised=lambda *_: plain))


@pytest.mark.parametrize(("k", "delay"), [(0, DELAYS[0]), (0, DELAYS[3]), (1, DELAYS[5])])
def test_live_equals_simulated(k: int, delay: Any, interpreted: None) -> None:
    policy, problem = PLAYERS[k]
    assert lived(policy, problem, 100, delay) == simulated(policy, problem, 100, delay)


@pytest.mark.pairs
@pytest.mark.parametrize("delay", DELAYS, ids=named)
@pytest.mark.parametrize("player", PLAYERS, ids=named)
def test_live_equals_simulated_for_others(player: Any, delay: Any, interpreted: None) -> None:
    policy, problem = player
    rounds = 100 if isinstance(policy, rbmle.IDS) else 300
    assert lived(policy, problem, rounds, delay) == simulated(policy, problem, rounds, delay)


@pytest.mark.parametrize("pending", ["counted", "ignored"])
def test_no_delay_is_a_delay_of_no_rounds(pending: str) -> None:
    policy, problem = PLAYERS[0]
    late = simulated(policy, problem, 80, FixedDelay(0, pending=pending))
    assert late == simulated(policy, problem, 80, None)


@pytest.mark.pairs
@pytest.mark.parametrize("pending", ["counted", "ignored"])
@pytest.mark.parametrize("features", [X, rbmle.SphereFeatures(4, 2)], ids=type)
def test_no_delay_is_a_delay_of_no_rounds_with_features(features: Any, pending: str) -> None:
    for noise, evidence in ((rbmle.Gaussian(), Linear(2)), (rbmle.Bernoulli(), Logistic(2))):
        world: Any = rbmle.LinearProblem([0.8, -0.4], features, noise)
        late = simulated(rbmle.RBMLE(), world, 40, FixedDelay(0, pending=pending), evidence)
        assert late == simulated(rbmle.RBMLE(), world, 40, None, evidence)


def test_pending_pulls_that_are_ignored_leave_no_trace() -> None:
    """With every first reward pending, the first arm is pulled until its reward comes."""
    chosen = simulated(rbmle.RBMLE(), BERNOULLI, 40, FixedDelay(5, pending="ignored"))
    assert chosen[:24] == [0] * 6 + [1] * 6 + [2] * 6 + [3] * 6


def test_pending_pulls_that_are_counted_spread_over_the_arms() -> None:
    chosen = simulated(rbmle.RBMLE(), BERNOULLI, 40, FixedDelay(39))
    assert chosen == [0, 1, 2, 3] * 10


@pytest.mark.pairs
@pytest.mark.parametrize("delay", [FixedDelay(6), BatchDelay(9)], ids=named)
def test_evidence_that_forgets_nothing_is_counting(delay: Any) -> None:
    for policy, problem in PLAYERS[:2]:
        counted = simulated(policy, problem, 120, delay)
        assert simulated(policy, problem, 120, delay, Discounted(1.0)) == counted
        assert simulated(policy, problem, 120, delay, Window(120)) == counted


@pytest.mark.pairs
def test_compiled_equals_interpreted() -> None:
    policies = [rbmle.RBMLE(), rbmle.ThompsonSampling()]
    for delay in (*DELAYS, FixedDelay(9, pending="ignored")):
        found = rbmle.simulate(
            BERNOULLI, policies, 150, 1, seed=SEED, delay=delay, first_replication=REPLICATION
        )
        for k, policy in enumerate(policies):
            chosen = simulated(policy, BERNOULLI, 150, delay)
            assert np.array_equal(found.pulls[k, 0], np.bincount(chosen, minlength=4))
            gaps = BERNOULLI.gaps[np.array(chosen)]
            assert found.regret[k, 0] == pytest.approx(np.cumsum(gaps)[found.checkpoints - 1])


@pytest.mark.pairs
def test_results_with_a_delay_of_no_rounds_are_those_without() -> None:
    policies = ["rbmle", "ts"]
    plain = rbmle.simulate(BERNOULLI, policies, 500, 10)
    late = rbmle.simulate(BERNOULLI, policies, 500, 10, delay=FixedDelay(0))
    assert np.array_equal(plain.regret, late.regret)
    assert np.array_equal(plain.pulls, late.pulls)
    assert np.array_equal(plain.best_pulls, late.best_pulls)
