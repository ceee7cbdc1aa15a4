"""A study on the workers of an executor: the same bytes, everything once, mistakes as sentences."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from run_cases import ONE, STUDY, files

from rbmle.engine.devices import play_plan
from rbmle.engine.plan import Task
from rbmle.errors import ParameterError, RbmleError, RunError
from rbmle.studies import runner, schedule, work_items, workers
from rbmle.studies.runner import load, run
from rbmle.studies.schedule import Claims, ProgressTable, Schedule
from rbmle.studies.study import Study
from rbmle.studies.work_items import check_versions, pickled, unpickled, versions

pytestmark = pytest.mark.usefixtures("small_chunks")


class Sequential(Executor):
    """An executor that says nothing of its workers, and plays a task when it is asked to."""

    def submit(self, function: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        future: Future[Any] = Future()
        copied = pickle.loads(pickle.dumps(given))  # as if it had been sent
        try:
            future.set_result(function(*copied, **named))
        except Exception as problem:
            future.set_exception(problem)
        return future


@pytest.mark.parametrize(
    "make", [Sequential, pytest.param(lambda: ThreadPoolExecutor(3), marks=pytest.mark.slow)]
)
def test_the_folder_has_the_bytes_of_a_run_on_threads(
    make: Callable[[], Executor], finished: Path, tmp_path: Path
) -> None:
    told: dict[tuple[str, str], list[int]] = {}
    with make() as executor:
        result = run(
            STUDY, tmp_path, executor=executor,
            progress=lambda *at: told.setdefault(at[:2], []).append(at[2]),
        )  # fmt: skip
    assert result.complete
    assert files(tmp_path) == files(finished)
    assert all(counts == sorted(counts) and counts[-1] == 150 for counts in told.values())
    assert len(told) == 6
    [entry] = load(tmp_path).provenance["invocations"]
    assert entry["played"] == 6 * 150


def test_an_executor_goes_on_where_threads_stopped(copied: Path, finished: Path) -> None:
    """Half of a chunk too: what is on disk is not played again."""
    gone = sorted(copied.glob("shards/*.shard"))[::3]
    kept = {path: path.stat().st_mtime_ns for path in copied.glob("shards/*") if path not in gone}
    for path in gone:
        path.unlink()
    run(STUDY, copied, executor=Sequential())
    assert files(copied) == files(finished)
    assert kept.items() <= {path: path.stat().st_mtime_ns for path in kept}.items()


@pytest.mark.slow
def test_an_interrupt_stops_tasks_on_threads_and_keeps_what_is_finished(tmp_path: Path) -> None:
    """Replications that would take minutes end, because the array that stops the run is theirs."""
    long = Study(ONE.problems, dict(ONE.policies), 4_000_000_000, 2)
    with ThreadPoolExecutor(1) as pool:
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            run(long, tmp_path, executor=pool)
    assert not load(tmp_path).complete
    assert not work_items.STOPS


def claims_of(study: Study) -> Claims:
    return Claims(ProgressTable(study), None, lambda *_: None, lambda _: None)


def test_tasks_are_worth_a_second_whatever_the_first_took(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "DECISIONS_A_CHUNK", 100 * 1_000)  # 100 replications
    study = Study(ONE.problems, dict(ONE.policies), 1_000, 100_000, checkpoints=())
    with claims_of(study) as claims:
        planned = Schedule(claims)
        [task] = next(planned.tasks(2))
        assert task.size == 200  # 200,000 decisions, before anything is known
        planned.learn(task, 0.4)
        tasks = []
        for [each] in planned.tasks(2):
            tasks.append(each)
            planned.learn(each, each.size * 0.002)
    sizes = [each.size for each in tasks]
    assert task.size + sum(sizes) == 100_000  # everything, and nothing twice
    assert [each.first for each in tasks] == [each.last for each in [task, *tasks[:-1]]]
    assert sizes[0] == 500  # at 2 ms each
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-2] >= schedule._LEAST_SECONDS / 0.002  # the last ones are smaller, but not tiny


def test_a_chunk_is_finished_before_the_next_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with several policies: a kill loses few chunks."""
    monkeypatch.setattr(schedule, "DECISIONS_A_TASK", 5 * 200)  # 5 replications of STUDY
    with claims_of(STUDY) as claims:
        planned = Schedule(claims, calibrated=False)
        tasks = [task for [task] in planned.tasks(1)]
    assert [each[:2] for each in tasks[:16]] == [(0, k) for k in (0, 1, 2, 0) for _ in range(4)]
    assert sum(each.size for each in tasks) == 6 * 150


def test_a_thousand_workers_get_longer_tasks() -> None:
    study = Study(ONE.problems, dict(ONE.policies), 1_000, 30_000, checkpoints=())
    with claims_of(study) as claims:
        planned = Schedule(claims)
        planned.learn(Task(0, 0, 0, 1), 0.5)
        [task] = next(planned.tasks(1_000))
    assert task.size == 10  # 5 s: 200 tasks a second in all


def test_a_task_is_no_larger_than_memory_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedule, "_BYTES_A_TASK", 320_000)
    study = Study(ONE.problems, dict(ONE.policies), 1_000, 1_000)
    with claims_of(study) as claims:
        planned = Schedule(claims)
        planned.learn(Task(0, 0, 0, 1_000_000), 1e-3)
        [task] = next(planned.tasks(1))
    row = 8 * (2 * len(study.rounds) + 3)
    assert 0.9 * schedule._BYTES_A_TASK < row * task.size <= schedule._BYTES_A_TASK


def test_other_versions_are_refused_before_anything_is_played() -> None:
    for name in ("rbmle", "numpy", "numba", "python"):
        with pytest.raises(RunError, match=rf"^run: workers must have {name} .* Got 0 on there\.$"):
            check_versions(versions(), {**versions(), name: "0"}, "there")
    sent = pickled(ONE.plan)
    old = work_items.WorkItem(sent, 0, 1, {**versions(), "rbmle": "0.0.1"}, "cpu", "", 1)
    with pytest.raises(RunError, match=r"^run: workers must have rbmle 0\.0\.1, as here, "):
        work_items.play_item(old)


def test_a_worker_without_the_device_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(owner: str, device: str) -> None:
        raise RbmleError(f"{owner}: 'device' must be 'cpu': no {device} device was found (why).")

    monkeypatch.setattr(work_items, "check_device", missing)
    monkeypatch.setattr(runner, "check_device", missing)
    with pytest.raises(RunError, match=r"^run: the worker on .* cannot play .* \(run: 'device' "):
        run(ONE, executor=Sequential(), device="cuda")


@pytest.mark.parametrize("threads", [0, -1])
def test_a_local_cluster_has_workers(threads: int) -> None:
    with (
        pytest.raises(
            ParameterError, match=r"^run: 'threads' must be a whole number in \[1, inf\)"
        ),
        workers.connected("local", threads),
    ):
        pass


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"executor": 3}, "run: 'executor' must be a concurrent.futures.Executor"),
        ({"executor": Sequential(), "threads": 2}, "run: 'threads' must be left out where an exec"),
        ({"executor": Sequential(), "device": "gpu"}, "run: 'device' must be one of 'cpu'"),
    ],
)
def test_what_an_executor_cannot_do_is_refused(
    more: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError) as problem:
        run(ONE, tmp_path / "run", **more)
    assert str(problem.value).startswith(said)
    assert not (tmp_path / "run").exists()


def test_rewards_drawn_in_order_are_refused(tmp_path: Path) -> None:
    study = Study(ONE.problems, dict(ONE.policies), 100, 5, rewards="published")
    with pytest.raises(ParameterError, match=r"^run: 'executor' must be left out for rewards"):
        run(study, tmp_path / "run", executor=Sequential())


def test_without_dask_there_is_one_sentence_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find = workers.require_extra.__globals__["importlib"].util.find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "distributed" else find(name)
    )
    text = r'^run: distributed is not installed\. Install it, .*with: pip install "\.\[dask\]"$'
    with pytest.raises(RbmleError, match=text), workers.connected("local"):
        pass


@pytest.mark.slow
def test_nothing_of_dask_is_imported_without_a_cluster() -> None:
    code = (
        "import sys, rbmle, rbmle.cli.main, rbmle.studies.workers\n"
        "print([each for each in ('dask', 'distributed', 'cloudpickle') if each in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def die(*_: Any) -> Any:
    os._exit(1)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_pool_that_breaks_names_its_task_and_the_run_goes_on(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import multiprocessing

    fork = multiprocessing.get_context("fork")
    monkeypatch.setattr(work_items, "play_plan", die)
    with ProcessPoolExecutor(1, fork) as pool, pytest.raises(RunError) as problem:
        run(STUDY, tmp_path, executor=pool)
    assert str(problem.value) == (
        "run: a worker of the executor died while it played T on coins, replications 0 to 149; "
        "what was finished is kept, and the same run goes on from there."
    )
    monkeypatch.setattr(work_items, "play_plan", play_plan)
    with ProcessPoolExecutor(2, fork) as pool:
        assert run(STUDY, tmp_path, executor=pool).complete
    assert files(tmp_path) == files(finished)


def test_equal_bytes_are_unpickled_once() -> None:
    content = pickled(ONE.plan)
    assert unpickled(content) is unpickled(bytes(bytearray(content)))
