"""Comparisons of two policies on the same rewards: the difference of regret and its confidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from math import cbrt, expm1, inf, isfinite, log, sqrt
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ._io.text import html_table, number_text, text_table
from .errors import number
from .special import beta_quantile_upper


class Comparison(NamedTuple):
    """The final regret of policy `a` minus that of policy `b`, replication by replication.

    difference: the mean of the difference; if it is negative, `a` has less regret.
    low, high: the confidence interval of the mean (`paired_comparison` says what it assumes).
    won, tied: the shares of replications in which `a` has less regret, and the same regret.
    unseen: what could be added to the mean by an event so rare that no replication shows it.
    """

    a: str
    b: str
    difference: float
    low: float
    high: float
    won: float
    tied: float
    unseen: float = 0.0

    @property
    def clear(self) -> bool:
        """Whether the confidence interval, widened by `unseen` at both ends, does not contain 0."""
        return self.low > self.unseen or self.high < -self.unseen


def t_quantile(level: float, freedom: float) -> float:
    """Student's t quantile for a two-sided interval: P(|T| > t) = 1 - level.

    freedom: the degrees of freedom. P(|T| > t) = I_x(freedom/2, 1/2) with
    x = freedom / (freedom + t^2).

    >>> round(t_quantile(0.95, 10.0), 9)
    2.228138852
    """
    x = beta_quantile_upper(level, 0.5 * freedom, 0.5)
    return sqrt(freedom * (1.0 - x) / x)


def hall_end(t: float, skew: float) -> float:
    """The T at which P. Hall's transformation (J. R. Statist. Soc. B 54 (1992) 221-228),

        T + r (T^2 / 3 + 1/6) + r^2 T^3 / 27,    r = skew,

    is t; T is the mean's error in standard errors, skew the skewness of a mean of n, gamma/sqrt(n).
    It corrects Student's T for skewness up to 1/n, and rises in T, so that it has an inverse.
    """
    if abs(skew) < 1e-6:  # below it the inverse cancels, and its first terms suffice
        return t - skew * (t * t / 3.0 + 1.0 / 6.0)
    return 3.0 * (cbrt(1.0 + skew * (t - skew / 6.0)) - 1.0) / skew


def paired_comparison(
    a: str,
    b: str,
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    level: float = 0.95,
    worst: float | None = None,
) -> Comparison:
    """The comparison of the final regrets of a (first) and b (second) in the same replications.

    Each end of the interval is that of Student's t interval for the mean of the paired differences
    or, if it is farther out, of Hall's, which corrects for skewness. For a single replication it is
    the whole line. It assumes that what makes the difference has happened in the sample, some four
    times or more. A disaster of probability p, such as losing the best arm, is missing in n
    replications with probability (1 - p)^n, and then no interval that is computed from them alone
    can know of it: docs/reference/studies.md has coverages. So `clear` asks for more. With
    probability (1 - level) / 2 or more an event of probability up to 1 - ((1 - level) / 2)^(1/n) is
    missed; it can move the mean by as much times `worst`, which is `unseen`.

    worst: the largest final regret that is possible; by default the largest in both samples.
    """
    level = number("paired", "level", level, "(0, 1)")
    differences = first - second
    n, mean = differences.size, float(differences.mean())
    below = above = inf
    if n > 1:
        error = float(differences.std(ddof=1)) / sqrt(n)
        t, skew = t_quantile(level, n - 1.0), 0.0
        if error > 0.0:
            skew = float((((differences - mean) / (error * n)) ** 3).sum())
        below = max(t, hall_end(t, skew)) * error
        above = max(t, -hall_end(-t, skew)) * error
    won, tied = float((differences < 0.0).mean()), float((differences == 0.0).mean())
    if worst is None:
        worst = float(max(first.max(), second.max()))
    unseen = -expm1(log(0.5 * (1.0 - level)) / n) * worst
    return Comparison(a, b, mean, mean - below, mean + above, won, tied, unseen)


COMPARED = ("mean", "low", "high", "won", "tied")


@dataclass(frozen=True)
class ComparisonTable:
    """The comparisons of pairs of policies on one problem; it prints, and shows in a notebook.

    rows: a `Comparison` for each pair. level: of the confidence intervals.
    """

    rows: tuple[Comparison, ...]
    level: float

    @property
    def title(self) -> str:
        """The title of the table."""
        words = "Difference of final regret on the same rewards"
        if any(not isfinite(each.high - each.low) for each in self.rows):
            return f"{words} (one replication: no spread, so no interval)"
        return f"{words}, with its {self.level:.4g} interval"

    def cells(self) -> list[tuple[str, list[str]]]:
        """The rows as text: (pair, cells)."""
        return [
            (
                f"{each.a} - {each.b}",
                [number_text(each.difference)]
                + [number_text(x) if isfinite(x) else "-" for x in (each.low, each.high)]
                + [f"{x:.0%}" for x in (each.won, each.tied)],
            )
            for each in self.rows
        ]

    def __iter__(self) -> Iterator[Comparison]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: int) -> Comparison:
        return self.rows[place]

    def __str__(self) -> str:
        return f"{self.title}\n{text_table(COMPARED, self.cells())}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self.title, COMPARED, self.cells())


@dataclass(frozen=True)
class StudyComparison:
    """The comparisons of a study: a `ComparisonTable` for each problem, by its name."""

    tables: Mapping[str, ComparisonTable]

    @property
    def rows(self) -> tuple[tuple[str, Comparison], ...]:
        """All comparisons, as (problem, comparison)."""
        return tuple((name, each) for name, table in self.tables.items() for each in table)

    def __iter__(self) -> Iterator[tuple[str, Comparison]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, problem: str) -> ComparisonTable:
        return self.tables[problem]

    def __str__(self) -> str:
        return "\n\n".join(f"{name}\n{table}" for name, table in self.tables.items())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return titled_html(self.tables)


class Shown(Protocol):
    """What a notebook shows as HTML."""

    def _repr_html_(self) -> str: ...


def titled_html(tables: Mapping[str, Shown]) -> str:
    """Tables for a notebook, each below its name."""
    return "".join(f"<h4>{escape(name)}</h4>{x._repr_html_()}" for name, x in tables.items())
