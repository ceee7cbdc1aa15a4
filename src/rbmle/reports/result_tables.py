"""The tables of a result: final regret, differences on the same rewards, pulls of each arm."""

from __future__ import annotations

from math import isfinite, nan

import numpy as np

from .._io.text import number_text
from ..result import STATISTICS, Result
from ..rewards.problems import Problem
from .content import Cells, ReportTable, TableCell, number_cell

_NONE = TableCell("-", nan)
_MOST_ARMS = 12  # columns; of more arms the rest is summed in the last column


def statistics_table(result: Result) -> ReportTable:
    """The table of the final regret: mean and its standard error, standard deviation, quantiles."""
    values = result.statistics()
    least = values.min(axis=0)
    alone = result.replications == 1
    rows = []
    for name, row, error in zip(result.names, values, result.standard_errors(), strict=True):
        cells = [
            number_cell(value, best=bool(value == low))
            for value, low in zip(row, least, strict=True)
        ]
        if alone:
            cells[1] = _NONE
        rows.append([TableCell(name), cells[0], number_cell(error), *cells[1:]])
    caption = "Final regret. Bold: the least of its column. " + (
        "One replication has no spread: neither std nor s.e."
        if alone
        else "s.e.: the standard error of the mean, from the standard deviation with ddof 1; std: "
        "the standard deviation with ddof 0."
    )
    mean, *others = STATISTICS
    return ReportTable(("policy", mean, "s.e.", *others), rows, caption, "Final regret")


def differences_table(result: Result, level: float = 0.95) -> ReportTable | None:
    """A row for each pair of policies, the better one first; None if there is only one policy."""
    pairs = result.compare(level)
    if not len(pairs):
        return None
    head = ("pair", "difference", "low", "high", "won", "tied")
    rows: list[Cells] = []
    for each in pairs:
        ends = [number_cell(x) if isfinite(x) else _NONE for x in (each.low, each.high)]
        note = f"{each.a} has {number_text(-each.difference)} less regret than {each.b} on average"
        rows.append(
            [
                TableCell(f"{each.a} \N{MINUS SIGN} {each.b}"),
                number_cell(each.difference, best=each.clear, note=note),
                *ends,
                *(TableCell(f"{x:.0%}", x) for x in (each.won, each.tied)),
            ]
        )
    caption = (
        "Final regret of the first minus that of the second, replication by replication on the "
        "same rewards: the mean, "
    )
    caption += (
        "without an interval, since one replication has no spread"
        if result.replications == 1
        else f"its {level:.0%} interval (Student's), bold where that leaves 0 out"
    )
    caption += "; won and tied: shares of the replications."
    return ReportTable(head, rows, caption, "Differences on the same rewards")


def pulls_table(result: Result) -> ReportTable:
    """Mean pulls of each arm up to the horizon; the arms with the largest means come first.

    Where means change, arms are in their order.
    """
    gaps, mean_pulls = result.problem.fixed_gaps, result.pulls.mean(axis=1)
    steady = gaps is not None
    ranked = np.zeros(result.problem.n_arms) if gaps is None else gaps
    order = np.argsort(ranked, kind="stable")
    shown = order if order.size <= _MOST_ARMS else order[: _MOST_ARMS - 1]
    rest = order[shown.size :]
    heads = [f"arm {i + 1}" for i in shown]
    if isinstance(result.problem, Problem):
        means = result.problem.means
        heads = [f"{head}: {number_text(means[i])}" for head, i in zip(heads, shown, strict=True)]
    columns = [mean_pulls[:, i] for i in shown]
    if rest.size:
        heads.append(f"{rest.size:,} others")
        columns.append(mean_pulls[:, rest].sum(axis=1))
    best = (ranked[shown] == 0.0) & steady
    rows: list[Cells] = []
    for place, name in enumerate(result.names):
        cells = [
            number_cell(float(column[place]), best=bool(rank < best.size and best[rank]))
            for rank, column in enumerate(columns)
        ]
        rows.append([TableCell(name), *cells])
    caption = f"Mean over replications of the pulls up to T = {result.horizon:,}" + (
        "; under each arm its mean reward, the best first. Bold: a best arm." if steady else "."
    )
    return ReportTable(("policy", *heads), rows, caption, "Pulls of each arm")
