"""Run a study: play what the folder does not hold yet, and store each chunk once it is finished."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

from .._io.memory import check_memory
from ..engine.devices import DEVICES, check_device
from ..errors import ParameterError, integer, one_of
from ..rewards.sources import SOURCES
from .executors import Workers, play_blocks, workers_of
from .provenance import Invocation
from .sheet import Sheet
from .store import Store
from .study import Study
from .study_result import StudyResult
from .times import keep_times
from .work import Progress, Work, play_chunks, play_in_order

_AT_ONCE = 4  # blocks that a GPU plays at once: one alone may be too small to fill it
DECISIONS_A_CHUNK = 2_000_000  # what a kill can lose: about a second of the fast policies


def run(
    study: Study,
    folder: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
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
    progress: called with (problem, policy, replications done, replications in all), first for what
    the folder held and then after each batch, from any thread.
    only: the labels of the policies to play now; the result has only these.
    times: also time the decisions of each policy, and store the times in the folder for reports.
    executor: any of `concurrent.futures`, such as a `ProcessPoolExecutor` or the `get_executor()`
    of a Dask client. Its workers play, instead of threads of this process; results are the same.
    device: "cpu", or "cuda" for the GPU of this machine, or of each worker of the executor.
    """
    if not isinstance(study, Study):
        raise ParameterError("run", "study", "a Study", study)
    if threads is not None:
        threads = integer("run", "threads", threads, "[1, inf)")
    if executor is None:
        check_device("run", device)
    else:
        one_of("run", "device", device, DEVICES)
    workers = None if executor is None else workers_of(executor)
    if workers is not None:
        _check_executor(study, threads)
        workers.check(device)
    if times and folder is None:
        raise ParameterError("run", "times", "False where nothing is kept in a folder", times)
    _check_size(study)
    store = None if folder is None else Store.open(folder, study)
    sheets = _sheets(study, store, only)
    tell = progress or (lambda *_: None)
    for sheet in sheets:
        for policy in sheet.wanted:
            label, done = sheet.done(policy)
            if done:
                tell(sheet.name, label, done, study.replications)
    provenance = {"invocations": []} if store is None else store.provenance
    if not all(sheet.complete for sheet in sheets):
        entry = Invocation(store, threads if workers is None else workers.slots())
        with Work(sheets, store, tell, entry.played) as work:
            if workers is not None:
                play_blocks(work, workers, device)
            elif SOURCES[study.rewards].in_order:
                play_in_order(work, threads, device)
            elif device != "cpu":
                with ThreadPoolExecutor(_AT_ONCE) as pool:
                    play_blocks(work, Workers(pool), device)
            else:
                play_chunks(work, threads)
        provenance = entry.finished()
    if store is not None:
        store.discard_bad()
    if times and folder is not None:
        keep_times(study, folder)
    return _gathered(study, sheets, provenance)


def load(folder: str | os.PathLike[str], finished: bool = False) -> StudyResult:
    """The results in a run folder, complete or not; `missing` says what is left to play.

    finished: load only the policies that have all their replications.
    """
    store = Store.of_run(folder)
    _check_size(store.study)
    sheets = _sheets(store.study, store)
    if finished:
        whole = [
            policy
            for policy in sheets[0].wanted
            if all(sheet.have[policy].all() for sheet in sheets)
        ]
        for sheet in sheets:
            sheet.wanted = whole
    return _gathered(store.study, sheets, store.provenance)


def chunk_size(study: Study) -> int:
    """The number of replications in a chunk. It depends on the study alone, so that a continued run
    writes the same shards.

    In the published protocol one chunk has all replications: rewards, and what a policy draws, come
    from one generator that must run through all earlier replications.
    """
    if SOURCES[study.rewards].in_order:
        return study.replications
    return max(1, DECISIONS_A_CHUNK // study.horizon)


def _check_size(study: Study) -> None:
    """Refuse a study whose results do not fit in memory. Each replication of a policy takes two
    numbers per checkpoint and one per arm, 8 bytes each."""
    numbers = sum(2 * len(study.rounds) + each.n_arms for each in study.problems.values())
    needed = 8 * numbers * len(study.policies) * study.replications
    check_memory("run", study.replications, needed)


def _check_executor(study: Study, threads: int | None) -> None:
    """Refuse what an executor cannot do."""
    if threads is not None:
        raise ParameterError("run", "threads", "left out where an executor is given", threads)
    if SOURCES[study.rewards].in_order:
        raise ParameterError(
            "run", "executor", "left out for rewards that are drawn in order", study.rewards
        )


def _sheets(study: Study, store: Store | None, only: Sequence[str] | None = None) -> list[Sheet]:
    wanted = list(study.policies) if only is None else list(only)
    size = chunk_size(study)
    sheets = [
        Sheet(study, number, *each, size, wanted)
        for number, each in enumerate(study.problems.items())
    ]
    for stretch, rows in store.read() if store is not None else ():
        sheets[stretch.problem].fill(stretch, rows)
    return sheets


def _gathered(study: Study, sheets: list[Sheet], provenance: dict[str, Any]) -> StudyResult:
    results, numbers = {}, {}
    for sheet in sheets:
        if not sheet.wanted:
            continue
        result, common = sheet.result()
        if common.size:
            results[sheet.name], numbers[sheet.name] = result, common
    missing = tuple(
        f"{sheet.name}, {policy}: {study.replications - done} of {study.replications} replications"
        for sheet in sheets
        for policy, done in map(sheet.done, sheet.wanted)
        if done < study.replications
    )
    return StudyResult(study, results, provenance, numbers, missing)
