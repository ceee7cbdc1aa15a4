"""The figure of the share of pulls that the best arm gets, over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..result import Result
from .canvas import Ending, RecordFigure, canvas, end_labels, look, ticks
from .curves import height_for, lines, time_axis, title_of
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
    drawn = styles(record.among or record.names)
    with look(ax=ax):
        figure, axes = canvas(record, height=height_for(len(record.names)), ax=ax)
        time_axis(axes, record.rounds, float(record.n_arms) if log_time else None)
        lines(axes, record.names, record.rounds, record.share, drawn)
        seen = record.share[:, record.rounds >= record.n_arms]
        top = min(1.0, 0.2 * np.ceil(float(seen.max()) / 0.2) or 0.2)
        axes.set_ylim(0.0, top)
        axes.set_ylabel("Share of pulls of the best arm")
        axes.set_title(record.title)
        ticks(axes, x=log_time)
        step = 0.2 if top > 0.5 else 0.1
        axes.yaxis.set_major_locator(FixedLocator(list(np.arange(0.0, top + 0.01, step))))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100.0 * value:.0f} %"))
        endings = [
            Ending(name, float(share[-1]), drawn[name])
            for name, share in zip(record.names, record.share, strict=True)
        ]
        end_labels(figure, axes, endings, float(record.rounds[-1]))
    return figure
