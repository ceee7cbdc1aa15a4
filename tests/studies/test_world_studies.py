"""Studies of worlds that change, with evidence and with delays: their files, digests and runs."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbmle
from rbmle import Drift, FixedDelay, LinearProblem, Phases, Problem, SphereFeatures, Study
from rbmle.errors import ParameterError, StudyError
from rbmle.studies.export import export

DAY, NIGHT = Problem("bernoulli", [0.2, 0.6]), Problem("bernoulli", [0.6, 0.2])
X = [[1.0, 0.0], [0.6, 0.8], [0.0, -1.0]]
WORLDS: dict[str, Any] = {
    "phases": Phases([DAY, NIGHT, DAY], at=[100, 150]),
    "drift": Drift(DAY, step=0.05, every=7, seed=3),
    "kept low": Drift(DAY, step=0.05, high=0.7),
    "linear": LinearProblem([0.5, -0.25], X),
    "drawn": LinearProblem([0.5, -0.25], SphereFeatures(4, 2), "bernoulli"),
    "each its own": LinearProblem([[0.5, -0.25], [0.0, 1.0], [1.0, 0.0]], X),
    "linear phases": Phases([LinearProblem([1.0, 0.0], X), LinearProblem([0.0, 1.0], X)], at=[30]),
}


def study(**changes: Any) -> Study:
    given = {"problems": WORLDS["phases"], "policies": ["ucb", "ts"], "horizon": 200}
    return Study(**{**given, "replications": 30, **changes})


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_is_plain_data(name: str, tmp_path: Path) -> None:
    stated = study(problems={name: WORLDS[name]})
    assert stated.problems[name] == WORLDS[name]
    for again in (
        Study.from_dict(json.loads(stated.to_json())),
        pickle.loads(pickle.dumps(stated)),
        toml(stated.to_toml(), tmp_path),
    ):
        assert again == stated
        assert again.digest == stated.digest
        assert again.problems[name] == WORLDS[name]


@pytest.mark.slow
def test_a_study_plays_whatever_simulate_plays_with_its_evidence() -> None:
    """LinTS fits Bernoulli rewards only with the evidence `Logistic`."""
    given: dict[str, Any] = {"horizon": 40, "replications": 3, "evidence": rbmle.Logistic(2)}
    stated = Study(WORLDS["drawn"], ["lints"], **given)
    simulated = rbmle.simulate(WORLDS["drawn"], ["lints"], **given)
    assert np.array_equal(rbmle.run(stated).result.regret, simulated.regret)
    with pytest.raises(ParameterError, match="'family' must be Gaussian"):
        stated.replaced(evidence=rbmle.Counting())


def toml(text: str, folder: Path) -> Study:
    (folder / "study.toml").write_text(text)
    return Study.from_toml(folder / "study.toml")


def test_problems_are_equal_if_all_that_makes_them_is() -> None:
    """Python's hash of -1.0 is that of -2.0, so that equal hashes do not suffice."""
    one, other = (LinearProblem([1.0, 0.0], X, rbmle.Gaussian(prior_mean=m)) for m in (-1.0, -2.0))
    assert one != other
    assert one == LinearProblem([1.0, 0.0], X, rbmle.Gaussian(prior_mean=-1.0))
    wide, high = (LinearProblem(np.ones(n), np.ones(n)) for n in ((2, 3), (3, 2)))
    assert wide != high
    assert len({*WORLDS.values(), *WORLDS.values()}) == len(WORLDS)
    assert len({Problem("gaussian", [zero, 1.0]) for zero in (0.0, -0.0)}) == 1


def test_evidence_and_delay_are_a_part_of_a_study() -> None:
    plain = study(problems=DAY)
    assert "evidence" not in plain.to_dict()  # so that digests are what they were
    assert "delay" not in plain.to_dict()
    assert plain.digest == study(problems=DAY, evidence=rbmle.Counting()).digest
    late = study(problems=DAY, evidence="discounted(gamma=0.9)", delay="fixeddelay(9)")
    assert late.evidence == rbmle.Discounted(0.9)
    assert late.delay == FixedDelay(9)
    assert (
        Study.from_dict(json.loads(late.to_json()))
        == late
        == plain.replaced(evidence=rbmle.Discounted(0.9), delay=FixedDelay(9))
    )
    others = [plain, late, plain.replaced(delay=FixedDelay(9)), study()]
    assert len({each.digest for each in others}) == 4


TOML = """
horizon = 200
replications = 3
delay = "fixeddelay(9)"
[[problem]]
law = "Bernoulli"
means = [[0.2, 0.6], [0.6, 0.2]]
at = [100]
[[policy]]
name = "UCB"
"""


def test_a_file_states_phases_and_delays(tmp_path: Path) -> None:
    stated = toml(TOML, tmp_path)
    assert stated.problems["problem 1"] == Phases([DAY, NIGHT], at=[100])
    assert stated.delay == FixedDelay(9)


@pytest.mark.parametrize(
    ("wrong", "right", "message"),
    [
        ("at = [100]", "at = [100, 120]", "problem 1: Phases: 'at' must be as long as"),
        ("at = [100]", "when = [100]", "problem 1: the keys are"),
        ("at = [100]", "drift = 3", "problem 1: 'drift' must be a table"),
        ("at = [100]", "drift = { steps = 3 }", "problem 1: Drift: the parameters are"),
        ("at = [100]", "drift = { every = 3 }", "problem 1: Drift: 'step' must be given"),
        ("means = [[0.2, 0.6], [0.6, 0.2]]", "means = 3", "problem 1: 'at' must be given with"),
        ('law = "Bernoulli"', "", "problem 1: 'law' must be given"),
        ('"fixeddelay(9)"', '"fixdelay(9)"', "'delay' must be one of"),
        ('"fixeddelay(9)"', "9", "'delay' must be a name, or a table"),
        ('"fixeddelay(9)"', '"fixeddelay(-9)"', "FixedDelay: 'rounds' must be a whole number"),
    ],
)  # fmt: skip
def test_mistakes_in_a_file(wrong: str, right: str, message: str, tmp_path: Path) -> None:
    assert wrong in TOML
    with pytest.raises(StudyError, match=rf"^.*study.toml(, |: ){message}"):
        toml(TOML.replace(wrong, right), tmp_path)


def test_what_needs_means_that_stay_is_refused() -> None:
    with pytest.raises(ParameterError, match="'problem' must be a Problem, whose means stay"):
        study(policies=[rbmle.theory.Theoretical(2)])
    with pytest.raises(ParameterError, match="'rewards' must be a RewardStream for a Phases"):
        study(rewards="published")
    with pytest.raises(ParameterError, match="'dimension' must be that of the problem's features"):
        study(evidence=rbmle.Linear(3))


def test_decisions_that_cannot_be_timed_are_refused_before_anything_is_played(
    tmp_path: Path,
) -> None:
    with pytest.raises(ParameterError, match="run: 'times' must be False where means change"):
        rbmle.run(study(), tmp_path / "run", times=True)
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_study_of_worlds_is_run_resumed_reported_and_exported(tmp_path: Path) -> None:
    """On threads, with more replications later, and on the workers of an executor: one result."""
    stated = study(
        problems={name: WORLDS[name] for name in ("phases", "drift")},
        policies=["ucb"], evidence="discounted(gamma=0.95)", delay="geometricdelay(5)",
        replications=60,
    )  # fmt: skip
    rbmle.run(stated.replaced(replications=20), tmp_path / "a")
    resumed = rbmle.run(stated, tmp_path / "a")
    with ThreadPoolExecutor(2) as workers:
        sent = rbmle.run(stated, tmp_path / "b", executor=workers)
    for name in stated.problems:
        direct = rbmle.simulate(
            stated.problems[name], ["ucb"], 200, 60, evidence=stated.evidence, delay=stated.delay
        )
        for found in (resumed, sent, rbmle.load(tmp_path / "a")):
            result = found.results[name]
            assert np.array_equal(result.regret, direct.regret)
            assert np.array_equal(result.pulls, direct.pulls)
            assert np.array_equal(result.best_pulls, direct.best_pulls)
            assert result.title == direct.title
        assert result.title.startswith("Final regret: 2 arms, Bernoulli, ")
        assert "Discounted(gamma=0.95), GeometricDelay(mean=5.0)" in result.title
    data = json.loads("".join(export(resumed, "json")))["results"]["phases"]
    assert data["world"]["at"] == [100, 150]
    assert data["delay"]["mean"] == 5.0
    assert "".join(export(resumed, "csv")).count("\n") > 60
    assert "2 arms" in "".join(export(resumed, "latex"))
    page = rbmle.report(tmp_path / "a").read_text()
    for said in ("Means from round 101", "Drift", "GeometricDelay", "against the best arm of that"):
        assert said in page
    assert "Lai and Robbins" not in page
