"""Rewards that are looked up in a table, of which each row is a round."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..random import feature_cell
from ..tables import expanded
from .problems import reward_source

Places = NDArray[np.int64]

_ORDER, _KEPT = 0, 1  # which random numbers of a round: for the order of rows, for those left out


@reward_source
class TableRounds(NamedTuple):
    """Rows with an arm, which pays its reward; other arms pay 0. They come in their order, or
    shuffled in each replication (Fisher and Yates).

    kept: in a replay, the probability with which a row counts where its arm is chosen. best: the
    reward that regret is against. matched: the rounds that counted so far in this replication.
    order: the row of each round. cells, arm_cells, start, sizes, parts: of an `Encode`, whose
    `scale` moves as it does live; `known` are the features of the present round.
    """

    replays: bool
    shuffled: bool
    arms: Places
    rewards: Floats
    kept: Floats
    best: float
    matched: Floats
    order: Places
    cells: Floats
    arm_cells: Floats
    start: Floats
    scale: Floats
    sizes: Places
    parts: Places
    known: Floats
    key0: int
    key1: int

    def own(self) -> TableRounds:
        changing = {name: getattr(self, name) for name in ("matched", "order", "scale", "known")}
        return self._replace(**{name: each.copy() for name, each in changing.items()})

    def moving(self) -> bool:
        return bool(self.known.shape[1] > 0)

    def uniform(self, replication: int, t: int, use: int) -> float:
        """The random number of a round for this use."""
        return feature_cell(self.key0, self.key1, replication, t, use).uniform(0)

    def meet(self, replication: int, t: int) -> None:
        n = self.order.size
        if t == 1:
            self.matched[0] = 0.0
            for k in range(n):
                self.order[k] = k
            for k in range(self.scale.shape[0]):
                for c in range(self.scale.shape[1]):
                    self.scale[k, c] = self.start[k, c]
        if self.shuffled:
            k = t - 1 + int(self.uniform(replication, t, _ORDER) * (n - t + 1))
            self.order[t - 1], self.order[k] = self.order[k], self.order[t - 1]
        if self.known.shape[1] > 0:
            cells = self.cells[self.order[t - 1] : self.order[t - 1] + 1]
            expanded(cells, self.arm_cells, self.scale, self.sizes, self.parts, self.known)

    def feature(self, i: int, a: int) -> float:
        return float(self.known[i, a])

    def round_of(self, t: int) -> int:
        return int(self.matched[0]) + 1

    def accepts(self, replication: int, t: int, i: int) -> bool:
        row, accepted = self.order[t - 1], True
        if self.replays:
            accepted = self.arms[row] == i
            if accepted and self.kept[row] < 1.0:
                accepted = self.uniform(replication, t, _KEPT) < self.kept[row]
        self.matched[0] += 1.0 if accepted else 0.0
        return bool(accepted)

    def reward(self, replication: int, t: int, i: int) -> float:
        row = self.order[t - 1]
        return float(self.rewards[row]) if self.arms[row] == i else 0.0

    def gap(self, replication: int, t: int, i: int) -> float:
        """The reward that regret is against minus that of arm i."""
        return self.best - self.reward(replication, t, i)
