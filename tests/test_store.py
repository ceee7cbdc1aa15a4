"""A run survives whatever happens to it: kills, damage, company, a full disk."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rbmle.engine import simulate
from rbmle.errors import ParameterError, RunError, RunWarning
from rbmle.families import Bernoulli, Gaussian
from rbmle.policies import RBMLE, UCB, Assuming, ThompsonSampling
from rbmle.result import Result
from rbmle.rewards.problems import Problem
from rbmle.studies import runner, shards
from rbmle.studies.runner import load, run
from rbmle.studies.shards import Place
from rbmle.studies.store import Store
from rbmle.studies.study import Study

HORIZON, CHUNK = 200, 20  # replications in a chunk
COINS = Problem(Bernoulli(), [0.3, 0.5, 0.45])
STUDY = Study(
    {"coins": COINS, "bells": Problem(Gaussian(), [0.0, 0.5])},
    {"R": RBMLE(), "T": ThompsonSampling(), "G": Assuming(RBMLE(2.0), Gaussian(2.0))},
    HORIZON,
    150,
    seed=5,
    checkpoints=(1, 10, 100),
    name="survivor",
)
ONE = dataclasses.replace(STUDY, problems={"coins": COINS}, policies={"U": UCB()}, replications=50)

CHILD = """
import sys, time
from rbmle import runner
from rbmle.studies.study import Study

runner.DECISIONS_A_CHUNK = int(sys.argv[3])
print("ready", flush=True)
study = Study.from_toml(sys.argv[1])
runner.run(study, sys.argv[2], progress=lambda *_: time.sleep(float(sys.argv[4])))
"""


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "DECISIONS_A_CHUNK", CHUNK * HORIZON)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an uninterrupted run of STUDY."""
    folder = tmp_path_factory.mktemp("finished") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "DECISIONS_A_CHUNK", CHUNK * HORIZON)
        run(STUDY, folder)
    return folder


@pytest.fixture
def copied(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "copied"))


def files(folder: Path) -> dict[str, bytes]:
    """The files that must not depend on how the run went."""
    kept = [*folder.glob("shards/*.shard"), folder / "study.json"]
    return {path.name: path.read_bytes() for path in kept}


def same(one: Result, other: Result) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("checkpoints", "regret", "best_pulls", "pulls")
    ) and (one.names, one.families, one.problem) == (other.names, other.families, other.problem)


def child(study: Study, folder: Path, pause: float) -> subprocess.Popen[str]:
    path = folder.parent / "study.toml"
    path.write_text(study.to_toml())
    given = [str(path), str(folder), str(CHUNK * HORIZON), str(pause)]
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *given], stdout=subprocess.PIPE, text=True
    )


def test_a_run_is_what_simulate_gives(finished: Path) -> None:
    kept, fresh = load(finished), run(STUDY, threads=1)
    assert kept.complete
    assert fresh.complete
    for name, problem in STUDY.problems.items():
        plain = simulate(
            problem,
            list(STUDY.policies.values()),
            HORIZON,
            STUDY.replications,
            STUDY.rewards_source(),
            checkpoints=STUDY.checkpoints,
        )
        plain = dataclasses.replace(plain, labels=tuple(STUDY.policies))
        assert same(kept.results[name], fresh.results[name])
        assert same(kept.results[name], plain)
        assert kept.replications[name].tolist() == list(range(150))
    assert kept.study == STUDY


def test_threads_do_not_matter(finished: Path, tmp_path: Path) -> None:
    run(STUDY, tmp_path, threads=3)
    assert files(tmp_path) == files(finished)


def test_a_finished_run_is_only_read(copied: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in copied.rglob("*")}
    told: list[Any] = []
    run(STUDY, copied, progress=lambda *given: told.append(given))
    assert before == {path: path.stat().st_mtime_ns for path in copied.rglob("*")}
    assert told == [(p, q, 150, 150) for p in STUDY.problems for q in STUDY.policies]


def test_progress_counts_replications(tmp_path: Path) -> None:
    told: list[Any] = []
    run(ONE, tmp_path, progress=lambda *given: told.append(given))
    assert told == [("coins", "U", done, 50) for done in (20, 40, 50)]


def test_killed_five_times_it_ends_with_the_same_bytes(finished: Path, tmp_path: Path) -> None:
    folder, dice = tmp_path / "run", random.Random(3)
    written: dict[Path, int] = {}
    for kill in range(5):
        process = child(STUDY, folder, pause=0.05)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        while kill and len(list(folder.glob("shards/*.shard"))) == len(written):
            time.sleep(0.01)
        time.sleep(dice.uniform(0.0, 0.2))
        process.kill()
        assert process.wait() == -signal.SIGKILL
        process.stdout.close()
        found = {path: path.stat().st_mtime_ns for path in folder.glob("shards/*.shard")}
        assert written.items() <= found.items()  # none is lost, none is made again
        written = found
        if written:
            partial, whole = load(folder), load(finished)
            assert not partial.complete
            for name, result in partial.results.items():
                full = whole.results[name].regret[:, partial.replications[name]]
                assert np.array_equal(result.regret, full)
    run(STUDY, folder)
    assert files(folder) == files(finished)
    assert (
        written.items()
        <= {path: path.stat().st_mtime_ns for path in folder.glob("shards/*.shard")}.items()
    )


def test_two_processes_share_a_folder(finished: Path, tmp_path: Path) -> None:
    pair = [child(STUDY, tmp_path / "run", pause) for pause in (0.0, 0.005)]
    for process in pair:
        process.communicate()
        assert process.returncode == 0
    assert files(tmp_path / "run") == files(finished)
    assert not list((tmp_path / "run").rglob(".*"))
    assert len(load(tmp_path / "run").provenance["invocations"]) in (1, 2)


def test_an_interrupt_leaves_what_is_finished(finished: Path, tmp_path: Path) -> None:
    def interrupt(*told: Any) -> None:
        if told[2] > 40:  # 40 are kept by then, and no more
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(STUDY, tmp_path, progress=interrupt)
    assert load(tmp_path).missing[0] == "coins, R: 110 of 150 replications"
    run(STUDY, tmp_path)
    assert files(tmp_path) == files(finished)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "a byte less": lambda content: content[:-1],
    "half": lambda content: content[: len(content) // 2],
    "only the magic": lambda content: content[:8],
    "a byte more": lambda content: content + b"\0",
    "zeros": lambda content: bytes(len(content)),
    "another file": lambda content: b"PK\x03\x04" + content,
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_shard_is_named_and_played_again(
    damage: str, copied: Path, finished: Path
) -> None:
    path = copied / "shards" / Place(0, 1, 20, 40).file_name
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    with pytest.warns(RunWarning) as warned:
        partial = load(copied)
    assert [str(each.message).startswith(f"{path}: is left out") for each in warned] == [True]
    assert partial.missing == ("coins, T: 20 of 150 replications",)
    assert partial.replications["coins"].tolist() == [*range(20), *range(40, 150)]
    assert not np.any(partial.results["coins"].pulls.sum(axis=2) != HORIZON)
    with pytest.warns(RunWarning, match="0000020-0000040"):
        run(STUDY, copied)
    assert files(copied) == files(finished)
    assert load(copied).complete


def test_no_flipped_bit_is_trusted(finished: Path) -> None:
    place = Place(0, 0, 0, 20)
    content = bytearray((finished / "shards" / place.file_name).read_bytes())
    assert shards.encode(STUDY, place, shards.decode(STUDY, place, bytes(content))) == content
    dice = random.Random(1)
    places = [*range(60), *(dice.randrange(len(content)) for _ in range(200)), len(content) - 1]
    for position in places:
        flipped = content.copy()
        flipped[position] ^= 1 << dice.randrange(8)
        with pytest.raises(RunError):
            shards.decode(STUDY, place, bytes(flipped))


def test_a_foreign_shard_is_named_and_played_again(copied: Path, finished: Path) -> None:
    other = dataclasses.replace(STUDY, seed=6)
    elsewhere = copied.parent / "elsewhere"
    run(other, elsewhere)
    taken = copied / "shards" / Place(0, 0, 0, 20).file_name
    moved = copied / "shards" / Place(0, 0, 20, 40).file_name
    shutil.copy(elsewhere / "shards" / taken.name, taken)
    shutil.copy(copied / "shards" / Place(0, 1, 20, 40).file_name, moved)
    with pytest.warns(RunWarning) as warned:
        run(STUDY, copied)
    said = [str(each.message) for each in warned]
    assert said == [
        f"{taken}: is left out, to be played again (it is a shard of study "
        f"{other.digest[:12]}: R on coins, replications 0 to 19).",
        f"{moved}: is left out, to be played again (it is a shard of study "
        f"{STUDY.digest[:12]}: T on coins, replications 20 to 39).",
    ]
    assert files(copied) == files(finished)


def test_files_that_are_no_shards_are_left_alone(copied: Path) -> None:
    for name in ("notes.txt", "0-0-0-20.shard", "000-000-0000000-0000020.shard.bak"):
        (copied / "shards" / name).write_text("mine")
    stray = copied / "shards" / Place(9, 9, 0, 20).file_name
    stray.write_text("whose?")
    with pytest.warns(RunWarning, match="this study has no such place"):
        assert load(copied).complete
    with pytest.warns(RunWarning):
        run(STUDY, copied)
    assert stray.exists()


@pytest.mark.parametrize("replications", [45, 50, 60, 61, 100])
def test_more_replications_extend_a_run(replications: int, tmp_path: Path) -> None:
    run(dataclasses.replace(ONE, replications=45), tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("shards/*")}
    more = dataclasses.replace(ONE, replications=replications)
    longer = run(more, tmp_path)
    after = {path: path.stat().st_mtime_ns for path in tmp_path.glob("shards/*")}
    assert before.items() <= after.items()
    assert same(longer.result, run(more).result)
    assert load(tmp_path).study.replications == replications
    places = [Place.of_file(path.name) for path in after]
    assert sum(place.last - place.first for place in places if place) == replications
    shorter = run(dataclasses.replace(ONE, replications=30), tmp_path)  # takes nothing away
    assert same(shorter.result, run(dataclasses.replace(ONE, replications=30)).result)
    assert load(tmp_path).study.replications == replications


def test_a_torn_last_chunk_does_not_outlive_an_extension(tmp_path: Path) -> None:
    run(ONE, tmp_path)
    torn = tmp_path / "shards" / Place(0, 0, 40, 50).file_name
    torn.write_bytes(torn.read_bytes()[:-5])
    more = dataclasses.replace(ONE, replications=70)
    with pytest.warns(RunWarning):
        run(more, tmp_path)
    assert not torn.exists()
    assert same(load(tmp_path).result, run(more).result)


@pytest.mark.parametrize("ties", ["first", "random"])
def test_the_published_protocol_is_kept_whole(ties: str, tmp_path: Path) -> None:
    study = dataclasses.replace(
        STUDY, policies=[UCB(), ThompsonSampling()], rewards="published", seed=46, ties=ties
    )
    partial = run(dataclasses.replace(study, policies=[UCB()]), tmp_path / "one")
    first = run(study, tmp_path / "all")
    assert len(list(tmp_path.glob("all/shards/*.shard"))) == 4
    assert np.array_equal(partial.results["coins"].regret[0], first.results["coins"].regret[0])
    before = files(tmp_path / "all")
    for number in (0, 1):
        (tmp_path / "all" / "shards" / Place(1, number, 0, 150).file_name).unlink()
        assert list(load(tmp_path / "all").results) == ["coins"]
        run(study, tmp_path / "all")
        assert files(tmp_path / "all") == before
    with pytest.raises(RunError, match="another study"):
        run(dataclasses.replace(study, replications=151), tmp_path / "all")


def test_the_folder_of_another_study_is_refused(copied: Path) -> None:
    before = files(copied)
    other = dataclasses.replace(STUDY, seed=6)
    with pytest.raises(RunError) as problem:
        run(other, copied)
    assert str(problem.value) == (
        f"{copied}: holds a run of another study, with digest {STUDY.digest[:12]}; "
        f"this one's is {other.digest[:12]}."
    )
    assert files(copied) == before


def test_where_nothing_can_be_written_there_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(RunError, match=r"^[^\n]*cannot be (written|read) \([^\n]*\)\.$"):
            run(ONE, folder)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_full_disk_is_one_sentence(
    code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = os.fsync, [0]

    def fail(handle: int) -> None:
        calls[0] += 1
        if calls[0] > limit:
            raise OSError(code, os.strerror(code))
        real(handle)

    for limit in range(12):
        calls[0], folder = 0, tmp_path / str(limit)
        monkeypatch.setattr("os.fsync", fail)
        with pytest.raises(RunError) as problem:
            run(ONE, folder)
        said = str(problem.value)
        assert said.startswith(str(folder))
        assert said.endswith(f"cannot be written ({os.strerror(code)}).")
        monkeypatch.setattr("os.fsync", real)
        assert not list(folder.rglob(".*"))  # nothing half-written
        for path in folder.glob("shards/*"):
            place = Place.of_file(path.name)
            assert place is not None
            shards.decode(ONE, place, path.read_bytes())
        assert run(ONE, folder).complete


def test_what_a_kill_left_is_swept_up_later(copied: Path) -> None:
    old, new = copied / "shards" / ".x.shard.1-1.tmp", copied / ".y.json.2-2.tmp"
    for path in (old, new):
        path.write_text("half")
    os.utime(old, (1, 1))
    run(STUDY, copied)
    assert not old.exists()
    assert new.exists()  # perhaps another process is writing it


def test_provenance_says_who_played_what(tmp_path: Path) -> None:
    run(ONE, tmp_path, threads=1)
    run(dataclasses.replace(ONE, replications=70), tmp_path)
    first, second = load(tmp_path).provenance["invocations"]
    assert (first["played"], second["played"], first["threads"]) == (50, 20, 1)
    for entry in (first, second, *run(ONE).provenance["invocations"]):
        assert entry["started"] <= entry["finished"]
        assert entry["wall_seconds"] >= 0.0
        assert entry["cpu_seconds"] >= 0.0
        assert entry["numpy"] == np.__version__
        assert {"rbmle", "numba", "python", "platform", "cpus"} <= set(entry)
    (tmp_path / "provenance.json").write_text("{}")
    with pytest.warns(RunWarning, match="begun anew"):
        assert load(tmp_path).provenance == {"invocations": []}


def test_another_version_is_named(tmp_path: Path) -> None:
    run(ONE, tmp_path)
    path = tmp_path / "provenance.json"
    data = json.loads(path.read_text())
    data["invocations"][0]["rbmle"] = "0.0.7"
    path.write_text(json.dumps(data))
    with pytest.warns(RunWarning, match=r"was played in part by rbmle 0\.0\.7, not "):
        run(dataclasses.replace(ONE, replications=70), tmp_path)


def test_a_run_that_has_only_begun_can_be_loaded(tmp_path: Path) -> None:
    Store.open(tmp_path, ONE)
    begun = load(tmp_path)
    assert begun.missing == ("coins, U: 50 of 50 replications",)
    assert "Still to play:\ncoins, U: 50 of 50" in begun.summary()
    shutil.rmtree(tmp_path / "shards")
    assert load(tmp_path).results == {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run(ONE, tmp_path).complete


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
    with pytest.raises(RunError, match=r"study\.json: cannot be read \(No such file or directory"):
        load(tmp_path)
    with pytest.raises(ParameterError, match="run: 'study' must be a Study"):
        run("study")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="run: 'threads' must be"):
        run(ONE, threads=0)
