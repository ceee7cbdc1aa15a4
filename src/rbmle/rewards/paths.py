"""Means that change: a path of means, and the rewards that follow it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, record
from ..random import Cell
from .streams import Bring, Rows


@record
class MeanPath(NamedTuple):
    """Rewards whose means are those of `means[n]` from round starts[n] on, until starts[n + 1].

    A reward is a pure function of the law, the mean and the cell, as with `Stream`: in rounds in
    which two worlds have the same mean, they have the same reward. gaps: the best mean of each row
    minus the means of the row.
    """

    law: Any
    means: NDArray[np.float64]
    gaps: NDArray[np.float64]
    starts: NDArray[np.int64]
    key0: int
    key1: int

    @classmethod
    def of(
        cls, law: Any, means: Floats, starts: NDArray[np.int64], key0: int, key1: int
    ) -> MeanPath:
        return cls(law, means, means.max(axis=1)[:, None] - means, starts, key0, key1)

    def own(self) -> MeanPath:
        """The record for one thread: it has no room of its own."""
        return self

    def on_device(self, bring: Bring, rows: Rows) -> MeanPath:
        """The record with its arrays on a device."""
        return self._replace(
            means=bring(self.means), gaps=bring(self.gaps), starts=bring(self.starts)
        )

    def moving(self) -> bool:
        return False

    def meet(self, replication: int, t: int) -> None:
        """Nothing to do: there are no features."""

    def place(self, t: int) -> int:
        """The row of round t, by bisection."""
        low, high = 0, self.starts.size  # starts[low] <= t < starts[high]
        while high - low > 1:
            middle = (low + high) // 2
            if self.starts[middle] <= t:
                low = middle
            else:
                high = middle
        return low

    def reward(self, replication: int, t: int, i: int) -> float:
        mean = self.means[self.place(t), i]
        return float(self.law.sample(mean, Cell(self.key0, self.key1, replication, t, i)))

    def gap(self, replication: int, t: int, i: int) -> float:
        """The best mean of round t minus the mean of arm i in it."""
        return float(self.gaps[self.place(t), i])
