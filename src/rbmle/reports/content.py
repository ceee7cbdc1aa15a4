"""The parts of a report as plain data, which `report_page` writes as HTML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from matplotlib.figure import Figure

from .._io.text import number_text
from ..errors import ParameterError, one_of
from ..paper.reproduction import VERDICTS


class TableCell(NamedTuple):
    """A cell of a table.

    value: by which the column is sorted; by default the text. verdict: one of `VERDICTS` or None.
    note: a sentence that the page shows when the reader points at the cell. best: emphasise it.
    """

    text: str
    value: float | None = None
    verdict: str | None = None
    note: str = ""
    best: bool = False


Times: TypeAlias = Mapping[str, Mapping[str, Mapping[str, float]]]  # by policy and kind of loop
Cells: TypeAlias = Sequence[TableCell | str | float]  # a row of a table


def number_cell(value: float, best: bool = False, note: str = "") -> TableCell:
    """A cell with a number, formatted as in all tables."""
    return TableCell(number_text(value), float(value), note=note, best=best)


@dataclass(frozen=True)
class ReportTable:
    """A table: names of columns, and rows of `TableCell`s, texts or numbers.

    caption: how to read the table. title: its name, where a section has several tables.
    """

    columns: Sequence[str]
    rows: Sequence[Cells]
    caption: str = ""
    title: str = ""

    def cells(self) -> list[list[TableCell]]:
        """The rows as cells. A wrong number of cells or an unknown verdict is refused."""
        rows = [[_cell(each) for each in row] for row in self.rows]
        for row in rows:
            if len(row) != len(self.columns):
                need = f"of {len(self.columns)} cells each"
                raise ParameterError("ReportTable", "rows", need, len(row))
        return rows

    def counts(self) -> Counter[str]:
        """The number of cells with each verdict that occurs."""
        verdicts = [cell.verdict for row in self.cells() for cell in row]
        return Counter({each: verdicts.count(each) for each in VERDICTS if each in verdicts})


class Plot(NamedTuple):
    """A figure and its caption.

    The numbers of a figure drawn by `rbmle.figures` go into the page too: there a reader can see
    values, zoom, switch scales and download the data.
    """

    figure: Figure
    caption: str


@dataclass(frozen=True)
class Section:
    """A section of the report.

    facts: what was played, as pairs of a word and its value.
    policies: those whose curves the reader may show and hide.
    more: tables below the figures.
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
    """The content of a report's page.

    command: the command that made it. summary: paragraphs at the top.
    file: the folder of the run. study: the text of the study file, to run it again.
    """

    title: str
    command: str
    summary: Sequence[str] = ()
    sections: Sequence[Section] = ()
    provenance: Mapping[str, object] = field(default_factory=dict)
    file: str = ""
    study: str = ""


def _cell(given: TableCell | str | float) -> TableCell:
    if isinstance(given, TableCell):
        if given.verdict is not None:
            one_of("TableCell", "verdict", given.verdict, VERDICTS)
        return given
    if isinstance(given, str):
        return TableCell(given)
    whole = float(given).is_integer() and abs(given) < 1e9
    return TableCell(f"{given:,.0f}" if whole else number_text(given), float(given))
