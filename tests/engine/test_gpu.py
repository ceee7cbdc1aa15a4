"""What only a CUDA device can tell: `pytest -m gpu`, where there is one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbmle
from rbmle import EXP3

pytestmark = pytest.mark.gpu

PROBLEM = rbmle.Problem("bernoulli", [0.3, 0.5, 0.6])


@pytest.mark.parametrize("name", ["rbmle", "rbmle(f=mean)", "ucb", "ts", "klucb", "bayesucb", "kg"])
def test_a_device_plays_what_a_cpu_plays(name: str) -> None:
    here = rbmle.simulate(PROBLEM, [name], 2_000, 500)
    there = rbmle.simulate(PROBLEM, [name], 2_000, 500, device="cuda")
    assert np.array_equal(here.regret, there.regret)
    assert np.array_equal(here.best_pulls, there.best_pulls)
    assert np.array_equal(here.pulls, there.pulls)


FEATURES = rbmle.LinearProblem([-0.3, 0.5, 0.8], rbmle.SphereFeatures(4, 3))
WORLDS: list[tuple[Any, str, dict[str, Any]]] = [
    (PROBLEM, "ts", {"evidence": rbmle.Discounted(0.99)}),
    (rbmle.Drift(PROBLEM, 0.05), "klucb", {"evidence": rbmle.Window(50)}),
    (FEATURES, "rbmle", {"evidence": rbmle.Linear(3)}),
    (FEATURES, "lints", {"evidence": rbmle.Linear(3)}),
    (PROBLEM, "rbmle", {"delay": rbmle.FixedDelay(20)}),
]


@pytest.mark.parametrize("delay", [None, rbmle.FixedDelay(20)])
def test_a_policy_of_a_user_that_remembers(delay: Any) -> None:
    here = rbmle.simulate(PROBLEM, [EXP3()], 500, 200, delay=delay)
    there = rbmle.simulate(PROBLEM, [EXP3()], 500, 200, delay=delay, device="cuda")
    same = (here.pulls == there.pulls).all(axis=(0, 2))
    assert np.count_nonzero(~same) <= 1  # as below


@pytest.mark.parametrize(("world", "name", "options"), WORLDS)
def test_worlds_that_change_and_features(world: Any, name: str, options: dict[str, Any]) -> None:
    here = rbmle.simulate(world, [name], 500, 200, **options)
    there = rbmle.simulate(world, [name], 500, 200, device="cuda", **options)
    same = (here.pulls == there.pulls).all(axis=(0, 2))
    assert np.count_nonzero(~same) <= 1  # a last bit of a transcendental function may part one
    assert np.allclose(here.regret[:, same], there.regret[:, same], rtol=1e-12)


def test_many_problems_are_quicker_together() -> None:
    """A hundred problems take much less than a hundred times as long as one."""
    import time

    problems = [rbmle.Problem("bernoulli", [0.3, 0.2 + 0.006 * k]) for k in range(100)]
    spent = []
    for some in (problems[:1], problems):
        for _ in range(2):  # the first call compiles
            began = time.perf_counter()
            rbmle.simulate_many(some, ["ucb"], horizon=20_000, replications=100, device="cuda")
        spent.append(time.perf_counter() - began)
    assert spent[1] < 20.0 * spent[0]
