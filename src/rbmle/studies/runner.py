"""Run a study: play what the folder does not hold yet, and store each chunk once it is finished."""

from __future__ import annotations

import os
import platform
import sys
import time
import uuid
import warnings
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime

import numba
import numpy as np

from .._io.progress import shown
from ..engine.devices import DEVICES, check_device
from ..engine.plan import Task
from ..errors import ParameterError, RunWarning, integer, one_of
from .file import Data
from .schedule import Claims, Progress, ProgressTable
from .store import Store
from .study import Study
from .study_result import StudyResult, keep_times, timed_problems
from .workers import ThisThread, Threads, Workers, play_tasks, workers_of

_AT_ONCE = 4  # tasks that a GPU plays at once: one alone may be too small to fill it
_SECONDS_BETWEEN_NOTES = 1.0  # a kill loses at most this much of the entry


def run(
    study: Study,
    folder: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | bool | None = None,
    only: Sequence[str] | None = None,
    times: bool = False,
    executor: Executor | None = None,
    device: str = "cpu",
) -> StudyResult:
    """Play what is missing of the study, and return all its results.

    folder: where finished chunks of replications are stored. A later run continues from them: after
    a kill, or with more replications. Several processes may run the same study in one folder; they
    share the work. None stores nothing.
    threads: by default one for each processor; results do not depend on it.
    progress: whether to show a bar on stderr, and what is being compiled; by default, if stderr is
    a terminal or a notebook. Or a function that is called instead, with (problem, policy,
    replications done, replications in all), first for what the folder held and then after each
    task, from any thread.
    only: the labels of the policies to play now; the result has only these.
    times: also time the decisions of each policy, and store the times in the folder for reports.
    executor: any of `concurrent.futures`, such as a `ProcessPoolExecutor` or the `get_executor()`
    of a Dask client. Its workers play, instead of threads of this process; results are the same.
    device: "cpu", or "cuda" for the GPU of this machine, or of each worker of the executor.

    >>> from rbmle import Problem
    >>> study = Study(Problem("bernoulli", [0.4, 0.6]), ["ucb"], horizon=100, replications=2)
    >>> run(study).complete
    True
    """
    if not isinstance(study, Study):
        raise ParameterError("run", "study", "a Study", study)
    if threads is not None:
        threads = integer("run", "threads", threads, "[1, inf)")
    if executor is None:
        check_device("run", device)
    else:
        one_of("run", "device", device, DEVICES)
    workers = None if executor is None else _checked(study, executor, threads, device)
    if times and folder is None:
        raise ParameterError("run", "times", "False where nothing is kept in a folder", times)
    if times and not timed_problems(study):
        allowed = "False where means change, rewards come late or the past is not only counted"
        raise ParameterError("run", "times", allowed, times)
    study.plan.check_memory("run")
    store = None if folder is None else Store.open(folder, study)
    table = _table(study, store, only)
    provenance = {"invocations": []} if store is None else store.provenance
    with ExitStack() as stack:
        tell = _reporter(progress, table, stack)
        for task in table.all_of_each():
            if table.done(task):
                tell(*table.names(task), table.done(task), study.replications)
        if not table.complete:
            entry = Invocation(store, threads if workers is None else workers.slots())
            workers = workers or _threads(table, threads, device, stack)
            claims = stack.enter_context(Claims(table, store, tell, entry.played))
            play_tasks(claims, workers, device)
            provenance = entry.finished()
    if store is not None:
        store.discard_bad()
    if times and folder is not None:
        keep_times(study, folder)
    return _gathered(table, provenance)


def load(folder: str | os.PathLike[str], finished: bool = False) -> StudyResult:
    """The results in a run folder, complete or not; `missing` says what is left to play.

    finished: load only the policies that have all their replications.

        found = rbmle.load("study-run")
        print(found.missing or found.results["coins"])
    """
    store = Store.of_run(folder)
    store.study.plan.check_memory("run")
    table = _table(store.study, store)
    if finished:
        table.wanted = [each for each in table.wanted if table.have[:, each].all()]
    return _gathered(table, store.provenance)


def _checked(study: Study, executor: Executor, threads: int | None, device: str) -> Workers:
    """The workers of an executor, checked to be able to play the study."""
    workers = workers_of(executor)
    if threads is not None:
        raise ParameterError("run", "threads", "left out where an executor is given", threads)
    if study.plan.rewards.in_order:
        allowed = "left out for rewards that are drawn in order"
        raise ParameterError("run", "executor", allowed, study.rewards)
    workers.check(device)
    return workers


def _reporter(progress: Progress | bool | None, table: ProgressTable, stack: ExitStack) -> Progress:
    """The function that reports progress; it shows a bar until the stack is closed."""
    if progress is not None and not isinstance(progress, bool):
        return progress
    known = {table.names(task): table.done(task) for task in table.all_of_each()}
    total = table.study.replications * len(known)
    add = stack.enter_context(shown(progress, total, "replications", sum(known.values())))

    def tell(problem: str, policy: str, done: int, _: int) -> None:
        if add is not None and done > known[problem, policy]:
            add(done - known[problem, policy])
            known[problem, policy] = done

    return tell


def _threads(table: ProgressTable, threads: int | None, device: str, stack: ExitStack) -> Workers:
    """This thread, or threads of this process until the stack is closed."""
    if table.plan.rewards.in_order:
        return ThisThread(threads)
    count = _AT_ONCE if device != "cpu" else threads or os.cpu_count() or 1
    return Threads(stack.enter_context(ThreadPoolExecutor(count)), device)


def _table(study: Study, store: Store | None, only: Sequence[str] | None = None) -> ProgressTable:
    """The results that the folder holds."""
    table = ProgressTable(study, only)
    for task, rows in store.read() if store is not None else ():
        table.fill(task, rows)
    return table


def _gathered(table: ProgressTable, provenance: Data) -> StudyResult:
    results, numbers = {}, {}
    for problem, name in enumerate(table.study.problems if table.wanted else ()):
        result, common = table.result(problem)
        if common.size:
            results[name], numbers[name] = result, common
    total = table.study.replications
    missing = tuple(
        f"{', '.join(table.names(task))}: {total - table.done(task)} of {total} replications"
        for task in table.all_of_each()
        if table.done(task) < total
    )
    return StudyResult(table.study, results, provenance, numbers, missing)


class Invocation:
    """What this process did. It is written to the folder about once a second, so that a killed
    process leaves an entry too."""

    def __init__(self, store: Store | None, threads: int | None) -> None:
        version = sys.modules["rbmle"].__version__
        self.store, self.wall, self.cpu = store, time.perf_counter(), time.process_time()
        self.entry: Data = {
            "id": uuid.uuid4().hex,
            "rbmle": version,
            "numpy": np.__version__,
            "numba": numba.__version__,
            "python": platform.python_version(),
            "platform": platform.platform(),
            "machine": platform.machine(),
            "cpus": os.cpu_count(),
            "threads": threads or os.cpu_count() or 1,
            "started": _now(),
            "finished": None,
            "played": 0,
        }
        if store is not None:  # the numbers of other versions may differ
            known = store.provenance["invocations"]
            for other in sorted({str(each.get("rbmle")) for each in known} - {version}):
                text = f"{store.folder}: was played in part by rbmle {other}, not {version}."
                warnings.warn(RunWarning(text), stacklevel=3)
        self._note()

    def played(self, task: Task) -> None:
        """Count the replications that were just played."""
        self.entry["played"] += task.size
        if time.perf_counter() - self.noted > _SECONDS_BETWEEN_NOTES:
            self._note()

    def finished(self) -> Data:
        """Note that this process has finished; the provenance of the whole run."""
        self.entry["finished"] = _now()
        return self._note()

    def _note(self) -> Data:
        self.noted = time.perf_counter()
        self.entry["wall_seconds"] = round(self.noted - self.wall, 3)
        self.entry["cpu_seconds"] = round(time.process_time() - self.cpu, 3)
        if self.store is None:
            return {"invocations": [self.entry]}
        return self.store.note(self.entry)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
