"""A run in other programs' formats."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from .._text import with_error
from ..result import STATISTICS, Result
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
    """A table for each problem: policies as rows, mean and standard error, the least mean bold."""
    return "\n".join(_latex(name, each) for name, each in result.results.items())


def as_json(result: Any) -> str:
    """The study and the statistics."""
    data = {
        "study": result.study.to_dict(),
        "digest": result.study.digest,
        "results": {name: result_data(each) for name, each in result.results.items()},
    }
    return json.dumps(data, indent=1) + "\n"


def _latex(name: str, result: Result) -> str:
    values, errors = result.statistics(), result.standard_errors()
    mean, *others = STATISTICS
    head = ["policy", f"{mean} $\\pm$ s.e.", *others]
    lines = [
        f"% {_comment(name)}: {result.title}; s.e. is that of the mean, with ddof 1",
        f"\\begin{{tabular}}{{l{'r' * len(STATISTICS)}}}",
        "\\toprule",
        " & ".join(head) + " \\\\",
        "\\midrule",
    ]
    least = values[:, 0].min()
    for (label, (first, *rest)), row, error in zip(result.cells(), values, errors, strict=True):
        shown, spread = (first, "") if np.isnan(error) else with_error(row[0], error)
        bold = f"\\textbf{{{shown}}}" if row[0] == least else shown
        cell = f"{bold} $\\pm$ {spread}" if spread else bold
        lines.append(" & ".join([_escape(label), cell, *rest]) + " \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


def _comment(text: str) -> str:
    return " ".join(text.split())


def _escape(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text)


WRITERS: dict[str, Callable[[Any], str]] = {"csv": as_csv, "latex": as_latex, "json": as_json}
