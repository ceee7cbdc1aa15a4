"""Sources of rewards: a counter-based random stream, or tables.

All policies of a run meet the same reward in the same cell (replication, round, arm).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .._numba.compile import Floats
from ..errors import ParameterError, Words, integer
from ..random import MAX_SEED, STREAM, Counter, key
from ..random.mersenne import MersenneDraws
from .problems import Pays, Problem, World, as_numbers, check_finite, reward_source
from .problems import Stream as Stream

Source = TypeVar("Source", bound="type[Rewards]")

_MOST_JUDGED = 10_000  # rows of a table by which its variance is judged: a choice
SOURCES: dict[str, type[Rewards]] = {}  # name in a study -> class, made from a seed alone


def source(name: str) -> Callable[[Source], Source]:
    """A decorator that registers a class of `Rewards` under a name that studies can use."""

    def register(cls: Source) -> Source:
        SOURCES[name] = cls
        return cls

    return register


class Rewards:
    """A source of rewards: the base class of all kinds.

    seeds: the interval of seeds that are allowed.
    in_order: whether a replication can only be computed after those before it and depends on how
    many there are. Then a study keeps all replications together.
    one_generator: whether `draws` gives one generator for all replications. Then a policy that
    draws must play them one after the other.
    stream: the version of the package's random numbers that a run uses, 0 if it uses none of them.
    """

    seeds: ClassVar[str] = f"[0, {MAX_SEED}]"
    in_order: ClassVar[bool] = False
    one_generator: ClassVar[bool] = False
    stream: ClassVar[int] = STREAM

    seed: int

    def __init__(self, seed: int = 0) -> None:
        self.seed = integer(type(self).__name__, "seed", seed, self.seeds)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(seed={self.seed})"

    def check(self, problem: World, horizon: int, last: int) -> None:
        """Raise ParameterError if replications up to last - 1 cannot be played on the problem."""

    def moments(self, problem: World) -> tuple[Floats, Floats]:
        """The mean and the variance of each arm's rewards in round 1; empty where the problem's law
        does not tell, or there are features."""
        law, means = problem.law, np.zeros(0)
        if problem.dimension == 0 and hasattr(law, "variance"):
            if hasattr(problem, "means_at"):
                means = problem.means_at(1)
            elif hasattr(problem, "means"):
                means = problem.means
        return means, np.array([law.variance(each) for each in means.tolist()])

    def batches(
        self, problem: World, horizon: int, first: int, last: int, size: int
    ) -> Iterator[tuple[Pays, int, int]]:
        """Batches of about `size` of the replications first, ..., last - 1.

        Each is (a record with a method `reward`, its first replication, its last one + 1). By
        default it is the same record for all of them, `paid`.
        """
        source = self.paid(problem, horizon)
        for start in range(first, last, size):
            yield source, start, min(start + size, last)

    def paid(self, problem: World, horizon: int) -> Pays:
        """The record that pays all replications."""
        raise NotImplementedError

    def draws(
        self, problem: World, horizon: int, first: int, last: int, random_ties: bool
    ) -> Counter | MersenneDraws:
        """The random numbers for policies: by default a pure function of seed and cell."""
        return Counter(*key(self.seed), random_ties)


@source("stream")
class RewardStream(Rewards):
    """Rewards from a counter-based generator: a pure function of seed, replication, round and arm.

    Nothing is stored, and any replication can be computed alone.

    >>> RewardStream(seed=7).seed
    7
    """

    def paid(self, problem: World, horizon: int) -> Pays:
        return problem.source(self.seed, horizon)


@reward_source
class TableRows(NamedTuple):
    """Rewards that are looked up in a table: values[replication - first, t - 1, arm]."""

    values: Floats
    first: int

    def reward(self, replication: int, t: int, i: int) -> float:
        return float(self.values[replication - self.first, t - 1, i])


class Table(Rewards):
    """Rewards from an array of shape (replications, T, K), or (T, K) for a single replication.

    seed: for the random numbers of the policies (Thompson sampling, ties).

    >>> Table([[[0.0, 1.0], [1.0, 1.0]]]).values.shape
    (1, 2, 2)
    """

    def __init__(self, values: ArrayLike, seed: int = 0) -> None:
        table = as_numbers("Table", "values", values)
        if table.ndim == 2:
            table = table[None]
        if table.ndim != 3:
            words = "of shape (T, K) or (replications, T, K)"
            raise ParameterError("Table", "values", words, Words(f"shape {table.shape}"))
        check_finite("Table", "values", table)
        table.setflags(write=False)
        self.values = table
        super().__init__(seed)

    def __repr__(self) -> str:
        return f"Table(shape={self.values.shape}, seed={self.seed})"

    def check(self, problem: World, horizon: int, last: int) -> None:
        replications, rounds, n_arms = self.values.shape
        if n_arms != problem.n_arms or rounds < horizon or replications < last:
            words = f"of shape (at least {last}, at least {horizon}, {problem.n_arms})"
            raise ParameterError("Table", "values", words, self.values.shape)
        allowed = problem.law.reward_interval()
        for value in (float(self.values.min()), float(self.values.max())):
            if value not in allowed:
                words = f"rewards in {allowed} for {type(problem.law).__name__}"
                raise ParameterError("Table", "values", words, value)

    def moments(self, problem: World) -> tuple[Floats, Floats]:
        rows = self.values.reshape(-1, problem.n_arms)[:_MOST_JUDGED]
        return rows.mean(axis=0), rows.var(axis=0)

    def paid(self, problem: World, horizon: int) -> TableRows:
        return TableRows(self.values, 0)


def check_rewards(owner: str, rewards: Rewards, problem: World, horizon: int, last: int) -> None:
    """Raise ParameterError unless rewards and horizon suit the problem; a stream suits every
    world."""
    problem.check_horizon(horizon)
    if not isinstance(rewards, RewardStream) and not isinstance(problem, Problem):
        words = f"a RewardStream for a {type(problem).__name__}"
        raise ParameterError(owner, "rewards", words, rewards)
    rewards.check(problem, horizon, last)
