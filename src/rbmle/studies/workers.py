"""The workers that can play a study: of an executor, threads of this process, or this thread."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager

from .._io.extras import require_extra
from ..engine.devices import compile_plan
from ..engine.plan import Plan
from ..errors import ParameterError, integer
from .pickling import pickled
from .work_items import Played, WorkItem, play_item

Report = Callable[[int, int], None]  # which of the policies played how many replications


class Workers:
    """The workers of an executor: any of `concurrent.futures`, or one that behaves like it.

    remote: whether they may be in other processes. calibrated: whether tasks take about a second.
    reports: whether they report progress while they play. queued: tasks for each slot, one that is
    played and one that waits. killing: what a task raises that kills workers.
    """

    remote = calibrated = True
    reports = False
    queued = 2
    killing: tuple[type[Exception], ...] = ()

    def __init__(self, executor: Executor) -> None:
        self.executor = executor

    def check(self, device: str) -> None:
        """Raise RunError if a worker cannot play; by default each task checks its own."""

    def slots(self) -> int:
        """How many tasks are played at the same time: as many as the executor says it has workers,
        else one for each processor."""
        return getattr(self.executor, "_max_workers", None) or os.cpu_count() or 1

    def count(self) -> int:
        """How many workers there are."""
        return self.slots()

    def prepared(self, plan: Plan) -> Plan | bytes:
        """The plan as it is handed out; what cannot be sent is refused."""
        return pickled(plan)

    def submit(self, item: WorkItem, report: Report | None = None) -> Future[Played]:
        """Hand an item to a worker."""
        return self.executor.submit(play_item, item)

    def why_cancelled(self) -> str:
        """Why a task was cancelled that this run had not given up."""
        return "the executor has cancelled a task"

    def abandon(self, futures: Iterable[Future[Played]]) -> None:
        """Cancel the tasks that nobody waits for any more."""
        for each in futures:
            each.cancel()


class Threads(Workers):
    """Threads of this process. Code is compiled in the calling thread, where Ctrl-C is noticed."""

    remote = False

    def __init__(self, pool: ThreadPoolExecutor, device: str) -> None:
        super().__init__(pool)
        self.device, self.calibrated = device, device != "cpu"

    def prepared(self, plan: Plan) -> Plan:
        """The plan, after its code was compiled."""
        compile_plan(plan, self.device)
        return plan


class ThisThread(Workers):
    """The calling thread, for rewards that can only be drawn in order. It plays all replications at
    once, as `simulate` does: for each replication the threads share the policies."""

    remote = False
    reports = True
    queued = 1

    def __init__(self, threads: int | None) -> None:
        self.threads = threads

    def slots(self) -> int:
        """One task at a time."""
        return 1

    def prepared(self, plan: Plan) -> Plan:
        """The plan as it is."""
        return plan

    def submit(self, item: WorkItem, report: Report | None = None) -> Future[Played]:
        """Play an item."""
        future: Future[Played] = Future()
        try:
            future.set_result(play_item(item, threads=self.threads, progress=report))
        except Exception as problem:
            future.set_exception(problem)
        return future


def workers_of(executor: Executor) -> Workers:
    """The workers of an executor that a user gave."""
    if not callable(getattr(executor, "submit", None)):
        allowed = "a concurrent.futures.Executor, as in ProcessPoolExecutor()"
        raise ParameterError("run", "executor", allowed, executor)
    if type(executor).__module__.partition(".")[0] == "distributed":
        from .cluster import DaskWorkers

        return DaskWorkers(executor)
    return Workers(executor)


@contextmanager
def connected(cluster: str | None, workers: int | None = None) -> Iterator[Executor | None]:
    """The executor of a Dask cluster while the context lasts; None where no cluster is named.

    cluster: the address of its scheduler, as in "tcp://10.0.0.1:8786"; "local" starts one on this
    machine. workers: the processes of a local cluster; by default one for each processor.
    """
    if cluster is None:
        yield None
        return
    require_extra("run", "dask")
    if cluster != "local" and workers is not None:
        raise ParameterError("run", "threads", "left out where a cluster is named", workers)
    if workers is not None:
        workers = integer("run", "threads", workers, "[1, inf)")
    from .cluster import dask_client

    with dask_client(cluster, workers) as client:
        yield client.get_executor()
