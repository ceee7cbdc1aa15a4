"""The kernel of a CUDA device: one thread plays one replication, with the code of the CPU.

Each array of the records has a row for each thread, laid out so that neighbouring threads read
neighbouring numbers; `row` gives a thread its own.
"""

from __future__ import annotations

from typing import Any

from numba import cuda

from .._numba.compile import extend
from ..choosers import CachedBounds, Scan
from ..policies.arms import Arms
from ..rewards.linear_problem import LinearStream
from ..rewards.paths import MeanPath
from ..rewards.streams import Stream, TableRows
from .queue import Queue
from .rounds import play_rounds
from .supposing import Supposing
from .tallies import ByCounts, ByPulls, ByRound
from .waiting import AtOnce, Counted


@extend(Arms, name="row")
def arms_row(self: Arms, k: int) -> Arms:
    return Arms(self.pulls[k], self.sums[k], self.squares[k], self.origins[k])


@extend(Scan, name="row")
def scan_row(self: Scan, k: int) -> Scan:
    return self


@extend(CachedBounds, name="row")
def cached_bounds_row(self: CachedBounds, k: int) -> CachedBounds:
    return CachedBounds(
        self.facts, self.bound[k], self.rise[k], self.expiry[k], self.memory[k], self.keeps
    )


@extend(Stream, name="row")
def stream_row(self: Stream, p: int, k: int) -> Stream:
    """The rewards of problem p: here `means` has a row for each problem."""
    return Stream(self.law, self.means[p], self.key0, self.key1)


@extend(TableRows, name="row")
def table_row(self: TableRows, p: int, k: int) -> TableRows:
    """The rewards of the only problem that a table has."""
    return self


@extend(LinearStream, name="row")
def linear_row(self: LinearStream, p: int, k: int) -> LinearStream:
    """Given features have a row for each problem; those that are drawn, one for each thread."""
    row = p if self.drawing.given() else k
    return LinearStream(
        self.law, self.drawing, self.theta[p], self.known[row], self.means[row], self.logistic,
        self.key0, self.key1,
    )  # fmt: skip


@extend(ByPulls, name="row")
def by_pulls_row(self: ByPulls, p: int, k: int) -> ByPulls:
    return ByPulls(self.gaps[p])


@extend(ByCounts, name="row")
def by_counts_row(self: ByCounts, p: int, k: int) -> ByCounts:
    return ByCounts(self.gaps[p], self.counts[k])


@extend(ByRound, name="row")
def by_round_row(self: ByRound, p: int, k: int) -> ByRound:
    return ByRound(self.sums[k], self.counts[k])


@extend(MeanPath, name="row")
def path_row(self: MeanPath, p: int, k: int) -> MeanPath:
    """The rewards of the only world of a launch."""
    return self


@extend(AtOnce, name="row")
def at_once_row(self: AtOnce, k: int) -> AtOnce:
    return self


@extend(Queue, name="row")
def queue_row(self: Queue, k: int) -> Queue:
    return Queue(
        self.arrivals, self.key0, self.key1, self.patience, self.pulled[k], self.following[k],
        self.ends[k], self.rewards[k], self.supposed[k],
    )  # fmt: skip


@extend(Counted, name="row")
def counted_row(self: Any, k: int) -> Counted:
    return Counted(
        self.queue.row(k), self.counts, self.known.row(k), self.seen.row(k), self.waits[k],
        self.lost[k], self.last[k], self.places[k], self.kept[k], self.totals[k],
    )  # fmt: skip


@extend(Supposing, name="row")
def supposing_row(self: Any, k: int) -> Supposing:
    return Supposing(self.queue.row(k), self.counts)


def play_thread(
    policy: Any,
    family: Any,
    evidence: Any,
    chooser: Any,
    arms: Any,
    state: Any,
    memory: Any,
    source: Any,
    tally: Any,
    waiting: Any,
    problems: int,
    begin: int,
    end: int,
    known_horizon: int,
    randomness: Any,
    first: int,
    replications: int,
    checkpoints: Any,
    regret: Any,
    best_pulls: Any,
    stop: Any,
) -> None:
    """Play the rounds begin, ..., end - 1 of one replication on one problem.

    Threads 0, 1, ... play replications first, first + 1, ... of the first problem, then those of
    the next one. The tally and the source have a row for each problem, or for each thread.
    """
    thread = cuda.grid(1)
    if thread < replications * problems:
        p = thread // replications
        play_rounds(
            policy, family, evidence, chooser.row(thread), arms.row(thread), state[thread],
            memory[thread], source.row(p, thread), tally.row(p, thread), waiting.row(thread), begin,
            end, known_horizon, randomness, first + thread - p * replications, checkpoints,
            regret[thread], best_pulls[thread], stop,
        )  # fmt: skip
