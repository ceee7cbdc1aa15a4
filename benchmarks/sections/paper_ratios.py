"""The section `paper`: RBMLE's time per decision relative to other policies', ours and printed."""

from __future__ import annotations

import numpy as np

from rbmle.paper.scaling import measure

from .table import BenchTable, Effort, Line, Turns


def paper(effort: Effort) -> BenchTable:
    """The table: RBMLE's time per decision over that of others, beside the paper's ratio."""
    horizon, others = effort.size(1_000, 500), ["UCB", "KLUCB", "IDS"]
    records = [
        measure(["bernoulli"], policies=["RBMLE", *others], horizon=horizon, repeats=2)[0]
        for _ in range(effort.repeats)
    ]
    lines = []
    for other in others:
        for place, n in enumerate(records[0].arms):
            mine, its = (
                tuple(record.times[name][place].least for record in records)
                for name in ("RBMLE", other)
            )
            printed = [records[0].published_ratios(name)[place] for name in ("RBMLE", other)]
            in_print = (printed[0] or np.nan) / (printed[1] or np.nan)
            lines.append(
                Line.slowdown(
                    f"RBMLE against {other}, {n} arms",
                    Turns(mine, its),
                    check=f"in the paper {in_print:.3g}",
                )
            )
    return BenchTable(
        "Choosing by RBMLE in units of other policies, as in the paper: Bernoulli",
        "RBMLE, a decision",
        "the other, a decision",
        "RBMLE / other",
        tuple(lines),
    )
