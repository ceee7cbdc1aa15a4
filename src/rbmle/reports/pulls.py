"""The table of how often each policy pulled each arm."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._io.text import number_text
from ..result import Result
from .content import ReportTable, TableCell, number_cell

_MOST_ARMS = 12  # columns; of more arms the rest is summed in the last column


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
    problem: Any = result.problem
    paid = [f": {number_text(float(problem.means[i]))}" if steady else "" for i in shown]
    heads = [f"arm {i + 1}{mean}" for i, mean in zip(shown, paid, strict=True)]
    columns = [mean_pulls[:, i] for i in shown]
    if rest.size:
        heads.append(f"{rest.size:,} others")
        columns.append(mean_pulls[:, rest].sum(axis=1))
    best = (ranked[shown] == 0.0) & steady
    rows: list[list[TableCell | str | float]] = []
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
