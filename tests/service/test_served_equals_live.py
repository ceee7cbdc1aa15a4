"""Served equals live equals simulated, whichever worker answers, and however often it starts."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from decider_cases import Tally
from service_cases import add_arm, clean, create, decide, decided, one, reward, set_state

from rbmle.engine import simulate
from rbmle.families import Bernoulli, Gaussian
from rbmle.live.decider import Decider
from rbmle.policies import IDS, RBMLE, UCB, ThompsonSampling
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import Table
from rbmle.service import experiment_cache as cache_module
from rbmle.service.ledger import Ledger
from rbmle.service.storage import Storage
from rbmle.spec import to_spec

Opened = Callable[[], Storage]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "family"),
    [
        pytest.param(UCB(), Bernoulli(), id="UCB"),
        pytest.param(RBMLE(), Gaussian(0.5), marks=pytest.mark.slow, id="RBMLE"),
        pytest.param(ThompsonSampling(), Bernoulli(), marks=pytest.mark.slow, id="Thompson"),
        pytest.param(IDS(commit=0.9), Bernoulli(), marks=pytest.mark.slow, id="IDS"),
        pytest.param(Tally(), Bernoulli(), id="Tally"),
    ],
)
def test_served_equals_live_whichever_worker_answers(
    opened: Opened, policy: Any, family: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers, one of which is started again and again, make the choices of one `Decider`."""
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", 50)
    workers = [Ledger(opened()), Ledger(opened())]
    workers[0].run([create(policy=to_spec(policy), family=to_spec(family), patience=20)])
    live = Decider(["a", "b", "c"], policy, family, seed=1, patience=20)
    generator = random.Random(4)
    waiting: list[str] = []
    for step in range(250):
        if step % 60 == 59:
            workers[1] = Ledger(workers[1].storage)
        worker = generator.choice(workers)
        if waiting and generator.random() < 0.45:
            id = waiting.pop(generator.randrange(len(waiting)))
            value = float(generator.random() < 0.5)
            assert one(worker, reward(id, value)) == (200, {"counted": True})
            live.update(id=id, reward=value)
            continue
        if step == 100:
            live.add("d")
            workers[0].run([add_arm("d")])
        if step == 150:
            live.disable("b")
            workers[1].run([set_state("b", "paused")])
        id = f"visit-{step}"
        expected = decided(live, id)
        assert one(worker, decide(id=id)) == (200, expected)
        assert one(worker, decide(id=id)) == (200, expected)
        waiting.append(id)
    assert clean(workers[0].storage)
    known = workers[0].cache.find("x")
    assert known is not None
    workers[0].refresh()
    assert {arm.name: arm.pulls for arm in known.arms} == live.counts


@pytest.mark.slow
def test_served_equals_simulated(opened: Opened) -> None:
    """With the simulator's rewards, told at once, the arms are the simulator's."""
    rounds, means = 200, [0.3, 0.55, 0.6]
    table = (np.random.default_rng(3).random((1, rounds, 3)) < means).astype(float)
    problem = Problem(Bernoulli(), means)
    played = simulate(
        problem, [UCB()], rounds, 1, Table(table, 1), checkpoints=range(1, rounds + 1)
    )
    workers = [Ledger(opened()), Ledger(opened())]
    workers[0].run([create()])
    gaps, counts, regret = problem.gaps.tolist(), [0.0] * 3, []
    for t in range(rounds):
        body = one(workers[t % 2], decide())[1]
        arm = "abc".index(body["arm"])
        assert body["t"] == t + 1
        assert one(workers[(t + 1) % 2], reward(body["id"], table[0, t, arm]))[1]["counted"]
        counts[arm] += 1.0
        total = 0.0
        for pulls, gap in zip(counts, gaps, strict=True):
            total += pulls * gap
        regret.append(total)
    assert np.array_equal(regret, played.regret[0, 0])
    assert counts == played.pulls[0, 0].tolist()
