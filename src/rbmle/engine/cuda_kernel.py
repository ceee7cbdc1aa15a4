"""The kernel of a CUDA device: one thread plays one replication, with the code of the CPU.

Each array of the records has a row for each thread, laid out so that neighbouring threads read
neighbouring numbers; `row` gives a thread its own.
"""

from __future__ import annotations

from typing import Any

from numba import cuda

from .._compile import extend
from ..choosers.champion import Champion
from ..choosers.lines import Lines
from ..choosers.scan import Scan
from ..policies.arms import Arms
from ..rewards.sources import Stream, TableRows
from .rounds import play_rounds


@extend(Arms, name="row")
def arms_row(self: Arms, k: int) -> Arms:
    return Arms(self.pulls[k], self.sums[k], self.squares[k], self.origins[k])


@extend(Scan, name="row")
def scan_row(self: Scan, k: int) -> Scan:
    return self


@extend(Champion, name="row")
def champion_row(self: Champion, k: int) -> Champion:
    return Champion(self.bounds, self.last[k])


@extend(Lines, name="row")
def lines_row(self: Lines, k: int) -> Lines:
    return Lines(self.line, self.base[k], self.rise[k], self.memory[k])


@extend(Stream, name="row")
def stream_row(self: Stream, k: int) -> Stream:
    """The rewards of problem k: here `means` has a row for each problem."""
    return Stream(self.law, self.means[k], self.key0, self.key1)


@extend(TableRows, name="row")
def table_row(self: TableRows, k: int) -> TableRows:
    """The rewards of the only problem that a table has."""
    return self


def play_thread(
    policy: Any,
    family: Any,
    chooser: Any,
    arms: Any,
    state: Any,
    source: Any,
    gaps: Any,
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
    the next one. `gaps` and the source have a row for each problem.
    """
    thread = cuda.grid(1)
    if thread < replications * gaps.shape[0]:
        p = thread // replications
        play_rounds(
            policy, family, chooser.row(thread), arms.row(thread), state[thread], source.row(p),
            gaps[p], begin, end, known_horizon, randomness, first + thread - p * replications,
            checkpoints, regret[thread], best_pulls[thread], stop,
        )  # fmt: skip
