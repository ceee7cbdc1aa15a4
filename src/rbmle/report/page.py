"""A report: one HTML file that needs nothing else, with tables, figures and how it was made.

A `Report` is plain data; `section_of` makes a section of a `Result`; `write_report` writes it.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

try:
    import jinja2
    from markupsafe import Markup
except ImportError:
    raise ImportError("A report needs jinja2: pip install 'rbmle[report]'.") from None

from matplotlib.figure import Figure

from .._files import write_atomically
from ..errors import ParameterError, one_of
from ..figures import (
    best_arm_share,
    draw_best_arm_share,
    draw_final_regret,
    draw_regret_curves,
    final_regret,
    regret_curves,
    styles,
    svg,
)
from ..figures.inline import inline
from ..figures.style import clean
from ..paper.verdicts import MARKS, VERDICTS
from ..result import STATISTICS, Result


class TableCell(NamedTuple):
    """A cell of a table.

    value: what it sorts by, its text by default. verdict: one of `VERDICTS` or None.
    note: a sentence that is shown when the cell is pointed at. best: it is emphasised.
    """

    text: str
    value: float | None = None
    verdict: str | None = None
    note: str = ""
    best: bool = False


@dataclass(frozen=True)
class ReportTable:
    """Columns by their names, and rows of cells: `TableCell`s, or plain text and numbers."""

    columns: Sequence[str]
    rows: Sequence[Sequence[TableCell | str | float]]
    caption: str = ""

    def cells(self) -> list[list[TableCell]]:
        """The rows, checked: as many cells as columns, and verdicts that exist."""
        rows = [[_cell(each) for each in row] for row in self.rows]
        for row in rows:
            if len(row) != len(self.columns):
                raise ParameterError.of(
                    "ReportTable", "rows", f"of {len(self.columns)} cells each", len(row)
                )
            for cell in row:
                if cell.verdict is not None:
                    one_of("TableCell", "verdict", cell.verdict, VERDICTS)
        return rows

    def counts(self) -> dict[str, int]:
        """How many cells have each verdict."""
        found = Counter(cell.verdict for row in self.cells() for cell in row)
        return {verdict: found[verdict] for verdict in VERDICTS if found[verdict]}


class Plot(NamedTuple):
    """A figure, of matplotlib or as SVG text, and what to say below it."""

    figure: Figure | str
    caption: str


@dataclass(frozen=True)
class Section:
    """A part of the report. `policies`: those whose curves the reader may show and hide."""

    title: str
    text: str = ""
    table: ReportTable | None = None
    figures: Sequence[Plot] = ()
    policies: Sequence[str] = ()


@dataclass(frozen=True)
class Report:
    """All that the page says. `command` is what made it; `summary` holds paragraphs."""

    title: str
    command: str
    summary: Sequence[str] = ()
    sections: Sequence[Section] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)


def section_of(result: Result, title: str, text: str = "") -> Section:
    """A section about one result: statistics of the final regret, and the figures."""
    curves = regret_curves(result)
    percent = " to ".join(f"{100.0 * each:g}" for each in curves.band)
    bound = (
        " c log t is Lai and Robbins' lower bound (dotted, where the scale allows). It says how"
        " fast regret grows in the long run; at a finite time regret can lie below it."
        if curves.constant is not None
        else ""
    )
    return Section(
        title=title,
        text=text or in_words(result),
        table=statistics_table(result),
        figures=(
            Plot(
                draw_regret_curves(curves),
                f"Cumulative regret: mean, and band from {percent}\N{NO-BREAK SPACE}%.{bound}",
            ),
            Plot(draw_regret_curves(curves, log_time=True), "The same over log time."),
            Plot(
                draw_final_regret(final_regret(result)),
                "Final regret, smallest median first. Box: quartiles and median; whiskers: 10 and"
                " 90\N{NO-BREAK SPACE}%; diamond: mean.",
            ),
            Plot(
                draw_best_arm_share(best_arm_share(result)),
                "Share of the pulls up to round t that went to the best arm, mean.",
            ),
        ),
        policies=result.names,
    )


def statistics_table(result: Result) -> ReportTable:
    """Mean, standard deviation and quantiles of the final regret; the least of each stands out."""
    values = result.statistics()
    least = values.min(axis=0)
    rows = [
        [
            TableCell(name),
            *(
                TableCell(f"{value:.1f}", float(value), best=bool(value == low))
                for value, low in zip(row, least, strict=True)
            ),
        ]
        for name, row in zip(result.names, values, strict=True)
    ]
    return ReportTable(
        ("policy", *STATISTICS), rows, "Final regret. Bold: the least of its column."
    )


def in_words(result: Result) -> str:
    """A sentence or two: who had the least regret, and whether the next one is behind it.

    Policies meet the same rewards in a replication, so the two are compared replication by
    replication.
    """
    final, names = result.final_regret, result.names
    order = np.argsort(final.mean(axis=1), kind="stable")
    first = order[0]
    said = f"{names[first]} has the least mean regret, {final[first].mean():.1f}"
    if len(names) == 1:
        return f"{said} after {result.horizon} rounds."
    second = order[1]
    apart = final[second] - final[first]
    said += f" after {result.horizon} rounds; next comes {names[second]}, {apart.mean():.1f} above"
    if result.replications < 2:
        return f"{said} (a single replication)."
    error = apart.std(ddof=1) / np.sqrt(apart.size)
    clear = apart.mean() > 2.0 * error
    judged = "more" if clear else "less"
    return (
        f"{said}, which is {judged} than twice the standard error of the difference, {error:.1f}."
    )


def write_report(path: str | os.PathLike[str], report: Report) -> None:
    """Write the page. The file is there whole or not at all; the same report, the same bytes."""
    write_atomically(path, render(report).encode("utf-8", "replace"))


def render(report: Report) -> str:
    """The page as text."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("rbmle.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    sections = [_shown(number, each) for number, each in enumerate(report.sections, 1)]
    total: Counter[str] = Counter()
    for section in sections:
        total.update(section["counts"])
    return environment.get_template("report.html.j2").render(
        report=report,
        sections=sections,
        total={verdict: total[verdict] for verdict in VERDICTS if total[verdict]},
        provenance={key: _plain(value) for key, value in report.provenance.items()},
        verdicts=VERDICTS,
        marks=MARKS,
    )


def _shown(number: int, section: Section) -> dict[str, Any]:
    """A section as the template wants it."""
    drawings = [
        inline(
            each.figure if isinstance(each.figure, str) else svg(each.figure),
            f"f{number}-{rank}-",
            each.caption,
        )
        for rank, each in enumerate(section.figures, 1)
    ]
    table = section.table
    return {
        "id": f"section-{number}",
        "title": section.title,
        "text": section.text,
        "columns": table.columns if table else (),
        "rows": table.cells() if table else (),
        "caption": table.caption if table else "",
        "counts": table.counts() if table else {},
        "plots": [
            (Markup(drawing), each.caption)  # drawn here or by the caller, not user text
            for drawing, each in zip(drawings, section.figures, strict=True)
        ],
        "policies": [(clean(name), style) for name, style in styles(section.policies).items()],
    }


def _cell(given: TableCell | str | float) -> TableCell:
    if isinstance(given, TableCell):
        return given
    if isinstance(given, str):
        return TableCell(given)
    return TableCell(f"{given:g}", float(given))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str, sort_keys=True)
