"""What a report is made of: plain data, which `page` writes as HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from .._text import number_text
from ..errors import ParameterError, one_of
from ..paper.verdicts import VERDICTS


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


def number_cell(value: float, best: bool = False, note: str = "") -> TableCell:
    """A number as all tables show it."""
    return TableCell(number_text(value), float(value), note=note, best=best)


@dataclass(frozen=True)
class ReportTable:
    """Columns by their names, and rows of cells: `TableCell`s, or plain text and numbers.

    title: what the table is called where a section has several; `caption` says how to read it.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[TableCell | str | float]]
    caption: str = ""
    title: str = ""

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
    """A figure, of matplotlib or as SVG text, and what to say below it.

    A figure that `rbmle.figures` drew knows its numbers: the page shows them where it is pointed
    at, zooms, switches scales and gives them away.
    """

    figure: Figure | str
    caption: str


@dataclass(frozen=True)
class Section:
    """A part of the report.

    facts: what was played, in pairs of a word and what there is to say.
    more: tables below the figures. policies: those whose curves the reader may show and hide.
    """

    title: str
    text: str = ""
    table: ReportTable | None = None
    figures: Sequence[Plot] = ()
    policies: Sequence[str] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    more: Sequence[ReportTable] = ()


@dataclass(frozen=True)
class Report:
    """All that the page says. `command` is what made it; `summary` holds paragraphs.

    file: what it was made of. study: the study as the text of a file, to run it again.
    """

    title: str
    command: str
    summary: Sequence[str] = ()
    sections: Sequence[Section] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""
    study: str = ""


def _cell(given: TableCell | str | float) -> TableCell:
    if isinstance(given, TableCell):
        return given
    if isinstance(given, str):
        return TableCell(given)
    whole = float(given).is_integer() and abs(given) < 1e9
    return TableCell(f"{given:,.0f}" if whole else number_text(given), float(given))
