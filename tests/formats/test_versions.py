"""Files of version 1 are read, and hold what they held when they were made: from now on, always."""

from __future__ import annotations

import json
import re
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from make_files import DECIDERS, FOLDER, STUDY, decided

import rbmle
from rbmle.atlas.verdicts import read_atlas
from rbmle.cli.main import run
from rbmle.inference.logs import pieces
from rbmle.service.storage import open_storage
from rbmle.service.verify import verify

ROOT = Path(__file__).parents[2]
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text())


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A copy: to read a database or a run leaves locks beside it."""
    return Path(shutil.copytree(FOLDER, tmp_path / "v1"))


def test_a_study_and_its_run(files: Path) -> None:
    study = rbmle.Study.from_toml(files / "study.toml")
    assert (files / "study.toml").read_text() == STUDY
    result = rbmle.load(files / "run")
    assert result.complete
    assert result.study.digest == study.digest == EXPECTED["run"]["digest"]
    assert result.result.regret.tolist() == EXPECTED["run"]["regret"]


@pytest.mark.slow
def test_a_run_goes_on_with_more_replications(files: Path) -> None:
    """With the same numbers, so neither the digest nor the random numbers have changed."""
    (files / "study.toml").write_text(STUDY.replace("replications = 8", "replications = 10"))
    study = rbmle.Study.from_toml(files / "study.toml")
    with pytest.warns(rbmle.errors.RunWarning, match="was played in part by rbmle 0.1.0"):
        result = rbmle.run(study, files / "run").result
    assert result.regret[:, :8].tolist() == EXPECTED["run"]["regret"]
    assert np.array_equal(rbmle.run(study).result.regret, result.regret)


@pytest.mark.slow
@pytest.mark.parametrize("name", DECIDERS)
def test_a_decider_goes_on_where_it_was_saved(name: str, files: Path) -> None:
    found = rbmle.Decider.load(files / name)
    assert decided(found, DECIDERS[name][1]) == EXPECTED[name]


def test_a_backup_is_restored(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = f"sqlite:///{files}/new.db"
    assert run(["service", "restore", str(files / "backup.db"), "--database", target]) == 0
    with closing(open_storage(target, read_only=True)) as storage:
        (found,) = verify(storage)
    assert (found.experiment, found.wrong) == ("shop", "")
    assert {"decisions": found.decisions, "rewards": found.rewards} == EXPECTED["service"]


def test_an_archive_is_a_log(files: Path) -> None:
    header, *rows = map(json.loads, (files / "archive.jsonl").read_text().splitlines())
    assert (header["format"], header["version"], header["arms"]) == ("rbmle-archive", 1, ["a", "b"])
    rewarded = sum(row["kind"] == "reward" for row in rows)
    assert rewarded == EXPECTED["service"]["rewards"]
    (piece,) = pieces("test", str(files / "archive.jsonl"))  # as `rbmle.evaluate` reads it
    arms = {row["seq"]: row["arm"] for row in rows if row["kind"] == "decision"}
    assert piece.arms == [arms[row["of"]] for row in rows if row["kind"] == "reward"]


def test_an_atlas(files: Path) -> None:
    cells = read_atlas(files / "atlas")
    assert [cell.mean for cell in cells] == EXPECTED["atlas"]["means"]
    assert cells[1].by_problem.tolist() == EXPECTED["atlas"]["by_problem"]


@pytest.mark.parametrize("name", ["decider.json", "run/study.json"])
def test_a_newer_version_is_refused_with_a_sentence(name: str, files: Path) -> None:
    told = json.loads((files / name).read_text())
    (files / name).write_text(json.dumps({**told, "version": 2}))
    read = rbmle.Decider.load if name == "decider.json" else rbmle.load
    with pytest.raises(rbmle.RbmleError, match="its version 2 is n"):
        read(files / name if name == "decider.json" else files / "run")


def test_every_form_is_stated() -> None:
    sources = [each.read_text("utf-8") for each in (ROOT / "src").rglob("*.py")]
    forms = {form for text in sources for form in re.findall(r'"(rbmle-[a-z]+)", (?:1\b|")', text)}
    assert {"rbmle-archive", "rbmle-decider", "rbmle-paper", "rbmle-study"} <= forms
    page = (ROOT / "docs" / "reference" / "formats.md").read_text("utf-8")
    assert [form for form in forms if f'"{form}"' not in page] == []
