"""`play`: the compiled loop of a CPU, which plays any policy on any problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, kernel
from ..choosers import Chooser, chooser_for
from ..evidence import Counting, Evidence
from ..families import Family
from ..policies.arms import Arms
from ..policies.base import Policy, fresh_state
from ..rewards.worlds import World
from .rounds import play_rounds
from .tallies import tally_for
from .waiting import AtOnce

COUNTING, AT_ONCE = Counting(), AtOnce()
Filled = tuple[Floats, Floats, Floats]  # regret, best_pulls and pulls, which `play` fills


@kernel
def play(
    policy: Policy,
    family: Family,
    evidence: Evidence,
    chooser: Chooser,
    arms: Arms,
    state: Floats,
    memory: Floats,
    source: Any,
    tally: Any,
    waiting: Any,
    horizon: int,
    known_horizon: int,
    randomness: Any,
    first: int,
    checkpoints: NDArray[np.int64],
    regret: NDArray[np.float64],
    best_pulls: NDArray[np.float64],
    pulls: NDArray[np.float64],
    stop: NDArray[np.int64],
) -> None:
    """Play replications first, first + 1, ... and fill their rows of regret, best_pulls and pulls.

    If another thread sets stop[0] to anything but 0, the function returns early, and its rows are
    unfinished.
    """
    for row in range(regret.shape[0]):
        played = play_rounds(
            policy, family, evidence, chooser, arms, state, memory, source, tally, waiting, 1,
            horizon + 1, known_horizon, randomness, first + row, checkpoints, regret[row],
            best_pulls[row], stop,
        )  # fmt: skip
        if not played:
            return
        for j in range(arms.n_arms()):
            pulls[row, j] = tally.pulls(arms, j)


def arguments(
    pair: tuple[Any, Any], problem: World, horizon: int, source: Any, draws: Any, first: int,
    rounds: NDArray[np.int64], filled: Filled, stop: NDArray[np.int64], evidence: Any = COUNTING,
    waiting: Any = AT_ONCE,
) -> tuple[Any, ...]:  # fmt: skip
    """The arguments of `play` for the replications from `first` on.

    pair: the policy and the family that it assumes. rounds: the checkpoints.
    """
    policy, model = pair
    n_arms, known = problem.n_arms, horizon if policy.uses_horizon() else 0
    return (
        policy, model, evidence, chooser_for(policy, model, n_arms, evidence), Arms.fresh(n_arms),
        fresh_state(policy, model, n_arms), np.zeros(evidence.memory_size(n_arms)), source.own(),
        tally_for(problem, evidence, waiting), waiting, horizon, known, draws, first, rounds,
        *filled, stop,
    )  # fmt: skip
