"""A CUDA device as a place: one thread plays one replication, with the code that a CPU plays.

Statistics lie arm by arm, so that neighbouring threads read neighbouring numbers. Rounds are played
in slices of some milliseconds: between two of them Ctrl-C is noticed and progress is told.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import cuda

from .._compile import Floats, extend
from ..choosers.champion import Champion
from ..choosers.scan import Scan
from ..policies.arms import Arms
from ..rewards.sources import Stream, TableRows
from .rounds import play_rounds


@extend(Scan, name="beside")
def scan_beside(self: Scan, memory: Any) -> Scan:
    """The chooser of one thread: a scan needs no memory."""
    return self


@extend(Champion, name="beside")
def champion_beside(self: Champion, memory: Any) -> Champion:
    """The chooser of one thread, with the memory of that thread."""
    return Champion(self.bounds, memory)


@extend(Stream, name="of_problem")
def stream_of_problem(self: Stream, p: int) -> Stream:
    """The rewards of one problem; here `means` has a row for each problem."""
    return Stream(self.law, self.means[p], self.key0, self.key1)


@extend(TableRows, name="of_problem")
def table_of_problem(self: TableRows, p: int) -> TableRows:
    """The rewards of the only problem that a table has."""
    return self


def play_thread(
    policy: Any,
    family: Any,
    chooser: Any,
    memory: Any,
    arms: Arms,
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

    Every array has a row for each thread; `gaps` and the means of the source have a row for each
    problem.
    """
    thread = cuda.grid(1)
    if thread < regret.shape[0]:
        p = thread // replications
        play_rounds(
            policy, family, chooser.beside(memory[thread]),
            Arms(arms.pulls[thread], arms.sums[thread], arms.squares[thread], arms.origins[thread]),
            state[thread], source.of_problem(p), gaps[p], begin, end, known_horizon, randomness,
            first + thread - p * replications, checkpoints, regret[thread], best_pulls[thread],
            stop,
        )  # fmt: skip
