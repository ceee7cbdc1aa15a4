"""Many problems at once are played as each of them alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbmle
from rbmle import Assuming, Gaussian, ParameterError, Problem, simulate, simulate_many

PROBLEMS = [
    Problem("bernoulli", [0.2, 0.5]),
    Problem("bernoulli", [0.9, 0.1, 0.4]),
    Problem("bernoulli", [0.6, 0.7]),
]


def same(one: rbmle.Result, other: rbmle.Result) -> bool:
    """Whether two results are of the same problem and have equal numbers."""
    return one.problem == other.problem and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("regret", "best_pulls", "pulls", "checkpoints")
    )


@pytest.mark.parametrize("threads", [1, 3])
def test_each_problem_is_played_as_if_alone(threads: int) -> None:
    policies = ["ucb", Assuming("ucb(alpha=1)", Gaussian(0.5))]
    found = simulate_many(
        PROBLEMS, policies, horizon=60, replications=4, seed=3, first_replication=2,
        ties="first", threads=threads,
    )  # fmt: skip
    alone = [
        simulate(each, policies, 60, 4, seed=3, first_replication=2, ties="first", checkpoints=[60])
        for each in PROBLEMS
    ]
    assert all(map(same, found, alone))
    assert [each.regret.shape for each in found] == [(2, 4, 1)] * 3


def test_labels_and_checkpoints_are_those_of_simulate() -> None:
    [found] = simulate_many(
        PROBLEMS[:1], {"mine": "ucb"}, horizon=50, replications=2, checkpoints=[10, 50]
    )
    assert found.labels == ("mine",)
    assert found.checkpoints.tolist() == [10, 50]


@pytest.mark.parametrize("problems", [[], PROBLEMS[0], [PROBLEMS[0], "bernoulli"], None])
def test_problems_must_be_a_list_of_problems(problems: object) -> None:
    with pytest.raises(ParameterError, match="simulate_many: 'problems' must be a list of problem"):
        simulate_many(problems, ["ucb"], horizon=10, replications=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "wrong"), [("policies", "ubc"), ("family", "gaus"), ("checkpoints", [11])]
)
def test_mistakes_are_told_of_the_function_that_was_called(name: str, wrong: Any) -> None:
    given: dict[str, Any] = {"policies": ["ucb"], "horizon": 10, "replications": 1}
    given[name] = [wrong] if name == "policies" else wrong
    with pytest.raises(ParameterError, match=f"^simulate_many: '{name}' must be "):
        simulate_many(PROBLEMS, **given)


def test_the_device_must_be_known() -> None:
    with pytest.raises(ParameterError, match="simulate: 'device' must be one of 'cpu', 'cuda'"):
        simulate(PROBLEMS[0], ["ucb"], 10, 1, device="gpu")
