"""Labels that do not cover each other: beside the ends of lines, and around points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes

from .._numba.compile import Floats
from .canvas import gid
from .style import FAINT, INK, short


class Box(NamedTuple):
    """A rectangle by its corners."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: Box) -> float:
        """The area that both cover."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(wide, 0.0) * max(high, 0.0)


def around(x: float, y: float, radius: float) -> Box:
    """The square around a point that reaches `radius` to each side."""
    return Box(x - radius, y - radius, x + radius, y + radius)


def spread(wanted: Sequence[float] | Floats, distance: float, low: float, high: float) -> Floats:
    """The positions nearest to the wanted ones (least squares) that keep their order and are at
    least `distance` apart, within [low, high] if they fit.

    Once k times the distance is subtracted from the k-th, only the order matters. This is isotonic
    regression, solved by pooling neighbours that are out of order.

    >>> spread([1.0, 1.2, 5.0], 1.0, 0.0, 10.0)
    array([0.6, 1.6, 5. ])
    """
    values = np.asarray(wanted, dtype=float)
    order = np.argsort(values, kind="stable")
    offsets = distance * np.arange(values.size)
    pools: list[tuple[float, int]] = []  # mean, size
    for value in values[order] - offsets:
        mean, size = float(value), 1
        while pools and pools[-1][0] > mean:
            before, count = pools.pop()
            mean = (mean * size + before * count) / (size + count)
            size += count
        pools.append((mean, size))
    flat = np.repeat([mean for mean, _ in pools], [size for _, size in pools])
    room = max(low, high - distance * max(values.size - 1, 0))
    placed = np.empty(values.size)
    placed[order] = np.clip(flat, low, room) + offsets
    return placed


def place_labels(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
    radius: float,
    obstacles: Sequence[Box] = (),
) -> list[Box]:
    """For each point a box of its label's size nearby that covers as little as possible of the
    points, of the obstacles and of other boxes.

    Each label in turn takes the candidate around its point that covers least, near ones first;
    this is repeated until no label moves, at most 20 times.
    """
    marks = [*(around(x, y, radius) for x, y in points), *obstacles]
    candidates = [
        [box for reach in (1.3, 2.2, 3.4, 5.0, 7.0) for box in _round(point, size, radius * reach)]
        for point, size in zip(points, sizes, strict=True)
    ]
    placed = [boxes[0] for boxes in candidates]

    def cost(index: int, rank: int, box: Box) -> float:
        others = [each for j, each in enumerate(placed) if j != index]
        area = (box.right - box.left) * (box.top - box.bottom)
        covered = sum(box.overlap(each) for each in (*marks, *others))
        return covered + 2.0 * (area - box.overlap(frame)) + 0.002 * area * rank

    for _ in range(20):
        before = list(placed)
        for index, boxes in enumerate(candidates):
            costs = [cost(index, rank, box) for rank, box in enumerate(boxes)]
            placed[index] = boxes[costs.index(min(costs))]
        if placed == before:
            break
    return placed


def name_points(
    axes: Axes, names: Sequence[str], places: Floats, radius: float, obstacles: Sequence[Box] = ()
) -> None:
    """Write each name where it covers no point, no obstacle and no other name; a line joins a name
    to its point where they are apart.

    places: (points, 2), in data coordinates. radius: of a point, in points. obstacles: in pixels.
    """
    dot = axes.figure.dpi / 72.0
    texts = [
        axes.text(0, 0, short(x, names), gid=gid(x, "label"), fontsize=8.8, color=INK, zorder=4)
        for x in names
    ]
    sizes = [(e.width + 2 * dot, e.height) for e in (text.get_window_extent() for text in texts)]
    points = axes.transData.transform(places)
    inside = Box(*axes.get_window_extent().extents)
    pairs = [(float(x), float(y)) for x, y in points]
    back = axes.transData.inverted()
    boxes = place_labels(pairs, sizes, inside, radius * dot, obstacles)
    for text, point, box in zip(texts, points, boxes, strict=True):
        text.set_position(tuple(back.transform((box.left + dot, box.bottom))))
        text.set_verticalalignment("bottom")
        near = np.clip(point, (box.left, box.bottom), (box.right, box.top))
        if np.hypot(*(near - point)) > 9.0 * dot:
            axes.plot(*back.transform([point, near]).T, color=FAINT, lw=0.8, zorder=1.5)


def _round(point: tuple[float, float], size: tuple[float, float], away: float) -> list[Box]:
    """Boxes to the right, to the left, above and below the point, and at its four corners."""
    (x, y), (wide, high) = point, size
    right, left, middle = x + away, x - away - wide, x - wide / 2.0
    above, below, centre = y + away, y - away - high, y - high / 2.0
    sides = [(right, centre), (left, centre), (middle, above), (middle, below)]
    corners = [(a, b) for a in (right, left) for b in (above, below)]
    return [Box(a, b, a + wide, b + high) for a, b in (*sides, *corners)]
