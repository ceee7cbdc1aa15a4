"""The output of `rbmle reproduce` and `rbmle scale`: every number beside the printed one."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from rich.text import Text

from .._io.text import number_text, print_text, signed_text, with_error
from ..paper.published import tables
from ..paper.reproduction import (
    PLAIN_MARKS,
    VERDICTS,
    Compared,
    ComparedRow,
    count_verdicts,
    counted,
)
from ..paper.scaling import Scaling
from ..result import STATISTICS
from .screen import say, show_table

_STYLES = {"equal": "green", "misprint": "green", "agrees": "yellow", "differs": "bold red"}


def summarise(rows: Sequence[ComparedRow]) -> None:
    """Print the number of cells with each verdict."""
    counts = count_verdicts(rows)
    say()
    say(f"{sum(counts.values()):,} numbers: {counted(counts)}.")


def show_comparison(table: str, rows: Sequence[ComparedRow]) -> None:
    """Print a table of all numbers with their verdicts' marks; where a number differs from print,
    the printed one stands beside it."""
    entry = tables()["regret"][table]
    shown: list[list[str | Text]] = [
        [row.policy, *(_cell(cell) for cell in row.cells)] for row in rows
    ]
    title = f"{table}, Figure {entry['figure']}: final regret beside print"
    show_table(title, ["policy", *STATISTICS], shown)
    say("; ".join(f"{PLAIN_MARKS[each]} {words}" for each, words in VERDICTS.items()))
    say(
        "Beside a number that is not the printed one: print, and the difference in standard errors."
    )
    if not all(isfinite(cell.z) for row in rows for cell in row.cells):
        say("Without a spread between replications there are no standard errors to compare with.")


def _cell(cell: Compared) -> Text:
    text = f"{print_text(cell.computed)} {PLAIN_MARKS[cell.verdict]}"
    if cell.verdict in ("agrees", "differs"):
        text += f" {cell.printed:g}" + (f" ({signed_text(cell.z)})" if isfinite(cell.z) else "")
    elif cell.verdict == "misprint":
        text += f" ({cell.printed:g})"
    return Text(text, _STYLES[cell.verdict])


def cells(rows: Sequence[ComparedRow]) -> list[dict[str, object]]:
    """Every number and its verdict as plain data, for scripts."""
    return [
        {
            "table": row.table,
            "policy": row.policy,
            **cell._asdict(),
            "z": cell.z if isfinite(cell.z) else None,  # JSON cannot hold infinity
        }
        for row in rows
        for cell in row.cells
    ]


def show_scaling(records: Sequence[Scaling]) -> None:
    """Print a table for each family: times in microseconds, and ratios to UCB, also the paper's."""
    for record in records:
        rows = []
        for policy, times in record.times.items():
            cells = [policy]
            ratios, printed = record.ratios(policy), record.published_ratios(policy)
            for timing, ratio, paper in zip(times, ratios, printed, strict=True):
                spread = (timing.largest - timing.least) / 2
                mean, error = with_error(timing.median * 1e6, spread * 1e6)
                shown = "" if paper is None else f" ({number_text(paper)})"
                cells.append(f"{mean} ±{error}" if spread else mean)
                cells.append(f"{number_text(ratio)}{shown}")
            rows.append(cells)
        heads = [head for n in record.arms for head in (f"{n} arms, us", "x UCB (paper)")]
        show_table(f"{record.family}: time per decision", ["policy", *heads], rows)
