"""`rbmle reproduce`: the paper's experiments, recomputed, compared, drawn and written up."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from ..errors import one_of
from ..names import split
from ..paper.published import tables
from ..paper.reproduction import (
    QUICK,
    QUICK_TABLES,
    Row,
    compare_with_print,
    count_verdicts,
    table_named,
    table_study,
)
from ..paper.verdicts import PLAIN_MARKS, VERDICTS, counted
from ..result import STATISTICS, Result
from ..studies.runner import run
from .screen import progress, say, show_json, show_table

_STYLES = {"equal": "green", "misprint": "green", "agrees": "yellow", "differs": "bold red"}


def reproduce_paper(
    names: Sequence[str],
    policies: str,
    quick: bool,
    folder: Path,
    replications: int | None,
    monte_carlo: bool,
    threads: int | None,
    check: bool,
    json: bool,
) -> int:
    """Do it all; returns the exit code."""
    chosen = [table_named(each) for each in names] or list(
        QUICK_TABLES if quick else tables()["regret"]
    )
    asked = split(policies) or (list(QUICK) if quick else [])
    wanted = {table: _fitting(table, asked) for table in chosen}
    studies = {table: table_study(table, replications, monte_carlo) for table in chosen}
    results: dict[str, Result] = {}
    provenance: dict[str, Any] = {}
    rows: list[Row] = []
    for table, study in studies.items():
        with progress() as report:
            target = folder / "runs" / f"{table}-{study.digest[:8]}"
            found = run(study, target, threads, report, only=wanted[table])
        results[table], provenance = found.result, found.provenance
        compared = compare_with_print(table, results[table])
        rows += compared
        if not json:
            show_comparison(table, compared)
    counts = count_verdicts(rows)
    if json:
        show_json({"cells": _data(rows), "counts": counts})
    else:
        from ..report.sections import paper_report

        target = folder / "report.html"
        whole = not (names or policies or quick)
        command = shlex.join(["rbmle", *sys.argv[1:]])
        paper_report(target, results, rows, provenance, command, whole)
        say(f"Wrote {target} and {folder / 'figures'}.")
        say()
        say(f"{sum(counts.values()):,} numbers: {counted(counts)}.")
    return 1 if check and counts["differs"] else 0


def _fitting(table: str, asked: Sequence[str]) -> list[str]:
    """Of the policies asked for, those that the table has; a name that no table has is refused."""
    columns = list(tables()["regret"][table]["policies"])
    known = {each for entry in tables()["regret"].values() for each in entry["policies"]}
    fitting = [each for each in asked if each in columns]
    for each in asked:
        if each not in known or not fitting:
            one_of("reproduce", "--policies", each, columns)
    return fitting or columns


def show_comparison(table: str, rows: Sequence[Row]) -> None:
    """Each number, marked; where it is not the printed one, that beside it."""
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


def _cell(cell: Any) -> Text:
    text = f"{cell.computed:.1f} {PLAIN_MARKS[cell.verdict]}"
    if cell.verdict in ("agrees", "differs"):
        text += f" {cell.printed:g} ({cell.z:+.1f})"
    elif cell.verdict == "misprint":
        text += f" ({cell.printed:g})"
    return Text(text, _STYLES[cell.verdict])


def _data(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [
        {"table": row.table, "policy": row.policy, **cell._asdict()}
        for row in rows
        for cell in row.cells
    ]
