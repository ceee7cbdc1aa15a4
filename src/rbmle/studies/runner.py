"""Run a study: play what is not there yet, keep each chunk as soon as it is finished."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engine import player, simulate
from ..errors import ParameterError, integer, one_of
from ..policies.base import Assuming, ranks_only
from ..result import Result
from ..rewards.problems import Problem
from ..rewards.sources import SOURCES
from .provenance import Invocation
from .shards import Place, Rows
from .store import Store
from .study import Study
from .study_result import StudyResult

DECISIONS_A_CHUNK = 2_000_000  # what a kill can cost: a second or so of the fast policies

Progress = Callable[[str, str, int, int], None]


def run(
    study: Study,
    folder: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
    only: Sequence[str] | None = None,
) -> StudyResult:
    """Play what is missing of the study, and give all its results.

    folder: where finished chunks of replications are kept, and found by a later run: one that was
    killed goes on, one with more replications extends what is there. None keeps nothing.
    threads: by default one for each processor; results do not depend on it.
    progress: told (problem, policy, replications done, replications in all), at first of what was
    found and then of each batch, from any thread.
    only: the labels of the policies to play now; the results are theirs.
    """
    if not isinstance(study, Study):
        raise ParameterError.of("run", "study", "a Study", study)
    if threads is not None:
        threads = integer("run", "threads", threads, "[1, inf)")
    store = None if folder is None else Store.open(folder, study)
    sheets = _sheets(study, store, only)
    tell = progress or (lambda *_: None)
    for sheet in sheets:
        for policy, done in sheet.done():
            if done:
                tell(sheet.name, policy, done, study.replications)
    provenance = {"invocations": []} if store is None else store.provenance
    if any(not sheet.have[sheet.wanted].all() for sheet in sheets):
        work = Invocation(store, threads)
        for sheet in sheets:
            for group in sheet.plan():
                for place, rows in sheet.play(group, threads, tell):
                    sheet.fill(place, rows)
                    if store is not None:
                        store.write(place, rows)
                    work.played(place)
        provenance = work.finished()
    if store is not None:
        store.discard_bad()
    return _gathered(study, sheets, provenance)


def load(folder: str | os.PathLike[str]) -> StudyResult:
    """The results in a run folder, complete or not: `missing` says what is left to play."""
    store = Store.of_run(folder)
    return _gathered(store.study, _sheets(store.study, store), store.provenance)


def chunk_size(study: Study) -> int:
    """Replications in a chunk: a fixed grid, so that a run gone on with makes the same shards.

    In the published protocol it is all of them: a table is reached only through those before it,
    and so is what a policy draws.
    """
    if SOURCES[study.rewards].in_order:
        return study.replications
    return max(1, DECISIONS_A_CHUNK // study.horizon)


class _Sheet:
    """The results of one problem as far as they are there."""

    def __init__(
        self, study: Study, number: int, name: str, problem: Problem, only: Sequence[str]
    ) -> None:
        self.study, self.number, self.name, self.problem = study, number, name, problem
        self.policies = study.policies_on(problem)
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

    def fill(self, place: Place, rows: Rows) -> None:
        last = min(place.last, self.study.replications)
        if place.first < last:
            self.have[place.policy, place.first : last] = True
            for kept, new in zip(self.rows, rows, strict=True):
                kept[place.policy, place.first : last] = new[: last - place.first]

    def done(self) -> list[tuple[str, int]]:
        """How many replications each policy that is wanted has."""
        labels, counts = list(self.study.policies), self.have.sum(axis=1).tolist()
        return [(labels[each], counts[each]) for each in self.wanted]

    def plan(self) -> Iterator[list[Place]]:
        """What to play together: chunk by chunk, so that policies keep pace with each other."""
        size, end = chunk_size(self.study), self.study.replications
        for start in range(0, end, size):
            chunk = [
                Place(self.number, policy, start + first, start + last)
                for policy in self.wanted
                for first, last in _gaps(self.have[policy, start : min(start + size, end)])
            ]
            if SOURCES[self.study.rewards].in_order:
                yield from self._by_table([place._replace(first=0, last=end) for place in chunk])
            else:
                yield from ([place] for place in chunk)

    def _by_table(self, places: list[Place]) -> Iterator[list[Place]]:
        """Quick policies together, then those that draw: making the table takes most of the time of
        the first, and of the second some run in order while others take the other threads."""
        policies = [each.policy if isinstance(each, Assuming) else each for each in self.policies]
        quick = [place for place in places if ranks_only(policies[place.policy])]
        yield quick
        yield [place for place in places if place not in quick]

    def play(
        self, group: list[Place], threads: int | None, tell: Progress
    ) -> Iterator[tuple[Place, Rows]]:
        """Play the places of a group, which are of the same replications."""
        if not group:
            return
        done, lock = self.done(), threading.Lock()
        counts = [done[self.wanted.index(place.policy)] for place in group]

        def played(index: int, replications: int) -> None:
            with lock:  # told from any thread, but in order
                policy, before = counts[index]
                counts[index] = policy, min(before + replications, self.study.replications)
                tell(self.name, *counts[index], self.study.replications)

        result = simulate(
            self.problem,
            [self.policies[place.policy] for place in group],
            self.study.horizon,
            group[0].last - group[0].first,
            rewards=self.study.rewards_source(),
            ties=self.study.ties,
            checkpoints=self.study.checkpoints,
            first_replication=group[0].first,
            threads=threads,
            progress=played,
        )
        for row, place in enumerate(group):
            yield place, Rows(result.regret[row], result.best_pulls[row], result.pulls[row])

    def result(self) -> tuple[Result, NDArray[np.int64]]:
        """What all policies that are wanted have, and the numbers of those replications."""
        common = np.flatnonzero(self.have[self.wanted].all(axis=0))
        players = [player(self.policies[each], self.problem, None) for each in self.wanted]
        labels, kept = list(self.study.policies), np.ix_(np.array(self.wanted), common)
        result = Result(
            problem=self.problem,
            policies=tuple(policy for policy, _ in players),
            families=tuple(family for _, family in players),
            horizon=self.study.horizon,
            checkpoints=np.array(self.study.rounds),
            regret=self.rows.regret[kept],
            best_pulls=self.rows.best_pulls[kept],
            pulls=self.rows.pulls[kept],
            labels=tuple(labels[each] for each in self.wanted),
            rewards=repr(self.study.rewards_source()),
        )
        return result, common


def _sheets(study: Study, store: Store | None, only: Sequence[str] | None = None) -> list[_Sheet]:
    wanted = list(study.policies) if only is None else list(only)
    sheets = [
        _Sheet(study, number, *each, wanted) for number, each in enumerate(study.problems.items())
    ]
    for place, rows in store.read() if store is not None else ():
        sheets[place.problem].fill(place, rows)
    return sheets


def _gaps(have: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The ranges first..last-1 where nothing is there."""
    edges = np.flatnonzero(np.diff(np.concatenate([[True], have, [True]]).astype(int)))
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]


def _gathered(study: Study, sheets: list[_Sheet], provenance: dict[str, Any]) -> StudyResult:
    results, numbers = {}, {}
    for sheet in sheets:
        result, common = sheet.result()
        if common.size:
            results[sheet.name], numbers[sheet.name] = result, common
    missing = tuple(
        f"{sheet.name}, {policy}: {study.replications - done} of {study.replications} replications"
        for sheet in sheets
        for policy, done in sheet.done()
        if done < study.replications
    )
    return StudyResult(study, results, provenance, numbers, missing)
