"""Wrong command lines: each is one line that names what is wrong, exit code 2, and no trace."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from rbmle.cli.main import run

STUDY = """
horizon = 60
replications = 3
[[problem]]
name = "coins"
law = "Bernoulli"
means = [0.3, 0.6]
[[policy]]
name = "UCB"
"""
COMPARE = ["compare", "bernoulli", "0.1", "0.2"]

# What is typed, and what the message must say. The folder has s.toml (a study), a-file (text),
# a-folder/ (empty), a-run/ (a run of s.toml), closed/ (nothing may be written there).
WRONG: list[tuple[list[str], str]] = [
    # Nothing where something must be.
    ([*COMPARE, "--then", "0.2,0.1"], "'--then' must be given together with '--at'"),
    ([*COMPARE, "--at", "5"], "'--then' must be given together with '--at'"),
    ([*COMPARE, "--then", "0.2,x", "--at", "5"], "'--then' must be numbers, with commas"),
    ([*COMPARE, "--then", "0.2,0.1", "--at", "5.5"], "'--at' must be whole numbers, with commas"),
    ([*COMPARE, "--then", "0.2", "--at", "5"], "'means' must be a list of 2 to"),
    ([*COMPARE, "--then", "0.2,0.1", "--at", "0"], "compare: '--at' must be a whole number in"),
    ([*COMPARE, "--then", "0.2,0.1", "--at", "5e4"], "'--at' must be rounds before the last one"),
    ([*COMPARE, "--drift", "every=3"], "'--drift' must be a step at least: step=0.01"),
    ([*COMPARE, "--drift", "speed=3"], "'--drift' must be one of"),
    ([*COMPARE, "--drift", "step=-1"], "Drift: 'step' must be a number in"),
    ([*COMPARE, "--delay", "fixdelay(3)"], "Did you mean 'FixedDelay'?"),
    ([*COMPARE, "--delay", "fixeddelay(-3)"], "FixedDelay: 'rounds' must be a whole number in"),
    ([*COMPARE, "--evidence", "discount(gamma=1)"], "Did you mean 'Discounted'?"),
    (["compare", "", "0.1", "0.2"], "'law' must not be empty. Got ''"),
    (["compare", "bernoulli", "", "0.2"], "'means' must not be empty"),
    ([*COMPARE, "--policies", ""], "'--policies' must not be empty. Got ''"),
    ([*COMPARE, "--policies", "  "], "'--policies' must not be empty. Got ' '"),
    ([*COMPARE, "--policies="], "'--policies' must not be empty"),
    ([*COMPARE, "--policies", ","], "'--policies' must be names, with commas. Got ','"),
    ([*COMPARE, "--family", ""], "'--family' must not be empty"),
    ([*COMPARE, "--import", ""], "'--import' must not be empty"),
    (["reproduce", "1a", "--policies", ""], "'--policies' must not be empty"),
    (["reproduce", "1a", "--folder", ""], "'--folder' must not be empty"),
    (["reproduce", "", "--quick"], "'tables' must not be empty"),
    (["scale", "--policies", ""], "'--policies' must not be empty"),
    (["scale", "--families", ","], "'--families' must be names"),
    (["scale", "--arms", ","], "'--arms' must be whole numbers, with commas. Got ','"),
    (["run", ""], "'study' must not be empty"),
    (["run", "s.toml", "--folder", ""], "'--folder' must not be empty"),
    (["show", ""], "'folder' must not be empty"),
    (["report", "a-run", "--out", ""], "'--out' must not be empty"),
    (["export", "a-run", "--out", ""], "'--out' must not be empty"),
    (["export", "a-run", "--format", ""], "'--format' must not be empty"),
    (["init", ""], "'path' must not be empty"),
    # Something missing, or too much.
    (["compare"], "compare: Missing argument 'law'. See `rbmle compare --help`."),
    (["compare", "bernoulli"], "Missing argument"),
    (["show"], "show: Missing argument 'folder'. See `rbmle show --help`."),
    (["show", "a-run", "another"], "another"),
    (["service", "verfy"], "'verfy'. Did you mean 'verify'? See `rbmle service --help`."),
    ([*COMPARE, "--horizon"], "'--horizon' must be followed by its value"),
    ([*COMPARE, "--policies", "--json"], "'--policies' must be followed by its value"),
    ([*COMPARE, "--horizon", "50", "--horizon", "60"], "'--horizon' must be given once"),
    ([*COMPARE, "--json", "--json"], "'--json' must be given once"),
    ([*COMPARE, "--horizn", "50"], "--horizon"),
    ([*COMPARE, "-x"], "compare: No such option: -x. See `rbmle compare --help`."),
    (["--frobnicate"], "--frobnicate"),
    (["nosuch"], "rbmle: No such command 'nosuch'. See `rbmle --help`."),
    (["comprae", "bernoulli"], "comprae"),
    # Numbers.
    (["compare", "bernoulli", "a", "b"], "'means' must be a number. Got 'a'"),
    (["compare", "bernoulli", "0.1", "0,2"], "Got '0,2'"),
    (["compare", "bernoulli", "nan", "0.2"], "nan"),
    (["compare", "gaussian", "inf", "0.2"], "inf"),
    (["compare", "bernoulli", "-0.1", "0.2"], "-0.1"),
    (["compare", "exponential", "-1", "2"], "-1"),
    (["compare", "bernoulli", "0.1"], "means"),
    ([*COMPARE, "--horizon", "-5"], "Got -5"),
    ([*COMPARE, "--horizon", "0"], "Got 0"),
    ([*COMPARE, "--horizon", "1e-4"], "'--horizon' must be a whole number. Got '1e-4'"),
    ([*COMPARE, "--horizon", "10.5"], "Got '10.5'"),
    ([*COMPARE, "--horizon", "ten"], "Got 'ten'"),
    ([*COMPARE, "--horizon", "9" * 40], "horizon"),
    ([*COMPARE, "--horizon", "9" * 5000], "horizon"),
    ([*COMPARE, "--replications", "0"], "Got 0"),
    ([*COMPARE, "--replications", "100000000000"], "replications"),
    ([*COMPARE, "--replications", "1000000000"], "fit in memory"),
    ([*COMPARE, "--seed", "-1"], "Got -1"),
    ([*COMPARE, "--seed", "x"], "Got 'x'"),
    ([*COMPARE, "--threads", "0"], "Got 0"),
    ([*COMPARE, "--threads", "many"], "Got 'many'"),
    (["bounds", "bernoulli", "0.5", "0.5"], "0.5"),
    (["bounds", "bernoulli", "0.4", "0.6", "--epsilon", "2"], "Got 2.0"),
    (["bounds", "bernoulli", "0.4", "0.6", "--epsilon", "half"], "Got 'half'"),
    (["bounds", "bernoulli", "0.4", "0.6", "--lower", "0.5"], "Got 0.5"),
    (["bounds", "bernoulli", "0.4", "0.6", "--horizon", "-5"], "Got -5"),
    (["bounds", "bernoulli", "0.4", "0.6", "--horizon", "1"], "Got 1"),
    (["scale", "--arms", "1"], "Got 1"),
    (["scale", "--arms", "3,x"], "Got '3,x'"),
    (["scale", "--arms", "3", "--horizon", "-1"], "Got -1"),
    (["scale", "--arms", "3", "--repeats", "0"], "Got 0"),
    (["scale", "--arms", "3", "--repeats", "0", "--live"], "Got 0"),
    (["scale", "--arms", "3", "--policies", "UCB", "--horizon", "9" * 15], "Got 999999999999999"),
    (["reproduce", "1a", "--replications", "0"], "Got 0"),
    (["reproduce", "1a", "--replications", "-3"], "Got -3"),
    (["reproduce", "1a", "--threads", "0"], "Got 0"),
    (["run", "s.toml", "--threads", "0"], "Got 0"),
    # Names.
    (["compare", "bernouli", "0.1", "0.2"], "Problem: 'law' must be one of"),
    (["compare", "gaussian(sigma=0)", "0", "1"], "'sigma'"),
    (["compare", "gaussian(sigm=1)", "0", "1"], "Did you mean 'sigma'?"),
    (["compare", "gaussian(", "0", "1"], "Got 'gaussian('"),
    ([*COMPARE, "--policies", "ucb(alpha=1"], "ucb(alpha=1"),
    ([*COMPARE, "--policies", "ucb(alpha=x)"], "Got 'x'"),
    ([*COMPARE, "--policies", "ucb(alpha=1,alpha=2)"], "given once"),
    ([*COMPARE, "--policies", "ucb(name=RBMLE)"], "name"),
    ([*COMPARE, "--policies", "ucb(alpha={[]: 1})"], "alpha"),
    ([*COMPARE, "--policies", "ucb(alpha=" + "[" * 500 + ")"], "alpha"),
    ([*COMPARE, "--policies", "rbmle;ucb"], "rbmle;ucb"),
    ([*COMPARE, "--policies", "\N{SNOWMAN}"], "\N{SNOWMAN}"),
    ([*COMPARE, "--family", "gausian"], "Did you mean 'Gaussian'?"),
    ([*COMPARE, "--import", "no.such.module"], "no.such.module"),
    ([*COMPARE, "--import", "../evil"], "../evil"),
    (["bounds", "bernoulli", "0.4", "0.6", "--family", "uniform"], "bounds: 'family' must be"),
    (["reproduce", "9z"], "9z"),
    (["reproduce", "1a", "--policies", "TS,Nobody"], "Nobody"),
    (["scale", "--families", "poisson"], "poisson"),
    (["scale", "--policies", "Nobody"], "Nobody"),
    (["export", "a-run", "--format", "xml"], "xml"),
    # Files and folders.
    (["run", "nowhere.toml"], "nowhere.toml"),
    (["run", "a-folder"], "a-folder"),
    (["run", "a-file"], "a-file"),
    (["run", "a-run"], "a-run"),
    (["run", "s.toml", "--folder", "a-file"], "a-file"),
    (["run", "s.toml", "--folder", "a-file/under"], "a-file/under"),
    (["run", "s.toml", "--folder", "closed/run"], "closed"),
    (["run", "x" * 300 + ".toml"], "xxx"),
    (["run", "null\0byte.toml"], "NUL"),
    (["show", "a-folder"], "rbmle: a-folder: is no run folder, as it has no study.json."),
    (["show", "a-file"], "a-file"),
    (["show", "s.toml"], "s.toml"),
    (["show", "\N{SNOWMAN}"], "\N{SNOWMAN}"),
    (["report", "nowhere"], "rbmle: nowhere: is no run folder, as it has no study.json."),
    (["report", "a-run", "--out", "a-folder"], "a-folder"),
    (["report", "a-run", "--out", "nowhere/page.html"], "nowhere/page.html"),
    (["export", "a-folder"], "a-folder"),
    (["export", "a-run", "--out", "a-folder"], "a-folder"),
    (["export", "a-run", "--out", "nowhere/run.csv"], "nowhere/run.csv"),
    (["export", "a-run", "--out", "closed/run.csv"], "closed/run.csv"),
    (["reproduce", "1a", "--folder", "a-file", "--json"], "a-file"),
    (["reproduce", "1a", "--folder", "closed/paper", "--json"], "closed"),
    (["run", "s.toml", "--folder", "/proc/rbmle-run"], "/proc/rbmle-run"),
    (["export", "a-run", "--out", "/proc/run.csv"], "/proc/run.csv"),
    (["report", "a-run", "--out", "/proc/page.html"], "/proc/page.html"),
    (["init", "/proc/study.toml"], "/proc/study.toml"),
    (["init", "a-file"], "a-file"),
    (["init", "a-folder"], "a-folder"),
    (["init", "nowhere/study.toml"], "nowhere/study.toml"),
    (["init", "closed/study.toml"], "closed/study.toml"),
]  # fmt: skip

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0  # root may write everywhere


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files and folders that the wrong commands name."""
    made = tmp_path_factory.mktemp("wrong")
    (made / "s.toml").write_text(STUDY)
    (made / "a-file").write_text("this is = not [toml")
    (made / "a-folder").mkdir()
    (made / "closed").mkdir(mode=0o500)
    assert run(["run", str(made / "s.toml"), "--folder", str(made / "a-run")]) == 0
    return made


def listing(folder: Path) -> dict[str, float]:
    return {str(each): each.stat().st_mtime_ns for each in sorted(folder.rglob("*"))}


@pytest.mark.parametrize(
    ("line", "words"), WRONG, ids=[" ".join(each)[:60].replace("\0", "0") for each, _ in WRONG]
)
def test_a_wrong_line_is_one_sentence_and_exit_code_2(
    folder: Path, line: list[str], words: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    if any(each.startswith("closed") for each in line) and (ROOT or sys.platform == "win32"):
        pytest.skip("this user may write everywhere")
    if any(each.startswith("/proc") for each in line) and not Path("/proc/self").exists():
        pytest.skip("there is no /proc, where nobody may write")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = listing(folder)
    assert run(line) == 2
    out, said = capsys.readouterr()
    assert out == ""
    assert said.startswith("rbmle: ")
    assert not said.startswith("rbmle: rbmle:")
    assert said.count("\n") == 1
    assert words in said
    assert ".tmp" not in said
    assert listing(folder) == before


def test_the_lines_are_many() -> None:
    assert len(WRONG) >= 60
