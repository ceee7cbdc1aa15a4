"""`Encoder`: cells become features, numbers by the scale of the moment."""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, lean, lean_kernel
from ..errors import ParameterError
from .layout import Layout

Places = NDArray[np.int64]


def _expand(
    cells: Floats, own: Floats, scale: Floats, sizes: Places, parts: Places, out: Floats
) -> float:
    """Fill `out` (arms, features) from the cells of the context, in one row for all arms or one
    for each, and those of the arms.

    scale: rows, mean and sum of squares of each column, in which the rows of `cells` are counted
    first (Welford 1962); where the number of rows is negative, the mean and the variance are told.
    A row that is NaN is not there: its features are 0. Returns the size of the largest feature.
    """
    width, largest = cells.shape[1], 0.0
    for r in range(cells.shape[0]):
        for c in range(width):
            x = cells[r, c]
            if scale[0, c] >= 0.0 and x == x:
                scale[0, c] += 1.0
                away = x - scale[1, c]
                scale[1, c] += away / scale[0, c]
                scale[2, c] += away * (x - scale[1, c])
    for i in range(out.shape[0]):
        same = i > 0 and cells.shape[0] == 1 and own.shape[1] == 0
        for a in range(out.shape[1]):
            out[i, a] = out[0, a] if same else 0.0
        row = i if cells.shape[0] > 1 else 0
        if same:
            continue
        if width > 0 and cells[row, 0] != cells[row, 0]:
            continue
        start = 0
        for p in range(parts.shape[0]):
            place, size, value = 0, 1, 1.0
            for k in range(parts.shape[1]):
                c = parts[p, k]
                if c < 0:
                    break
                x = cells[row, c] if c < width else own[i, c - width]
                if sizes[c] > 1:
                    place = place * sizes[c] + int(x)
                else:
                    variance = scale[2, c]
                    if scale[0, c] >= 0.0:
                        variance /= max(scale[0, c], 1.0)
                    value *= (x - scale[1, c]) / sqrt(variance) if variance > 0.0 else 0.0
                size *= sizes[c]
            out[i, start + place] = value
            largest = max(largest, abs(value))
            start += size
    return largest


expanded, expand = lean(_expand), lean_kernel(_expand)  # for compiled code, and for Python


class Encoder:
    """A layout at work for these arms, with the scale of its numbers so far.

    >>> import rbmle
    >>> encoder = Encoder(rbmle.Encode(["age"]).layout, ["a", "b"])
    >>> for age in (20.0, 40.0):
    ...     features, encoder.scale = encoder.peek(np.array([[age]]))
    >>> features.tolist()  # the same for both arms: an intercept, and the age
    [[1.0, 1.0], [1.0, 1.0]]
    """

    def __init__(self, layout: Layout, arms: list[Any]) -> None:
        self.layout = layout
        self.scale: Floats = self.layout.scale.copy()
        self.arrange(arms)
        own, out = np.zeros((1, self.layout.own)), np.zeros((1, len(layout.names)))
        given = np.zeros((1, self.layout.width)), own, self.scale.copy()
        self._expand = expand.specialised(*given, self.layout.sizes, self.layout.parts, out)

    def arrange(self, arms: list[Any]) -> None:
        """Take the features of these arms, in this order."""
        self._own = self.layout.arm_cells(arms)

    def peek(
        self, cells: Floats, places: list[int] | None = None, most: float = inf
    ) -> tuple[Floats, Floats]:
        """The features of the arms, a row for each, and the scale with these cells counted.

        cells: one row for all arms, or one for each. places: those of the arms that are meant.
        most: the largest feature that is allowed.
        """
        own = self._own if places is None else self._own[places]
        scale, out = self.scale.copy(), np.empty((len(own), len(self.layout.names)))
        largest = self._expand(cells, own, scale, self.layout.sizes, self.layout.parts, out)
        if largest > most:
            words = f"such that features are at most {most:g} after scaling"
            raise ParameterError("Decider", "context", words, largest)
        return out, scale
