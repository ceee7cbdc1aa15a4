"""Where rewards come from: a counter-based stream, or tables. Every policy of a run meets the same
reward in the same cell (replication, round, arm)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._compile import Floats, record
from ..errors import ParameterError, integer
from ..random import MAX_SEED, Cell, Counter, key
from ..random.mersenne import MersenneDraws
from .problems import Problem

_SEEDS = f"[0, {MAX_SEED}]"


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
    """A source of rewards: what the engine asks of each kind below."""

    seed: int

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


class RewardStream(Rewards):
    """Rewards from a counter-based generator: (seed, replication, round, arm) gives the reward.

    Nothing is stored, and any replication can be recomputed alone.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = integer("RewardStream", "seed", seed, _SEEDS)

    def __repr__(self) -> str:
        return f"RewardStream(seed={self.seed})"

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
        self.seed = integer("Table", "seed", seed, _SEEDS)

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


class PublishedTable(Rewards):
    """The protocol behind the published tables: NumPy's legacy generator, one table for all.

    `RandomState(seed)` fills [replication, round, arm] in that order; drawing one replication after
    the other gives the same numbers, and keeps one replication's table at a time. A replication
    is reached only through those before it.
    A policy that samples posteriors goes on with the generator after the whole table, trial after
    trial on one thread, as Thompson sampling does in the tables.
    """

    def __init__(self, seed: int = 46) -> None:
        self.seed = integer("PublishedTable", "seed", seed, f"[0, {2**32 - 1}]")

    def __repr__(self) -> str:
        return f"PublishedTable(seed={self.seed})"

    def check(self, problem: Problem, horizon: int, last: int) -> None:
        if not hasattr(problem.law, "legacy_table"):
            raise ParameterError.of(
                "PublishedTable",
                "problem",
                "of a law with a legacy_table method",
                type(problem.law).__name__,
            )

    def batches(
        self, problem: Problem, horizon: int, first: int, last: int, size: int
    ) -> Iterator[tuple[Any, int, int]]:
        generator = np.random.RandomState(self.seed)
        for replication in range(last):
            values = self._next_table(generator, problem, horizon)
            if replication >= first:
                yield TableRows(values[None], replication), replication, replication + 1

    def draws(
        self, problem: Problem, horizon: int, first: int, last: int, random_ties: bool
    ) -> Any:
        """The generator goes on after the whole table, through all trials in order."""
        if first > 0:
            raise ParameterError.of(
                "PublishedTable",
                "first_replication",
                "0 for a policy that draws, from one generator through all trials",
                first,
            )
        generator = np.random.RandomState(self.seed)
        for _ in range(last):
            self._next_table(generator, problem, horizon)
        return MersenneDraws.going_on(generator, random_ties)

    def _next_table(self, generator: Any, problem: Problem, horizon: int) -> Floats:
        shape = (horizon, problem.n_arms)
        table: Floats = problem.law.legacy_table(generator, np.array(problem.means), shape)
        return table
