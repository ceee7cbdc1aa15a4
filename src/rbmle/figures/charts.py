"""Charts: what a figure of lines or points shows, as data.

Matplotlib draws it (`line_figure`), and so does the report's page, in which a reader can see
values, zoom and switch scales.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._numba.compile import Floats
from .style import INK, Style, clean

Json: TypeAlias = dict[str, object]


class ChartAxis(NamedTuple):
    """An axis of a chart.

    log: whether the page starts with a log scale. unit: "s" for seconds, "share" of 1, or "".
    both: whether the reader may switch the scale. top: where the axis ends.
    ticks: the only ones that matplotlib draws.
    """

    label: str
    log: bool = False
    unit: str = ""
    both: bool = True
    top: float | None = None
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
        arrays = {"low": self.low, "high": self.high, "ring": self.ring}
        return {
            "name": clean(self.name),
            "policy": clean(self.policy),
            "colour": "ink" if self.style.colour == INK else self.style.colour,
            "dashes": list(self.style.dashes),
            "marker": self.style.marker,
            "filled": self.style.filled,
            "width": self.style.width,
            "x": page_numbers(self.x),
            "y": page_numbers(self.y),
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
