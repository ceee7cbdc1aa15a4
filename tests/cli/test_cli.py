"""The command line: its output, its files and its exit codes."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from rbmle._io.text import with_error
from rbmle._records.names import split
from rbmle.cli.main import run
from rbmle.paper.folder import load_paper
from rbmle.policies import POLICIES, RBMLE, UCB, KGStar, LogBias, ThompsonSampling
from rbmle.policies.fit import as_policy
from rbmle.studies.runner import load

SMALL = """
horizon = 300
replications = 6
[[problem]]
name = "coins"
law = "Bernoulli"
means = [0.3, 0.6]
[[policy]]
name = "RBMLE"
[[policy]]
name = "ucb"
"""


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def said(capsys, *arguments, code=0):
    assert run([str(each) for each in arguments]) == code
    captured = capsys.readouterr()
    assert "\x1b" not in captured.out + captured.err  # no terminal: no control characters
    return captured.err if code else captured.out


def test_policies_as_they_are_typed():
    typed = split("rbmle(alpha=2.0), UCB(alpha=1),ts,kg*(form=published)")
    assert [as_policy(each) for each in typed] == [
        RBMLE(LogBias(2.0)),
        UCB(1.0),
        ThompsonSampling(),
        KGStar("published"),
    ]


def test_compare_prints_a_table_and_pairs(capsys):
    shown = said(
        capsys, "compare", "bernoulli", 0.2, 0.6, "--policies", "rbmle,ucb", "--horizon", 200,
        "--replications", 5,
    )  # fmt: skip
    assert "RBMLE" in shown
    assert "RBMLE - UCB" in shown or "UCB - RBMLE" in shown


def test_compare_as_data(capsys):
    shown = said(
        capsys, "compare", "gaussian(sigma=0.5)", 0, 1, "--policies", "ucb", "--horizon", 100,
        "--replications", 3, "--json",
    )  # fmt: skip
    data = json.loads(shown)
    assert data["horizon"] == 100
    assert set(data["policies"]["UCB"]) >= {"mean", "std", "q95"}


@pytest.mark.slow
def test_init_writes_a_study_that_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said(capsys, "init")
    text = (tmp_path / "study.toml").read_text().replace("10_000", "200")
    (tmp_path / "study.toml").write_text(text.replace("= 200 ", "= 3 "))
    assert "coins" in said(capsys, "run", "study.toml")
    assert "is not there yet" in said(capsys, "init", code=2)


def test_run_show_export_and_report(capsys, study, tmp_path):
    first = said(capsys, "run", study)
    assert "RBMLE" in first
    again = said(capsys, "run", study, "--json")
    assert json.loads(again) == json.loads(said(capsys, "show", "small-run", "--json"))
    rows = said(capsys, "export", "small-run").splitlines()
    assert rows[0] == "problem,policy,replication,round,regret,best_share"
    assert rows[-1].startswith("coins,UCB,5,300,")
    latex = said(capsys, "export", "small-run", "--format", "latex")
    assert latex.count("\\begin{tabular}") == latex.count("\\end{tabular}") == 1
    assert latex.count("\\textbf{") == 1  # the least mean, and nothing else
    result = load("small-run").result
    mean, error = result.statistics()[:, 0], result.standard_errors()
    best = int(mean.argmin())
    shown, spread = with_error(mean[best], error[best])
    assert f"{result.names[best]} & \\textbf{{{shown}}} $\\pm$ {spread} & " in latex
    assert latex.count("$\\pm$") == 1 + len(result.names)
    said(capsys, "export", "small-run", "--format", "json", "--out", "all.json")
    assert json.loads((tmp_path / "all.json").read_text())["study"]["horizon"] == 300
    said(capsys, "report", "small-run")
    page = (tmp_path / "small-run" / "report.html").read_text()
    assert "<svg" in page
    assert "RBMLE" in page
    assert "Made of <code>small-run</code> by" in page
    assert "[[policy]]" in page  # the study, to run it again
    assert not (tmp_path / "small-run" / "times.json").exists()  # nobody asked for times
    assert "per decision" not in page


@pytest.mark.slow
def test_decisions_are_timed_where_it_is_asked_for(capsys, study, tmp_path):
    said(capsys, "run", study)
    assert run(["run", str(study), "--times"]) == 0
    assert "rbmle: timing the decisions on coins\n" in capsys.readouterr().err
    said(capsys, "report", "small-run")
    assert "per decision" in (tmp_path / "small-run" / "report.html").read_text()


@pytest.mark.slow
def test_reproduce_marks_every_cell(capsys, tmp_path):
    """With few trials the digits differ from print, and the comparison says so."""
    shown = said(
        capsys, "reproduce", "1b", "--policies", "RBMLE,UCB", "--replications", 3,
        "--folder", tmp_path, "--json",
    )  # fmt: skip
    data = json.loads(shown)
    assert {cell["policy"] for cell in data["cells"]} == {"RBMLE"}
    assert sum(data["counts"].values()) == len(data["cells"]) == 8
    assert not (tmp_path / "report.html").exists()


@pytest.mark.slow
def test_reproduce_again_keeps_the_larger_report(capsys, tmp_path):
    """What was recomputed before stays in the report, whatever is asked for next."""
    pytest.importorskip("matplotlib")
    common = ["--replications", 2, "--folder", tmp_path]
    said(capsys, "reproduce", "1a", "1b", "--policies", "RBMLE,MOSS,KG", *common)
    shown = said(capsys, "reproduce", "1a", "--policies", "UCBT", *common)
    assert "UCBT" in shown
    assert "MOSS" not in shown
    kept = {table: set(each.names) for table, each in load_paper(tmp_path).results.items()}
    assert len(kept) == 2
    assert kept["Bernoulli_ID=2"] == {"RBMLE", "MOSS", "KG", "UCBT"}
    page = (tmp_path / "report.html").read_text()
    assert all(f"{label}<" in page for each in kept.values() for label in each)
    fewer = ["reproduce", "1a", "--policies", "UCBT", "--replications", "1", "--folder", tmp_path]
    assert run([str(each) for each in fewer]) == 0
    assert (
        "the report keeps the run of Bernoulli_ID=2 with 2 replications" in capsys.readouterr().err
    )
    assert set(load_paper(tmp_path).results["Bernoulli_ID=2"].names) == kept["Bernoulli_ID=2"]


def test_policies_lists_every_policy_with_a_formula_and_a_source(capsys):
    listed = json.loads(said(capsys, "policies", "--json"))
    ours = [each for each in listed if POLICIES[each["name"]].__module__.startswith("rbmle.")]
    assert len(ours) == 33
    for each in ours:
        assert any(f"{year}" in each["summary"] for year in range(1933, 2027)), each
        assert each["families"]


def test_policies_lists_evidence_and_the_names_of_pairs(capsys):
    shown = said(capsys, "policies")
    for each in ("Discounted", "Window", "Linear", "Logistic"):
        assert f"\n{each}: " in shown
    for each in ("LinRBMLE", "LinUCB", "DUCB", "SWUCB", "DiscountedThompson"):
        assert f"\n{each} (" in shown


@pytest.mark.slow
def test_scale_gives_ratios_to_ucb(capsys):
    shown = said(
        capsys, "scale", "--arms", "3,6", "--policies", "RBMLE", "--horizon", 200, "--repeats", 1,
        "--json",
    )  # fmt: skip
    (record,) = json.loads(shown)
    assert record["ratio_to_ucb"]["UCB"] == [1.0, 1.0]
    assert all(each > 0 for each in record["ratio_to_ucb"]["RBMLE"])
    assert record["published_ratio_to_ucb"]["RBMLE"] == [None, None]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frobnicate"], "frobnicate"),
        (["compare", "bernoulli", "0.1", "x"], "means"),
        (["compare", "bernouli", "0.1", "0.2"], "Did you mean 'Bernoulli'?"),
        (["compare", "bernoulli", "0.1", "1.2"], "[0, 1]"),
        (["compare", "bernoulli", "0.1", "0.2", "--policies", "rbml"], "Did you mean 'RBMLE'?"),
        (["compare", "bernoulli", "0.1", "0.2", "--policies", "ucb(f=1, 2)"], "named"),
        (["compare", "bernoulli", "0.1", "0.2", "--policies", "ucb(beta=1)"], "'alpha'"),
        (["compare", "gaussian", "0.1", "0.2", "--policies", "ids"], "must be Bernoulli"),
        (["compare", "bernoulli", "0.1", "0.2", "--horizon", "1"], "horizon"),
        (["reproduce", "9z"], "'1a'"),
        (["reproduce", "1a", "--policies", "RBMEL"], "Did you mean 'RBMLE'?"),
        (["scale", "--arms", "ten"], "whole numbers"),
        (["run", "nowhere.toml"], "nowhere.toml"),
        (["show", "nowhere"], "nowhere"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(capsys, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    message = said(capsys, *arguments, code=2)
    assert message.startswith("rbmle: ")
    assert message.count("\n") == 1
    assert words in message
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("horizont = 3", "horizont"),
        ('ties = "none"', "ties"),
        ("seed = -1", "seed"),
        ("[[policy]]\nname = 'KGMin'\n[[problem]]\nlaw = 'Poisson'\nmeans = [1, 2]", "KGMin"),
        ("this is not toml", "small.toml"),
    ],
)
def test_a_bad_study_file_is_one_line_and_nothing_is_written(capsys, study, line, words):
    study.write_text(line + "\n" + SMALL if "[[" not in line else SMALL + line)
    message = said(capsys, "run", study, code=2)
    assert message.count("\n") == 1
    assert words in message
    assert [each.name for each in study.parent.iterdir()] == ["small.toml"]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupted_run_ends_with_130_and_goes_on(study):
    slow = SMALL.replace("horizon = 300", "horizon = 300_000").replace("= 6", "= 2000")
    study.write_text(slow)
    command = [sys.executable, "-m", "rbmle", "run", str(study)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    shards = study.parent / "small-run" / "shards"
    deadline = time.monotonic() + 300  # it compiles first, on a machine that may be busy
    while time.monotonic() < deadline and not list(shards.glob("*.shard")):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said_last = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in said_last
    assert list(shards.glob("*.shard"))
