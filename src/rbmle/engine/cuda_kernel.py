"""The kernel of a CUDA device: one thread plays one replication, with the code of the CPU."""

from __future__ import annotations

from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numba import cuda
from numpy.typing import NDArray

from .._numba.compile import record
from .game import Game, Rules
from .rounds import Checkpoints, Course, Span, play_rounds

T_co = TypeVar("T_co", covariant=True)


@record
class Slice(NamedTuple):
    """The rounds begin, ..., end - 1 of replications first, first + 1, ... of some problems."""

    problems: int
    first: int
    replications: int
    begin: int
    end: int


class Spread(Protocol[T_co]):
    """A record with a row for each thread: see `cuda_rows`."""

    def row(self, p: int, k: int) -> T_co: ...


def play_thread(
    rules: Spread[Rules],
    game: Spread[Game],
    course: Spread[Course],
    kept: Checkpoints,
    part: Slice,
    stop: NDArray[np.int64],
) -> None:
    """Play the rounds of one replication on one problem.

    Threads 0, 1, ... play the replications of the first problem, then those of the next one.
    """
    thread = cuda.grid(1)
    if thread < part.replications * part.problems:
        p = thread // part.replications
        replication = part.first + thread - p * part.replications
        mine = Checkpoints(kept.rounds, kept.regret[thread], kept.best_pulls[thread])
        play_rounds(
            rules.row(p, thread), game.row(p, thread), course.row(p, thread), mine,
            Span(replication, part.begin, part.end), stop,
        )  # fmt: skip
