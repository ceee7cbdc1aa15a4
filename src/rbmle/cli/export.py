"""A run in other programs' formats."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

from ..result import STATISTICS
from .tables import result_data


def as_csv(result: Any) -> str:
    """One line for each policy, replication and checkpoint."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(["problem", "policy", "replication", "round", "regret", "best_share"])
    for problem, each in result.results.items():
        numbers = result.replications[problem]
        for p, policy in enumerate(each.names):
            for r, number in enumerate(numbers):
                for c, t in enumerate(each.checkpoints):
                    regret, share = each.regret[p, r, c], each.best_share[p, r, c]
                    writer.writerow(
                        [
                            problem,
                            policy,
                            int(number),
                            int(t),
                            repr(float(regret)),
                            repr(float(share)),
                        ]
                    )
    return lines.getvalue()


def as_latex(result: Any) -> str:
    """A table as the paper prints them for each problem, the least of each row in bold."""
    return "\n".join(_latex(name, each) for name, each in result.results.items())


def as_json(result: Any) -> str:
    """The study and the statistics."""
    data = {
        "study": result.study.to_dict(),
        "digest": result.study.digest,
        "results": {name: result_data(each) for name, each in result.results.items()},
    }
    return json.dumps(data, indent=1) + "\n"


def _latex(name: str, result: Any) -> str:
    values = result.statistics()
    head = " & ".join(["", *(_escape(each) for each in result.names)])
    lines = [
        f"% {_escape(name)}: {result.title}",
        f"\\begin{{tabular}}{{l{'r' * len(result.names)}}}",
        "\\toprule",
        f"{head} \\\\",
        "\\midrule",
    ]
    for statistic, column in zip(STATISTICS, values.T, strict=True):
        cells = [f"\\textbf{{{x:.1f}}}" if x == column.min() else f"{x:.1f}" for x in column]
        lines.append(" & ".join([statistic, *cells]) + " \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def _escape(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text)


WRITERS: dict[str, Callable[[Any], str]] = {"csv": as_csv, "latex": as_latex, "json": as_json}
