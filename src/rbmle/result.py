"""What a simulation gives back: arrays, and the table of statistics that the paper prints."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._text import html_table, labels, text_table
from .comparison import Comparison, paired_comparison
from .errors import RbmleError, integer, one_of
from .rewards.problems import Problem

QUANTILES = (0.10, 0.25, 0.50, 0.75, 0.90, 0.95)
STATISTICS = ("mean", "std", "q10", "q25", "q50", "q75", "q90", "q95")


@dataclass(frozen=True, eq=False)
class Result:
    """Regret and pulls of each policy in each replication.

    regret: (policies, replications, checkpoints), cumulative pseudo-regret at the checkpoints.
    best_pulls: the same shape, how often a best arm was pulled up to each checkpoint.
    pulls: (policies, replications, arms), numbers of pulls at the horizon.
    policies, families: what was played and what it assumed, in the order given.
    labels: what to call the policies, if not by their classes.
    rewards: where the rewards came from, as in RewardStream(seed=0), if that is known.
    first_replication: the number of the first replication.
    """

    problem: Problem
    policies: tuple[Any, ...]
    families: tuple[Any, ...]
    horizon: int
    checkpoints: NDArray[np.int64]
    regret: NDArray[np.float64]
    best_pulls: NDArray[np.int64]
    pulls: NDArray[np.int64]
    labels: tuple[str, ...] = ()
    rewards: str = ""
    first_replication: int = 0

    @property
    def final_regret(self) -> NDArray[np.float64]:
        """(policies, replications): cumulative pseudo-regret at the horizon."""
        return self.regret[:, :, -1]

    @property
    def best_share(self) -> NDArray[np.float64]:
        """(policies, replications, checkpoints): the share of the rounds that pulled a best arm."""
        return self.best_pulls / self.checkpoints

    @property
    def replications(self) -> int:
        return int(self.regret.shape[1])

    @property
    def names(self) -> tuple[str, ...]:
        """The policies' labels; or their names, with the parameters that tell namesakes apart."""
        return self.labels or labels(self.policies, self.families)

    def statistics(self) -> NDArray[np.float64]:
        """(policies, 8): mean, standard deviation (ddof 0) and quantiles of the final regret."""
        final = self.final_regret
        quantiles = np.quantile(final, QUANTILES, axis=1)
        return np.vstack([final.mean(axis=1), final.std(axis=1), quantiles]).T

    def paired(self, a: str | int, b: str | int, level: float = 0.95) -> Comparison:
        """The final regret of policy a minus that of b, on the same rewards.

        a, b: names, or places in `policies`. level: that of the confidence interval.
        """
        i, j = self._place("a", a), self._place("b", b)
        final = self.final_regret
        return paired_comparison(self.names[i], self.names[j], final[i], final[j], level)

    def _place(self, parameter: str, given: str | int) -> int:
        if isinstance(given, str):
            return self.names.index(one_of("paired", parameter, given, self.names))
        return integer("paired", parameter, given, f"[0, {len(self.policies) - 1}]")

    def comparisons(self, level: float = 0.95) -> list[Comparison]:
        """All pairs of policies, each with the one that has less mean regret first."""
        order = [int(each) for each in np.argsort(self.final_regret.mean(axis=1), kind="stable")]
        return [self.paired(a, b, level) for a, b in combinations(order, 2)]

    def compare(self, level: float = 0.95) -> str:
        """All pairs of policies as a table."""
        rows = [
            (
                f"{each.a} - {each.b}",
                [f"{x:.1f}" for x in (each.difference, each.low, each.high)]
                + [f"{x:.0%}" for x in (each.won, each.tied)],
            )
            for each in self.comparisons(level)
        ]
        title = f"Difference of final regret on the same rewards, with its {level:.4g} interval"
        return f"{title}\n" + text_table(("mean", "low", "high", "won", "tied"), rows)

    @property
    def title(self) -> str:
        return (
            f"Final regret: {self.problem.n_arms} arms, {type(self.problem.law).__name__}, "
            f"T = {self.horizon}, {self.replications} replications"
        )

    def _rows(self) -> list[tuple[str, list[str]]]:
        pairs = zip(self.names, self.statistics(), strict=True)
        return [(name, [f"{value:.1f}" for value in values]) for name, values in pairs]

    def summary(self) -> str:
        """The statistics of the final regret as a table, one row a policy."""
        return f"{self.title}\n" + text_table(STATISTICS, self._rows())

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return html_table(self.title, STATISTICS, self._rows())

    def plot(self) -> Any:
        """The regret curves, as a matplotlib figure."""
        try:
            # Here, and not above: results never need figures.
            from .figures import draw_regret_curves, regret_curves
        except ImportError as problem:
            raise RbmleError(
                "Result.plot: matplotlib is not installed; the extra rbmle[report] has it."
            ) from problem
        return draw_regret_curves(regret_curves(self))
