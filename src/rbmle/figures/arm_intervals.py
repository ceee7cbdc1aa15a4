"""The figure of a decider's arms: their means with their confidence sequences."""

from __future__ import annotations

from math import isnan
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from .._io.text import count_text
from .._numba.compile import Floats
from ..inference.summary import Summary
from .boxes import name_rows
from .canvas import RecordFigure, canvas
from .charts import ChartAxis, set_axes
from .style import BLUE, VERMILLION

_MOST_ARMS = 30  # that are drawn: more do not fit on a page


class ArmIntervals(NamedTuple):
    """Means of arms and their intervals, the largest mean first; NaN where one is not known."""

    title: str
    names: tuple[str, ...]
    mean: Floats
    low: Floats
    high: Floats


def arm_intervals(summary: Summary) -> ArmIntervals:
    """The arms with the largest means; the title says how many others there are."""
    rows = [(*arm[1:4], str(name)) for name, arm in summary.arms.items()]
    rows.sort(key=lambda row: (isnan(row[0]), -row[0]))
    rest = len(rows) - _MOST_ARMS
    title = f"Intervals at level {summary.level:g}" if not summary.note else "Means"
    title += f"; {count_text(rest, 'more arm')} below" if rest > 0 else ""
    mean, low, high, names = zip(*rows[:_MOST_ARMS], strict=True)
    return ArmIntervals(title, names, np.array(mean), np.array(low), np.array(high))


def draw_arm_intervals(record: ArmIntervals, ax: Axes | None = None) -> RecordFigure:
    """Draw a dot for each mean and a line for its interval, the first arm in another colour. An
    interval that is much wider than most ends where the axis does.

    ax: axes to draw in; the returned figure is then empty.
    """
    count, left, right = len(record.names), *_limits(record)
    with canvas(record, 4.4, max(2.0, 0.27 * count + 1.1), ax) as (figure, axes):
        colours = [VERMILLION, *[BLUE] * (count - 1)]
        low, high = (np.clip(each, left, right) for each in (record.low, record.high))
        axes.hlines(range(count), low, high, colors=colours, linewidth=2.2, alpha=0.75)
        axes.scatter(record.mean, range(count), c=colours, s=32, zorder=3)
        set_axes(axes, record.title, ChartAxis("Mean reward", limits=(left, right)), ChartAxis(""))
        name_rows(figure, axes, record.names)
    return figure


def _limits(record: ArmIntervals) -> tuple[float, float]:
    """Where the axis begins and ends: with all intervals, but at most 4 usual ones beyond means."""
    means, wide = record.mean[np.isfinite(record.mean)], record.high - record.low
    if not means.size:
        return 0.0, 1.0
    least, most = float(means.min()), float(means.max())
    usual = 4.0 * float(np.median([*wide[np.isfinite(wide)]] or [0.0]))
    left = max(float(np.nanmin(record.low, initial=least)), least - usual)
    right = min(float(np.nanmax(record.high, initial=most)), most + usual)
    room = 0.04 * (right - left) or 1.0
    return left - room, right + room
