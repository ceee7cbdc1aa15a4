"""A piece of a simulation as data, and the function that plays it on one thread."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .engine import DECISIONS_A_BATCH, Filled, arguments, play, rounds_kept
from .policies.fit import player
from .rewards.problems import Problem
from .rewards.sources import Rewards


class Piece(NamedTuple):
    """Some replications of one policy on one problem: data that says all that is to be played.

    policy: alone or `Assuming` a family. rewards: of a kind without `in_order`, so that these
    replications do not depend on others. checkpoints: as in `simulate`.
    """

    problem: Problem
    policy: Any
    horizon: int
    rewards: Rewards
    ties: str
    checkpoints: tuple[int, ...] | None
    first: int
    last: int


class Rows(NamedTuple):
    """What is kept of some replications: an array of one row a replication each."""

    regret: NDArray[np.float64]
    best_pulls: NDArray[np.int64]
    pulls: NDArray[np.int64]


def play_piece(piece: Piece, stop: NDArray[np.int64] | None = None) -> Rows:
    """Play a piece on this thread; a pure function, to be called in any thread, process or place.

    Once stop[0] is not 0 it comes back soon, and its rows mean nothing.
    """
    filled, arguments = _piece(piece, np.zeros(1, np.int64) if stop is None else stop)
    play(*arguments)
    regret, best_pulls, pulls = filled
    return Rows(regret, best_pulls.astype(np.int64), pulls.astype(np.int64))


def compile_piece(piece: Piece) -> None:
    """Compile now what the piece needs, in the thread that hears Ctrl-C."""
    play.specialised(*_piece(piece._replace(last=piece.first + 1), np.zeros(1, np.int64))[1])


def _piece(piece: Piece, stop: NDArray[np.int64]) -> tuple[Filled, tuple[Any, ...]]:
    """The arrays that a piece fills, and the arguments of `play`."""
    problem, policy, horizon, rewards, ties, checkpoints, first, last = piece
    chosen, model = player(policy, problem, None)
    rounds, count = rounds_kept(checkpoints, horizon), last - first
    [(source, _, _)] = rewards.batches(problem, horizon, first, last, count)
    draws = rewards.draws(problem, horizon, first, last, ties == "random")
    shape = (count, rounds.size)
    filled = np.zeros(shape), np.zeros(shape), np.zeros((count, problem.n_arms))
    return filled, arguments(
        (chosen, model), problem, horizon, source, draws, first, rounds, filled, stop
    )


def pieces_of(piece: Piece) -> list[Piece]:
    """The piece cut into smaller ones, enough work each to hide the cost of handing it over."""
    size = max(1, DECISIONS_A_BATCH // piece.horizon)
    return [
        piece._replace(first=first, last=min(first + size, piece.last))
        for first in range(piece.first, piece.last, size)
    ]
