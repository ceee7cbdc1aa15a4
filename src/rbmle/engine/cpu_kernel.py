"""`play`: the compiled loop of a CPU, which plays any policy on any problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._compile import Floats, kernel
from ..choosers import Chooser, chooser_for
from ..families import Family
from ..policies.arms import Arms
from ..policies.base import Policy, fresh_state
from ..rewards.problems import Problem
from .rounds import play_rounds

Filled = tuple[Floats, Floats, Floats]  # regret, best_pulls and pulls, which `play` fills


@kernel
def play(
    policy: Policy,
    family: Family,
    chooser: Chooser,
    arms: Arms,
    state: Floats,
    source: Any,
    gaps: Floats,
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
            policy, family, chooser, arms, state, source, gaps, 1, horizon + 1, known_horizon,
            randomness, first + row, checkpoints, regret[row], best_pulls[row], stop,
        )  # fmt: skip
        if not played:
            return
        for j in range(gaps.size):
            pulls[row, j] = arms.pulls[j]


def arguments(
    pair: tuple[Any, Any], problem: Problem, horizon: int, source: Any, draws: Any, first: int,
    rounds: NDArray[np.int64], filled: Filled, stop: NDArray[np.int64],
) -> tuple[Any, ...]:  # fmt: skip
    """The arguments of `play` for the replications from `first` on.

    pair: the policy and the family that it assumes. rounds: the checkpoints.
    """
    policy, model = pair
    n_arms, known = problem.n_arms, horizon if policy.needs_horizon() else 0
    return (
        policy, model, chooser_for(policy, model, n_arms), Arms.fresh(n_arms),
        fresh_state(policy, model, n_arms), source,
        problem.gaps, horizon, known, draws, first, rounds, *filled, stop,
    )  # fmt: skip
