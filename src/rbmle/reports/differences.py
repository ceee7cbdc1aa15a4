"""The table of differences between policies on the same rewards."""

from __future__ import annotations

from math import isfinite

from .._io.text import number_text
from ..result import Result
from .content import ReportTable, TableCell, number_cell

_HEAD = ("pair", "difference", "low", "high", "won", "tied")


def differences_table(result: Result, level: float = 0.95) -> ReportTable | None:
    """A row for each pair of policies, the better one first; None if there is only one policy."""
    pairs = result.compare(level)
    if not len(pairs):
        return None
    rows: list[list[TableCell | str | float]] = []
    for each in pairs:
        ends = [
            number_cell(x) if isfinite(x) else TableCell("-", float("nan"))
            for x in (each.low, each.high)
        ]
        note = f"{each.a} has {number_text(-each.difference)} less regret than {each.b} on average"
        rows.append(
            [
                TableCell(f"{each.a} \N{MINUS SIGN} {each.b}"),
                number_cell(each.difference, best=each.clear, note=note),
                *ends,
                *(TableCell(f"{x:.0%}", x) for x in (each.won, each.tied)),
            ]
        )
    caption = (
        "Final regret of the first minus that of the second, replication by replication on the "
        "same rewards: the mean, "
    )
    caption += (
        "without an interval, since one replication has no spread"
        if result.replications == 1
        else f"its {level:.0%} interval (Student's), bold where that leaves 0 out"
    )
    caption += "; won and tied: shares of the replications."
    return ReportTable(_HEAD, rows, caption, "Differences on the same rewards")
