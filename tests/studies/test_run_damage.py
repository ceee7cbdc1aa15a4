"""Damaged files and files of other studies in a run folder are named and not used."""

from __future__ import annotations

import dataclasses
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_cases import HORIZON, ONE, STUDY, files
from tiers import tiered

from rbmle.engine.plan import Task
from rbmle.errors import ParameterError, RunError, RunWarning
from rbmle.rewards.sources import RewardStream
from rbmle.studies import store as shards
from rbmle.studies.runner import load, run

pytestmark = pytest.mark.usefixtures("small_chunks")

DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "a byte less": lambda content: content[:-1],
    "half": lambda content: content[: len(content) // 2],
    "only the magic": lambda content: content[:8],
    "a byte more": lambda content: content + b"\0",
    "zeros": lambda content: bytes(len(content)),
    "another file": lambda content: b"PK\x03\x04" + content,
}


@pytest.mark.parametrize("damage", tiered(DAMAGE, lambda damage: damage == "empty"))
def test_a_damaged_shard_is_named_and_played_again(
    damage: str, copied: Path, finished: Path
) -> None:
    path = copied / "shards" / shards.file_name(Task(0, 1, 20, 40))
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    with pytest.warns(RunWarning) as warned:
        partial = load(copied)
    assert [str(each.message).startswith(f"{path}: is left out") for each in warned] == [True]
    assert partial.missing == ("coins, U: 20 of 150 replications",)
    assert partial.replications["coins"].tolist() == [*range(20), *range(40, 150)]
    assert not np.any(partial.results["coins"].pulls.sum(axis=2) != HORIZON)
    with pytest.warns(RunWarning, match="0000020-0000040"):
        run(STUDY, copied)
    assert files(copied) == files(finished)
    assert load(copied).complete


def test_no_flipped_bit_is_trusted(finished: Path) -> None:
    task = Task(0, 0, 0, 20)
    content = bytearray((finished / "shards" / shards.file_name(task)).read_bytes())
    assert shards.encode(STUDY, task, shards.decode(STUDY, task, bytes(content))) == content
    dice = random.Random(1)
    places = [*range(60), *(dice.randrange(len(content)) for _ in range(200)), len(content) - 1]
    for position in places:
        flipped = content.copy()
        flipped[position] ^= 1 << dice.randrange(8)
        with pytest.raises(RunError):
            shards.decode(STUDY, task, bytes(flipped))


def test_a_foreign_shard_is_named_and_played_again(copied: Path, finished: Path) -> None:
    other = dataclasses.replace(STUDY, seed=6)
    elsewhere = copied.parent / "elsewhere"
    run(other, elsewhere)
    taken = copied / "shards" / shards.file_name(Task(0, 0, 0, 20))
    moved = copied / "shards" / shards.file_name(Task(0, 0, 20, 40))
    shutil.copy(elsewhere / "shards" / taken.name, taken)
    shutil.copy(copied / "shards" / shards.file_name(Task(0, 1, 20, 40)), moved)
    with pytest.warns(RunWarning) as warned:
        run(STUDY, copied)
    said = [str(each.message) for each in warned]
    assert said == [
        f"{taken}: is left out, to be played again (it is a shard of study "
        f"{other.digest[:12]}: T on coins, replications 0 to 19).",
        f"{moved}: is left out, to be played again (it is a shard of study "
        f"{STUDY.digest[:12]}: U on coins, replications 20 to 39).",
    ]
    assert files(copied) == files(finished)


def test_files_that_are_no_shards_are_left_alone(copied: Path) -> None:
    for name in ("notes.txt", "0-0-0-20.shard", "000-000-0000000-0000020.shard.bak"):
        (copied / "shards" / name).write_text("mine")
    stray = copied / "shards" / shards.file_name(Task(9, 9, 0, 20))
    stray.write_text("whose?")
    with pytest.warns(RunWarning, match="this study has no such replications"):
        assert load(copied).complete
    with pytest.warns(RunWarning):
        run(STUDY, copied)
    assert stray.exists()


def test_the_folder_of_another_study_is_refused(copied: Path) -> None:
    before = files(copied)
    other = dataclasses.replace(STUDY, seed=6)
    with pytest.raises(RunError) as problem:
        run(other, copied)
    assert str(problem.value) == (
        f"{copied}: holds a run of another study, with digest {STUDY.digest[:12]}; "
        f"this one's is {other.digest[:12]}. Name another folder, with --folder at the command "
        "line."
    )
    assert files(copied) == before


def test_the_folder_of_another_stream_of_random_numbers_is_refused(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, digest = files(copied), STUDY.digest
    monkeypatch.setattr(RewardStream, "stream", RewardStream.stream + 1)
    study = dataclasses.replace(STUDY)  # computes its digest anew
    for work in (lambda: run(study, copied), lambda: load(copied)):
        with pytest.raises(RunError) as problem:
            work()
        assert str(problem.value) == (
            f"{copied / 'study.json'}: says digest {digest[:12]} of a study whose digest is "
            f"{study.digest[:12]}, so it was changed by hand or by another version of rbmle."
        )
    assert files(copied) == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: b"{", "is not a JSON object."),
        (lambda data: b"[]", "is not a JSON object."),
        (lambda data: b"\xff", "is not a JSON object."),
        (lambda data: json.dumps({**data, "format": "x"}), "its 'format' is not 'rbmle-study'."),
        (lambda data: json.dumps({**data, "version": 2}), "its version 2 is not 1, the one known"),
        (lambda data: json.dumps({**data, "seed": 9}), "changed by hand or by another version of"),
        (lambda data: json.dumps({**data, "sede": 9}), "Did you mean 'seed'?"),
        (lambda data: json.dumps({**data, "horizon": -9}), "'horizon' must be a whole number in"),
    ],
)
def test_a_broken_study_of_a_run_is_one_sentence(change: Any, said: str, copied: Path) -> None:
    path = copied / "study.json"
    content = change(json.loads(path.read_text()))
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    for deed in (lambda: load(copied), lambda: run(STUDY, copied)):
        with pytest.raises(RunError) as problem:
            deed()
        assert str(problem.value).startswith(str(path))
        assert said in str(problem.value)
        assert "\n" not in str(problem.value)


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"is no run folder, as it has no study\.json"):
        load(tmp_path)
    with pytest.raises(ParameterError, match="run: 'study' must be a Study"):
        run("study")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="run: 'threads' must be"):
        run(ONE, threads=0)
