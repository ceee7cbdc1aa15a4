"""What all figures share: a canvas without global state, ticks, labels at line ends, files."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from .._io.files import write_atomically
from .._numba.compile import Floats
from ..errors import ParameterError
from .labels import spread
from .style import Style, clean, short

INK, FAINT = "#222223", "#d9d9d8"  # of text and lines, of the grid; a page replaces them by its own
_NOTEBOOK_DPI = 110  # a figure 6.2 inches wide fills a notebook cell without filling the screen
POLICY = "policy="  # the SVG ids of all parts that belong to a policy start with this

_LOOK: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Helvetica", "Arial"],
    "font.size": 9.5,
    "text.color": INK,
    "text.parse_math": False,  # names are users' text: a dollar sign must not start a formula
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
}
_METADATA: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
    ".png": {"Software": None},
}


def gid(name: str, part: str) -> str:
    """The SVG id of a part of the drawing that belongs to a policy, such as its "line"."""
    return f"{POLICY}{clean(name)}|{part}"


class RecordFigure(Figure):
    """A figure that keeps the record it was drawn from, and that a notebook shows as a picture.

    record: the numbers, as the figure's computing function returned them.
    """

    record: Any = None

    def _repr_png_(self) -> bytes:
        return _rendered(self, ".png", "path", dpi=_NOTEBOOK_DPI, bbox_inches="tight")

    def _repr_svg_(self) -> str:
        return _rendered(self, ".svg", "path", bbox_inches="tight").decode()


@contextlib.contextmanager
def look(settings: Any = (), ax: Axes | None = None) -> Iterator[None]:
    """Use the package's matplotlib settings inside this block, instead of the user's.

    settings: additional ones. With `ax`, axes that the user gave, the user's settings are kept.
    """
    with mpl.rc_context():
        if ax is None:
            mpl.rcdefaults()
            mpl.rcParams.update(_LOOK)
        mpl.rcParams.update({"text.parse_math": False, **dict(settings)})
        yield


def canvas(
    record: Any, width: float = 6.2, height: float = 4.2, ax: Axes | None = None
) -> tuple[RecordFigure, Axes]:
    """A figure with one axes, outside pyplot and without a display. Sizes are in inches.

    With `ax`, axes that the user gave, these are returned with an empty figure.
    """
    figure = RecordFigure(figsize=(width, height))
    figure.record = record
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot() if ax is None else ax


def fit(figure: Figure, axes: Axes, right: float = 0.0) -> None:
    """Enlarge the axes to fill the figure, except for its labels and `right` points beside it.

    Axes of another figure, which the user gave, stay as they are.
    """
    if axes.figure is not figure:
        return
    bounds = axes.get_tightbbox()
    frame = axes.get_window_extent()
    if bounds is None:
        return
    wide, high = figure.bbox.width, figure.bbox.height
    dot = figure.dpi / 72.0
    beside = max(right * dot, bounds.x1 - frame.x1)
    pad = 5.0 * dot
    figure.subplots_adjust(
        left=(frame.x0 - bounds.x0 + pad) / wide,
        right=1.0 - (beside + pad) / wide,
        bottom=(frame.y0 - bounds.y0 + pad) / high,
        top=1.0 - (bounds.y1 - frame.y1 + pad) / high,
    )


def amount(value: float) -> str:
    """A number as ticks show it: 20k for 20000.

    >>> [amount(x) for x in (0.0, 0.05, 1.0, 2500.0, 1e5, 2e6, 3e-5)]
    ['0', '0.05', '1', '2.5k', '100k', '2M', '3e-5']
    """
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.4g}{unit}"
    text = f"{value:.4g}"
    return text.replace("e-0", "e-")


def seconds_text(value: float) -> str:
    """A time in seconds as ticks show it.

    >>> [seconds_text(x) for x in (2e-8, 1e-6, 0.5)]
    ['20 ns', '1 µs', '500 ms']
    """
    units = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
    size, unit = next((each for each in units if value >= 0.999 * each[0]), units[-1])
    return f"{value / size:.4g} {unit}"


def ticks(axes: Axes, x: bool = False, y: bool = False) -> None:
    """Give both axes short tick labels; x, y: make this axis logarithmic."""
    for axis, scaled in ((axes.xaxis, x), (axes.yaxis, y)):
        if scaled:
            (axes.set_xscale if axis is axes.xaxis else axes.set_yscale)("log")
            low, high = sorted(axis.get_view_interval())
            steps = log_ticks(float(low), float(high))
            axis.set_major_locator(FixedLocator(list(steps)))
            axis.set_minor_formatter(NullFormatter())
        axis.set_major_formatter(FuncFormatter(lambda value, _: amount(float(value))))


def log_ticks(low: float, high: float) -> list[float]:
    """Ticks of a log axis: powers of ten, with multiples of them if there would be fewer than three
    ticks, and only every nth if there would be more than nine."""
    powers = range(int(np.floor(np.log10(low))) - 1, int(np.ceil(np.log10(high))) + 2)
    for factors in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), tuple(np.arange(1.0, 10.0, 0.5))):
        values = [f * 10.0**p for p in powers for f in factors]
        seen = [value for value in values if low * 0.999 <= value <= high * 1.001]
        if len(seen) >= 3:
            break
    return seen[:: 1 + len(seen) // 9]


class Ending(NamedTuple):
    """The right end of a line, beside which its name is written.

    y: where it ends. bound_of: the policy whose bound the line is; "" for other lines.
    """

    name: str
    y: float
    style: Style
    bound_of: str = ""

    def gid(self, part: str) -> str:
        """The SVG id of a part of the line's name."""
        return gid(self.bound_of, f"bound-{part}") if self.bound_of else gid(self.name, part)


def end_labels(figure: Figure, axes: Axes, endings: Iterable[Ending], x: float) -> None:
    """Write each name to the right of the axes, near the end of its line, and join the two.

    It fits the axes into the figure first, so limits and scales must be final. In axes that the
    user gave there may be no room on the right: there a legend names the lines.
    """
    endings, dot = list(endings), figure.dpi / 72.0
    if axes.figure is not figure:
        order = sorted(endings, key=lambda each: -each.y)
        handles = [Line2D([], [], label=short(each.name), **each.style.line()) for each in order]
        axes.legend(handles=handles, fontsize="small")
        return
    texts = [
        axes.text(
            0, 0, short(each.name), transform=figure.transFigure, va="center", fontsize=9,
            gid=each.gid("label"),
        )
        for each in endings
    ]  # fmt: skip
    widest = max((text.get_window_extent().width for text in texts), default=0.0)
    for text in texts:
        text.set_in_layout(False)
    fit(figure, axes, right=30.0 + widest / dot)
    frame = axes.get_window_extent()
    starts = axes.transData.transform([(x, each.y) for each in endings]).reshape(-1, 2)
    heights: Floats = spread(starts[:, 1], 12.0 * dot, frame.y0, frame.y1 - 4.0 * dot)
    back = figure.transFigure.inverted()
    for each, text, start, height in zip(endings, texts, starts, heights, strict=True):
        begin, bend = start[0] + 2.0 * dot, frame.x1 + 12.0 * dot
        mark, end = frame.x1 + 19.0 * dot, frame.x1 + 26.0 * dot
        path = back.transform([(begin, start[1]), (bend, height), (mark, height), (end, height)])
        style = {**each.style.line(), "linewidth": 0.9, "markevery": [2]}
        axes.plot(
            path[:, 0], path[:, 1], transform=figure.transFigure, clip_on=False,
            gid=each.gid("end"), scalex=False, scaley=False, **style,
        )  # fmt: skip
        left, bottom = back.transform((end + 3.0 * dot, height))
        text.set_position((left, bottom))
        text.set_in_layout(True)  # so that a tight bounding box holds it


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write the figure as SVG, PDF or PNG, by the path's ending.

    The same figure gives the same bytes. A failure leaves no half-written file behind.
    """
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in _METADATA:
        raise ParameterError("save", "path", "a name that ends in .svg, .pdf or .png", path)
    write_atomically(path, _rendered(figure, suffix, "path"))


def svg(figure: Figure) -> str:
    """The figure as SVG for a web page, with its text as text instead of outlines."""
    return _rendered(figure, ".svg", "none").decode()


def _rendered(figure: Figure, suffix: str, text: str, **options: Any) -> bytes:
    settings = {"svg.hashsalt": "rbmle", "svg.fonttype": text}
    with look(settings), io.BytesIO() as file:
        transparent = suffix == ".svg" and text == "none"
        figure.savefig(
            file, format=suffix[1:], metadata=_METADATA[suffix], transparent=transparent, **options
        )
        return file.getvalue()
