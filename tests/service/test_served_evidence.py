"""Served equals live equals simulated, with every kind of evidence.

All three play in the interpreter, which is the same code: nothing is compiled for them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import evidence_cases
import numpy as np
import pytest
from service_cases import add_arm, clean, create, decide, decided, one, reward, set_state

import rbmle
from rbmle import Decider, FixedDelay, GeometricDelay
from rbmle.evidence import Discounted, Linear, Logistic, Window
from rbmle.random import delay_cell, key
from rbmle.service import experiment_cache as cache_module
from rbmle.service.experiment import Experiment
from rbmle.service.ledger import Ledger
from rbmle.service.storage import Storage
from rbmle.spec import to_spec

Opened = Callable[[], Storage]
ARMS = ["a", "b", "c", "d"]
COINS = rbmle.Problem("bernoulli", [0.2, 0.5, 0.6, 0.4])
LINES = rbmle.LinearProblem([0.8, -0.4], rbmle.SphereFeatures(4, 2))
CURVES = rbmle.LinearProblem([1.8, -1.4], rbmle.SphereFeatures(4, 2), "bernoulli")
EACH = rbmle.LinearProblem([[0.8, -0.4], [0.1, 0.3], [-0.5, 0.5], [0.0, 0.9]],
                           rbmle.SphereFeatures(4, 2))  # fmt: skip
CASES = {
    "Discounted": (rbmle.UCB(), COINS, Discounted(0.9)),
    "Window": (rbmle.RBMLE(), COINS, Window(9)),
    "Linear": (rbmle.RBMLE(), LINES, Linear(2)),
    "Linear-each": (rbmle.UCBTuned(), EACH, Linear(2, 0.5, shared=False)),
    "LinTS": (rbmle.LinTS(), LINES, Linear(2)),
    "Logistic": (rbmle.UCB(), CURVES, Logistic(2)),
}
FIXED, LOST = FixedDelay(3), GeometricDelay(mean=4, lost=0.2, patience=60)
PLAYED = [
    ("Discounted", LOST), ("Window", FIXED), ("Linear", None), ("Linear", FIXED), ("Linear", LOST),
    ("Linear-each", LOST), ("LinTS", FIXED), ("Logistic", LOST),
]  # fmt: skip


@pytest.fixture(autouse=True)
def in_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence_cases.interpret(monkeypatch)
    monkeypatch.setattr(evidence_cases, "REPLICATION", 0)  # the service's
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", 30)


def served(problem: Any, evidence: Any, rounds: int, delay: Any, workers: list[Ledger]) -> Any:
    """The arms that a service chooses, if it is told each reward after its delay."""
    seed = evidence_cases.SEED
    source = problem.source(seed, rounds).own()
    due: dict[int, list[tuple[str, float]]] = {}
    chosen = []
    for t in range(1, rounds + 1):
        source.meet(0, t)
        context = None
        if evidence.reads():
            values = [[float(source.feature(i, a)) for a in range(2)] for i in range(4)]
            context = dict(zip(ARMS, values, strict=True))
        if t % 40 == 0:
            workers[1] = Ledger(workers[1].storage)
        told = one(workers[t % 2], decide(id=str(t), context=context))[1]
        arm = ARMS.index(told["arm"])
        assert told["t"] == t
        chosen.append(arm)
        late = 0
        if delay is not None:
            late = delay.arrivals().comes_after(t, delay_cell(*key(seed), 0, t))
        if late >= 0:
            due.setdefault(t + late, []).append((str(t), float(source.reward(0, t, arm))))
        for id, value in due.pop(t, []):
            assert one(workers[(t + 1) % 2], reward(id, value)) == (200, {"counted": True})
    return chosen


@pytest.mark.pairs
@pytest.mark.parametrize(("case", "delay"), PLAYED, ids=str)
def test_served_equals_simulated(opened: Opened, case: str, delay: Any) -> None:
    (policy, problem, evidence), rounds = CASES[case], 100
    workers = [Ledger(opened()), Ledger(opened())]
    created = create(
        arms=ARMS, policy=to_spec(policy), family=to_spec(problem.family), seed=5,
        evidence=to_spec(evidence), patience=1_000 if delay is None else delay.patience,
    )  # fmt: skip
    assert one(workers[0], created)[0] == 201
    told = served(problem, evidence, rounds, delay, workers)
    assert told == evidence_cases.simulated(policy, problem, rounds, delay, evidence)
    assert clean(workers[0].storage)


def known_to(worker: Ledger) -> Experiment:
    worker.refresh()
    known = worker.cache.find("x")
    assert known is not None
    return known


@pytest.mark.pairs
@pytest.mark.parametrize("case", CASES)
def test_served_equals_live_whatever_happens(opened: Opened, case: str) -> None:
    """Rewards late, very late and lost, arms added and paused: the choices of one `Decider`."""
    policy, problem, evidence = CASES[case]
    family, patience = problem.family, 15
    workers = [Ledger(opened()), Ledger(opened())]
    workers[0].run(
        [create(policy=to_spec(policy), family=to_spec(family), evidence=to_spec(evidence),
                patience=patience)]
    )  # fmt: skip
    live = Decider(["a", "b", "c"], policy, family, seed=1, patience=patience, evidence=evidence)
    generator = random.Random(4)
    waiting: dict[str, Any] = {}
    for step in range(250):
        if step % 60 == 59:
            workers[1] = Ledger(workers[1].storage)
        worker = generator.choice(workers)
        if waiting and generator.random() < 0.45:
            id = generator.choice(list(waiting))
            value, vector = float(generator.random() < 0.5), waiting.pop(id)
            assert one(worker, reward(id, value)) == (200, {"counted": True})
            live.update(id=id, reward=value, context=vector)
            continue
        if step == 100 or generator.random() < 0.01:
            name = f"new{len(live.arms)}"
            live.add(name)
            assert one(worker, add_arm(name))[0] == 201
        if step == 150:
            live.disable("b")
            workers[1].run([set_state("b", "paused")])
        context, id = None, f"visit-{step}"
        if evidence.reads():
            rested = generator.random() < 0.5  # arms that rest may be left out, or given
            names = live.enabled if rested else live.arms
            context = {name: [generator.gauss(0.0, 1.0) for _ in range(2)] for name in names}
            if evidence.separate() and generator.random() < 0.3:
                context = [generator.gauss(0.0, 1.0) for _ in range(2)]
        expected = decided(live, id, context)
        arm = expected["arm"]
        assert one(worker, decide(id=id, context=context)) == (200, expected)
        waiting[id] = context[arm] if isinstance(context, dict) else context
    assert clean(workers[0].storage)
    for worker in workers:
        known = known_to(worker)
        assert {arm.name: arm.pulls for arm in known.arms} == live.counts
        assert np.array_equal(known.live.remembered, live._live.remembered)  # type: ignore[attr-defined]
