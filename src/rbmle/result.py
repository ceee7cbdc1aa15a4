"""What a simulation gives back: arrays, and the table of statistics that the paper prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .problems import Problem

QUANTILES = (0.10, 0.25, 0.50, 0.75, 0.90, 0.95)
STATISTICS = ("mean", "std", "q10", "q25", "q50", "q75", "q90", "q95")


@dataclass(frozen=True, eq=False)
class Result:
    """Regret and pulls of each policy in each replication.

    regret: (policies, replications, checkpoints), cumulative pseudo-regret at the checkpoints.
    best_pulls: the same shape, how often a best arm was pulled up to each checkpoint.
    pulls: (policies, replications, arms), numbers of pulls at the horizon.
    policies, families: what was played and what it assumed, in the order given.
    """

    problem: Problem
    policies: tuple[Any, ...]
    families: tuple[Any, ...]
    horizon: int
    checkpoints: NDArray[np.int64]
    regret: NDArray[np.float64]
    best_pulls: NDArray[np.int64]
    pulls: NDArray[np.int64]

    @property
    def final_regret(self) -> NDArray[np.float64]:
        """(policies, replications): cumulative pseudo-regret at the horizon."""
        return self.regret[:, :, -1]

    @property
    def replications(self) -> int:
        return int(self.regret.shape[1])

    @property
    def names(self) -> tuple[str, ...]:
        """The policies' names, with the parameters that tell namesakes apart."""
        plain = [type(policy).__name__ for policy in self.policies]
        pairs = zip(plain, self.policies, strict=True)
        return tuple(
            name if plain.count(name) == 1 else f"{name}{tuple(policy)!r}" for name, policy in pairs
        )

    def statistics(self) -> NDArray[np.float64]:
        """(policies, 8): mean, standard deviation (ddof 0) and quantiles of the final regret."""
        final = self.final_regret
        quantiles = np.quantile(final, QUANTILES, axis=1)
        return np.vstack([final.mean(axis=1), final.std(axis=1), quantiles]).T

    def summary(self) -> str:
        """The statistics of the final regret as a table, one row a policy."""
        width = max(6, *(len(name) for name in self.names))
        head = f"{'':{width}}" + "".join(f"{name:>10}" for name in STATISTICS)
        rows = [
            f"{name:{width}}" + "".join(f"{value:10.1f}" for value in values)
            for name, values in zip(self.names, self.statistics(), strict=True)
        ]
        title = (
            f"Final regret: {self.problem.n_arms} arms, {type(self.problem.law).__name__}, "
            f"T = {self.horizon}, {self.replications} replications"
        )
        return "\n".join([title, head, *rows])

    def __repr__(self) -> str:
        return self.summary()
