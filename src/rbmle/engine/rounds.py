"""The rounds of one replication: the loop that every place plays, compiled or not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, lean
from ..choosers import Chooser
from ..evidence import Evidence
from ..families import Family
from ..policies.arms import Arms
from ..policies.base import Policy


@lean
def play_rounds(
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
    the evidence's `memory`, the policy's `state`, and the memory of the chooser, of the tally, and
    of rewards that have not come.
    Regret is pseudo-regret, the sum of the gaps of the arms played; `tally` computes it.
    """
    if begin == 1:
        arms.restart()
        chooser.restart()
        evidence.begin(arms, memory)
        tally.begin()
        waiting.restart()
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
        source.meet(replication, t)
        evidence.look(arms, memory, source, t == 1 or source.moving())
        if policy.draws_jointly():
            evidence.draw(arms, memory, source, rng, state)
        clock = evidence.clock(memory, t, known_horizon)
        i = waiting.pick(evidence, chooser, policy, state, family, arms, clock, rng, t)
        tally.note(source, replication, t, i)
        if waiting.late():
            waiting.pulled(evidence, memory, arms, chooser, source, replication, t, i)
        else:  # what `AtOnce.pulled` does: called through it, a round takes up to 2 ns more
            reward = source.reward(replication, t, i)
            evidence.learn(arms, memory, source, source.moving(), i, reward)
            chooser.changed(i)
        if t == checkpoints[reached]:
            regret[reached], best_pulls[reached] = tally.totals(arms)
            reached += 1
    return True
