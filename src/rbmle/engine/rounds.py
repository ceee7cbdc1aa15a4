"""The rounds of one replication: the loop that every place plays, compiled or not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._compile import Floats, lean
from ..choosers import Chooser
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy


@lean
def play_rounds(
    policy: Policy,
    family: Family,
    chooser: Chooser,
    arms: Arms,
    state: Floats,
    source: Any,
    gaps: Floats,
    begin: int,
    end: int,
    known_horizon: int,
    randomness: Any,
    replication: int,
    checkpoints: NDArray[np.int64],
    regret: Floats,
    best_pulls: Floats,
    stop: NDArray[np.int64],
) -> bool:
    """Play the rounds begin, ..., end - 1 of a replication; False if `stop` ended them early.

    Round 1 begins with everything forgotten. All rounds can be played at once, or some of them now
    and the rest later: rounds are not stored, and what remains of them are the arms' statistics,
    the policy's `state` and the chooser's memory.
    Regret is pseudo-regret, the sum of the gaps of the arms played. At a checkpoint it is computed
    from the numbers of pulls times the gaps, so that rounding errors do not add up.
    """
    if begin == 1:
        arms.restart()
        chooser.restart()
        for k in range(state.size):
            state[k] = 0.0
    reached = 0
    while checkpoints[reached] < begin:
        reached += 1
    for t in range(begin, end):
        # Every 64 rounds: the slowest policies take milliseconds a round, and Ctrl-C must be
        # obeyed within two seconds.
        if t & 63 == 0 and stop[0] != 0:
            return False
        rng = randomness.at(replication, t)
        i = chooser.pick(policy, state, family, arms, Clock(t, known_horizon), rng)
        arms.learn(i, source.reward(replication, t, i))
        chooser.changed(i)
        if t == checkpoints[reached]:
            total = best = 0.0
            for j in range(gaps.size):
                total += arms.pulls[j] * gaps[j]
                if gaps[j] == 0.0:
                    best += arms.pulls[j]
            regret[reached], best_pulls[reached] = total, best
            reached += 1
    return True
