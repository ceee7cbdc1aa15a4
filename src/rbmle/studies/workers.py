"""Play what is missing of a study on workers: of an executor, threads of this process, this thread.

Workers need no shared disk. Results that come back are put together and written here, in the
process that runs the study. So the run folder gets the same bytes wherever tasks are played.
"""

from __future__ import annotations

import functools
import itertools
import os
import queue
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np

from .._io.machine import require_extra
from ..engine.devices import compile_plan
from ..engine.plan import Plan
from ..errors import ParameterError, RunError, integer
from .schedule import Claims, Schedule, Tasks
from .work_items import STOPS, Played, WorkItem, pickled, play_item, versions

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
    machine, "slurm://PARTITION?cores=8&jobs=20" submits jobs to Slurm.
    workers: the processes of a local cluster; by default one for each processor.
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


_SECONDS_A_WAIT = 0.2  # for a task, so that Ctrl-C works on every system; and for other processes
_MOST_NAMED = 4  # tasks in a message: of a pool that broke, those that were played come first


def play_tasks(claims: Claims, workers: Workers, device: str) -> None:
    """Play all missing chunks of all policies and problems.

    The calling thread hands out tasks, puts together what comes back, writes shards and reports
    progress. An exception in it, such as Ctrl-C, stops the tasks.
    """
    schedule = Schedule(claims, workers.calibrated, device)
    flight = _InFlight(claims, workers, device)
    try:
        flight.prepare(schedule)
        while True:
            flight.hand_out(schedule)
            if not flight.playing and schedule.empty:
                return
            tasks, played = flight.finished()
            for task, rows in zip(tasks, played.rows, strict=True):
                if not workers.reports:
                    claims.tell(task, task.size)
                claims.finish(task, rows)
            if tasks:
                schedule.learn(tasks[0], played.seconds)
    except BaseException:
        STOPS[flight.name][0] = 1
        workers.abandon(flight.playing)
        raise
    finally:
        del STOPS[flight.name]


class _InFlight:
    """The tasks that are handed out.

    suspects: tasks that were on workers that died. Each of them is played again, alone, so that
    the one that is to blame is known.
    """

    def __init__(self, claims: Claims, workers: Workers, device: str) -> None:
        self.claims, self.workers, self.device = claims, workers, device
        self.name = uuid.uuid4().hex
        STOPS[self.name] = np.zeros(1, np.int64)
        self.playing: dict[Future[Played], Tasks] = {}
        self.suspects: list[Tasks] = []
        self._alone: Future[Played] | None = None
        self._done: queue.SimpleQueue[Future[Played]] = queue.SimpleQueue()
        self._count = 0
        self._plan = functools.cache(
            lambda problem, *policies: workers.prepared(claims.table.plan.only(problem, policies))
        )

    def prepare(self, schedule: Schedule) -> None:
        """Refuse now, before anything is played, what cannot be sent to other processes."""
        for each in schedule.backlogs if self.workers.remote else ():
            if each.problem == schedule.backlogs[0].problem:
                self._plan(each.problem, each.policy)

    def hand_out(self, schedule: Schedule) -> None:
        """Hand out tasks until enough are queued; suspects one by one, once nothing is played."""
        if not self.suspects:
            slots = self.workers.slots()
            room = max(0, self.workers.queued * slots - len(self.playing))
            for tasks in itertools.islice(schedule.tasks(slots), room):
                self._play(tasks)
        elif not self.playing:
            self.suspects.sort(reverse=True)
            self._play(self.suspects.pop())
            [self._alone] = self.playing

    def _play(self, tasks: Tasks) -> None:
        """Hand out tasks that are played together."""
        self._count += 1
        problem, _, first, last = tasks[0]
        plan = self._plan(problem, *(task.policy for task in tasks))
        item = WorkItem(plan, first, last, versions(), self.device, self.name, self._count)
        try:
            future = self.workers.submit(
                item, lambda index, count: self.claims.tell(tasks[index], count)
            )
        except BrokenExecutor as why:
            raise self._broken() from why
        except RuntimeError as why:  # it was shut down
            raise self._stopped(f"the executor takes no work ({why})") from why
        self.playing[future] = tasks
        future.add_done_callback(self._done.put)

    def finished(self) -> tuple[Tasks, Played]:
        """The next tasks that are finished; none if that takes long, or if their worker died."""
        nothing = (), Played([], 0.0)
        try:
            future = self._done.get(timeout=_SECONDS_A_WAIT)
        except queue.Empty:
            return nothing
        tasks = self.playing[future]
        try:
            played = future.result()
        except self.workers.killing:
            if future is self._alone:
                reason = f"{self._names(tasks)}, killed every worker that played it"
                raise self._stopped(reason) from None
            self.suspects.append(self.playing.pop(future))
            return nothing
        except BrokenExecutor as problem:
            raise self._broken() from problem
        except CancelledError:
            raise self._stopped(self.workers.why_cancelled()) from None
        del self.playing[future]
        return tasks, played

    def _broken(self) -> RunError:
        """The error for a pool that died with one of its workers."""
        lost = [
            tasks for future, tasks in self.playing.items()
            if not future.done() or future.cancelled() or future.exception() is not None
        ][: min(self.workers.slots(), _MOST_NAMED)]  # fmt: skip
        named = " or ".join(map(self._names, lost))
        return self._stopped(f"a worker of the executor died while it played {named}")

    def _stopped(self, why: str) -> RunError:
        """The error for a run that cannot go on."""
        left = "; what was finished is kept, and the same run goes on from there"
        return RunError(f"run: {why}{left if self.claims.store is not None else ''}.")

    def _names(self, tasks: Tasks) -> str:
        """A task in words."""
        problem, policy = self.claims.table.names(tasks[0])
        return f"{policy} on {problem}, replications {tasks[0].first} to {tasks[0].last - 1}"
