"""Draw a chart of lines: bands, lines with staggered markers, and names at the lines' ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .canvas import RecordFigure, canvas, fit, gid, look
from .charts import Chart, ChartCurve
from .labels import spread
from .style import INK, short
from .ticks import ticks

_MARKERS = 8  # on each line


class View(NamedTuple):
    """The part of a chart that is drawn: limits and scales. mark: a vertical line at this x."""

    x: tuple[float, float]
    y: tuple[float, float]
    log_x: bool = False
    log_y: bool = False
    mark: float | None = None


def draw_chart(
    record: object, chart: Chart, view: View, title: str, ax: Axes | None = None,
    width: float = 6.2,
) -> RecordFigure:  # fmt: skip
    """Draw a chart as the figure of this record.

    width: in inches. ax: axes to draw in; the returned figure is then empty.
    """
    named = [each for each in chart.curves if each.part != "published" and np.isfinite(each.y[-1])]
    with look(ax=ax):
        figure, axes = canvas(record, width, max(4.2, 0.17 * len(named) + 1.0), ax)
        axes.set_xscale("log" if view.log_x else "linear")
        axes.set_yscale("log" if view.log_y else "linear")
        axes.set_xlim(*view.x)
        axes.set_ylim(*view.y)
        for rank, each in enumerate(chart.curves):
            _curve(axes, each, (rank + 0.5) / len(chart.curves), view.y[0])
        if view.mark is not None:
            axes.axvline(view.mark, color=INK, linewidth=0.8, zorder=1.7)
        axes.set_title(title)
        ticks(axes, chart.x._replace(log=view.log_x), chart.y._replace(log=view.log_y))
        _name_ends(figure, axes, named, view)
    return figure


def _curve(axes: Axes, curve: ChartCurve, shift: float, bottom: float) -> None:
    """Draw a curve and its band. shift: of its markers, so that those of two curves are apart."""
    name = gid(curve.policy, curve.part) if curve.policy else None
    if curve.low is not None and curve.high is not None:
        axes.fill_between(
            curve.x, np.maximum(curve.low, bottom), np.maximum(curve.high, bottom),
            color=curve.style.colour, alpha=0.09, linewidth=0, gid=gid(curve.policy, "band"),
        )  # fmt: skip
    at: Sequence[int] | None = None
    if not curve.dense:
        scale = np.log if axes.get_xscale() == "log" else np.asarray
        low, high = (float(scale(max(each, 1e-9))) for each in axes.get_xlim())
        wanted = low + (np.arange(_MARKERS) + shift) / _MARKERS * (high - low)
        places = np.searchsorted(scale(curve.x), wanted)
        at = sorted({int(each) for each in places if each < curve.x.size})
    thick, aside = curve.style.width > 2.0, not curve.policy
    axes.plot(
        curve.x, np.maximum(curve.y, bottom), gid=name, markevery=at, clip_on=not curve.dense,
        zorder=1.9 if aside else 3 if thick else 2,
        alpha=0.65 if curve.part == "published" else 0.55 if aside and thick else 1.0,
        **curve.style.line(),
    )  # fmt: skip


def _name_ends(figure: Figure, axes: Axes, curves: Sequence[ChartCurve], view: View) -> None:
    """Write each name to the right of the axes, near the end of its line, and join the two.

    It fits the axes into the figure first, so limits and scales must be final. In axes that the
    user gave there may be no room on the right: there a legend names the lines.
    """
    dot = figure.dpi / 72.0
    if axes.figure is not figure:
        order = sorted(curves, key=lambda each: -each.y[-1])
        handles = [Line2D([], [], label=short(each.name), **each.style.line()) for each in order]
        axes.legend(handles=handles, fontsize="small")
        return
    texts = [
        axes.text(
            0, 0, short(each.name), transform=figure.transFigure, va="center", fontsize=9,
            gid=_end_gid(each, "label"),
        )
        for each in curves
    ]  # fmt: skip
    widest = max((text.get_window_extent().width for text in texts), default=0.0)
    for text in texts:
        text.set_in_layout(False)
    fit(figure, axes, right=30.0 + widest / dot)
    frame = axes.get_window_extent()
    ends = [(float(each.x[-1]), float(np.clip(each.y[-1], *view.y))) for each in curves]
    starts = axes.transData.transform(ends).reshape(-1, 2)
    heights = spread(starts[:, 1], 12.0 * dot, frame.y0, frame.y1 - 4.0 * dot)
    back = figure.transFigure.inverted()
    for each, text, start, height in zip(curves, texts, starts, heights, strict=True):
        begin, bend = start[0] + 2.0 * dot, frame.x1 + 12.0 * dot
        mark, end = frame.x1 + 19.0 * dot, frame.x1 + 26.0 * dot
        path = back.transform([(begin, start[1]), (bend, height), (mark, height), (end, height)])
        style = {**each.style.line(), "linewidth": 0.9, "markevery": [2]}
        axes.plot(
            path[:, 0], path[:, 1], transform=figure.transFigure, clip_on=False,
            gid=_end_gid(each, "end"), scalex=False, scaley=False, **style,
        )  # fmt: skip
        text.set_position(tuple(back.transform((end + 3.0 * dot, height))))
        text.set_in_layout(True)  # so that a tight bounding box holds it


def _end_gid(curve: ChartCurve, part: str) -> str | None:
    """The SVG id of a part of the curve's name."""
    if not curve.policy:
        return None
    return gid(curve.policy, part if curve.part == "line" else f"{curve.part}-{part}")
