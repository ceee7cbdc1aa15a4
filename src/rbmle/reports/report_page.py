"""Write a `Report` as one self-contained HTML file.

`section_of` makes a section of a `Result`; `write_page` writes the page.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from typing import Any

import numpy as np

try:
    import jinja2
    from markupsafe import Markup
except ImportError:
    raise ImportError("A report needs jinja2: pip install 'rbmle[report]'.") from None

from .._io.files import write_atomically
from .._io.text import count_text, number_text
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
from .charts import chart_of
from .content import Plot, Report, ReportTable, Section, TableCell, number_cell
from .differences import differences_table
from .problem_rows import facts_of, policies_table
from .provenance_rows import provenance_rows
from .pulls import pulls_table

__all__ = [
    "MARKS",
    "VERDICTS",
    "Plot",
    "Report",
    "ReportTable",
    "Section",
    "TableCell",
    "in_words",
    "render",
    "section_of",
    "statistics_table",
    "write_page",
]
_MOST_ROWS = 15  # a table below the figures with more rows is folded at first


def section_of(result: Result, title: str, text: str = "") -> Section:
    """The section about one result: statistics of the final regret, figures, and more tables.

    text: by default `in_words(result)`.
    """
    curves, differences = regret_curves(result), differences_table(result)
    percent = " to ".join(f"{100.0 * each:g}" for each in curves.band)
    bound = (
        " c log t is Lai and Robbins' lower bound (dotted, where the scale allows). It says how"
        " fast regret grows in the long run; at a finite time regret can lie below it."
        if curves.constant is not None
        else ""
    )
    if result.problem.fixed_gaps is None:
        bound = (
            " In each round regret is against the best arm of that round; there is no lower bound"
            " to draw, because it is one for means that stay."
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
        facts=facts_of(result),
        more=[policies_table(result), *([differences] if differences else []), pulls_table(result)],
    )


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
            cells[1] = TableCell("-", float("nan"))
        rows.append([TableCell(name), cells[0], number_cell(error), *cells[1:]])
    caption = "Final regret. Bold: the least of its column. " + (
        "One replication has no spread: neither std nor s.e."
        if alone
        else "s.e.: the standard error of the mean, from the standard deviation with ddof 1; std: "
        "the standard deviation with ddof 0."
    )
    mean, *others = STATISTICS
    return ReportTable(("policy", mean, "s.e.", *others), rows, caption, "Final regret")


def in_words(result: Result) -> str:
    """A sentence or two: which policy had the least mean regret, and how far the next one is
    behind, beside the standard error of the difference.

    All policies meet the same rewards in a replication, so the difference is taken in each
    replication.
    """
    final, names = result.final_regret, result.names
    order = np.argsort(final.mean(axis=1), kind="stable")
    first = order[0]
    rounds = count_text(result.horizon, "round")
    if len(names) == 1:
        return f"{names[first]} has mean regret {number_text(final[first].mean())} after {rounds}."
    said = f"{names[first]} has the least mean regret, {number_text(final[first].mean())}"
    second = order[1]
    apart = final[second] - final[first]
    if not apart.any():
        return f"{said} after {rounds}; {names[second]} has the same in every replication."
    above = number_text(apart.mean())
    said += f" after {rounds}; next comes {names[second]}, {above} above"
    if result.replications < 2:
        return f"{said} (one replication, which has no spread)."
    error = apart.std(ddof=1) / np.sqrt(apart.size)
    clear = apart.mean() > 2.0 * error
    judged = "more" if clear else "less"
    return (
        f"{said}, which is {judged} than twice the standard error of the difference, "
        f"{number_text(error)}."
    )


def write_page(path: str | os.PathLike[str], report: Report) -> None:
    """Write the page. The same report gives the same bytes; no half-written file is ever left."""
    write_atomically(path, render(report).encode("utf-8", "replace"))


def render(report: Report) -> str:
    """The page as HTML."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("rbmle.reports"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    sections = [_shown(number, each) for number, each in enumerate(report.sections, 1)]
    total: Counter[str] = Counter()
    for section in sections:
        for table in (*section["tables"], *section["more"]):
            total.update(table["counts"])
    return environment.get_template("report.html.j2").render(
        report=report,
        sections=sections,
        total={verdict: total[verdict] for verdict in VERDICTS if total[verdict]},
        provenance=provenance_rows(report.provenance),
        verdicts=VERDICTS,
        marks=MARKS,
    )


def _shown(number: int, section: Section) -> dict[str, Any]:
    """A section as the template needs it."""
    tables = _tables(number, section)
    first = 1 if section.table is not None and section.table.rows else 0
    return {
        "id": f"section-{number}",
        "title": section.title,
        "text": section.text,
        "facts": section.facts,
        "tables": tables[:first],
        "more": tables[first:],
        "plots": [
            _plot(number, rank, section, each) for rank, each in enumerate(section.figures, 1)
        ],
        "policies": [(clean(name), style) for name, style in styles(section.policies).items()],
    }


def _tables(number: int, section: Section) -> list[dict[str, Any]]:
    """The tables of a section that have rows."""
    tables = [each for each in (section.table, *section.more) if each is not None]
    return [
        {
            "id": f"table-{number}-{rank}",
            "title": table.title,
            "columns": table.columns,
            "rows": table.cells(),
            "caption": table.caption,
            "counts": table.counts(),
            "open": len(table.rows) <= _MOST_ROWS,
            "file": f"{_file_name(section.title)}-{_file_name(table.title or 'table')}.csv",
        }
        for rank, table in enumerate(tables, 1)
        if table.rows
    ]


def _plot(number: int, rank: int, section: Section, plot: Plot) -> dict[str, Any]:
    """A figure of a section: its drawing, and its chart if there is one."""
    text = plot.figure if isinstance(plot.figure, str) else svg(plot.figure)
    chart = chart_of(getattr(plot.figure, "record", None))
    drawing = inline(text, f"f{number}-{rank}-", plot.caption)
    return {
        "drawing": Markup(drawing),  # SVG that `inline` has cleaned, so not escaped
        "caption": plot.caption,
        "chart": json.dumps(chart, separators=(",", ":")) if chart else "",
        "file": f"{_file_name(section.title)}-{chart['about'] if chart else rank}",
    }


def _file_name(title: str) -> str:
    """The title in a form that fits into a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "figure"
