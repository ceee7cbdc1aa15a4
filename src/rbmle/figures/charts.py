"""Charts: what a figure of lines or points shows, as data, and how matplotlib draws its lines.

The report's page draws the same data; there a reader can see values, zoom and switch scales.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator
from numpy.typing import ArrayLike, NDArray

from .._numba.compile import Floats
from .canvas import RecordFigure, canvas, fit, gid
from .labels import spread
from .style import INK, Style, clean, short

Json: TypeAlias = dict[str, object]
_MARKERS = 8  # on each line


class ChartAxis(NamedTuple):
    """An axis of a chart.

    log: whether the page starts with a log scale. unit: "s" for seconds, "share" of 1, or "".
    both: whether the reader may switch the scale. top: where the axis ends.
    Only for matplotlib: limits, the part that is drawn; ticks, the only ones.
    """

    label: str
    log: bool = False
    unit: str = ""
    both: bool = True
    top: float | None = None
    limits: tuple[float, float] | None = None
    ticks: tuple[float, ...] = ()

    def data(self) -> Json:
        """The axis for the page."""
        end: Json = {} if self.top is None else {"top": self.top}
        return {"label": self.label, "log": self.log, "unit": self.unit, "both": self.both, **end}


class ChartCurve(NamedTuple):
    """A line of a chart, or a point.

    policy: the one it belongs to; "" for none. part: of that policy's drawing, as in an SVG id.
    low, high: the band around it. ring: the published point beside a measured one.
    soft: the page draws it only where the scale allows. dense: it has a marker at each point.
    """

    name: str
    policy: str
    style: Style
    x: Floats | NDArray[np.int64]
    y: Floats
    part: str = "line"
    low: Floats | None = None
    high: Floats | None = None
    ring: Floats | None = None
    soft: bool = False
    dense: bool = False

    def data(self) -> Json:
        """The curve for the page."""
        arrays = {"x": self.x, "y": self.y, "low": self.low, "high": self.high, "ring": self.ring}
        return {
            "name": clean(self.name),
            "policy": clean(self.policy),
            "colour": "ink" if self.style.colour == INK else self.style.colour,
            "dashes": list(self.style.dashes),
            "marker": self.style.marker,
            "filled": self.style.filled,
            "width": self.style.width,
            **{key: page_numbers(each) for key, each in arrays.items() if each is not None},
            **{key: True for key in ("soft", "dense") if getattr(self, key)},
        }


class Chart(NamedTuple):
    """Curves between two axes. about: what it is of, as in a file's name. columns: of its data."""

    about: str
    x: ChartAxis
    y: ChartAxis
    columns: Sequence[str]
    curves: Sequence[ChartCurve]
    note: str = ""
    kind: str = "lines"

    def data(self) -> Json:
        """The chart for the page, as plain JSON."""
        return {
            "kind": self.kind,
            "about": self.about,
            "x": self.x.data(),
            "y": self.y.data(),
            "columns": list(self.columns),
            "series": [each.data() for each in self.curves],
            **({"note": self.note} if self.note else {}),
        }


def page_numbers(values: ArrayLike) -> list[float | None]:
    """The values to six significant digits, more than a screen or a comparison of policies needs;
    None for infinity and NaN, which JSON cannot hold."""
    return [float(f"{x:.6g}") if np.isfinite(x) else None for x in np.asarray(values, dtype=float)]


def draw_chart(
    record: object,
    chart: Chart,
    title: str,
    ax: Axes | None = None,
    width: float = 6.2,
    mark: float | None = None,
) -> RecordFigure:
    """Draw a chart of lines, whose axes have limits, as the figure of this record.

    ax: axes to draw in; the returned figure is then empty. width: in inches.
    mark: where to draw a vertical line.
    """
    named = [each for each in chart.curves if each.part != "published" and np.isfinite(each.y[-1])]
    low, high = chart.y.limits or (0.0, 1.0)
    with canvas(record, width, max(4.2, 0.17 * len(named) + 1.0), ax) as (figure, axes):
        set_axes(axes, title, chart.x, chart.y)
        for rank, each in enumerate(chart.curves):
            _draw_curve(axes, each, (rank + 0.5) / len(chart.curves), low)
        if mark is not None:
            axes.axvline(mark, color=INK, linewidth=0.8, zorder=1.7)
        if ax is None:
            ends = [(float(each.x[-1]), float(np.clip(each.y[-1], low, high))) for each in named]
            _name_ends(figure, axes, named, ends)
        else:  # there may be no room for names beside the user's axes
            order = sorted(named, key=lambda each: -each.y[-1])
            names = [each.name for each in order]
            keys = [
                Line2D([], [], label=short(each.name, names), **each.style.line()) for each in order
            ]
            axes.legend(handles=keys, fontsize="small")
    return figure


def _draw_curve(axes: Axes, curve: ChartCurve, shift: float, bottom: float) -> None:
    """Draw a curve and its band. shift: of its markers, so that those of two curves are apart."""
    style = curve.style
    if curve.low is not None and curve.high is not None:
        band = np.maximum(curve.low, bottom), np.maximum(curve.high, bottom)
        axes.fill_between(
            curve.x, *band, gid=gid(curve.policy, "band"),
            color=style.colour, alpha=0.09, linewidth=0,
        )  # fmt: skip
    at: Sequence[int] | None = None
    if not curve.dense:
        scale = np.log if axes.get_xscale() == "log" else np.asarray
        low, high = (float(scale(max(each, 1e-9))) for each in axes.get_xlim())
        wanted = low + (np.arange(_MARKERS) + shift) / _MARKERS * (high - low)
        places = np.searchsorted(scale(curve.x), wanted)
        at = sorted({int(each) for each in places if each < curve.x.size})
    thick, aside = style.width > 2.0, not curve.policy
    axes.plot(
        curve.x,
        np.maximum(curve.y, bottom),
        gid=gid(curve.policy, curve.part),
        markevery=at,
        clip_on=not curve.dense,
        zorder=1.9 if aside else 3 if thick else 2,
        alpha=0.65 if curve.part == "published" else 0.55 if aside and thick else 1.0,
        **style.line(),
    )


def _name_ends(
    figure: Figure, axes: Axes, curves: Sequence[ChartCurve], ends: Sequence[tuple[float, float]]
) -> None:
    """Write each name to the right of the axes, near the end of its line, and join the two.

    It fits the axes into the figure first, so limits and scales must be final.
    """
    dot, page = figure.dpi / 72.0, figure.transFigure
    parts = ["" if each.part == "line" else f"{each.part}-" for each in curves]
    names = [each.name for each in curves]
    write = partial(axes.text, va="center", fontsize=9, transform=page)
    texts = [
        write(0, 0, short(each.name, names), gid=gid(each.policy, f"{part}label"))
        for each, part in zip(curves, parts, strict=True)
    ]
    widest = max((text.get_window_extent().width for text in texts), default=0.0)
    for text in texts:
        text.set_in_layout(False)
    fit(figure, axes, right=30.0 + widest / dot)
    frame = axes.get_window_extent()
    starts = axes.transData.transform(ends).reshape(-1, 2)
    heights = spread(starts[:, 1], 12.0 * dot, frame.y0, frame.y1 - 4.0 * dot)
    bend, mark, end = (frame.x1 + points * dot for points in (12.0, 19.0, 26.0))
    for each, part, text, start, y in zip(curves, parts, texts, starts, heights, strict=True):
        corners = [(start[0] + 2.0 * dot, start[1]), (bend, y), (mark, y), (end, y)]
        path = page.inverted().transform(corners).T
        pen = {**each.style.line(), "linewidth": 0.9, "markevery": [2], "clip_on": False}
        pen |= {"gid": gid(each.policy, f"{part}end"), "transform": page}
        axes.plot(*path, scalex=False, scaley=False, **pen)
        text.set_position(tuple(page.inverted().transform((end + 3.0 * dot, y))))
        text.set_in_layout(True)  # so that a tight bounding box holds it


def tick_text(value: float, unit: str) -> str:
    """A number as ticks show it, in the unit of its axis.

    >>> [tick_text(x, "") for x in (0.0, 0.05, 1.0, 2500.0, 1e5, 2e6, 3e-5)]
    ['0', '0.05', '1', '2.5k', '100k', '2M', '3e-5']
    >>> [tick_text(x, "s") for x in (2e-8, 1e-6, 0.5)], tick_text(0.4, "share")
    (['20 ns', '1 µs', '500 ms'], '40 %')
    """
    if unit == "share":
        return f"{100.0 * value:.0f} %"
    if unit == "s":
        sizes = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
        size, name = next((each for each in sizes if value >= 0.999 * each[0]), sizes[-1])
        return f"{value / size:.4g} {name}"
    for size, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.4g}{name}"
    return f"{value:.4g}".replace("e-0", "e-")


def set_axes(axes: Axes, title: str, x: ChartAxis, y: ChartAxis) -> None:
    """Give the axes a title, labels, scales, limits and short tick labels.

    Call it when the limits are final, where they follow from what is drawn.
    """
    axes.set_title(title)
    for axis, kind, scale, limit in (
        (axes.xaxis, x, axes.set_xscale, axes.set_xlim),
        (axes.yaxis, y, axes.set_yscale, axes.set_ylim),
    ):
        axis.set_label_text(kind.label + (" (log scale)" if kind.log else ""))
        if kind.log or kind.limits:
            scale("log" if kind.log else "linear")
        if kind.limits:
            limit(*kind.limits)
        if kind.log:
            low, high = sorted(axis.get_view_interval())
            axis.set_major_locator(FixedLocator(log_ticks(low, high)))
            axis.set_minor_formatter(NullFormatter())
        if kind.ticks:
            axis.set_major_locator(FixedLocator(list(kind.ticks)))
            axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda v, _, unit=kind.unit: tick_text(v, unit)))


def log_ticks(low: float, high: float) -> list[float]:
    """Ticks of a log axis: powers of ten, with multiples of them if there would be fewer than three
    ticks, and only every nth if there would be more than nine."""
    powers = range(int(np.floor(np.log10(low))) - 1, int(np.ceil(np.log10(high))) + 2)
    for factors in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), tuple(np.arange(1.0, 10.0, 0.5))):
        values = [f * 10.0**p for p in powers for f in factors]
        visible = [value for value in values if low * 0.999 <= value <= high * 1.001]
        if len(visible) >= 3:
            break
    return visible[:: 1 + len(visible) // 9]
