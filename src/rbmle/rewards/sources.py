"""Where rewards come from: a counter-based stream, or tables. Every policy of a run meets the same
reward in the same cell (replication, round, arm)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._compile import Floats, record
from ..errors import ParameterError, integer
from ..random import MAX_SEED, Cell, Counter, key
from .problems import Problem

_SEEDS = f"[0, {MAX_SEED}]"

Source = TypeVar("Source", bound="type[Rewards]")

SOURCES: dict[str, type[Rewards]] = {}  # those that a study can name; each is made of a seed alone


def source(name: str) -> Callable[[Source], Source]:
    """Register a class of rewards under the name by which studies ask for it."""

    def register(cls: Source) -> Source:
        SOURCES[name] = cls
        return cls

    return register


@record
class Stream(NamedTuple):
    """Rewards drawn where they are used, from the law and the place."""

    law: Any
    means: Floats
    key0: int
    key1: int

    def reward(self, replication: int, t: int, i: int) -> float:
        return float(self.law.sample(self.means[i], Cell(self.key0, self.key1, replication, t, i)))


@record
class TableRows(NamedTuple):
    """Rewards looked up in values[replication - first, t - 1, arm]."""

    values: NDArray[np.float64]
    first: int

    def reward(self, replication: int, t: int, i: int) -> float:
        return float(self.values[replication - self.first, t - 1, i])


class Rewards:
    """A source of rewards: what the engine and studies ask of each kind.

    seeds: the interval of seeds that it allows.
    in_order: a replication is reached only through those before it, and their number is part of
    what determines it, so a study keeps all of them together.
    one_generator: what `draws` gives is one generator through all replications, so that a policy
    that draws plays them one after the other.
    """

    seeds: ClassVar[str] = _SEEDS
    in_order: ClassVar[bool] = False
    one_generator: ClassVar[bool] = False

    seed: int

    def __init__(self, seed: int = 0) -> None:
        self.seed = integer(type(self).__name__, "seed", seed, self.seeds)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(seed={self.seed})"

    def check(self, problem: Problem, horizon: int, last: int) -> None:
        """Refuse, with a sentence, what cannot be played up to replication last - 1."""

    def batches(
        self, problem: Problem, horizon: int, first: int, last: int, size: int
    ) -> Iterator[tuple[Any, int, int]]:
        """Replications first..last-1, about `size` at a time: (source, first, last)."""
        raise NotImplementedError

    def draws(
        self, problem: Problem, horizon: int, first: int, last: int, random_ties: bool
    ) -> Any:
        """What a policy itself draws from: a pure function of the place, unless said otherwise."""
        return Counter(*key(self.seed), random_ties)


@source("stream")
class RewardStream(Rewards):
    """Rewards from a counter-based generator: (seed, replication, round, arm) gives the reward.

    Nothing is stored, and any replication can be recomputed alone.
    """

    def batches(
        self, problem: Problem, horizon: int, first: int, last: int, size: int
    ) -> Iterator[tuple[Any, int, int]]:
        source = Stream(problem.law, np.array(problem.means), *key(self.seed))
        for start in range(first, last, size):
            yield source, start, min(start + size, last)


class Table(Rewards):
    """Rewards from an array of shape (replications, T, K), or (T, K) for a single replication.

    `seed` is for what policies draw themselves (Thompson sampling, ties).
    """

    def __init__(self, values: ArrayLike, seed: int = 0) -> None:
        try:
            table = np.array(values, dtype=float)
        except (TypeError, ValueError):
            raise ParameterError.of("Table", "values", "an array of numbers", values) from None
        if table.ndim == 2:
            table = table[None]
        if table.ndim != 3:
            raise ParameterError.of(
                "Table", "values", "of shape (T, K) or (replications, T, K)", table.shape
            )
        if not np.isfinite(table).all():
            bad = float(table[~np.isfinite(table)][0])
            raise ParameterError.of("Table", "values", "finite numbers", bad)
        table.setflags(write=False)
        self.values = table
        super().__init__(seed)

    def __repr__(self) -> str:
        return f"Table(shape={self.values.shape}, seed={self.seed})"

    def check(self, problem: Problem, horizon: int, last: int) -> None:
        replications, rounds, n_arms = self.values.shape
        if n_arms != problem.n_arms or rounds < horizon or replications < last:
            raise ParameterError.of(
                "Table",
                "values",
                f"of shape (at least {last}, at least {horizon}, {problem.n_arms})",
                self.values.shape,
            )
        allowed = problem.law.reward_interval()
        for value in (self.values.min(), self.values.max()):
            if value not in allowed:
                name = type(problem.law).__name__
                raise ParameterError.of(
                    "Table", "values", f"rewards in {allowed} for {name}", float(value)
                )

    def batches(
        self, problem: Problem, horizon: int, first: int, last: int, size: int
    ) -> Iterator[tuple[Any, int, int]]:
        source = TableRows(self.values, 0)
        for start in range(first, last, size):
            yield source, start, min(start + size, last)
