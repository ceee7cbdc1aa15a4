"""A run as CSV, LaTeX or JSON, yielded in parts so that a long file is never whole in memory."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Iterator

import numpy as np

from .._io.files import write_atomically
from .._io.text import with_error
from ..errors import one_of
from ..result import STATISTICS, Result
from ..rewards.problems import Problem
from ..rewards.table_worlds import Replay
from ..spec import to_spec
from .file import Data, world_data
from .study_result import StudyResult


def export(result: StudyResult, format: str = "csv") -> Iterator[str]:
    """The run as text, in parts.

    format: "csv" has every replication, "latex" a table for each problem, "json" the study and its
    statistics.
    """
    return WRITERS[one_of("export", "format", format, WRITERS)](result)


def export_to(result: StudyResult, format: str, path: str | os.PathLike[str]) -> None:
    """Write the exported run to a file; a failure leaves no half-written file behind."""
    write_atomically(path, (part.encode() for part in export(result, format)))


def as_csv(result: StudyResult) -> Iterator[str]:
    """One line for each policy, replication and checkpoint."""
    yield "problem,policy,replication,round,regret,best_share\n"
    for problem, each in result.results.items():
        rounds = each.checkpoints.tolist()
        for p, policy in enumerate(each.names):
            line = io.StringIO()  # quoted where CSV requires it
            csv.writer(line, lineterminator="").writerow([problem, policy])
            start = line.getvalue()
            for r, number in enumerate(result.replications[problem].tolist()):
                regret = each.regret[p, r].tolist()
                share = (each.best_pulls[p, r] / each.checkpoints).tolist()
                yield "".join(
                    f"{start},{number},{t},{x!r},{y!r}\n"
                    for t, x, y in zip(rounds, regret, share, strict=True)
                )


def as_latex(result: StudyResult) -> Iterator[str]:
    """A table for each problem: for each policy mean and standard error, the least mean bold."""
    yield "\n".join(_latex(name, each) for name, each in result.results.items())


def as_json(result: StudyResult) -> Iterator[str]:
    """The study, its digest, and the statistics of each problem."""
    data = {
        "study": result.study.to_dict(),
        "digest": result.study.digest,
        "results": {name: statistics_data(each) for name, each in result.results.items()},
    }
    yield json.dumps(data, indent=1) + "\n"


def statistics_data(result: Result) -> Data:
    """The statistics of one problem as plain data, by policy; one replication has no std."""
    data: Data = {"horizon": result.horizon, "replications": result.replications}
    if isinstance(result.problem, Problem):
        data["means"] = [float(each) for each in result.problem.means]
    else:
        data["world"] = world_data(result.problem)
    if result.special_evidence is not None:
        data["evidence"] = to_spec(result.special_evidence)
    if result.delay is not None:
        data["delay"] = to_spec(result.delay)
    unknown = {"std": None} if result.replications == 1 else {}
    data["policies"] = {
        name: {**dict(zip(STATISTICS, map(float, row), strict=True)), **unknown}
        for name, row in zip(result.names, result.statistics(), strict=True)
    }
    if isinstance(result.problem, Replay):
        paid = result.problem.reward_of(result.final_regret).mean(axis=1)
        data["rewards"] = dict(zip(result.names, paid.tolist(), strict=True))
    return data


def _latex(name: str, result: Result) -> str:
    values, errors = result.statistics(), result.standard_errors()
    mean, *others = STATISTICS
    head = ["policy", f"{mean} $\\pm$ s.e.", *others]
    lines = [
        f"% {' '.join(name.split())}: {result.title}; s.e. is that of the mean, with ddof 1",
        f"\\begin{{tabular}}{{l{'r' * len(STATISTICS)}}}",
        "\\toprule",
        " & ".join(head) + " \\\\",
        "\\midrule",
    ]
    least = values[:, 0].min()
    for (label, (first, *rest)), row, error in zip(result.cells(), values, errors, strict=True):
        mean, spread = (first, "") if np.isnan(error) else with_error(row[0], error)
        bold = f"\\textbf{{{mean}}}" if row[0] == least else mean
        cell = f"{bold} $\\pm$ {spread}" if spread else bold
        lines.append(" & ".join([_escape(label), cell, *rest]) + " \\\\")
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", ""])


_LATEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
# Greek letters in the order of Unicode. Those without a command look like a Latin letter.
_GREEK = (
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi o pi rho varsigma "
    "sigma tau upsilon varphi chi psi omega",
    "A B Gamma Delta E Z H Theta I K Lambda M N Xi O Pi P ? Sigma T Upsilon Phi X Psi Omega",
)
_LATEX |= {
    chr(start + k): name if len(name) == 1 else f"$\\{name}$"
    for start, names in zip((0x3B1, 0x391), _GREEK, strict=True)
    for k, name in enumerate(names.split())
}
_LATEX["\N{MICRO SIGN}"] = r"$\mu$"


def _escape(text: str) -> str:
    return "".join(_LATEX.get(c, f"\\{c}" if c in "&%$#_{}" else c) for c in text)


WRITERS: dict[str, Callable[[StudyResult], Iterator[str]]] = {
    "csv": as_csv,
    "latex": as_latex,
    "json": as_json,
}
