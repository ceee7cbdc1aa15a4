"""What was played, for a section: the problem, the policies, rounds, replications and rewards."""

from __future__ import annotations

import re

from .._io.text import without_defaults
from ..result import Result
from .content import Cells, ReportTable, TableCell


def facts_of(result: Result) -> dict[str, str]:
    """The problem and the run as pairs of a word and its value."""
    problem = result.problem
    facts = {
        "Rewards": without_defaults(problem.law),
        "Arms": f"{problem.n_arms:,}",
        **problem.described(),
        "Rounds T": f"{result.horizon:,}",
        "Replications": f"{result.replications:,}",
    }
    if result.special_evidence is not None:
        facts["Evidence"] = without_defaults(result.special_evidence)
    if result.delay is not None:
        facts["Rewards come"] = without_defaults(result.delay)
    seed = re.search(r"seed=(\d+)", result.rewards)
    if seed:
        facts["Seed"] = f"{int(seed[1])} ({result.rewards.partition('(')[0]})"
    return facts


def policies_table(result: Result) -> ReportTable:
    """The table of all policies with their parameters and the families they assume."""
    rows: list[Cells] = [
        [TableCell(name), str(policy), without_defaults(family)]
        for name, policy, family in zip(result.names, result.policies, result.families, strict=True)
    ]
    return ReportTable(
        ("policy", "as it was played", "assumes"), rows, title="Policies and their parameters"
    )
