"""The results of a study so far, and what is left to play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..engine.plan import Rows, Task
from ..errors import one_of
from ..result import Result
from .study import Study

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
        rows, at = self.rows[task.problem], (task.policy, slice(task.first, task.last))
        return Rows(rows.regret[at], rows.best_pulls[at], rows.pulls[at])

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
            kept = np.ix_(np.array(self.wanted), common)
            rows = Rows(rows.regret[kept], rows.best_pulls[kept], rows.pulls[kept])
        return plan.result(0, rows), common
