"""The atlas as two numbers for each policy: how much it costs on average, and when unlucky."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats
from ..atlas.summary import Cell, by_set
from ..errors import ParameterError
from .canvas import FAINT, INK, RecordFigure, canvas, fit, gid, look, ticks
from .labels import Box, place_labels
from .style import GREY, VERMILLION, short


class AtlasRisk(NamedTuple):
    """For each policy, over the sets on which all of them were played: the geometric means of its
    mean regret and of its 99.9 % quantile, each in units of the smallest on the set."""

    title: str
    policies: tuple[str, ...]
    mean: Floats
    tail: Floats


def atlas_risk(cells: Sequence[Cell], family: str, horizon: int) -> AtlasRisk:
    """The two numbers of each policy that was played on most of the family's sets."""
    alike = {
        key: {each.policy: each for each in here}
        for key, here in by_set(cells).items()
        if key[0] == family and key[2] == horizon
    }
    if not alike:
        raise ParameterError("atlas_risk", "horizon", "one that was played", horizon)
    most = max(len(here) for here in alike.values())
    counts = {name for here in alike.values() for name in here}
    sets = [here for here in alike.values() if 2 * len(here) > most]
    names = tuple(name for name in sorted(counts) if all(name in here for here in sets))
    logs = np.log([[(here[name].mean, here[name].far_tail) for name in names] for here in sets])
    logs -= logs.min(axis=1, keepdims=True)
    mean, tail = np.exp(logs.mean(axis=0)).T
    title = f"{family.capitalize()}, T = {horizon:,}: geometric means over {len(sets)} sets"
    return AtlasRisk(title, names, mean, tail)


def draw_atlas_risk(record: AtlasRisk) -> RecordFigure:
    """Draw a point for each policy: the mean to the right, the 99.9 % quantile upwards."""
    with look():
        figure, axes = canvas(record)
        axes.set(xscale="log", yscale="log")
        axes.set_xlim(0.93, 1.35 * float(record.mean.max()))
        axes.set_ylim(0.9, 1.3 * float(record.tail.max()))
        for name, x, y in zip(record.policies, record.mean, record.tail, strict=True):
            colour = VERMILLION if name in ("recommended", "RBMLE") else GREY
            axes.plot([x], [y], "o", ms=6, color=colour, gid=gid(name, "point"))
        axes.set_xlabel("Mean regret, smallest on each set = 1 (log scale)")
        axes.set_ylabel("99.9 % quantile, smallest = 1 (log scale)")
        axes.set_title(record.title)
        ticks(axes, x=True, y=True)
        fit(figure, axes)
        _name(figure, record)
    return figure


def _name(figure: RecordFigure, record: AtlasRisk) -> None:
    """Write each name where it covers no point and no other name."""
    dot = figure.dpi / 72.0
    [plot] = figure.axes
    texts = [
        plot.text(0, 0, short(name), fontsize=8.5, color=INK, gid=gid(name, "label"))
        for name in record.policies
    ]
    sizes = [(e.width + 2 * dot, e.height) for e in (t.get_window_extent() for t in texts)]
    points = plot.transData.transform(np.column_stack([record.mean, record.tail]))
    frame = plot.get_window_extent()
    pairs = [(float(x), float(y)) for x, y in points]
    boxes = place_labels(pairs, sizes, Box(frame.x0, frame.y0, frame.x1, frame.y1), 4.0 * dot)
    back = plot.transData.inverted()
    for text, point, box in zip(texts, points, boxes, strict=True):
        text.set_position(tuple(back.transform((box.left + dot, box.bottom))))
        text.set_verticalalignment("bottom")
        near = np.clip(point, (box.left, box.bottom), (box.right, box.top))
        if np.hypot(*(near - point)) > 9.0 * dot:
            join = back.transform([point, near])
            plot.plot(join[:, 0], join[:, 1], color=FAINT, lw=0.8, zorder=1.5)
