"""What all figures share: a canvas without global state, the look, files, and SVG for a page."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from .._io.files import write_atomically
from ..errors import ParameterError
from .style import FAINT, INK, clean

_NOTEBOOK_DPI = 110  # a figure 6.2 inches wide fills a notebook cell without filling the screen
_POLICY = "policy="  # the SVG ids of all parts that belong to a policy start with this

_LOOK: dict[Any, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Helvetica", "Arial"],
    "font.size": 9.5,
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor"), INK),
    **dict.fromkeys(("xtick.color", "ytick.color"), INK),
    "text.parse_math": False,  # names are users' text: a dollar sign must not start a formula
    "axes.titlesize": 10.5,
    "axes.titlelocation": "left",
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
}
_DATED = {".svg": "Date", ".pdf": "CreationDate", ".png": "Software"}  # metadata that are left out
_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
_UNWANTED = {f"{{{_SVG}}}{tag}" for tag in ("metadata", "style", "script", "foreignObject")}


def gid(policy: str, part: str) -> str | None:
    """The SVG id of a part of a policy's drawing, such as its "line"; None without a policy."""
    return f"{_POLICY}{clean(policy)}|{part}" if policy else None


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
def _look(settings: dict[Any, Any] | None = None, ax: Axes | None = None) -> Iterator[None]:
    """Use the package's matplotlib settings and these inside the block, instead of the user's.

    With `ax`, axes that the user gave, the user's settings are kept.
    """
    with mpl.rc_context():
        if ax is None:
            mpl.rcdefaults()
            mpl.rcParams.update(_LOOK)
        mpl.rcParams.update({"text.parse_math": False, **(settings or {})})
        yield


@contextlib.contextmanager
def canvas(
    record: object, width: float = 6.2, height: float = 4.2, ax: Axes | None = None
) -> Iterator[tuple[RecordFigure, Axes]]:
    """A figure with one axes, to be drawn inside the block: outside pyplot and without a display.

    Sizes are in inches. With `ax`, axes that the user gave, these come with an empty figure.
    """
    if not isinstance(ax, Axes | None):
        raise ParameterError("canvas", "ax", "axes of matplotlib", ax)
    with _look(ax=ax):
        figure = RecordFigure(figsize=(width, height))
        figure.record = record
        FigureCanvasAgg(figure)
        yield figure, figure.add_subplot() if ax is None else ax


@contextlib.contextmanager
def panels(titles: Sequence[str]) -> Iterator[tuple[RecordFigure, list[Axes]]]:
    """A figure with axes for each title, two side by side, to be drawn inside the block."""
    across = min(2, len(titles))
    down = -(-len(titles) // across)
    with _look():
        figure = RecordFigure(figsize=(6.2 * across, 4.2 * down), layout="constrained")
        FigureCanvasAgg(figure)
        axes = [figure.add_subplot(down, across, 1 + place) for place in range(len(titles))]
        yield figure, axes
        for each, title in zip(axes, titles, strict=True):
            each.set_title(f"{clean(title)}: {each.get_title('left')}")


def fit(figure: Figure, axes: Axes, right: float = 0.0) -> None:
    """Enlarge the axes to fill the figure, except for its labels and `right` points beside it.

    Axes of another figure, which the user gave, stay as they are.
    """
    bounds = axes.get_tightbbox() if axes.figure is figure else None
    if bounds is None:
        return
    frame = axes.get_window_extent()
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
    if suffix not in _DATED:
        raise ParameterError("save", "path", "a name that ends in .svg, .pdf or .png", path)
    write_atomically(path, _rendered(figure, suffix, "path"))


def svg(figure: Figure) -> str:
    """The figure as SVG for a web page, with its text as text instead of outlines."""
    return _rendered(figure, ".svg", "none", transparent=True).decode()


def _rendered(figure: Figure, suffix: str, text: str, **options: Any) -> bytes:
    with _look({"svg.hashsalt": "rbmle", "svg.fonttype": text}), io.BytesIO() as file:
        figure.savefig(file, format=suffix[1:], metadata={_DATED[suffix]: None}, **options)
        return file.getvalue()


def inline(drawing: str, prefix: str, label: str) -> str:
    """The SVG drawing, prepared to stand in an HTML page beside others.

    prefix: put before every id, and every reference to one, so that no two drawings share an id.
    label: what a screen reader says.
    Parts that belong to a policy get `data-policy` in place of an id. Text, lines and grid take the
    page's colours `--ink` and `--faint`. Scripts, styles and metadata are removed.
    """
    try:
        root = ElementTree.fromstring(drawing)
    except ElementTree.ParseError:
        raise ParameterError("report", "figure", "a figure or SVG text", drawing[:60]) from None
    for parent in root.iter():
        for child in [each for each in parent if each.tag in _UNWANTED]:
            parent.remove(child)
    own = {"url(#": f"url(#{prefix}", INK: "var(--ink)", FAINT: "var(--faint)"}
    for element in root.iter():
        element.tag = element.tag.removeprefix(f"{{{_SVG}}}")
        for key, value in list(element.attrib.items()):
            del element.attrib[key]
            if key == "id" and value.startswith(_POLICY):
                name, _, part = value.removeprefix(_POLICY).rpartition("|")
                element.attrib |= {"data-policy": name, "data-part": part}
            elif key == "id":
                element.attrib[key] = prefix + value
            elif key in ("href", f"{{{_XLINK}}}href"):
                element.attrib["href"] = re.sub("^#", f"#{prefix}", value)
            elif not key.startswith(("{", "on")):
                for theirs, ours in own.items() if key != "d" else ():
                    value = value.replace(theirs, ours)
                element.attrib[key] = value
    width, height = (
        re.sub(r"[^0-9.]", "", root.attrib.pop(key, "")) or "100" for key in ("width", "height")
    )
    root.attrib.setdefault("viewBox", f"0 0 {width} {height}")
    root.attrib |= {"role": "img", "aria-label": label}
    return ElementTree.tostring(root, encoding="unicode")
