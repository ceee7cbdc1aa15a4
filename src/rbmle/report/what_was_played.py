"""What a section says was played: the problem, the policies, how long, how often, which rewards."""

from __future__ import annotations

import re

from .._text import count_text, number_text, power_text, without_defaults
from ..result import Result
from .content import ReportTable, TableCell

_MOST_MEANS = 24  # means that are listed one by one


def facts_of(result: Result) -> dict[str, str]:
    """The problem and the run, in pairs of a word and what there is to say."""
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
    """The arms' means as they were given; of very many, the largest and how many there are."""
    means = [power_text(f"{each:.6g}") for each in result.problem.means]
    if len(means) <= _MOST_MEANS:
        return ", ".join(means)
    best = float(result.problem.means.max())
    shown = ", ".join(means[:_MOST_MEANS])
    left = count_text(len(means) - _MOST_MEANS, "more", "more")
    return f"{shown} and {left}; the largest is {number_text(best)}"


def policies_table(result: Result) -> ReportTable:
    """Every policy with its parameters, and the family it assumes."""
    rows: list[list[TableCell | str | float]] = [
        [TableCell(name), str(policy), without_defaults(family)]
        for name, policy, family in zip(result.names, result.policies, result.families, strict=True)
    ]
    return ReportTable(
        ("policy", "as it was played", "assumes"), rows, title="Policies and their parameters"
    )
