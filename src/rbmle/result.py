"""`Result`: what a simulation returns, with its table of statistics, data frames and figures."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ._io.machine import not_installed
from ._io.text import count_text, html_table, labels, number_text, text_table, without_defaults
from ._records.record import Record, is_record
from .comparison import Comparison, ComparisonTable, paired_comparison
from .errors import ParameterError, Words, integer, number, one_of
from .evidence import Counting, Evidence
from .families import Family
from .rewards.problems import World

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from pandas import DataFrame

Column: TypeAlias = NDArray[np.float64] | NDArray[np.int64]  # of a data frame

QUANTILES = (0.10, 0.25, 0.50, 0.75, 0.90, 0.95)
STATISTICS = ("mean", "std", "q10", "q25", "q50", "q75", "q90", "q95")


@dataclass(frozen=True, eq=False)
class Result:
    """The result of a simulation: regret and pulls of each policy in each replication.

    regret: (policies, replications, checkpoints), the cumulative pseudo-regret at each checkpoint.
    best_pulls: of the same shape, how often a best arm was pulled up to each checkpoint.
    pulls: (policies, replications, arms), the number of pulls of each arm at the horizon.
    policies, families: the policies and the families they assumed, in the order given.
    labels: names for the policies, if the user gave some.
    rewards: the source of the rewards as text, such as "RewardStream(seed=0)", if it is known.
    first_replication: the number of the first replication.
    evidence, delay: what an arm's past was worth, None for `Counting()`; when rewards came, None
    for at once.

    In a world that changes, regret is dynamic: against the best arm of each round; and
    `best_pulls` are pulls of the arm that was best in its round. `Replay` says what both are there.

        coins = rbmle.Problem("bernoulli", [0.3, 0.5, 0.6])
        result = rbmle.simulate(coins, ["rbmle", "ucb"], horizon=1_000, replications=50)
        result.final_regret.mean(axis=1)  # of each policy
        print(result.compare())
        result.plot(path="regret.svg")
    """

    problem: World
    policies: tuple[Record, ...]
    families: tuple[Family, ...]
    horizon: int
    checkpoints: NDArray[np.int64]
    regret: NDArray[np.float64]
    best_pulls: NDArray[np.int64]
    pulls: NDArray[np.int64]
    labels: tuple[str, ...] = ()
    rewards: str = ""
    first_replication: int = 0
    evidence: Evidence | None = None
    delay: Record | None = None

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
        """The number of replications."""
        return int(self.regret.shape[1])

    @property
    def names(self) -> tuple[str, ...]:
        """The policies' labels; or the names of their classes, with what is not their default."""
        return self.labels or labels(self.policies, self.families)

    def statistics(self) -> NDArray[np.float64]:
        """(policies, 8): mean, standard deviation (ddof 0) and quantiles of the final regret."""
        final = self.final_regret
        quantiles = np.quantile(final, QUANTILES, axis=1)
        return np.vstack([final.mean(axis=1), final.std(axis=1), quantiles]).T

    def standard_errors(self) -> NDArray[np.float64]:
        """(policies,): the standard error of the mean final regret, std (ddof 1) / sqrt(n).

        It is NaN for one replication, which says nothing about the error of its mean.
        """
        if self.replications == 1:
            return np.full(len(self.policies), np.nan)
        spread = self.final_regret.std(axis=1, ddof=1)
        return np.asarray(spread / np.sqrt(self.replications))

    def places(self, owner: str, wanted: Sequence[str | int] | str | None) -> list[int]:
        """The places in `policies` of the policies that are wanted.

        wanted: names or places; None for all. owner: the function that an error message names.
        """
        if wanted is None:
            return list(range(len(self.policies)))
        listed = [wanted] if isinstance(wanted, (str, int)) else wanted
        if not isinstance(listed, Iterable) or not (listed := list(listed)):
            some = ", ".join(map(repr, self.names))
            raise ParameterError(owner, "policies", f"a list of some of {some}", wanted)
        return list(dict.fromkeys(self._place(owner, "policies", each) for each in listed))

    def _place(self, owner: str, parameter: str, given: str | int) -> int:
        if isinstance(given, str):
            return self.names.index(one_of(owner, parameter, given, self.names))
        return integer(owner, parameter, given, f"[0, {len(self.policies) - 1}]")

    def paired(self, a: str | int, b: str | int, level: float = 0.95) -> Comparison:
        """The final regret of policy a minus the final regret of policy b, on the same rewards.

        a, b: names, or places in `policies`. level: of the confidence interval, in (0, 1).
        """
        i, j = self._place("paired", "a", a), self._place("paired", "b", b)
        final, gaps = self.final_regret, self.problem.fixed_gaps
        worst = float(final.max() if gaps is None else self.horizon * gaps.max())
        return paired_comparison(self.names[i], self.names[j], final[i], final[j], level, worst)

    def comparisons(self, level: float = 0.95) -> list[Comparison]:
        """The comparisons of all pairs of policies; the one with less mean regret comes first."""
        order = [int(each) for each in np.argsort(self.final_regret.mean(axis=1), kind="stable")]
        return [self.paired(a, b, level) for a, b in combinations(order, 2)]

    def compare(self, level: float = 0.95) -> ComparisonTable:
        """The comparisons of all pairs of policies as a table."""
        level = number("compare", "level", level, "(0, 1)")
        return ComparisonTable(tuple(self.comparisons(level)), level)

    @property
    def title(self) -> str:
        """The title of the table of statistics."""
        played = count_text(self.replications, "replication")
        spread = "one has no spread" if self.replications == 1 else "std has ddof 0"
        parts = [count_text(self.problem.n_arms, "arm"), type(self.problem.law).__name__]
        what = ", ".join([*parts, *self.special()])
        measure = "Regret of a row that counts" if self.problem.replays else "Final regret"
        return f"{measure}: {what}, T = {self.horizon:,}, {played} ({spread})"

    @property
    def special_evidence(self) -> Record | None:
        """The evidence; None if every pull counts."""
        given = self.evidence
        return given if is_record(given) and not isinstance(given, Counting) else None

    def special(self) -> list[str]:
        """What is not as usual, in a few words each: how the world changes, evidence, delay."""
        played = [each for each in (self.special_evidence, self.delay) if each is not None]
        words = [self.problem.words(), *map(without_defaults, played)]
        return [each for each in words if each]

    def cells(self) -> list[tuple[str, list[str]]]:
        """The rows of the table of statistics as text: (name, cells) for each policy."""
        numbers = [list(map(number_text, values)) for values in self.statistics()]
        if self.replications == 1:
            for row in numbers:
                row[STATISTICS.index("std")] = "-"
        return list(zip(self.names, numbers, strict=True))

    def summary(self) -> str:
        """The statistics of the final regret as a text table, one row for each policy."""
        table = f"{self.title}\n" + text_table(STATISTICS, self.cells())
        return Words("\n".join(filter(None, [table, self.note()])))

    def note(self) -> str:
        """What the world says of the policies: the mean reward of each in a `Replay`."""
        return self.problem.note(self.names, self.final_regret, self.pulls)

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return html_table(self.title, STATISTICS, self.cells())

    def frame(self) -> DataFrame:
        """A pandas DataFrame with a row for each policy, replication and checkpoint."""
        return tidy("Result.frame", self.names, self._numbers(), self.over_time())

    def final(self) -> DataFrame:
        """A pandas DataFrame with a row for each policy and replication."""
        return tidy("Result.final", self.names, self._numbers(), self.at_the_end())

    def _numbers(self) -> NDArray[np.int64]:
        return self.first_replication + np.arange(self.replications)

    def over_time(self) -> dict[str, Column]:
        """The columns of `frame`: round, regret and share of best pulls at every checkpoint."""
        return {
            "round": np.broadcast_to(self.checkpoints, self.regret.shape),
            "regret": self.regret,
            "best_share": self.best_share,
        }

    def at_the_end(self) -> dict[str, Column]:
        """The columns of `final`: regret, best pulls and their share at the horizon."""
        return {
            "final_regret": self.final_regret,
            "best_pulls": self.best_pulls[:, :, -1],
            "best_share": self.best_share[:, :, -1],
        }

    def plot(
        self,
        ax: Axes | None = None,
        *,
        policies: Sequence[str | int] | str | None = None,
        log_time: bool = False,
        log_regret: bool | None = None,
        bounds: bool = True,
        band: tuple[float, float] = (0.1, 0.9),
        path: str | os.PathLike[str] | None = None,
    ) -> Any:
        """Regret over time: mean and band of quantiles of each policy, and the lower bound.

        ax: matplotlib axes to draw in, which are returned; without them a new figure is returned.
        policies: names or places of the policies to show; by default all.
        log_time, log_regret: whether the axes are logarithmic. By default (None) the axis of regret
        is, if a linear one would flatten half of the curves.
        bounds: whether to draw Lai and Robbins' lower bound, if there is one.
        band: the two quantiles between which the band is drawn.
        path: a file to write the figure to: .svg, .pdf or .png.
        """
        with figures_for("Result.plot") as figures:
            record = figures.regret_curves(self, band, bounds, policies)
            drawn = figures.draw_regret_curves(record, log_time, log_regret, ax)
            return finished_figure(figures, drawn, ax, path)

    def plot_box(
        self,
        ax: Axes | None = None,
        *,
        policies: Sequence[str | int] | str | None = None,
        log_regret: bool | None = None,
        path: str | os.PathLike[str] | None = None,
    ) -> Any:
        """Box plots of final regret, the smallest median first; parameters as in `plot`."""
        with figures_for("Result.plot_box") as figures:
            record = figures.final_regret(self, policies)
            drawn = figures.draw_final_regret(record, log_regret, ax)
            return finished_figure(figures, drawn, ax, path)

    def plot_shares(
        self,
        ax: Axes | None = None,
        *,
        policies: Sequence[str | int] | str | None = None,
        log_time: bool = True,
        path: str | os.PathLike[str] | None = None,
    ) -> Any:
        """The share of pulls of the best arm over time; parameters as in `plot`."""
        with figures_for("Result.plot_shares") as figures:
            record = figures.best_arm_share(self, policies)
            drawn = figures.draw_best_arm_share(record, log_time, ax)
            return finished_figure(figures, drawn, ax, path)


@contextmanager
def figures_for(owner: str) -> Iterator[ModuleType]:
    """The module `rbmle.figures`, imported only when a figure is asked for. Errors about parameters
    name the method that was called."""
    try:
        import rbmle.figures as figures
    except ImportError as problem:
        raise not_installed(owner, "matplotlib", "report") from problem
    try:
        yield figures
    except ParameterError as mistake:
        raise mistake.of(owner.rpartition(".")[2]) from None


def finished_figure(
    figures: ModuleType, drawn: Figure, ax: Axes | None, path: str | os.PathLike[str] | None
) -> Any:
    """Write the figure to the path, if there is one; return the user's axes, or the figure."""
    if path is not None:
        figures.save(drawn if ax is None else ax.get_figure(root=True), path)
    return drawn if ax is None else ax


def pandas_for(owner: str) -> ModuleType:
    """The module pandas; if it is not installed, the error says how to install it."""
    try:
        return importlib.import_module("pandas")
    except ModuleNotFoundError:
        raise not_installed(owner, "pandas", "data") from None


def tidy(
    owner: str,
    names: Sequence[str],
    numbers: NDArray[np.int64],
    columns: Mapping[str, Column],
) -> DataFrame:
    """A tidy pandas DataFrame: one row for each entry of arrays (policies, replications, ...).

    owner: the function that an error message names. names: of the policies. numbers: of the
    replications. columns: the arrays by name, all of one shape.
    """
    pandas = pandas_for(owner)
    shape = next(iter(columns.values())).shape
    places = np.indices(shape).reshape(len(shape), -1)
    return pandas.DataFrame(
        {
            "policy": pandas.Categorical.from_codes(places[0], list(names)),
            "replication": numbers[places[1]],
            **{name: values.reshape(places.shape[1]) for name, values in columns.items()},
        }
    )
