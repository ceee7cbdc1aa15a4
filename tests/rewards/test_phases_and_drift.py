"""Phases and drifts: where their means are, and what is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from rbmle import Drift, Exponential, ParameterError, Phases, Problem, Study, Uniform, simulate
from rbmle.random import Cell, key, path_uniforms
from rbmle.random.philox import PATHS
from rbmle.rewards.changing import folded

DAY, NIGHT = Problem("bernoulli", [0.2, 0.6, 0.5]), Problem("bernoulli", [0.7, 0.1, 0.5])


def drift(**changes: Any) -> Drift:
    return Drift(**{"problem": DAY, "step": 0.05, "every": 3, "seed": 4, **changes})


@pytest.mark.parametrize("world", [Phases([DAY, NIGHT, DAY], at=[4, 9]), drift()], ids=type)
def test_the_source_follows_the_path(world: Any) -> None:
    source = world.source(7, 60)
    for t in range(1, 61):
        means = world.means_at(t)
        assert [source.gap(0, t, i) for i in range(3)] == (means.max() - means).tolist()
        plain = Problem(world.law, means).source(7, 60)
        assert [source.reward(2, t, i) for i in range(3)] == [
            plain.reward(2, t, i) for i in range(3)
        ]


def test_the_second_problem_begins_after_the_given_round() -> None:
    world = Phases([DAY, NIGHT], at=[10_000])
    assert np.array_equal(world.means_at(10_000), DAY.means)
    assert np.array_equal(world.means_at(10_001), NIGHT.means)
    assert world == pickle.loads(pickle.dumps(world)) != Phases([DAY, NIGHT], at=[9_999])


def test_numbers_for_paths_are_those_of_cells() -> None:
    found = path_uniforms(7, range(1, 5), 3)
    for n in range(1, 5):
        cells = [Cell(*key(7), 0, n, i + (PATHS << 28)) for i in range(3)]
        assert found[n - 1].tolist() == [each.uniform(0) for each in cells]


def test_a_path_is_a_pure_function_of_its_seed() -> None:
    path = drift().path(3_000)
    assert path.shape == (1_000, 3)
    assert np.array_equal(path[0], DAY.means)
    assert np.array_equal(drift().path(90), path[:30])  # a longer horizon only adds to it
    assert np.array_equal(pickle.loads(pickle.dumps(drift())).path(90), path[:30])
    assert not np.array_equal(drift(seed=5).path(90), path[:30])
    assert np.array_equal(drift(step=0.0).path(90), np.tile(DAY.means, (30, 1)))


def test_steps_have_the_given_size() -> None:
    free = Drift(Problem("gaussian", [0.0, 1.0]), step=0.3, seed=1)
    steps = np.diff(free.path(20_001), axis=0)
    assert abs(steps.std() - 0.3) < 0.005  # 40,000 steps: its standard error is 0.0005
    assert abs(steps.mean()) < 0.006
    assert np.abs(steps).max() <= 0.3 * 3**0.5 * (1.0 + 1e-9)


@pytest.mark.parametrize(
    ("world", "low", "high"),
    [
        (drift(step=0.3, every=1), 0.0, 1.0),
        (drift(step=0.3, every=1, low=0.1, high=0.7), 0.1, 0.7),
        (Drift(Problem(Uniform(0.2), [0.3, 0.5]), step=0.3), 0.1, 0.9),
        (Drift(Problem("exponential", [0.3, 0.5]), step=0.3), 0.0, np.inf),
        (Drift(Problem("gaussian", [0.3, 0.5]), step=0.3, high=1.0), -np.inf, 1.0),
    ],
)  # fmt: skip
def test_means_stay_in_their_range(world: Drift, low: float, high: float) -> None:
    path = world.path(5_000)
    assert low <= path.min()
    assert path.max() <= high
    allowed = world.law.mean_interval()
    assert all(float(each) in allowed for each in (path.min(), path.max()))
    moved = np.abs(np.diff(path, axis=0)).max()
    assert 0.0 < moved <= 0.3 * 3**0.5 * (1.0 + 1e-9)  # as a free step at most


def test_folding_is_reflection() -> None:
    values = np.array([-0.3, 0.0, 0.4, 1.2, 2.1, -1.5])
    assert folded(values, 0.0, 1.0) == pytest.approx([0.3, 0.0, 0.4, 0.8, 0.1, 0.5])
    assert folded(values, 0.0, np.inf) == pytest.approx([0.3, 0.0, 0.4, 1.2, 2.1, 1.5])
    assert folded(values, -np.inf, 1.0) == pytest.approx([-0.3, 0.0, 0.4, 0.8, -0.1, -1.5])


OTHER = Problem("gaussian", [0.2, 0.6, 0.5])
FEWER = Problem("bernoulli", [0.2, 0.6])
BAD: list[tuple[Any, str]] = [
    (lambda: Phases(DAY, at=[3]), "Phases: 'problems' must be a list of at least two"),
    (lambda: Phases([DAY], at=[]), "Phases: 'problems' must be a list of at least two"),
    (
        lambda: Phases([DAY, 3], at=[3]),
        "Phases: 'problems' must be Problems, or LinearProblems, .* Got 3",
    ),
    (lambda: Phases([DAY, OTHER], at=[3]), "Phases: 'problems' must be of the first one's law"),
    (lambda: Phases([DAY, FEWER], at=[3]), "Phases: 'problems' must be of 3 arms"),
    (lambda: Phases([DAY, NIGHT], at=3), "Phases: 'at' must be a list of whole numbers. Got 3"),
    (lambda: Phases([DAY, NIGHT], at=[3.5]), "Phases: 'at' must be a whole number in"),
    (lambda: Phases([DAY, NIGHT], at=[0]), "Phases: 'at' must be a whole number in"),
    (lambda: Phases([DAY, NIGHT], at=[3, 4]), "Phases: 'at' must be as long as"),
    (lambda: Phases([DAY, NIGHT, DAY], at=[4, 4]), "Phases: 'at' must be in increasing order"),
    (
        lambda: simulate(Phases([DAY, NIGHT, DAY], at=[50, 500]), ["ucb"], 100, 1),
        r"Phases: 'at' must be rounds before the last one, the horizon 100. Got \[50, 500\]",
    ),
    (
        lambda: Study(Phases([DAY, NIGHT], at=[100]), ["ucb"], 100, 1),
        "Phases: 'at' must be rounds before the last one, the horizon 100",
    ),
    (lambda: drift(problem=3), "Drift: 'problem' must be a Problem. Got 3"),
    (lambda: drift(step=-1), "Drift: 'step' must be a number in"),
    (lambda: drift(step=float("nan")), "Drift: 'step' must be a number in"),
    (lambda: drift(every=0), "Drift: 'every' must be a whole number in"),
    (lambda: drift(seed=-1), "Drift: 'seed' must be a whole number in"),
    (lambda: drift(low=-1), "Drift: 'low' must be a number in"),
    (lambda: drift(low=0.8, high=0.7), "Drift: 'high' must be above 'low'"),
    (lambda: drift(high=0.5), "Drift: 'problem' must be a problem with means in .* Got 0.6"),
    (lambda: Drift(Problem(Exponential(), [1.0, 2.0]), 0.1).path(10**13), "Drift: 'every' must be"),
]


@pytest.mark.parametrize(("build", "message"), BAD)
def test_mistakes_get_their_sentence(build: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{message}.*[.]$"):
        build()
