"""The report of a decider: what may be concluded from its rewards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .. import figures
from .._io.text import count_text, without_defaults
from ..inference.summary import HEAD, Summary
from ..live.decider import Decider
from .content import Cells, Plot, Report, ReportTable, Section, TableCell
from .report_page import write_page

_CAPTION = (
    "low, high: intervals of the means of all arms, which hold at every look at once, whatever "
    "policy chose the pulls. P(best), loss: under the family's prior, as of now, the probability "
    "that the arm's mean is the largest, and what playing it from now on loses a round."
)


def decider_report(decider: Decider[Any], target: Path, command: str, file: str = "") -> None:
    """Write the page: whether to stop, a table of the arms, and their intervals as a figure.

    target: the page's file. command, file: the command and the decider's file that the page names.
    """
    found = decider.summary()
    waiting = sum(decider.pending.values())
    facts = {
        "Policy": without_defaults(decider.policy),
        "Assumes": without_defaults(decider.family),
        "Evidence": without_defaults(decider.evidence),
        "Decisions": f"{decider.t - 1:,}",
        "Without a reward yet": f"{waiting:,}",
        "Arms": f"{len(found.arms):,}, {len(decider.enabled):,} of them enabled",
        "Level": f"{found.level:g}",
    }
    plots = []
    if found.leader is not None:
        record = figures.arm_intervals(found)
        caption = "Dots: means of the rewards so far; lines: their confidence sequences."
        plots.append(Plot(figures.draw_arm_intervals(record), caption))
    section = Section("Arms", "", _table(found), plots, facts=facts)
    title = f"A decision among {count_text(len(found.arms), 'arm')}"
    verdict = found.verdict[:1].upper() + found.verdict[1:] + "."
    write_page(
        target, Report(title, command, [verdict, *found.disabled_lines()], [section], file=file)
    )


def _table(found: Summary) -> ReportTable:
    rows: list[Cells] = []
    for (name, texts), (key, arm) in zip(found.rows(), found.arms.items(), strict=True):
        cells = map(TableCell, texts, arm)
        rows.append([TableCell(name, best=key == found.leader), *cells])
    return ReportTable(("arm", *HEAD), rows, f"{_CAPTION} Bold: the leader.")
