"""Studies whose world is a CSV file: where it is found, what is a part of the digest, mistakes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rbmle
from rbmle import Classification, Encode, Replay, Study
from rbmle.cli.main import run
from rbmle.errors import StudyError

TOML = """
horizon = 30
replications = 4
[[problem]]
name = "pets"
table = "data/pets.csv"
label = "kind"
features = { name = "Encode", numbers = ["weight"], categories = { fur = ["long", "short"] } }
[[problem]]
name = "clicks"
table = "log.csv"
probability = "p"
[[policy]]
name = "UCB"
"""
PETS = "weight,fur,kind\n" + "4.5,long,cat\n30,short,dog\n" * 20
LOG = "arm,reward,p\n" + "red,1,0.5\nblue,0,0.25\nblue,1,0.25\n" * 15


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study" / "data").mkdir(parents=True)
    (tmp_path / "study" / "data" / "pets.csv").write_text(PETS)
    (tmp_path / "study" / "log.csv").write_text(LOG)
    (tmp_path / "study" / "study.toml").write_text(TOML)
    return tmp_path / "study"


def test_a_table_lies_beside_its_study(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stated = Study.from_toml(folder / "study.toml")
    pets, clicks = stated.problems.values()
    encode = Encode(["weight"], {"fur": ["long", "short"]})
    assert pets == Classification(folder / "data" / "pets.csv", "kind", encode)
    assert clicks == Replay(folder / "log.csv", probability="p")
    monkeypatch.chdir(folder)
    assert Study.from_toml("study.toml") == stated
    for again in (json.loads(stated.to_json()), json.loads(json.dumps(stated.to_dict()))):
        assert Study.from_dict(again) == stated
    (folder / "again.toml").write_text(stated.to_toml())
    assert Study.from_toml("again.toml") == stated


def test_the_digest_is_that_of_the_data_wherever_they_are(folder: Path) -> None:
    stated = Study.from_toml(folder / "study.toml")
    moved = shutil.copytree(folder, folder.parent / "moved")
    assert Study.from_toml(moved / "study.toml").digest == stated.digest
    (moved / "log.csv").write_text(LOG.replace("blue,0", "blue,1", 1))
    assert Study.from_toml(moved / "study.toml").digest != stated.digest
    (folder / "log.csv").write_text(LOG + "red,0,0.5\n")
    with pytest.raises(StudyError, match=r"problem 2: 'sha256' must be that of 'log.csv', which"):
        Study.from_dict(stated.to_dict())


@pytest.mark.slow
def test_a_run_continues_and_its_report_says_what_was_earned(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["run", str(folder / "study.toml")]
    assert run(command) == 0
    assert "Reward of a row that counts: UCB" in " ".join(capsys.readouterr().out.split())
    world = Replay(folder / "log.csv", probability="p")
    direct = rbmle.simulate(world, ["ucb"], 30, 4)
    result = rbmle.load("study-run").results["clicks"]
    assert np.array_equal(result.regret, direct.regret)
    assert result.note() == direct.note()
    page = rbmle.report("study-run").read_text()
    for said in ("log.csv, 45 rows", "Reward of a row that counts", "pets.csv, 40 rows"):
        assert said in page
    assert run([*command, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["clicks"]
    assert data["rewards"]["UCB"] == pytest.approx(world.best - data["policies"]["UCB"]["mean"])
    moved = Path(shutil.copytree(folder.parent, folder.parent.parent / "elsewhere"))
    shutil.rmtree(folder / "data")
    again = rbmle.load(moved / "study-run").results["clicks"]
    assert np.array_equal(again.regret, direct.regret)
    monkeypatch.chdir(moved)
    (moved / "study" / "log.csv").write_text(LOG.replace("blue,0", "blue,1", 1))
    command = ["run", str(moved / "study" / "study.toml")]
    assert run(command) == 2
    assert "'sha256' must be that of 'log.csv', which has changed" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("log.csv", None, "a file that can be read (No such file or directory)"),
        ("log.csv", "", "a CSV file with distinct names in its first line, and rows below"),
        ("log.csv", "arm,arm\n1,2\n", "a CSV file with distinct names in its first line"),
        ("log.csv", "arm,reward,p\nred,1\n", "a CSV file with 3 cells in each line. Got line 2 of"),
        ("log.csv", 'arm,reward,p\n"red,1,1', "without mistakes (unexpected end of data)"),
        ("log.csv", b"arm,reward,p\nr\xff,1,1\n", "a CSV file in UTF-8. Got line 2 of"),
        ("log.csv", "arm,p\nred,1\n", "'reward' must be one of the columns 'arm', 'p'"),
        ("log.csv", LOG.replace("red,1", "red,one"), "in the column 'reward'. Got 'one'"),
        ("log.csv", LOG.replace("red,1", "red,"), "in the column 'reward'. Got None"),
        ("log.csv", LOG.replace(",1,", ",,").replace(",0,", ",,"), "at least one value in the"),
        ("log.csv", LOG.replace("blue", "red"), "'arm' must be a column with two names or more"),
        ("data/pets.csv", PETS.replace("30", "big"), "in the column 'weight'. Got 'big'"),
        ("data/pets.csv", PETS.replace("kind", "sort"), "'label' must be one of the columns"),
        ("study.toml", TOML.replace('"kind"', "3"), "'label' must be one of the columns"),
        ("study.toml", TOML.replace('"p"', '"p"\nlabels = "x"'), "the keys are 'name', 'table'"),
        ("study.toml", TOML.replace('["weight"]', "3"), "Encode: 'numbers' must be"),
        ("study.toml", TOML.replace("30", "50"), "at most the number of rows, 40"),
    ],
)  # fmt: skip
def test_mistakes_are_told_in_a_sentence(
    file: str, text: Any, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if text is None:
        (folder / file).unlink()
    else:
        (folder / file).write_bytes(text if isinstance(text, bytes) else text.encode())
    assert run(["run", str(folder / "study.toml")]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert said in told
    assert not Path("study-run").exists()
