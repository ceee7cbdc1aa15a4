"""The compiled steps of a decider whose evidence is not `Counting`: look, choose, learn.

They call the evidence's own methods, as the simulator's loop does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, kernel, lean
from ..choosers import Scan
from ..evidence import Evidence, Features
from ..families import Family
from ..policies.arms import Arms
from ..policies.base import Policy
from .constants import Constants

FAR = 1e305  # a statistic beyond this, or NaN, is no number that a policy could use


@kernel
def choose(
    policy: Policy, state: Floats, family: Family, evidence: Evidence, chooser: Scan, known: Arms,
    seen: Arms, memory: Floats, features: Features, drawn: Floats, waits: Floats,
    places: NDArray[np.int64], constants: Constants, t: int, draw: int, pending: int,
) -> int:  # fmt: skip
    """One choice among the arms at `places`: which of them to play in round t; -1 if features are
    so large that an arm's mean is no number.

    known: the statistics of all arms. seen: room for those that the policy sees. drawn: room for
    errors that are drawn together. waits: each arm's pending pulls; pending: all of them.
    draw: the round whose random numbers are used.
    """
    now, rng = constants.clock(t), constants.rng(draw)
    evidence.look(known, memory, features, now.t == 1 or evidence.reads() > 0)
    if policy.draws_jointly() and evidence.draws():
        evidence.draw(known, memory, features, rng, drawn)
        state[0] = drawn[0]
        for k in range(places.size):
            state[1 + k] = drawn[1 + places[k]]
    clock = evidence.clock(memory, now.t, now.horizon)
    if evidence.reads() == 0 and evidence.changes_all():
        clock = clock.after(pending, now.t)
    show(known, seen, waits, places)
    for k in range(places.size):
        if not abs(seen.sums[k]) <= FAR or not seen.pulls[k] <= FAR:
            return -1
    pulls, sums, squares, origins = seen
    count = places.size
    shown = Arms(pulls[:count], sums[:count], squares[:count], origins[:count])
    return int(chooser.pick(policy, state, family, shown, clock, rng))


@lean
def show(known: Arms, seen: Arms, waits: Floats, places: NDArray[np.int64]) -> None:
    """The statistics of the arms at `places`, as if each pending pull had paid the mean so far."""
    for k in range(places.size):
        i = places[k]
        rewards, sums, squares = known.pulls[i], known.sums[i], known.squares[i]
        if waits[i] > 0.0:
            scale = waits[i] / rewards
            sums, squares = sums + scale * sums, squares + scale * squares
        seen.pulls[k], seen.sums[k], seen.squares[k] = rewards + waits[i], sums, squares
        seen.origins[k] = known.origins[i]


@kernel
def glance(
    evidence: Evidence, known: Arms, seen: Arms, memory: Floats, features: Features,
    waits: Floats, places: NDArray[np.int64],
) -> None:  # fmt: skip
    """Bring the statistics up to date and show them, without a choice."""
    evidence.look(known, memory, features, evidence.reads() > 0)
    show(known, seen, waits, places)


@kernel
def teach(
    evidence: Evidence, known: Arms, memory: Floats, features: Features, moving: bool, i: int,
    reward: float,
) -> None:  # fmt: skip
    """Learn a reward of arm i."""
    evidence.learn(known, memory, features, moving, i, reward)


@kernel
def suppose(evidence: Any, known: Arms, memory: Floats, features: Features, i: int) -> float:
    """Count a pull of arm i as if it had paid the mean so far, which is returned."""
    return float(evidence.expect(known, memory, features, True, i))


@kernel
def amend(
    evidence: Any, known: Arms, memory: Floats, features: Features, i: int, before: float,
    reward: float,
) -> None:  # fmt: skip
    """The reward of a pull has come that was supposed to be `before`."""
    evidence.correct(known, memory, features, True, i, before, reward)
