"""What all figures share: a canvas without global state, the look, and files."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .._io.files import write_atomically
from ..errors import ParameterError
from .style import FAINT, INK, clean

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
_METADATA: dict[str, dict[str, None]] = {
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

    record: object = None

    def _repr_png_(self) -> bytes:
        return _rendered(self, ".png", "path", dpi=_NOTEBOOK_DPI, bbox_inches="tight")

    def _repr_svg_(self) -> str:
        return _rendered(self, ".svg", "path", bbox_inches="tight").decode()


@contextlib.contextmanager
def look(settings: dict[Any, Any] | None = None, ax: Axes | None = None) -> Iterator[None]:
    """Use the package's matplotlib settings inside this block, instead of the user's.

    settings: additional ones. With `ax`, axes that the user gave, the user's settings are kept.
    """
    with mpl.rc_context():
        if ax is None:
            mpl.rcdefaults()
            mpl.rcParams.update(_LOOK)
        mpl.rcParams.update({"text.parse_math": False, **(settings or {})})
        yield


def canvas(
    record: object, width: float = 6.2, height: float = 4.2, ax: Axes | None = None
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
