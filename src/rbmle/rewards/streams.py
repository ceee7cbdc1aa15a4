"""Where compiled code gets rewards from: records with `reward`, for each cell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, record
from ..random import Cell

Bring = Callable[[Any], Any]  # moves an array to a device
Rows = Callable[..., Any]  # room on a device for an array of this shape for each thread


@record
class Stream(NamedTuple):
    """Rewards that are drawn when they are needed: a pure function of the law and the cell."""

    law: Any
    means: Floats
    key0: int
    key1: int

    def own(self) -> Stream:
        """The record for one thread: it has no room of its own."""
        return self

    def on_device(self, bring: Bring, rows: Rows) -> Stream:
        """The record with its arrays on a device; here `means` has a row for each problem."""
        return self._replace(means=bring(self.means))

    def moving(self) -> bool:
        return False

    def meet(self, replication: int, t: int) -> None:
        """Nothing to do: there are no features."""

    def reward(self, replication: int, t: int, i: int) -> float:
        return float(self.law.sample(self.means[i], Cell(self.key0, self.key1, replication, t, i)))


@record
class TableRows(NamedTuple):
    """Rewards that are looked up in a table: values[replication - first, t - 1, arm]."""

    values: NDArray[np.float64]
    first: int

    def own(self) -> TableRows:
        """The record for one thread: it has no room of its own."""
        return self

    def on_device(self, bring: Bring, rows: Rows) -> TableRows:
        """The record with its table on a device."""
        return self._replace(values=bring(self.values))

    def moving(self) -> bool:
        return False

    def meet(self, replication: int, t: int) -> None:
        """Nothing to do: there are no features."""

    def reward(self, replication: int, t: int, i: int) -> float:
        return float(self.values[replication - self.first, t - 1, i])
