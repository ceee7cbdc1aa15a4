"""The section `cluster`: a study on two Dask workers, and what a task costs besides its work."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from rbmle.errors import RbmleError
from rbmle.studies.runner import run
from rbmle.studies.schedule import SECONDS_A_TASK
from rbmle.studies.study import Study
from rbmle.studies.work_items import WorkItem, versions
from rbmle.studies.workers import connected, workers_of

from .table import BenchTable, Effort, Line, Turns, UnavailableError, by_turns, wall_seconds
from .threads import HORIZON, POLICIES
from .timed_problems import COINS, SEED

AT_LEAST = 1.8  # target: two workers are this many times as fast as one thread of one process
WORK = 1.11  # target: 2 / 1.8 of one thread's processor time, for all processes together
AT_MOST = 0.01  # target: the share of a task's second that goes to everything but playing it
WORKERS = 2


def study(replications: int) -> Study:
    """The policies and the problem of the section `threads`, as a study."""
    return Study({"coins": COINS}, list(POLICIES), HORIZON, replications, SEED)


def shards(folder: Path) -> dict[str, bytes]:
    """The results of a run, as bytes."""
    return {path.name: path.read_bytes() for path in folder.glob("shards/*")}


def processor_seconds(executor: Any, work: Callable[[], object]) -> float:
    """The processor time of some work in this process and in all workers, as other programs hardly
    affect it."""

    def spent() -> float:
        return time.process_time() + float(sum(executor._client.run(time.process_time).values()))

    before = spent()
    work()
    return spent() - before


def cost_of_a_task(executor: Executor, count: int) -> float:
    """Seconds of a worker for a task that plays next to nothing: one replication of ten rounds."""
    small = Study({"coins": COINS}, [POLICIES[1]], COINS.n_arms, 1)
    workers = workers_of(executor)
    plan = workers.prepared(small.plan)

    def play(number: int) -> None:
        made = (WorkItem(plan, 0, 1, versions(), "cpu", "", each) for each in range(number))
        waiting = []
        for item in made:
            waiting.append(workers.submit(item))
            if len(waiting) > 2 * WORKERS:  # as many at a time as in a run
                waiting.pop(0).result()
        for each in waiting:
            each.result()

    play(4 * WORKERS)  # compiles
    return wall_seconds(lambda: play(count)) * WORKERS / count


def compared(executor: Any, scratch: Path, whole: Study, repeats: int) -> tuple[bool, Turns, Turns]:
    """A study on the workers against one thread: whether the results are the same bytes, the turns
    by the clock, and those by the processor time of all processes."""
    folders = (scratch / str(number) for number in range(1_000))
    there, here = next(folders), next(folders)
    for _ in range(2):  # the second time, each worker has compiled all of it
        run(study(400), next(folders), executor=executor)
    run(study(400), there, executor=executor)
    run(study(400), here, threads=1)
    work: list[float] = []
    alone: list[float] = []

    def on_workers() -> None:
        run(whole, next(folders), executor=executor)

    def on_a_thread() -> None:
        begin = time.process_time()
        run(whole, next(folders), threads=1)
        alone.append(time.process_time() - begin)

    turns = by_turns(
        lambda: wall_seconds(lambda: work.append(processor_seconds(executor, on_workers))),
        lambda: wall_seconds(on_a_thread),
        repeats,
    )
    return shards(there) == shards(here), turns, Turns(tuple(work), tuple(alone))


def cluster(effort: Effort) -> BenchTable:
    """The table: a study on a local cluster of two workers against one thread; an empty task."""
    if (os.cpu_count() or 1) < WORKERS:
        raise UnavailableError("bench: 'cluster' needs two processors, and this machine has one.")
    replications, count = effort.size(3_000, 600), effort.size(400, 100)
    try:
        with connected("local", WORKERS) as executor, tempfile.TemporaryDirectory() as scratch:
            assert executor is not None
            same, turns, work = compared(
                executor, Path(scratch), study(replications), effort.repeats
            )
            costs = tuple(cost_of_a_task(executor, count) for _ in range(effort.repeats))
    except RbmleError as problem:
        raise UnavailableError(f"bench: 'cluster' cannot be measured: {problem}") from None
    return BenchTable(
        f"A study on a Dask cluster on this machine: Bernoulli, K = 10, T = {HORIZON}, "
        f"{len(POLICIES)} policies x {replications} replications",
        "two workers",
        "one thread, or a second",
        "times as fast, or share",
        (
            Line.speedup(
                "run into a folder", turns, at_least=AT_LEAST,
                check=f"shards {'identical' if same else 'DIFFERENT'}", holds=same,
            ),
            Line.slowdown("its processor time, all processes", work, at_most=WORK),
            Line.slowdown(
                "a task, besides playing it", Turns(costs, (SECONDS_A_TASK,) * len(costs)),
                at_most=AT_MOST,
            ),
        ),
        (
            "The reference of the last line is the second of work that a task is made of.",
            "Scheduler, head and workers share this machine's processors.",
        ),
    )  # fmt: skip
