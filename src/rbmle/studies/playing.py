"""Play what is missing of a study on the workers of an executor, which need no shared disk.

Results that come back are put together and written here, in the process that runs the study. So
the run folder gets the same bytes wherever tasks are played: in this thread, on threads, on a GPU,
in other processes or on other machines.
"""

from __future__ import annotations

import queue
import time
import uuid
from collections import deque
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future

import numpy as np

from ..engine.plan import Plan
from ..errors import RunError
from .progress_table import Claims
from .schedule import Schedule, Tasks
from .work_items import STOPS, Played, WorkItem, versions
from .workers import Workers

_SECONDS_A_WAIT = 0.2  # for a task, so that Ctrl-C works on every system; and for other processes
_MOST_NAMED = 4  # tasks in a message: of a pool that broke, those that were played come first
_GO_ON = "what was finished is kept, and the same run goes on from there"


def play_tasks(claims: Claims, workers: Workers, device: str) -> None:
    """Play all missing chunks of all policies and problems.

    The calling thread hands out tasks, puts together what comes back, writes shards and reports
    progress. An exception in it, such as Ctrl-C, stops the tasks.
    """
    schedule = Schedule(claims, workers.calibrated, device)
    flight = _InFlight(claims, workers, device)
    try:
        flight.prepare(schedule)
        while flight.playing or flight.suspects or not schedule.empty:
            if flight.suspects:
                flight.play_a_suspect()
            else:
                room = workers.queued * workers.slots()
                if len(flight.playing) < room:
                    for tasks in schedule.tasks(workers.slots()):
                        flight.play(tasks)
                        if len(flight.playing) >= room:
                            break
            if not flight.playing:
                time.sleep(_SECONDS_A_WAIT if not schedule.empty else 0.0)
                continue
            for tasks, played in flight.finished():
                for task, rows in zip(tasks, played.rows, strict=True):
                    if not workers.reports:
                        claims.tell(task, task.size)
                    claims.finish(task, rows)
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
        self.suspects: deque[Tasks] = deque()
        self._alone: Future[Played] | None = None
        self._done: queue.SimpleQueue[Future[Played]] = queue.SimpleQueue()
        self._count = 0
        self._plans: dict[tuple[int, ...], Plan | bytes] = {}

    def prepare(self, schedule: Schedule) -> None:
        """Refuse now, before anything is played, what cannot be sent to other processes."""
        if self.workers.remote:
            for each in schedule.backlogs:
                if each.problem == schedule.backlogs[0].problem:
                    self._prepared(each.problem, each.policy)

    def _prepared(self, problem: int, *policies: int) -> Plan | bytes:
        known = problem, *policies
        if known not in self._plans:
            plan = self.claims.table.plan.only(problem, policies)
            self._plans[known] = self.workers.prepared(plan)
        return self._plans[known]

    def play(self, tasks: Tasks) -> None:
        """Hand out tasks that are played together."""
        self._count += 1
        problem, _, first, last = tasks[0]
        plan = self._prepared(problem, *(task.policy for task in tasks))
        item = WorkItem(plan, first, last, versions(), self.device, self.name, self._count)
        try:
            future = self.workers.submit(
                item, lambda index, count: self.claims.tell(tasks[index], count)
            )
        except BrokenExecutor as why:
            raise self._broken() from why
        except RuntimeError as why:  # it was shut down
            raise RunError(f"run: the executor takes no work ({why}); {_GO_ON}.") from why
        self.playing[future] = tasks
        future.add_done_callback(self._done.put)

    def play_a_suspect(self) -> None:
        """Hand out a suspect, once nothing else is played."""
        if not self.playing:
            self.play(self.suspects.popleft())
            [self._alone] = self.playing

    def finished(self) -> Iterator[tuple[Tasks, Played]]:
        """The tasks that were finished since the last call; waits a moment for the first."""
        try:
            future = self._done.get(timeout=_SECONDS_A_WAIT)
            while True:
                tasks = self.playing[future]
                try:
                    played = future.result()
                except self.workers.killing:
                    if future is self._alone:
                        raise RunError(
                            f"run: {self._names(tasks)}, killed every worker that played it; "
                            f"{_GO_ON}."
                        ) from None
                    self.suspects.append(self.playing.pop(future))
                except BrokenExecutor as problem:
                    raise self._broken() from problem
                except CancelledError:
                    raise RunError(f"run: {self.workers.why_cancelled()}; {_GO_ON}.") from None
                else:
                    del self.playing[future]
                    yield tasks, played
                future = self._done.get_nowait()
        except queue.Empty:
            return

    def _broken(self) -> RunError:
        """The error for a pool that died with one of its workers."""
        lost = [
            tasks for future, tasks in self.playing.items()
            if not future.done() or future.cancelled() or future.exception() is not None
        ][: min(self.workers.slots(), _MOST_NAMED)]  # fmt: skip
        named = " or ".join(map(self._names, lost))
        return RunError(f"run: a worker of the executor died while it played {named}; {_GO_ON}.")

    def _names(self, tasks: Tasks) -> str:
        """A task in words."""
        problem, policy = self.claims.table.names(tasks[0])
        return f"{policy} on {problem}, replications {tasks[0].first} to {tasks[0].last - 1}"
