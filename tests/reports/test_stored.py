"""A page is made of what a run stored: writing it neither plays nor times anything."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

import rbmle
from rbmle.cli.main import run as command
from rbmle.errors import ParameterError, RunError
from rbmle.paper import folder as paper
from rbmle.paper.folder import load_paper, reproduce
from rbmle.paper.scaling import measure
from rbmle.studies.study_result import TIMES as FILE

PROBLEM = rbmle.Problem(rbmle.Bernoulli(), [0.9, 0.5])
POLICIES = {"asked": rbmle.theory.Theoretical(2, sharp=True), "UCB": rbmle.UCB()}
STUDY = rbmle.Study({"coins": PROBLEM}, POLICIES, horizon=200, replications=4)


@pytest.fixture
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every function that plays or times raise an error."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("a page must be written from what is stored")

    monkeypatch.setattr("rbmle._numba.compile.Kernel.__call__", refuse)
    monkeypatch.setattr("rbmle._numba.compile.Kernel.specialised", refuse)
    monkeypatch.setattr("time.process_time", refuse)
    for name in (
        "rbmle.engine.simulate",
        "rbmle.studies.runner.run",
        "rbmle.studies.study_result.study_times",
        "rbmle.paper.folder.measure",
        "rbmle.paper.folder.run",
    ):
        monkeypatch.setattr(name, refuse)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stored") / "run"
    rbmle.run(dataclasses.replace(STUDY, policies={"UCB": rbmle.UCB()}), folder, times=True)
    return folder


@pytest.fixture
def bounded(tmp_path: Path) -> Path:
    """The folder of a study with a policy that has a regret bound."""
    rbmle.run(STUDY, tmp_path / "bounded")
    return tmp_path / "bounded"


@pytest.fixture(scope="module")
def small_paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A paper folder with one table of few replications, and with all measurements."""
    folder = tmp_path_factory.mktemp("paper") / "paper"
    entry = paper.tables()["regret"]["Bernoulli_ID=2"]
    with pytest.MonkeyPatch.context() as patch:
        small = {**entry, "horizon": 300}
        patch.setattr(paper, "tables", lambda: {"regret": {"Bernoulli_ID=2": small}})
        patch.setattr(paper, "table_study", lambda *_: _short())
        patch.setattr(paper, "measure", lambda: measure(["bernoulli"], [3, 6], ["RBMLE"], 100, 1))
        patch.setattr(paper, "_fitting", lambda *_: ["RBMLE", "UCB"])
        reproduce(folder=folder)
    return folder


def _short() -> rbmle.Study:
    problem = rbmle.published_problem("Bernoulli_ID=2")
    policies = {"RBMLE": rbmle.RBMLE(), "TS": rbmle.ThompsonSampling(), "UCB": rbmle.UCB()}
    return rbmle.Study({"Bernoulli_ID=2": problem}, policies, 300, 4)


def test_a_study_is_reported_from_its_folder(
    stored: Path, bounded: Path, nothing_runs: None, tmp_path: Path
) -> None:
    page = rbmle.report(stored, tmp_path / "page.html")
    assert "A pull of the live Decider took" in page.read_text("utf-8")
    assert rbmle.report(stored) == stored / "report.html"
    assert "Regret beside its upper bound" in rbmle.report(bounded).read_text("utf-8")


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_runs")
def test_the_paper_is_reported_from_its_folder(small_paper: Path) -> None:
    found = load_paper(small_paper)
    assert list(found.results) == ["Bernoulli_ID=2"]
    assert found.results["Bernoulli_ID=2"].names == ("RBMLE", "UCB")  # what was played of it
    text = rbmle.report(small_paper).read_text("utf-8")
    for said in ("Scalability: bernoulli", "Algorithm 3", "times in units of UCB"):
        assert said in text
    assert {path.suffix for path in (small_paper / "figures").iterdir()} == {".svg", ".png", ".pdf"}


@pytest.mark.slow
def test_times_are_of_this_study_or_not_shown(stored: Path, tmp_path: Path) -> None:
    data = json.loads((stored / FILE).read_text())
    times = data["seconds_per_decision"]["coins"]
    assert set(times) == {"UCB"}
    assert set(times["UCB"]) == {"compiled", "live"}
    kept = (stored / FILE).read_text()
    try:
        for damaged in (json.dumps({**data, "digest": "0"}), "{", "[]"):
            (stored / FILE).write_text(damaged)
            rbmle.report(stored, tmp_path / "page.html")
            assert "live Decider took" not in (tmp_path / "page.html").read_text("utf-8")
    finally:
        (stored / FILE).write_text(kept)


@pytest.mark.slow
def test_results_are_reported_from_python(tmp_path: Path) -> None:
    simulated = rbmle.simulate(PROBLEM, [rbmle.UCB(), rbmle.RBMLE()], 200, 3)
    for result in (rbmle.run(STUDY), simulated):
        page = rbmle.report(result, tmp_path / "page.html")
        assert "<svg" in page.read_text("utf-8")
        with pytest.raises(ParameterError, match="report: 'path' must be given"):
            rbmle.report(result)
    with pytest.raises(ParameterError, match="report: 'run' must be a run folder"):
        rbmle.report(7)  # type: ignore[arg-type]
    with pytest.raises(RunError, match=r"nowhere: is no run folder, as it has no study\.json"):
        rbmle.report(tmp_path / "nowhere")


def test_report_is_an_alias() -> None:
    assert rbmle.report is rbmle.write_report


@pytest.mark.parametrize("missing", ["matplotlib", "jinja2"])
def test_missing_packages_are_asked_for_first(
    missing: str, stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setitem(__import__("sys").modules, missing, None)
    monkeypatch.chdir(tmp_path)
    for line in (["report", str(stored)], ["reproduce", "1a", "--replications", "2"]):
        assert command(line) == 2
        said = capsys.readouterr().err
        assert said == (
            f"rbmle: {line[0]}: {missing} is not installed. Install it, in a clone of rbmle, with: "
            'pip install ".[report]"\n'
        )
    assert not list(tmp_path.iterdir())
