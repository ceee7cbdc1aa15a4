"""The figure of the share of pulls that the best arm gets, over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..result import Result
from .canvas import RecordFigure
from .charts import Chart, ChartAxis, ChartCurve
from .curves import time_limits, title_of
from .line_figure import View, draw_chart
from .style import styles


class BestArmShare(NamedTuple):
    """The share of pulls of the best arm up to each of `rounds`, mean over replications, (policies,
    rounds)."""

    title: str
    names: tuple[str, ...]
    rounds: NDArray[np.int64]
    share: Floats
    n_arms: int
    among: tuple[str, ...] = ()  # all policies of the run, so that styles stay the same

    def chart(self) -> Chart:
        """The shares from the round on in which each arm can have been pulled once."""
        drawn = styles(self.among or self.names)
        begun = self.rounds >= self.n_arms
        curves = [
            ChartCurve(name, name, drawn[name], self.rounds[begun], share[begun])
            for name, share in zip(self.names, self.share, strict=True)
        ]
        share = ChartAxis("Share of pulls of the best arm", unit="share", both=False)
        return Chart(
            "best-arm-share", ChartAxis("Round t", log=True), share, ("round", "share"), curves
        )


def best_arm_share(result: Result, policies: Sequence[str | int] | None = None) -> BestArmShare:
    """The share of pulls of the best arm up to round t; of all best arms if several tie.

    policies: names or positions of those to show; all by default.
    """
    kept = result.places("best_arm_share", policies)
    share = result.best_pulls[kept].mean(axis=1) / result.checkpoints
    names = tuple(result.names[i] for i in kept)
    return BestArmShare(
        title_of(result), names, result.checkpoints, share, result.problem.n_arms, result.names
    )


def draw_best_arm_share(
    record: BestArmShare, log_time: bool = True, ax: Axes | None = None
) -> RecordFigure:
    """Draw the record.

    log_time: a log axis of time, from the round in which each arm can have been pulled once.
    ax: axes to draw in; the returned figure is then empty.
    """
    seen = record.share[:, record.rounds >= record.n_arms]
    top = min(1.0, 0.2 * np.ceil(float(seen.max()) / 0.2) or 0.2)
    steps = np.arange(0.0, top + 0.01, 0.2 if top > 0.5 else 0.1)
    chart = record.chart()
    chart = chart._replace(y=chart.y._replace(ticks=tuple(steps)))
    limits = time_limits(record.rounds, float(record.n_arms) if log_time else 0.0)
    return draw_chart(record, chart, View(limits, (0.0, top), log_time), record.title, ax)
