"""Old data for a decider to start from: the rewards of a log, counted for less than new ones."""

from __future__ import annotations

import numpy as np

from .._numba.compile import Floats
from ..errors import Interval
from ..inference.logs import pieces
from ..policies.arms import Name


def old_rewards(log: object, discount: float, allowed: Interval) -> tuple[list[Name], list[float]]:
    """The arms and rewards to learn from a log.

    With discount 1 and without probabilities they are those of the log, in its order. Otherwise an
    arm whose n rewards have the weights w = 1 / probability is worth

        m = discount (sum of w)^2 / (sum of w^2),    discount n for equal weights,

    rewards, as with a power prior (Ibrahim and Chen 2000): learned are round(m) of them, at evenly
    spaced places of the arm's weighted distribution, so that mean and variance stay what they are.
    """
    arms: list[Name] = []
    rewards, weights = [], []
    known = False  # whether probabilities are
    for piece in pieces("learn", log, allowed):
        arms += piece.arms
        rewards.append(piece.rewards)
        known = piece.probability is not None
        chances = 1.0 if piece.probability is None else piece.probability
        weights.append(np.ones(len(piece.arms)) / chances)
    if not arms:
        return [], []
    values = np.concatenate(rewards)
    if discount == 1.0 and not known:
        return arms, values.tolist()
    rows: dict[Name, list[int]] = {}
    for row, name in enumerate(arms):
        rows.setdefault(name, []).append(row)
    w = np.concatenate(weights)
    learned = {name: _thinned(values[own], w[own], discount) for name, own in rows.items()}
    names = [name for name, own in learned.items() for _ in range(own.size)]
    return names, [float(x) for own in learned.values() for x in own]


def _thinned(values: Floats, weights: Floats, discount: float) -> Floats:
    count = round(discount * weights.sum() ** 2 / (weights @ weights))
    order = np.argsort(values, kind="stable")
    reached = weights[order].cumsum()
    places = (np.arange(count) + 0.5) / max(count, 1) * reached[-1]
    return np.asarray(values[order][np.searchsorted(reached, places)])
