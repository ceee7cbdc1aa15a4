"""Write a `Report` as one self-contained HTML file."""

from __future__ import annotations

import json
import os
import re
from collections import Counter

try:
    import jinja2
    from markupsafe import Markup
except ImportError:
    raise ImportError("A report needs jinja2: pip install 'rbmle[report]'.") from None

from .._io.files import write_atomically
from ..figures import (
    BestArmShare,
    FinalRegret,
    RegretAndBounds,
    RegretCurves,
    TimeAgainstArms,
    TimeAgainstRegret,
    styles,
    svg,
)
from ..figures.adaptive_lines import adaptive_chart
from ..figures.charts import Json
from ..figures.inline import inline
from ..figures.style import clean
from ..paper.verdicts import MARKS, VERDICTS
from ..theory import AdaptiveTrace
from .content import Plot, Report, ReportTable, Section
from .provenance_rows import provenance_rows

_CHARTED = (BestArmShare, RegretAndBounds, RegretCurves, TimeAgainstArms, TimeAgainstRegret)
_MOST_ROWS = 15  # a table below the figures with more rows is folded at first


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
    tables = [table for each in report.sections for table in _tables_of(each)]
    total = Counter(verdict for table in tables for verdict in table.counts().elements())
    return environment.get_template("report.html.j2").render(
        report=report,
        sections=sections,
        total={verdict: total[verdict] for verdict in VERDICTS if total[verdict]},
        provenance=provenance_rows(report.provenance),
        verdicts=VERDICTS,
        marks=MARKS,
    )


def _shown(number: int, section: Section) -> dict[str, object]:
    """A section as the template needs it."""
    name = _file_name(section.title)
    tables = [
        {
            "id": f"table-{number}-{rank}",
            "title": table.title,
            "columns": table.columns,
            "rows": table.cells(),
            "caption": table.caption,
            "counts": table.counts(),
            "open": len(table.rows) <= _MOST_ROWS,
            "file": f"{name}-{_file_name(table.title or 'table')}.csv",
        }
        for rank, table in enumerate(_tables_of(section), 1)
        if table.rows
    ]
    first = 1 if section.table is not None and section.table.rows else 0
    return {
        "id": f"section-{number}",
        "title": section.title,
        "text": section.text,
        "facts": section.facts,
        "tables": tables[:first],
        "more": tables[first:],
        "plots": [
            _plot(f"f{number}-{rank}-", name, rank, each)
            for rank, each in enumerate(section.figures, 1)
        ],
        "policies": [(clean(name), style) for name, style in styles(section.policies).items()],
    }


def _tables_of(section: Section) -> list[ReportTable]:
    return [each for each in (section.table, *section.more) if each is not None]


def _plot(prefix: str, section: str, rank: int, plot: Plot) -> dict[str, object]:
    """A figure of a section: its drawing, and its chart if there is one."""
    text = plot.figure if isinstance(plot.figure, str) else svg(plot.figure)
    chart = chart_of(getattr(plot.figure, "record", None))
    return {
        "drawing": Markup(inline(text, prefix, plot.caption)),  # cleaned SVG, so not escaped
        "caption": plot.caption,
        "chart": json.dumps(chart, separators=(",", ":")) if chart else "",
        "file": f"{section}-{chart['about'] if chart else rank}",
    }


def chart_of(record: object) -> Json | None:
    """The chart of a figure's record as plain JSON; None for a record of another kind."""
    if isinstance(record, FinalRegret):
        return record.data()
    if isinstance(record, AdaptiveTrace):
        return adaptive_chart(record).data()
    return record.chart().data() if isinstance(record, _CHARTED) else None


def _file_name(title: str) -> str:
    """The title in a form that fits into a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "figure"
