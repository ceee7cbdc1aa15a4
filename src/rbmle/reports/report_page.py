"""Write a `Report` as one self-contained HTML file."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .._io.machine import not_installed

try:
    import jinja2
    from markupsafe import Markup
except ImportError:
    raise ImportError(str(not_installed("reports", "jinja2", "report"))) from None

from .._io.files import write_atomically
from .._io.text import count_text, number_text
from ..figures import FinalRegret, styles, svg
from ..figures.canvas import inline
from ..figures.charts import Json
from ..figures.style import clean
from ..figures.theory_figures import adaptive_chart
from ..paper.reproduction import MARKS, VERDICTS
from ..theory import AdaptiveTrace
from .content import Plot, Report

_VERSIONS = ("rbmle", "numpy", "numba", "python")
_PLACE = (*_VERSIONS, "platform", "machine", "cpus")


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
    tables = [table for each in report.sections for table in (each.table, *each.more) if table]
    total = sum((table.counts() for table in tables), Counter[str]())
    return environment.get_template("report.html.j2").render(
        report=report,
        total={verdict: total[verdict] for verdict in VERDICTS if total[verdict]},
        provenance=provenance_rows(report.provenance),
        verdicts=VERDICTS,
        marks=MARKS,
        styles=styles,
        clean=clean,
        drawn=_drawn,
        file_name=_file_name,
    )


def _drawn(plot: Plot, prefix: str) -> tuple[Markup, str, object]:
    """A figure's drawing; if it has a chart, that as JSON, and what the chart is about."""
    drawing = Markup(inline(svg(plot.figure), prefix, plot.caption))  # cleaned, so not escaped
    chart = chart_of(getattr(plot.figure, "record", None)) or {}
    numbers = json.dumps(chart, separators=(",", ":")) if chart else ""
    return drawing, numbers, chart.get("about")


def chart_of(record: object) -> Json | None:
    """The chart of a figure's record as plain JSON; None for a record of another kind."""
    if isinstance(record, FinalRegret):
        return record.data()
    if isinstance(record, AdaptiveTrace):
        return adaptive_chart(record).data()
    chart: Json | None = record.chart().data() if hasattr(record, "chart") else None
    return chart


def _file_name(title: str) -> str:
    """The title in a form that fits into a file's name."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "figure"


def provenance_rows(provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The provenance as pairs of a word and its value.

    Processes with the same versions on the same machine are summed up: how many they were, how many
    replications they played, from when to when, and the time they took.
    """
    rows: list[tuple[str, str]] = []
    for key, value in provenance.items():
        listed = key == "invocations" and isinstance(value, Sequence)
        if listed and all(isinstance(each, Mapping) for each in value):
            alike: dict[str, list[Mapping[str, Any]]] = {}
            for each in value:
                alike.setdefault(_plain([each.get(key) for key in _PLACE]), []).append(each)
            for group in alike.values():
                rows += _processes(group)
        else:
            rows.append((str(key), _plain(value)))
    return rows


def _processes(group: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """The rows about processes with the same versions on the same machine."""
    first, count = group[0], count_text(len(group), "process", "processes")
    rows = [("versions", ", ".join(f"{key} {first.get(key, '?')}" for key in _VERSIONS))]
    if "platform" in first:
        cpus = count_text(first.get("cpus") or 0, "processor")
        rows.append(("machine", f"{first['platform']}, {cpus}"))
    played, wall, cpu = (
        sum(each.get(key) or 0 for each in group)
        for key in ("played", "wall_seconds", "cpu_seconds")
    )
    stopped = sum(each.get("finished") is None for each in group)
    begun = min(str(each.get("started") or "") for each in group)
    ended = max(str(each.get("finished") or each.get("started") or "") for each in group)
    words = f"{count_text(played, 'replication')} by {count}"
    words += f", {stopped:,} of them interrupted" if stopped else ""
    words += f", {begun} to {ended}, {number_text(wall)} s on the clock"
    return [*rows, ("played", f"{words}, {number_text(cpu)} s of processors")]


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str, sort_keys=True)
