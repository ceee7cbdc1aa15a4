"""The output of `rbmle scale`: time per decision against the number of arms."""

from __future__ import annotations

from collections.abc import Sequence

from .._io.text import number_text, with_error
from ..paper.scaling import Scaling
from .screen import show_table


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
