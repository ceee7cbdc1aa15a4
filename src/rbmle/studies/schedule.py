"""What is played next: the results so far, the chunks that this process claims, and their tasks.

A process claims a chunk, looks whether its results are on disk by now, and only then plays it. So
no two processes in one folder play the same chunk. A claim ends with its process; chunks that
others have claimed are tried again until their results are on disk or the claim is gone.

Chunks are played as tasks. A task costs an executor some milliseconds, whatever is in it; a second
of work makes that cost small, and is little to lose with a worker. The size of tasks is calibrated:
the first tasks of a policy are small, and each task that comes back says how long it took.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

import numpy as np
from numpy.typing import NDArray

from ..engine import DECISIONS_A_TASK
from ..engine.plan import Rows, Task
from ..errors import one_of
from ..policies.base import ranks_only
from ..result import Result
from .store import Store
from .study import Study

Progress = Callable[[str, str, int, int], None]
Tasks = tuple[Task, ...]  # played together: policies on the same rewards, one unless in order

DECISIONS_A_CHUNK = 2_000_000  # what a kill can lose: about a second of the fast policies
SECONDS_A_TASK = 1.0
# With more workers than this, tasks are longer in proportion: a task takes about 4 ms of the
# process that hands it out and takes it back, so 200 a second keep it almost busy.
_TASKS_A_SECOND = 200
# The last tasks are smaller, so that all workers end together; but not below this many seconds,
# three times what a task costs besides its work (9 ms, `python -m benchmarks --only cluster`).
_LEAST_SECONDS = 0.03
_BYTES_A_TASK = 32_000_000  # of results: short horizons give many rows in a second
# Replications in the first task of a policy on a GPU, which takes as long for one of them.
_FIRST_ON_A_GPU = 4096


class ProgressTable:
    """The results of all policies and replications of a study, filled in as they come.

    rows: for each problem, results by policy and replication.
    have[problem, policy, replication]: which of them are stored.
    only: the labels of the policies that are wanted; all by default.
    chunk: the number of replications in a chunk, the task that a process claims. It depends on the
    study alone, so that a continued run writes the same shards. In the published protocol one chunk
    has all replications: rewards, and what a policy draws, come from one generator that must run
    through all earlier replications.
    """

    def __init__(self, study: Study, only: Sequence[str] | None = None) -> None:
        self.study, self.plan, labels = study, study.plan, list(study.policies)
        self.in_order = self.plan.rewards.in_order
        size = max(1, DECISIONS_A_CHUNK // study.horizon)
        self.chunk = study.replications if self.in_order else size
        self.wanted = [
            labels.index(one_of("run", "only", each, labels))
            for each in (labels if only is None else [only] if isinstance(only, str) else only)
        ]
        shape, rounds = (len(labels), study.replications), len(study.rounds)
        self.have = np.zeros((len(study.problems), *shape), dtype=bool)
        self.rows = [
            Rows(
                np.zeros((*shape, rounds)),
                np.zeros((*shape, rounds), dtype=np.int64),
                np.zeros((*shape, problem.n_arms), dtype=np.int64),
            )
            for problem in study.problems.values()
        ]

    def names(self, task: Task) -> tuple[str, str]:
        """The names of the task's problem and policy."""
        return list(self.study.problems)[task.problem], list(self.study.policies)[task.policy]

    def fill(self, task: Task, rows: Rows) -> None:
        """Enter the results of a task, without replications that the study does not have."""
        last = min(task.last, self.study.replications)
        if task.first < last:
            self._have(task)[:] = True
            for stored, new in zip(self.rows[task.problem], rows, strict=True):
                stored[task.policy, task.first : last] = new[: last - task.first]

    def all_of_each(self) -> list[Task]:
        """All replications of each wanted policy on each problem."""
        return [
            Task(problem, policy, 0, self.study.replications)
            for problem in range(len(self.rows))
            for policy in self.wanted
        ]

    @property
    def complete(self) -> bool:
        """Whether all replications of the wanted policies are there."""
        return bool(self.have[:, self.wanted].all())

    def _have(self, task: Task) -> NDArray[np.bool_]:
        return self.have[task.problem, task.policy, task.first : task.last]

    def has(self, task: Task) -> bool:
        """Whether all results of the task are there."""
        return bool(self._have(task).all())

    def done(self, task: Task) -> int:
        """How many replications of the task are there."""
        return int(self._have(task).sum())

    def chunks(self, task: Task) -> list[Task]:
        """The chunks of the task that are not complete."""
        firsts = range(0, task.last, self.chunk)
        cut = [Task(*task[:2], k, min(k + self.chunk, task.last)) for k in firsts]
        return [chunk for chunk in cut if not self.has(chunk)]

    def gaps(self, chunk: Task) -> list[Task]:
        """What is left to play of a chunk; each gap becomes a shard."""
        have = np.concatenate([[True], self._have(chunk), [True]])
        edges = chunk.first + np.flatnonzero(np.diff(have))
        return [Task(*chunk[:2], *gap) for gap in edges.reshape(-1, 2).tolist()]

    def result(self, problem: int) -> tuple[Result, NDArray[np.int64]]:
        """The replications that all wanted policies have, and the numbers of those replications."""
        common = np.flatnonzero(self.have[problem, self.wanted].all(axis=0))
        rows, plan = self.rows[problem], self.plan.only(problem, self.wanted)
        if self.wanted != list(range(len(self.plan.labels))) or common.size < self.plan.last:
            rows = rows.at(np.ix_(np.array(self.wanted), common))
        return plan.result(0, rows), common


class Claims(ExitStack):
    """The chunks that this process plays; leaving the context gives up those that are not done.

    tell: called to report progress. kept: called with each task whose results were stored.
    """

    def __init__(
        self, table: ProgressTable, store: Store | None, tell: Progress,
        kept: Callable[[Task], None],
    ) -> None:  # fmt: skip
        super().__init__()
        self.table, self.store, self._tell, self._kept = table, store, tell, kept
        self._locks = None if store is None else self.enter_context(store.locks())
        self._gaps: dict[int, list[Task]] = {}  # number of a chunk -> its gaps that are played
        self._counts = {each[:2]: table.done(each) for each in table.all_of_each()}
        self._counting = threading.Lock()

    def claim(self, chunk: Task) -> list[Task] | None:
        """Claim a chunk: its gaps to play, or None if another process has claimed it."""
        number = self._number(chunk)
        if self.store is not None and self._locks is not None:
            if not self._locks.take(number):
                return None
            for gap in self.table.gaps(chunk):
                rows = self.store.peek(gap)
                if rows is not None:
                    self.table.fill(gap, rows)
                    self.tell(gap, gap.size)
        gaps = self.table.gaps(chunk)
        self._gaps[number] = list(gaps)
        self._release_if_done(number)
        return gaps

    def finish(self, task: Task, rows: Rows) -> None:
        """Take the results of a task that was played, and store the gaps that they complete."""
        self.table.fill(task, rows)
        for first in range(task.first - task.first % self.table.chunk, task.last, self.table.chunk):
            number = self._number(task._replace(first=first))
            for gap in filter(self.table.has, list(self._gaps[number])):
                if self.store is not None:
                    place = gap.policy, slice(gap.first, gap.last)
                    self.store.write(gap, self.table.rows[gap.problem].at(place))
                self._kept(gap)
                self._gaps[number].remove(gap)
            self._release_if_done(number)

    def tell(self, task: Task, replications: int) -> None:
        """Report that this many more replications are done. Any thread may call this; reports of a
        policy come in increasing order."""
        total = self.table.study.replications
        with self._counting:
            self._counts[task[:2]] = min(self._counts[task[:2]] + replications, total)
            self._tell(*self.table.names(task), self._counts[task[:2]], total)

    def _release_if_done(self, number: int) -> None:
        if not self._gaps[number]:
            del self._gaps[number]
            if self._locks is not None:
                self._locks.free(number)

    def _number(self, chunk: Task) -> int:
        """The byte in the file of claims that stands for the chunk, the same in every process."""
        problems, policies, _ = self.table.have.shape
        place = chunk.first // self.table.chunk
        return 1 + (place * problems + chunk.problem) * policies + chunk.policy


class Backlog:
    """What is left of one policy on one problem; of several that are played together, in order.

    chunks: not claimed yet. ready: claimed, to be handed out. left: replications in both.
    """

    def __init__(self, table: ProgressTable, chunks: Sequence[Task]) -> None:
        self.table, self.chunks, self.ready = table, deque(chunks), deque[Task]()
        self.problem, self.policy = chunks[0][:2]
        self.left = sum(gap.size for chunk in chunks for gap in table.gaps(chunk))
        numbers = 2 * len(table.study.rounds) + table.plan.problems[self.problem].n_arms
        self.most = max(1, _BYTES_A_TASK // (8 * numbers))

    def claim(self, claims: Claims, wanted: int) -> None:
        """Claim chunks until that many replications can be handed out, or no chunk is free."""
        for _ in range(len(self.chunks)):
            if sum(task.size for task in self.ready) >= wanted:
                return
            chunk = self.chunks.popleft()
            left = chunk.size - self.table.done(chunk)
            gaps = claims.claim(chunk)
            if gaps is None:
                self.chunks.append(chunk)  # another process has it: try again later
            else:
                self.ready.extend(gaps)
                self.left += sum(gap.size for gap in gaps) - left  # others may have played some

    def take(self, wanted: int) -> Tasks:
        """Take what was claimed: at most that many replications without a gap; in order, all."""
        if self.table.in_order:
            taken = tuple(self.ready)
            self.ready.clear()
        elif self.ready:
            task = self.ready.popleft()
            while self.ready and self.ready[0].first == task.last:
                task = task._replace(last=self.ready.popleft().last)
            cut = min(task.last, task.first + wanted)
            if cut < task.last:
                self.ready.appendleft(task._replace(first=cut))
            taken = (task._replace(last=cut),)
        else:
            taken = ()
        self.left -= sum(task.size for task in taken)
        return taken


class Schedule:
    """The order of tasks. Problems are played one after the other, and the policies of a problem
    side by side, so that an interrupted run has about as many replications of each.

    calibrated: whether tasks are to take about a second. device: where they are played.
    """

    def __init__(self, claims: Claims, calibrated: bool = True, device: str = "cpu") -> None:
        self.claims, self.calibrated, self.device = claims, calibrated, device
        table = claims.table
        left: dict[tuple[int, int], list[Task]] = {}
        for each in table.all_of_each():
            # In order, the policies that draw nothing are played together on each problem, because
            # drawing the table of rewards takes most of their time; then those that draw.
            policy, _ = table.plan.players[each.problem][each.policy]
            together = not ranks_only(policy) if table.in_order else each.policy
            left.setdefault((each.problem, together), []).extend(table.chunks(each))
        self.backlogs = [Backlog(table, left[each]) for each in sorted(left) if left[each]]
        # Seconds and replications: of each (problem, policy), and of a policy where last measured.
        self._spent: dict[tuple[int, ...], tuple[float, int]] = {}

    @property
    def empty(self) -> bool:
        """Whether everything is handed out."""
        return not any(each.chunks or each.ready for each in self.backlogs)

    def tasks(self, slots: int) -> Iterator[Tasks]:
        """The next tasks, as long as there are chunks that other processes have not claimed.

        slots: how many tasks the executor plays at the same time.
        """
        blocked: set[Backlog] = set()
        while True:
            self.backlogs = [each for each in self.backlogs if each.chunks or each.ready]
            left = [each for each in self.backlogs if each not in blocked]
            first = [each for each in left if each.problem == left[0].problem]
            if not first:
                return
            backlog = max(first, key=lambda each: len(each.chunks) + bool(each.ready))
            size = self._size(backlog, slots)
            # Tasks of less than a second do not cross chunks: a chunk is stored once it is played.
            backlog.claim(self.claims, size if self.calibrated else 1)
            tasks = backlog.take(size)
            if tasks:
                yield tasks
            else:
                blocked.add(backlog)

    def learn(self, task: Task, seconds: float) -> None:
        """Note how long a task took."""
        spent, played = self._spent.get(task[:2], (0.0, 0))
        self._spent[task[:2]] = self._spent[task[1:2]] = spent + seconds, played + task.size

    def _pace(self, backlog: Backlog) -> float | None:
        """Seconds a replication: as measured on this problem, else on another; None at first."""
        own = self._spent.get((backlog.problem, backlog.policy))
        spent = own or self._spent.get((backlog.policy,))
        return None if spent is None else spent[0] / spent[1]

    def _size(self, backlog: Backlog, slots: int) -> int:
        """How many replications the next task should have."""
        table, pace = self.claims.table, self._pace(backlog)
        if table.in_order:
            return backlog.left
        if not self.calibrated or pace is None:
            on_cpu = max(1, DECISIONS_A_TASK // table.study.horizon)
            return on_cpu if self.device == "cpu" else _FIRST_ON_A_GPU
        most = max(SECONDS_A_TASK, slots / _TASKS_A_SECOND)
        enough, left = 2 * slots * most, 0.0
        for each in self.backlogs:
            known = self._pace(each)
            left = enough if known is None else left + known * each.left
            if left >= enough:
                break
        seconds = max(_LEAST_SECONDS, left / (2 * slots))
        return max(1, min(round(min(seconds, most) / max(pace, 1e-9)), backlog.most))
