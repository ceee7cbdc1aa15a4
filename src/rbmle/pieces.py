"""Pieces of a simulation: a piece is data, and `play_piece` plays it on one thread."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .engine import DECISIONS_A_BATCH, Filled, arguments, play, rounds_kept
from .engine.devices import compile_plan, play_plan
from .engine.plan import Plan, plan
from .engine.supposing import waiting_for
from .evidence import Counting
from .policies.fit import player
from .rewards.sources import Rewards
from .rewards.worlds import World


class Piece(NamedTuple):
    """Replications first, ..., last - 1 of one policy on one problem, as data that is complete.

    policy: a policy, or one `Assuming` a family.
    rewards: a source that is not `in_order`, so that these replications do not depend on others.
    checkpoints: as in `simulate`.
    """

    problem: World
    policy: Any
    horizon: int
    rewards: Rewards
    ties: str
    checkpoints: tuple[int, ...] | None
    first: int
    last: int
    evidence: Any = Counting()
    delay: Any = None


class Rows(NamedTuple):
    """The results of some replications: three arrays, each with one row for each replication."""

    regret: NDArray[np.float64]
    best_pulls: NDArray[np.int64]
    pulls: NDArray[np.int64]


def play_piece(piece: Piece, stop: NDArray[np.int64] | None = None, device: str = "cpu") -> Rows:
    """Play a piece on this thread, or on a device: a pure function, for any process or machine.

    stop: if another thread sets stop[0] to anything but 0, the function returns soon, and its rows
    are to be thrown away. device: as in `simulate`.
    """
    if device != "cpu":
        [(regret, best_pulls, pulls)] = play_plan("run", _plan(piece), device, stop=stop)
        return Rows(regret[0], best_pulls[0].astype(np.int64), pulls[0].astype(np.int64))
    filled, arguments = _piece(piece, np.zeros(1, np.int64) if stop is None else stop)
    play(*arguments)
    regret, best_pulls, pulls = filled
    return Rows(regret, best_pulls.astype(np.int64), pulls.astype(np.int64))


def compile_piece(piece: Piece, device: str = "cpu") -> None:
    """Compile the code that the piece needs, now: in the main thread, where Ctrl-C is noticed."""
    if device != "cpu":
        compile_plan(_plan(piece))
        return
    play.specialised(*_piece(piece._replace(last=piece.first + 1), np.zeros(1, np.int64))[1])


def _plan(piece: Piece) -> Plan:
    """The piece as a plan of one policy on one problem."""
    problem, policy, horizon, rewards, ties, checkpoints, first, last, evidence, delay = piece
    return plan(
        "run", [problem], [policy], horizon, last - first, rewards, None, ties, None, checkpoints,
        first, evidence, delay,
    )  # fmt: skip


def _piece(piece: Piece, stop: NDArray[np.int64]) -> tuple[Filled, tuple[Any, ...]]:
    """The arrays for the results of a piece, and the arguments of `play` that fill them."""
    problem, policy, horizon, rewards, ties, checkpoints, first, last, evidence, delay = piece
    chosen, model = player(policy, problem, None, evidence)
    rounds, count = rounds_kept(checkpoints, horizon), last - first
    [(source, _, _)] = rewards.batches(problem, horizon, first, last, count)
    draws = rewards.draws(problem, horizon, first, last, ties == "random")
    shape = (count, rounds.size)
    filled = np.zeros(shape), np.zeros(shape), np.zeros((count, problem.n_arms))
    return filled, arguments(
        (chosen, model), problem, horizon, source, draws, first, rounds, filled, stop, evidence,
        waiting_for(delay, evidence, chosen, problem.n_arms, horizon, rewards.seed),
    )  # fmt: skip


def pieces_of(piece: Piece) -> list[Piece]:
    """The piece cut into smaller ones, each with enough work to be worth handing to a thread."""
    size = max(1, DECISIONS_A_BATCH // piece.horizon)
    return [
        piece._replace(first=first, last=min(first + size, piece.last))
        for first in range(piece.first, piece.last, size)
    ]
