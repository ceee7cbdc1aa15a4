"""The results of a study so far, what is left to play, and the chunks that this process plays.

A process claims a chunk, looks whether its results are on disk by now, and only then plays it. So
no two processes in one folder play the same chunk. A claim ends with its process; chunks that
others have claimed are tried again until their results are on disk or the claim is gone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

import numpy as np
from numpy.typing import NDArray

from .._io.files import Locks
from ..engine.plan import Rows, Task
from ..errors import one_of
from ..result import Result
from .store import Store
from .study import Study

Progress = Callable[[str, str, int, int], None]

DECISIONS_A_CHUNK = 2_000_000  # what a kill can lose: about a second of the fast policies


class ProgressTable:
    """The results of all policies and replications of a study, filled in as they come.

    rows: for each problem, results by policy and replication.
    have[problem, policy, replication]: which of them are there.
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
            for each in (labels if only is None else only)
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
            self.have[task.problem, task.policy, task.first : last] = True
            for kept, new in zip(self.rows[task.problem], rows, strict=True):
                kept[task.policy, task.first : last] = new[: last - task.first]

    def has(self, task: Task) -> bool:
        """Whether all results of the task are there."""
        return bool(self.have[task.problem, task.policy, task.first : task.last].all())

    def results(self, task: Task) -> Rows:
        """The results of the task."""
        return self.rows[task.problem].at((task.policy, slice(task.first, task.last)))

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

    def done(self, task: Task) -> int:
        """How many replications of the task are there."""
        return int(self.have[task.problem, task.policy, task.first : task.last].sum())

    def chunks(self, task: Task) -> Iterator[Task]:
        """The chunks of the task that are not complete."""
        for first in range(0, task.last, self.chunk):
            chunk = task._replace(first=first, last=min(first + self.chunk, task.last))
            if not self.has(chunk):
                yield chunk

    def gaps(self, chunk: Task) -> list[Task]:
        """What is left to play of a chunk; each gap becomes a shard."""
        have = self.have[chunk.problem, chunk.policy, chunk.first : chunk.last]
        edges = np.flatnonzero(np.diff(np.concatenate([[True], have, [True]]).astype(int)))
        return [
            chunk._replace(first=chunk.first + int(first), last=chunk.first + int(last))
            for first, last in edges.reshape(-1, 2)
        ]

    def result(self, problem: int) -> tuple[Result, NDArray[np.int64]]:
        """The replications that all wanted policies have, and the numbers of those replications."""
        common = np.flatnonzero(self.have[problem, self.wanted].all(axis=0))
        rows, plan = self.rows[problem], self.plan.only(problem, self.wanted)
        if self.wanted != list(range(len(self.plan.labels))) or common.size < self.plan.last:
            rows = rows.at(np.ix_(np.array(self.wanted), common))
        return plan.result(0, rows), common


class Claims:
    """The chunks that this process plays.

    tell: called with each progress. kept: called with each task whose results were stored.
    """

    def __init__(
        self, table: ProgressTable, store: Store | None, tell: Progress,
        kept: Callable[[Task], None],
    ) -> None:  # fmt: skip
        self.table, self.store, self._tell, self._kept = table, store, tell, kept
        self._locks: Locks | None = None
        self._gaps: dict[int, list[Task]] = {}  # number of a chunk -> its gaps that are played
        self._counts = {each[:2]: table.done(each) for each in table.all_of_each()}
        self._counting = threading.Lock()

    def __enter__(self) -> Claims:
        self._stack = ExitStack()
        if self.store is not None:
            self._locks = self._stack.enter_context(self.store.locks())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

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
                    self.store.write(gap, self.table.results(gap))
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
