"""The results of one problem of a study so far, and what is left to play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import one_of
from ..pieces import Piece, Rows
from ..policies.fit import player
from ..result import Result
from ..rewards.worlds import World
from .shards import Stretch
from .study import Study


class Chunk(NamedTuple):
    """The unit of work that a process claims: a range of a policy's replications on one problem.

    Chunk `number` has the replications from number * size on. Only its gaps are played: the
    stretches that no shard holds yet.
    """

    problem: int
    policy: int
    number: int


class Sheet:
    """The results of all policies and replications on one problem, filled in as they come.

    `rows` holds the results, `have[policy, replication]` says which of them are there.
    size: replications in a chunk. only: the labels of the policies that are wanted.
    """

    def __init__(
        self, study: Study, number: int, name: str, problem: World, size: int, only: Sequence[str]
    ) -> None:
        self.study, self.number, self.name, self.problem = study, number, name, problem
        self.size, self.policies = size, study.policies_on(problem)
        labels = list(study.policies)
        self.wanted = [labels.index(one_of("run", "only", each, labels)) for each in only]
        shape = (len(labels), study.replications)
        rounds = len(study.rounds)
        self.have = np.zeros(shape, dtype=bool)
        self.rows = Rows(
            np.zeros((*shape, rounds)),
            np.zeros((*shape, rounds), dtype=np.int64),
            np.zeros((*shape, problem.n_arms), dtype=np.int64),
        )

    def fill(self, stretch: Stretch, rows: Rows) -> None:
        """Enter the results of a stretch, without replications that the study does not have."""
        last = min(stretch.last, self.study.replications)
        if stretch.first < last:
            self.have[stretch.policy, stretch.first : last] = True
            for kept, new in zip(self.rows, rows, strict=True):
                kept[stretch.policy, stretch.first : last] = new[: last - stretch.first]

    def done(self, policy: int) -> tuple[str, int]:
        """The policy's label, and how many of its replications are there."""
        return list(self.study.policies)[policy], int(self.have[policy].sum())

    @property
    def complete(self) -> bool:
        """Whether all replications of the wanted policies are there."""
        return bool(self.have[self.wanted].all())

    def chunks(self) -> Iterator[Chunk]:
        """The chunks that are not complete. The first chunks of all policies come first, so that an
        interrupted run has about as many replications of each policy."""
        for number in range(-(-self.study.replications // self.size)):
            rows = slice(number * self.size, (number + 1) * self.size)
            for policy in self.wanted:
                if not self.have[policy, rows].all():
                    yield Chunk(self.number, policy, number)

    def gaps(self, chunk: Chunk) -> list[Stretch]:
        """The stretches of a chunk that are left to play."""
        start = chunk.number * self.size
        have = self.have[chunk.policy, start : start + self.size]
        edges = np.flatnonzero(np.diff(np.concatenate([[True], have, [True]]).astype(int)))
        return [
            Stretch(self.number, chunk.policy, start + int(first), start + int(last))
            for first, last in edges.reshape(-1, 2)
        ]

    def piece(self, stretch: Stretch) -> Piece:
        """The stretch as a `Piece`: all that a thread must know to play it."""
        study = self.study
        return Piece(
            self.problem,
            self.policies[stretch.policy],
            study.horizon,
            study.rewards_source(),
            study.ties,
            study.checkpoints,
            stretch.first,
            stretch.last,
            study.evidence,
            study.delay,
        )

    def result(self) -> tuple[Result, NDArray[np.int64]]:
        """The replications that all wanted policies have, and the numbers of those replications."""
        common = np.flatnonzero(self.have[self.wanted].all(axis=0))
        evidence = self.study.evidence
        players = [
            player(self.policies[each], self.problem, None, evidence) for each in self.wanted
        ]
        labels, rows = list(self.study.policies), self.rows
        if self.wanted != list(range(len(labels))) or common.size < self.study.replications:
            kept = np.ix_(np.array(self.wanted), common)
            rows = Rows(*(each[kept] for each in rows))
        result = Result(
            problem=self.problem,
            policies=tuple(policy for policy, _ in players),
            families=tuple(family for _, family in players),
            horizon=self.study.horizon,
            checkpoints=np.array(self.study.rounds),
            regret=rows.regret,
            best_pulls=rows.best_pulls,
            pulls=rows.pulls,
            labels=tuple(labels[each] for each in self.wanted),
            rewards=repr(self.study.rewards_source()),
            evidence=evidence,
            delay=self.study.delay,
        )
        return result, common
