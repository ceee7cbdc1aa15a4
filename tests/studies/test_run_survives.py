"""A run survives kills, interrupts, other processes and a full disk."""

from __future__ import annotations

import errno
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_cases import ONE, STUDY, child, files
from tiers import tiered

from rbmle.errors import RunError
from rbmle.studies import store as shards
from rbmle.studies.runner import load, run

pytestmark = pytest.mark.usefixtures("small_chunks")


@pytest.mark.slow
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


@pytest.mark.slow
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
        run(STUDY, tmp_path, threads=1, progress=interrupt)
    assert load(tmp_path).missing[0] == "coins, T: 110 of 150 replications"
    run(STUDY, tmp_path)
    assert files(tmp_path) == files(finished)


def test_where_nothing_can_be_written_there_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "run"):
        with pytest.raises(RunError, match=r"^[^\n]*cannot be (written|read) \([^\n]*\)\.$"):
            run(ONE, folder)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


CODES = [errno.ENOSPC, errno.EROFS, errno.EACCES]


@pytest.mark.parametrize("code", tiered(CODES, lambda code: code == errno.ENOSPC))
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
            task = shards.task_of(path.name)
            assert task is not None
            shards.decode(ONE, task, path.read_bytes())
        assert run(ONE, folder).complete


def test_what_a_kill_left_is_swept_up_later(copied: Path) -> None:
    old, new = copied / "shards" / ".x.shard.1-1.tmp", copied / ".y.json.2-2.tmp"
    for path in (old, new):
        path.write_text("half")
    os.utime(old, (1, 1))
    run(STUDY, copied)
    assert not old.exists()
    assert new.exists()  # perhaps another process is writing it
