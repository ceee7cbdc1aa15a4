"""What only a CUDA device can tell: `pytest -m gpu`, where there is one."""

from __future__ import annotations

import numpy as np
import pytest

import rbmle

pytestmark = pytest.mark.gpu

PROBLEM = rbmle.Problem("bernoulli", [0.3, 0.5, 0.6])


@pytest.mark.parametrize("name", ["rbmle", "rbmle(f=mean)", "ucb", "ts", "klucb", "bayesucb", "kg"])
def test_a_device_plays_what_a_cpu_plays(name: str) -> None:
    here = rbmle.simulate(PROBLEM, [name], 2_000, 500)
    there = rbmle.simulate(PROBLEM, [name], 2_000, 500, device="cuda")
    assert np.array_equal(here.regret, there.regret)
    assert np.array_equal(here.best_pulls, there.best_pulls)
    assert np.array_equal(here.pulls, there.pulls)


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
