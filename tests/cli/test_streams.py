"""Standard output that is closed, full, not UTF-8, or a closed pipe gives a known exit code and no
traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tiers import tiered

from rbmle.cli.main import run

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="other streams, other signals")

STUDY = """
horizon = 400
replications = 40
[[problem]]
name = "Münzen"
law = "Bernoulli"
means = [0.3, 0.6]
[[policy]]
name = "UCB"
label = "größte Schranke"
"""


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    (tmp_path / "s.toml").write_text(STUDY, encoding="utf-8")
    place = tmp_path / "a-run"
    assert run(["run", str(tmp_path / "s.toml"), "--folder", str(place)]) == 0
    capsys.readouterr()
    return place


LINES = [["policies"], ["--help"], ["policies", "--json"], ["bounds", "bernoulli", ".4", ".6"]]


@pytest.mark.parametrize("line", tiered(LINES, lambda line: line == ["policies"]), ids=" ".join)
def test_a_reader_that_leaves_at_once(start: Any, line: list[str]) -> None:
    process = start(*line)
    process.stdout.close()
    said = process.stderr.read()
    assert (process.wait(60), said) == (0, b"")
    process.stderr.close()


@pytest.mark.slow
@pytest.mark.parametrize("line", [["export"], ["show"], ["export", "--format", "json"]])
def test_a_reader_of_a_run_that_leaves(start: Any, folder: Path, line: list[str]) -> None:
    """The reader leaves before, or after, the first line."""
    for lines in (0, 1):
        process = start(line[0], folder, *line[1:])
        for _ in range(lines):
            process.stdout.readline()
        process.stdout.close()
        said = process.stderr.read()
        assert (process.wait(60), said) == (0, b"")
        process.stderr.close()


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams(start: Any, folder: Path, closed: str) -> None:
    """With closed streams nothing is shown and files are intact, because no file gets the number of
    a closed stream."""
    for line in ("show a-run", "export a-run --out run.csv", "policies"):
        script = f'"{sys.executable}" -m rbmle {line} {closed}'
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        done = subprocess.run(
            ["sh", "-c", script], cwd=folder.parent, env=variables, capture_output=True
        )
        assert (done.returncode, done.stderr) == (0, b"")
    content = (folder.parent / "run.csv").read_text("utf-8")
    assert content.startswith("problem,policy,replication")
    assert content.splitlines()[-1].startswith("Münzen,größte Schranke,39,400,")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_told(start: Any) -> None:
    with open("/dev/full", "wb") as full:
        process = start("policies", stdout=full)
    assert process.communicate(timeout=60)[1] == b"rbmle: No space left on device\n"
    assert process.returncode == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "variables",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["ascii", "C", "C-without-UTF-8"],
)
def test_any_encoding(start: Any, folder: Path, variables: dict[str, str]) -> None:
    for line in (["show", folder], ["export", folder], ["show", "nowhere-\N{SNOWMAN}"]):
        process = start(*line, variables=variables)
        shown, said = process.communicate(timeout=60)
        assert b"Traceback" not in said
        wrong = "nowhere" in str(line[1])
        assert process.returncode == (2 if wrong else 0)
        assert said.count(b"\n") == (1 if wrong else 0)
        assert wrong or b"nzen" in shown


def test_what_ascii_lacks_is_spelled(start: Any) -> None:
    line = ["scale", "--arms", "3", "--policies", "UCB", "--horizon", "50"]
    process = start(*line, variables={"PYTHONIOENCODING": "ascii"})
    shown, _ = process.communicate(timeout=300)
    assert process.returncode == 0
    assert b" +-" in shown
