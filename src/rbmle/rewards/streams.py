"""Where compiled code gets rewards from: records with `reward`, for each cell.

With every source a reward is a pure function of the law, the mean and the cell: in rounds in which
two worlds have the same mean, they have the same reward.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, defaults_of, record
from ..families import Law
from ..random import Cell

T = TypeVar("T")

Bring = Callable[[Any], Any]  # moves an array to a device
Rows = Callable[..., Any]  # room on a device for an array of this shape for each thread


class Pays(Protocol):
    """A record that compiled code gets rewards from."""

    @abstractmethod
    def reward(self, replication: int, t: int, i: int) -> float:
        """The reward of arm i in round t of a replication."""


class RewardSource(Pays, Protocol):
    """The methods of every record that pays rewards, with the defaults that a class gets."""

    @abstractmethod
    def on_device(self, bring: Bring, rows: Rows) -> Self:
        """The record with its arrays on a device."""

    def own(self) -> Self:
        """The record for one thread; by default it needs no room of its own."""
        return self

    def moving(self) -> bool:
        """Whether features are drawn anew in each round."""
        return False

    def meet(self, replication: int, t: int) -> None:
        """Round t begins: draw its features, if there are any."""


def reward_source(cls: type[T]) -> type[T]:
    """Make a NamedTuple class a source of rewards for compiled code."""
    return record(cls, defaults_of(RewardSource))


@reward_source
class Stream(NamedTuple):
    """Rewards that are drawn when they are needed: a pure function of the law and the cell.

    On a device `means` has a row for each problem.
    """

    law: Law
    means: Floats
    key0: int
    key1: int

    def on_device(self, bring: Bring, rows: Rows) -> Stream:
        return self._replace(means=bring(self.means))

    def reward(self, replication: int, t: int, i: int) -> float:
        return self.law.sample(self.means[i], Cell(self.key0, self.key1, replication, t, i))


@reward_source
class TableRows(NamedTuple):
    """Rewards that are looked up in a table: values[replication - first, t - 1, arm]."""

    values: NDArray[np.float64]
    first: int

    def on_device(self, bring: Bring, rows: Rows) -> TableRows:
        return self._replace(values=bring(self.values))

    def reward(self, replication: int, t: int, i: int) -> float:
        return float(self.values[replication - self.first, t - 1, i])


@reward_source
class MeanPath(NamedTuple):
    """Rewards whose means are those of `means[n]` from round starts[n] on, until starts[n + 1].

    gaps: the best mean of each row minus the means of the row.
    """

    law: Law
    means: NDArray[np.float64]
    gaps: NDArray[np.float64]
    starts: NDArray[np.int64]
    key0: int
    key1: int

    @classmethod
    def of(
        cls, law: Law, means: Floats, starts: NDArray[np.int64], key0: int, key1: int
    ) -> MeanPath:
        return cls(law, means, means.max(axis=1)[:, None] - means, starts, key0, key1)

    def on_device(self, bring: Bring, rows: Rows) -> MeanPath:
        return self._replace(
            means=bring(self.means), gaps=bring(self.gaps), starts=bring(self.starts)
        )

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
        return self.law.sample(mean, Cell(self.key0, self.key1, replication, t, i))

    def gap(self, replication: int, t: int, i: int) -> float:
        """The best mean of round t minus the mean of arm i in it."""
        return float(self.gaps[self.place(t), i])
