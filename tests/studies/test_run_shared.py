"""Several processes in one folder share the work: nothing is played twice, no entry is lost."""

from __future__ import annotations

import json
import multiprocessing
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_cases import ONE, STUDY, child, files

from rbmle._io.files import Locks
from rbmle.engine.devices import play_plan
from rbmle.errors import RunWarning
from rbmle.studies import schedule, work_items
from rbmle.studies.runner import load, run
from rbmle.studies.store import Store

pytestmark = pytest.mark.usefixtures("small_chunks")

ALL = 150 * 3 * 2  # replications of STUDY, in all

HOLD = """
import sys, time
from rbmle._io.files import Locks
locks = Locks(sys.argv[1])
print(*(locks.take(int(each)) for each in sys.argv[2:]), flush=True)
time.sleep(60)
"""

FORK = """
import os, sys
from rbmle._io.files import Locks

locks = Locks(sys.argv[1])
assert locks.take(3)
(heard, tell), (read, write) = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    mine = Locks(sys.argv[1])
    first = mine.take(3)
    os.write(write, b"x")
    os.read(heard, 1)
    os._exit(0 if (first, mine.take(3)) == (False, True) else 1)
os.read(read, 1)
locks.free(3)
os.write(tell, b"x")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def played(folder: Path) -> list[int]:
    return [each["played"] for each in load(folder).provenance["invocations"]]


def holder(path: Path, *numbers: int) -> tuple[subprocess.Popen[str], list[str]]:
    given = [str(path), *map(str, numbers)]
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, *given], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().split()


@pytest.mark.slow
def test_two_processes_play_everything_once(finished: Path, tmp_path: Path) -> None:
    pair = [child(STUDY, tmp_path / "run", pause) for pause in (0.02, 0.02)]
    for process in pair:
        process.communicate()
        assert process.returncode == 0
    assert files(tmp_path / "run") == files(finished)
    shares = played(tmp_path / "run")
    assert len(shares) == 2
    assert sum(shares) == ALL
    assert min(shares) > 0


@pytest.mark.slow
def test_what_a_killed_process_held_is_taken_over(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    victim = child(STUDY, folder, pause=0.2)
    while not list(folder.glob("shards/*.shard")):
        time.sleep(0.01)
    heir = child(STUDY, folder, pause=0.01)
    time.sleep(1.0)
    victim.kill()
    victim.communicate()
    kept = {path: path.stat().st_mtime_ns for path in folder.glob("shards/*.shard")}
    heir.communicate()
    assert (victim.returncode, heir.returncode) == (-signal.SIGKILL, 0)
    assert files(folder) == files(finished)
    # The victim's last second may be missing from its entry, but nothing was played twice.
    assert sum(played(folder)) <= ALL
    assert kept.items() <= {path: path.stat().st_mtime_ns for path in kept}.items()


@pytest.mark.slow
def test_a_run_waits_for_what_others_hold(finished: Path, tmp_path: Path) -> None:
    """A chunk that another process has claimed is left to it until the process is gone."""
    store = Store.open(tmp_path, STUDY)
    process, taken = holder(store.folder / "claims", 1, 5)
    assert taken == ["True", "True"]
    done: list[Any] = []
    thread = threading.Thread(target=lambda: done.append(run(STUDY, tmp_path)))
    thread.start()
    time.sleep(2.0)
    while len(list(tmp_path.glob("shards/*.shard"))) < 8 * 3 * 2 - 2:
        time.sleep(0.05)
    time.sleep(0.5)
    assert thread.is_alive()
    assert len(files(tmp_path)) == len(files(finished)) - 2
    process.kill()
    process.communicate()
    thread.join(30.0)
    assert done[0].complete
    assert files(tmp_path) == files(finished)


def test_a_lock_is_free_once_its_process_is_killed(tmp_path: Path) -> None:
    process, taken = holder(tmp_path / "claims", 3, 2**40)
    assert taken == ["True", "True"]
    with Locks(tmp_path / "claims") as locks:
        assert not locks.take(3)
        assert not locks.take(2**40)
        assert locks.take(4)
        process.kill()
        process.communicate()
        assert locks.take(3)


def test_threads_of_one_process_exclude_each_other(tmp_path: Path) -> None:
    one, two = Locks(tmp_path / "claims"), Locks(tmp_path / "claims")
    assert one.take(7)
    assert not two.take(7)
    two.close()  # which must not free what `one` has
    process, taken = holder(tmp_path / "claims", 7)
    process.kill()
    process.communicate()
    assert taken == ["False"]
    one.close()
    with Locks(tmp_path / "claims") as three:
        assert three.take(7)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_child_holds_nothing_and_sees_what_its_parent_holds(tmp_path: Path) -> None:
    process = subprocess.run([sys.executable, "-W", "ignore", "-c", FORK, str(tmp_path / "claims")])
    assert process.returncode == 0


def note_many(folder: str, name: str) -> None:
    store = Store.of_run(folder)
    for number in range(20):
        store.note({"id": f"{name}-{number}", "played": 1})


@pytest.mark.slow
def test_no_entry_of_provenance_is_lost(tmp_path: Path) -> None:
    Store.open(tmp_path, ONE)
    context = multiprocessing.get_context("spawn")
    pair = [context.Process(target=note_many, args=(str(tmp_path), name)) for name in "ab"]
    for each in pair:
        each.start()
    for each in pair:
        each.join()
        assert each.exitcode == 0
    assert len(load(tmp_path).provenance["invocations"]) == 40


@pytest.mark.parametrize("content", ["", "{}", "[", '{"invocations": [3]}'])
def test_damaged_provenance_warns_once(content: str, tmp_path: Path) -> None:
    run(ONE, tmp_path)
    path = tmp_path / "provenance.json"
    path.write_text(content)
    with pytest.warns(RunWarning, match="begun anew"):
        load(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load(tmp_path)
        run(ONE, tmp_path)
    assert (tmp_path / "provenance.json.damaged").read_text() == content
    store = Store.of_run(tmp_path)
    store.note({"id": "x"})
    assert json.loads(path.read_text())["invocations"] == [{"id": "x"}]


def test_a_plan_is_data_that_any_process_can_play() -> None:
    item = work_items.WorkItem(ONE.plan, 10, 30, work_items.versions(), "cpu", "", 1)
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        there = pool.submit(work_items.play_item, item).result()
    here = work_items.play_item(item)
    for one, other in zip(here.rows[0], there.rows[0], strict=True):
        assert len(one) == 20
        assert np.array_equal(one, other)


def test_one_chunk_keeps_all_threads_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replications of a long horizon are tasks of their own, also within a chunk."""
    meeting = threading.Barrier(3, timeout=20.0)

    def meet(*given: Any) -> Any:
        meeting.wait()  # passes only if three tasks are played at the same time
        return play_plan(*given)

    monkeypatch.setattr(work_items, "play_plan", meet)
    monkeypatch.setattr(schedule, "DECISIONS_A_TASK", 200)
    study = ONE.__class__(ONE.problems, dict(ONE.policies), 200, 6)
    assert run(study, threads=3).complete
