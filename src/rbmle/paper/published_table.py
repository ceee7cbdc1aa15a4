"""The rewards of the published tables, drawn as one table with NumPy's legacy generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.random import RandomState

from .._numba.compile import Floats
from ..errors import ParameterError
from ..families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Law, Poisson
from ..random.mersenne import MersenneDraws
from ..rewards.laws import Beta, GaussianMixture, Laplace, TwoPoint, Uniform
from ..rewards.problems import Pays, Problem, World
from ..rewards.sources import Rewards, TableRows, source

Shape = tuple[int, int]  # rounds, arms


def _two_point(law: TwoPoint, rng: RandomState, means: Floats, shape: Shape) -> Floats:
    width = law.high - law.low
    hits: Floats = rng.binomial(1, (means - law.low) / width, shape).astype(float)
    return law.low + width * hits


def _mixture(law: GaussianMixture, rng: RandomState, means: Floats, shape: Shape) -> Floats:
    side = law.spread * (2.0 * rng.binomial(1, 0.5, shape) - 1.0)
    return means + side + law.sigma * rng.standard_normal(shape)


_TABLES: dict[type, Callable[[Any, RandomState, Floats, Shape], Floats]] = {
    Bernoulli: lambda law, rng, means, shape: rng.binomial(1, means, shape).astype(float),
    Binomial: lambda law, rng, means, shape: rng.binomial(
        law.trials, means / law.trials, shape
    ).astype(float),
    Gaussian: lambda law, rng, means, shape: means + law.sigma * rng.standard_normal(shape),
    Exponential: lambda law, rng, means, shape: means * rng.standard_exponential(shape),
    Gamma: lambda law, rng, means, shape: rng.gamma(law.shape, means / law.shape, shape),
    Poisson: lambda law, rng, means, shape: rng.poisson(means, shape).astype(float),
    Uniform: lambda law, rng, means, shape: rng.uniform(
        means - 0.5 * law.width, means + 0.5 * law.width, shape
    ),
    Beta: lambda law, rng, means, shape: rng.beta(
        means * law.concentration, (1.0 - means) * law.concentration, shape
    ),
    TwoPoint: _two_point,
    GaussianMixture: _mixture,
    Laplace: lambda law, rng, means, shape: rng.laplace(means, law.scale, shape),
}


def legacy_table(law: Law, generator: RandomState, means: Floats, shape: Shape) -> Floats:
    """The generator's next table of rewards, drawn in one call, row by row. A law of a user's own
    has a method legacy_table(generator, means, shape) for it."""
    own: Callable[[RandomState, Floats, Shape], Floats] | None
    own = getattr(law, "legacy_table", None)
    return own(generator, means, shape) if own else _TABLES[type(law)](law, generator, means, shape)


@source("published")
class PublishedTable(Rewards):
    """The protocol of the published tables: one table of rewards for all policies.

    `RandomState(seed)` fills [replication, round, arm] in that order. Only one replication's table
    is in memory at a time, so a replication is reached by drawing all earlier ones.
    A policy that samples posteriors continues with the generator after the last table, replication
    after replication on one thread, as Thompson sampling does in the paper's code.

    >>> PublishedTable().seed
    46
    """

    seeds = f"[0, {2**32 - 1}]"  # what RandomState takes
    in_order = True
    one_generator = True
    stream = 0  # all its numbers come from RandomState

    def __init__(self, seed: int = 46) -> None:
        super().__init__(seed)

    def check(self, problem: World, horizon: int, last: int) -> None:
        """Refuse a law that has no `legacy_table`."""
        law = problem.law
        if type(law) not in _TABLES and not hasattr(law, "legacy_table"):
            allowed = "of a law with a legacy_table method"
            raise ParameterError("PublishedTable", "problem", allowed, type(law).__name__)

    def batches(
        self, problem: World, horizon: int, first: int, last: int, size: int
    ) -> Iterator[tuple[Pays, int, int]]:
        generator = RandomState(self.seed)
        for replication in range(last):
            values = _next_table(generator, problem, horizon)
            if replication >= first:
                yield TableRows(values[None], replication), replication, replication + 1

    def draws(
        self, problem: World, horizon: int, first: int, last: int, random_ties: bool
    ) -> MersenneDraws:
        """The generator after all tables, from which a policy draws in all replications."""
        if first > 0:
            allowed = "0 for a policy that draws, from one generator through all trials"
            raise ParameterError("PublishedTable", "first_replication", allowed, first)
        generator = RandomState(self.seed)
        for _ in range(last):
            _next_table(generator, problem, horizon)
        return MersenneDraws.going_on(generator, random_ties)


def _next_table(generator: RandomState, problem: World, horizon: int) -> Floats:
    assert isinstance(problem, Problem)  # `check_rewards` refuses other worlds
    shape = (horizon, problem.n_arms)
    return legacy_table(problem.law, generator, np.array(problem.means), shape)
