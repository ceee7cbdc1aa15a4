"""What was played, for a section: the problem, the policies, rounds, replications and rewards."""

from __future__ import annotations

import re

from .._text import count_text, number_text, power_text, without_defaults
from ..result import Result
from .content import ReportTable, TableCell

_MOST_MEANS = 24  # listed one by one; the rest is counted


def facts_of(result: Result) -> dict[str, str]:
    """The problem and the run as pairs of a word and its value."""
    problem = result.problem
    facts = {
        "Rewards": without_defaults(problem.law),
        "Arms": f"{problem.n_arms:,}",
        "Means": _means(result),
        "Rounds T": f"{result.horizon:,}",
        "Replications": f"{result.replications:,}",
    }
    seed = re.search(r"seed=(\d+)", result.rewards)
    if seed:
        facts["Seed"] = f"{int(seed[1])} ({result.rewards.partition('(')[0]})"
    return facts


def _means(result: Result) -> str:
    """The arms' means in their order; of many arms the first 24, the count and the largest mean."""
    means = [power_text(f"{each:.6g}") for each in result.problem.means]
    if len(means) <= _MOST_MEANS:
        return ", ".join(means)
    best = float(result.problem.means.max())
    shown = ", ".join(means[:_MOST_MEANS])
    left = count_text(len(means) - _MOST_MEANS, "more", "more")
    return f"{shown} and {left}; the largest is {number_text(best)}"


def policies_table(result: Result) -> ReportTable:
    """The table of all policies with their parameters and the families they assume."""
    rows: list[list[TableCell | str | float]] = [
        [TableCell(name), str(policy), without_defaults(family)]
        for name, policy, family in zip(result.names, result.policies, result.families, strict=True)
    ]
    return ReportTable(
        ("policy", "as it was played", "assumes"), rows, title="Policies and their parameters"
    )
