"""Evidence in code for CUDA devices, on machines without one: compiled, and played in a simulator.

See tests/engine/test_cuda.py; `pytest -m cuda` needs numba-cuda alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbmle

pytestmark = pytest.mark.cuda

X = np.array([[1.0, 0.0, 0.5], [0.3, -0.4, 0.1], [0.2, 0.9, -0.3], [0.0, 1.0, 0.0]])
GIVEN = rbmle.LinearProblem([-0.3, 0.5, 0.8], X)
DRAWN = rbmle.LinearProblem([-0.3, 0.5, 0.8], rbmle.SphereFeatures(4, 3))
TABLE = rbmle.LinearProblem([-0.3, 0.5, 0.8], rbmle.TableFeatures(4, X))
LOGISTIC = rbmle.LinearProblem([-0.3, 0.5, 0.8], X, "bernoulli")
COINS = rbmle.Problem("bernoulli", [0.3, 0.5, 0.6])
CASES = [
    (COINS, rbmle.ThompsonSampling(), rbmle.Discounted(0.99)),
    (COINS, rbmle.KLUCB(), rbmle.Window(20)),
    (GIVEN, rbmle.RBMLE(), rbmle.Linear(3)),
    (DRAWN, rbmle.UCB(), rbmle.Linear(3, shared=False)),
    (TABLE, rbmle.LinTS(), rbmle.Linear(3)),
    (LOGISTIC, rbmle.LinTS(), rbmle.Logistic(3)),
    (LOGISTIC, rbmle.LinTS(), rbmle.Diagonal(3, logistical=True)),
]


@pytest.mark.parametrize(("world", "policy", "evidence"), CASES)
def test_evidence_is_compiled_for_a_device(world: Any, policy: Any, evidence: Any) -> None:
    from rbmle.engine import on_cuda
    from rbmle.engine.plan import Setup, plan

    rewards = rbmle.RewardStream(1)
    planned = plan(Setup("test", [world], [policy], 100, 4, rewards, evidence=evidence))
    [tasks] = on_cuda.alike(planned)
    assert ".visible .entry" in on_cuda.kernel.ptx(*on_cuda.example(planned, tasks))


SAME = """
import numpy as np
import rbmle

X = np.array([[1.0, 0.0, 0.5], [0.3, -0.4, 0.1], [0.2, 0.9, -0.3], [0.0, 1.0, 0.0]])
theta = [-0.3, 0.5, 0.8]
coins = rbmle.Problem("bernoulli", [0.3, 0.5, 0.6])
given = rbmle.LinearProblem(theta, X)
logistic = rbmle.LinearProblem(theta, rbmle.GaussianFeatures(3, 3), "bernoulli")
sphere = rbmle.LinearProblem(theta, rbmle.SphereFeatures(4, 3))
once = rbmle.LinearProblem(theta, rbmle.SphereFeatures(4, 3, each="replication"))
drawing = rbmle.TableFeatures(3, X, common=True)
table = rbmle.LinearProblem(np.outer([1.0, 0.5, 0.2], theta), drawing)
CASES = [
    (coins, ["ucb", "ts", "klucb"], rbmle.Discounted(0.95)),
    (coins, ["ucb", "rbmle"], rbmle.Window(15)),
    (logistic, ["ucb", "ts"], rbmle.Discounted(0.95)),
    (given, ["ucb", "rbmle", "ucbtuned", "lints"], rbmle.Linear(3)),
    (logistic, ["ucb", "lints"], rbmle.Logistic(3)),
    (sphere, ["ucb", "rbmle"], rbmle.Linear(3)),
    (once, ["ucb", "rbmle(alpha=rootbias())"], rbmle.Linear(3, 0.5)),
    (table, ["ucb", "rbmle"], rbmle.Linear(3, shared=False)),
]
for world, policies, evidence in CASES:
    for options in ({}, {"ties": "first", "checkpoints": [3, 7], "first_replication": 2}):
        here = rbmle.simulate(world, policies, 70, 3, evidence=evidence, **options)
        there = rbmle.simulate(world, policies, 70, 3, evidence=evidence, device="cuda", **options)
        for name in ("regret", "best_pulls", "pulls"):
            assert np.array_equal(getattr(here, name), getattr(there, name)), (world, name)
        assert (here.pulls.sum(axis=2) == 70).all()
worlds = [given, rbmle.LinearProblem([0.1, 0.2, 0.3], X), rbmle.LinearProblem(theta, -X), sphere]
options = {"horizon": 30, "replications": 2, "evidence": rbmle.Linear(3)}
for here, there in zip(
    rbmle.simulate_many(worlds, ["ucb", "rbmle"], **options),
    rbmle.simulate_many(worlds, ["ucb", "rbmle"], device="cuda", **options),
):
    assert np.array_equal(here.regret, there.regret) and np.array_equal(here.pulls, there.pulls)
print("same")
"""


def test_a_device_plays_what_a_cpu_plays(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SAME)
    found = subprocess.run(
        [sys.executable, script],
        capture_output=True, text=True, timeout=600, check=False,
        env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"},
    )  # fmt: skip
    assert found.stdout == "same\n", found.stderr
