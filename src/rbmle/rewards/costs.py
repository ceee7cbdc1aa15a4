"""`Costs`: a problem in which a pull costs something that is seen only with its reward."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._numba.compile import Floats
from ..errors import ParameterError, number
from ..families import Law
from ..random import COST_LANE, Cell, key
from .problems import Problem, as_numbers, means_text, reward_source


@reward_source
class CostSource(NamedTuple):
    """Rewards and costs. chances: with which a pull of each arm costs the largest, else nothing."""

    law: Law
    means: Floats
    chances: Floats
    largest: float
    key0: int
    key1: int

    def reward(self, replication: int, t: int, i: int) -> float:
        return self.law.sample(self.means[i], Cell(self.key0, self.key1, replication, t, i))

    def cost(self, replication: int, t: int, i: int) -> float:
        cell = Cell(self.key0, self.key1, replication, t, COST_LANE + i)
        return self.largest if cell.uniform(0) < self.chances[i] else 0.0


@dataclass(frozen=True, eq=False)
class Costs(Problem):
    """A problem whose costs are seen with the rewards, for `Priced(policy, Seen(largest), ...)`.

    problem: a `Problem`. costs: the mean cost of each arm. largest: a pull costs this or nothing,
    which of all laws of costs in [0, largest] with these means varies the most.

    >>> dear = Costs(Problem("bernoulli", [0.5, 0.9]), costs=[1, 3], largest=10)
    >>> sum(dear.source(1, 1_000).cost(0, t, 1) for t in range(1_000)) / 1_000
    2.72
    """

    costs: Floats
    largest: float

    def __init__(self, problem: Problem, costs: ArrayLike, largest: float) -> None:
        super().__init__(problem.law, problem.means)
        means = as_numbers("Costs", "costs", costs)
        if means.shape != problem.means.shape:
            raise ParameterError("Costs", "costs", f"{problem.n_arms} numbers", costs)
        largest = number("Costs", "largest", largest, "(0, inf)")
        for each in means.tolist():
            number("Costs", "costs", each, f"[0, {largest}]")
        vars(self).update(costs=means, largest=largest)

    def source(self, seed: int, horizon: int) -> Any:
        means = np.array(self.means)
        return CostSource(self.law, means, self.costs / self.largest, self.largest, *key(seed))

    def described(self) -> dict[str, str]:
        return {**super().described(), "Mean costs": means_text(self.costs)}

    def identity(self) -> Hashable:
        return super().identity(), self.costs.tobytes(), self.largest
