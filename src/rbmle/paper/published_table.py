"""The rewards of the published tables, drawn as one table with NumPy's legacy generator."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError
from ..random.mersenne import MersenneDraws
from ..rewards.problems import Pays, Problem, World
from ..rewards.sources import Rewards, TableRows, source
from .legacy_tables import has_legacy_table, legacy_table


@source("published")
class PublishedTable(Rewards):
    """The protocol of the published tables: one table of rewards for all policies.

    `RandomState(seed)` fills [replication, round, arm] in that order. Only one replication's table
    is in memory at a time, so a replication is reached by drawing all earlier ones.
    A policy that samples posteriors continues with the generator after the last table, replication
    after replication on one thread, as Thompson sampling does in the paper's code.
    """

    seeds = f"[0, {2**32 - 1}]"  # what RandomState takes
    in_order = True
    one_generator = True
    stream = 0  # all its numbers come from RandomState

    def __init__(self, seed: int = 46) -> None:
        super().__init__(seed)

    def check(self, problem: World, horizon: int, last: int) -> None:
        """Refuse a law that has no `legacy_table`."""
        if not has_legacy_table(problem.law):
            raise ParameterError(
                "PublishedTable",
                "problem",
                "of a law with a legacy_table method",
                type(problem.law).__name__,
            )

    def batches(
        self, problem: World, horizon: int, first: int, last: int, size: int
    ) -> Iterator[tuple[Pays, int, int]]:
        generator = np.random.RandomState(self.seed)
        for replication in range(last):
            values = _next_table(generator, problem, horizon)
            if replication >= first:
                yield TableRows(values[None], replication), replication, replication + 1

    def draws(
        self, problem: World, horizon: int, first: int, last: int, random_ties: bool
    ) -> MersenneDraws:
        """The generator after all tables, from which a policy draws in all replications."""
        if first > 0:
            raise ParameterError(
                "PublishedTable",
                "first_replication",
                "0 for a policy that draws, from one generator through all trials",
                first,
            )
        generator = np.random.RandomState(self.seed)
        for _ in range(last):
            _next_table(generator, problem, horizon)
        return MersenneDraws.going_on(generator, random_ties)


def _next_table(generator: np.random.RandomState, problem: World, horizon: int) -> Floats:
    assert isinstance(problem, Problem)  # `check_rewards` refuses other worlds
    shape = (horizon, problem.n_arms)
    return legacy_table(problem.law, generator, np.array(problem.means), shape)
