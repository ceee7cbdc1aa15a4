"""One replication has no spread: every command says so, and none shows ±inf or 0."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from rbmle import UCB, Result, published_problem
from rbmle.cli.main import run
from rbmle.cli.output import cells, show_comparison
from rbmle.paper.reproduction import compare_with_print
from rbmle.studies.runner import load

STUDY = """
horizon = 60
replications = 1
[[problem]]
name = "coins"
law = "Bernoulli"
means = [0.3, 0.6]
[[policy]]
name = "UCB"
[[policy]]
name = "ThompsonSampling"
"""


@pytest.fixture(autouse=True)
def no_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines are not wrapped, although a worker of pytest-xdist may set COLUMNS."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.toml").write_text(STUDY)
    assert run(["run", "s.toml"]) == 0
    capsys.readouterr()
    return tmp_path / "s-run"


def shown(capsys: pytest.CaptureFixture[str], *line: str) -> str:
    assert run(list(line)) == 0
    text = capsys.readouterr().out
    assert not re.search(r"\b(inf|nan)\b", text, re.IGNORECASE)
    return text


@pytest.mark.slow
def test_compare_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["compare", "bernoulli", "0.3", "0.6", "--policies", "ucb,moss", "--horizon", "60"]
    text = shown(capsys, *line, "--replications", "1")
    assert "1 replication (one has no spread)" in text
    assert "(one replication: no spread, so no interval)" in text
    assert re.search(r"^UCB +[\d.]+ +- ", text, re.MULTILINE)  # the deviation
    assert re.search(r"^\w+ - \w+ +-?[\d.]+ +- +- ", text, re.MULTILINE)  # the interval
    data = json.loads(shown(capsys, *line, "--replications", "1", "--json"))
    assert {each["std"] for each in data["policies"].values()} == {None}
    data = json.loads(shown(capsys, *line, "--replications", "2", "--json"))
    assert all(each["std"] >= 0.0 for each in data["policies"].values())


def test_show_and_export_say_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "(one has no spread)" in shown(capsys, "show", "s-run")
    latex = shown(capsys, "export", "s-run", "--format", "latex")
    assert "(one has no spread)" in latex
    assert latex.count("\\pm") == 1  # in the head
    data = json.loads(shown(capsys, "export", "s-run", "--format", "json"))
    assert data["results"]["coins"]["policies"]["UCB"]["std"] is None
    assert len(shown(capsys, "export", "s-run").splitlines()) > 2


def test_the_report_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    shown(capsys, "report", "s-run")
    page = (folder / "report.html").read_text("utf-8")
    body = re.sub(r"<(script|style|svg)\b.*?</\1>", "", page, flags=re.DOTALL)
    assert "one replication has no spread" in body
    assert "Cumulative regret of the one replication." in body
    assert "% band" not in page
    assert "whiskers" not in body
    assert load(folder).result.plot().axes[0].get_ylabel() == "Regret"
    assert not re.search(r"\b(inf|nan)\b", re.sub(r"<[^>]*>", " ", body), re.IGNORECASE)


def test_the_paper_beside_one_replication(capsys: pytest.CaptureFixture[str]) -> None:
    final = np.array([[100.0]])
    problem = published_problem("Bernoulli_ID=2")
    result = Result(
        problem, (UCB(),), (problem.family,), 10, np.array([10]), final[:, :, None],
        np.zeros((1, 1, 1), np.int64), np.zeros((1, 1, 10), np.int64), ("UCB",),
    )  # fmt: skip
    rows = compare_with_print("Bernoulli_ID=2", result)
    show_comparison("Bernoulli_ID=2", rows)
    text = capsys.readouterr().out
    assert not re.search(r"\b(inf|nan)\b", text)
    assert "there are no standard errors" in text
    assert json.loads(json.dumps(cells(rows), allow_nan=False))[0]["z"] is None
    assert rows[0].cells[0].note() == "different, without a spread to compare"


def test_what_is_missing_is_said_in_words(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for shard in (folder / "shards").glob("*.shard"):
        shard.unlink()
    assert load(folder).missing == (
        "coins, UCB: 1 of 1 replications",
        "coins, ThompsonSampling: 1 of 1 replications",
    )
    text = shown(capsys, "show", "s-run")
    assert text.splitlines() == [f"Still to play: {each}" for each in load(folder).missing]
