"""`Encoder`: turns cells into features by the current scale; `Encoding` does so in compiled
code."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, lean, lean_kernel, record
from ..errors import ParameterError
from .layout import Layout

Places = NDArray[np.int64]


def _expand(
    cells: Floats, own: Floats, scale: Floats, sizes: Places, parts: Places, out: Floats
) -> float:
    """Fill `out` (arms, features) from the cells of the context, in one row for all arms or one
    for each, and those of the arms.

    scale: rows, mean and sum of squares of each column, in which the rows of `cells` are counted
    first (Welford 1962); where the number of rows is negative, the mean and the variance are fixed.
    A row of NaN is missing: its features are 0. Returns the size of the largest feature.
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


@record
class Encoding(NamedTuple):
    """The arrays of an `Encoder`, for compiled code.

    arm_cells, sizes, parts, scale: as in `_expand`. coming: room for the scale with the rows of the
    coming round counted. features: those of the coming round, a row for each arm. most: the largest
    feature that is allowed. Where contexts are features, there are no parts, and the caller puts
    them into `features`.
    """

    arm_cells: Floats
    sizes: Places
    parts: Places
    scale: Floats
    coming: Floats
    features: Floats
    most: float

    @classmethod
    def of_features(cls, features: Floats) -> Encoding:
        """Where contexts are features."""
        none, parts = np.zeros((1, 0)), np.zeros((0, 1), np.int64)
        return cls(none, parts[:, 0].copy(), parts, none, none, features, inf)

    def reads(self, cells: Floats) -> bool:
        """Compute features and scale of the coming round; whether no feature is too large."""
        if self.parts.shape[0] == 0:
            return True
        for k in range(3):
            for c in range(self.scale.shape[1]):
                self.coming[k, c] = self.scale[k, c]
        largest = expanded(
            cells, self.arm_cells, self.coming, self.sizes, self.parts, self.features
        )
        return bool(largest <= self.most)

    def keep_scale(self) -> None:
        """Count the rows that were read last."""
        if self.parts.shape[0] > 0:
            for k in range(3):
                for c in range(self.scale.shape[1]):
                    self.scale[k, c] = self.coming[k, c]


class Encoder:
    """A layout at work for these arms, with the scale of its numbers so far.

    >>> import rbmle
    >>> encoder = Encoder(rbmle.Encode(["age"]).layout, ["a", "b"])
    >>> for age in (20.0, 40.0):
    ...     features, encoder.scale = encoder.peek(np.array([[age]]))
    >>> features.tolist()  # the same for both arms: an intercept, and the age
    [[1.0, 1.0], [1.0, 1.0]]
    """

    def __init__(self, layout: Layout, arms: Sequence[object], most: float = inf) -> None:
        """most: the largest feature that is allowed."""
        self.layout, self.most = layout, most
        self._scale: Floats = layout.scale.copy()
        self.arrange(arms)
        own, out = np.zeros((1, layout.own)), np.zeros((1, len(layout.names)))
        given = np.zeros((1, layout.width)), own, self._scale.copy()
        self._expand = expand.specialised(*given, layout.sizes, layout.parts, out)

    @property
    def scale(self) -> Floats:
        """Rows, mean and sum of squares of each column so far: see `_expand`."""
        return self._scale

    @scale.setter
    def scale(self, values: Floats) -> None:
        self._scale[:] = values

    def arrange(self, arms: Sequence[object]) -> None:
        """Take the features of these arms, in this order."""
        layout, own = self.layout, self.layout.arm_cells(arms)
        room = np.zeros_like(self._scale), np.zeros((len(arms), len(layout.names)))
        self.encoding = Encoding(own, layout.sizes, layout.parts, self._scale, *room, self.most)

    def peek(self, cells: Floats, places: list[int] | None = None) -> tuple[Floats, Floats]:
        """The features of the arms, a row for each, and the scale with these cells counted.

        cells: one row for all arms, or one for each. places: those of the arms that are meant.
        """
        own = self.encoding.arm_cells if places is None else self.encoding.arm_cells[places]
        scale, out = self._scale.copy(), np.empty((len(own), len(self.layout.names)))
        largest = self._expand(cells, own, scale, self.layout.sizes, self.layout.parts, out)
        if largest > self.most:
            words = f"such that features are at most {self.most:g} after scaling"
            raise ParameterError("Decider", "context", words, largest)
        return out, scale
