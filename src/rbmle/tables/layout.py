"""`Layout`: where the features of an `Encode` are, and how a row is read for it.

A row is read into *cells*, a number for each column: a number as it is, a category by its place
among the known ones. Cells are stored in logs and identify pulls; features are computed from them
and the current scale (`encoder.py`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import isfinite
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..errors import ParameterError, did_you_mean, show
from .learned import learned
from .rows import LARGEST, a_category, a_number, as_row, cell_error, missing

RUNNING = "running"
MOST_FEATURES = 1000  # as many as `Linear` takes
TOLD = -1.0  # in place of the number of rows, where the scale of a column does not run


Pairs = tuple[tuple[Any, Any], ...]


class Columns(NamedTuple):
    """The fields of `Encode`. Mappings are kept as pairs, so that records can be compared."""

    numbers: Pairs
    categories: Pairs
    crosses: tuple[str, ...]
    intercept: bool
    arms: Pairs


class Column:
    """A column: how many features it has, how they are called, and how a value is read."""

    def __init__(self, name: str, kind: Any) -> None:
        """kind: "running", (mean, deviation) as a tuple of two floats in a list, the values of a
        category as a tuple, or the number of features that they are hashed to."""
        self.name, self.kind = name, kind
        self.scale = TOLD, 0.0, 1.0  # rows, mean and variance (running: sum of squares) so far
        self.features = [name]
        self.codes: dict[Any, float] = {}
        self._words, self._other = False, 0.0
        self.is_number = kind == RUNNING or isinstance(kind, list)
        if kind == RUNNING:
            self.scale = 0.0, 0.0, 0.0
        elif isinstance(kind, list):
            self.scale = TOLD, kind[0], kind[1] ** 2
        elif isinstance(kind, tuple):
            self.codes = {value: float(code) for code, value in enumerate(kind)}
            self._words, self._other = isinstance(kind[0], str), float(len(kind))
            self.features = [*(f"{name}={value}" for value in kind), f"{name}=other"]
        else:
            self.features = [f"{name}#{k}" for k in range(kind)]

    def cell(self, owner: str, parameter: str, value: object) -> float:
        """The value as a number; raises ParameterError if it is of another type."""
        if type(value) is str and self._words:
            return self.codes.get(value, self._other)
        if self.is_number:
            number = a_number(value)
            if number is None:
                raise cell_error(owner, parameter, self.name, "a finite number", value)
            return number
        found = a_category(owner, parameter, self.name, value)
        if not self.codes:
            return float(crc32(str(found).encode()) % len(self.features))
        if found is not None and isinstance(found, str) != self._words:
            words = "a string" if self._words else "a whole number"
            raise cell_error(owner, parameter, self.name, words, value)
        return self.codes.get(found, self._other)


class Layout:
    """The columns of an `Encode`: those of the context, then those of the arms.

    sizes: the number of features of each column; 1 for a number. parts: for each block of features
    the columns whose product it is, -1 where there are fewer. scale: rows, mean and variance of
    each column's numbers, at the beginning.
    """

    def __init__(self, encode: Columns) -> None:
        self.columns = [Column(name, _told(kind)) for name, kind in encode.numbers]
        self.columns += [Column(name, kind) for name, kind in encode.categories]
        self.numbers = len(encode.numbers)
        self.width = len(self.columns)
        names = [each.name for each in self.columns]
        self._quick = (
            names[: self.numbers],
            [(each.name, each.codes) for each in self.columns[self.numbers :]],
        )
        rows = {arm: dict(row) for arm, row in encode.arms}
        if rows:
            numbers, categories = learned("arms", list(rows.values()))
            for name in next(iter(rows.values())):
                kind = numbers.get(name, categories.get(name))
                self.columns.append(Column(name, kind if name in numbers else _known(kind)))
        own = self.columns[self.width :]
        self.arms = {
            arm: [each.cell("Encode", "arms", row[each.name]) for each in own]
            for arm, row in rows.items()
        }
        self.own = len(own)
        names = [each.name for each in self.columns]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None or not names:
            raise ParameterError("Encode", "columns", "one or more, with distinct names", twice)
        self.parts = self._parts(encode, names)
        self.sizes: NDArray[np.int64] = np.array([len(each.features) for each in self.columns])
        self.scale = np.array([each.scale for each in self.columns]).T.copy()
        count = sum(int(np.prod(self.sizes[part[part >= 0]])) for part in self.parts)
        if count > MOST_FEATURES:
            raise ParameterError("Encode", "", f"at most {MOST_FEATURES} features in all", count)
        self.names = [name for part in self.parts for name in self._names(part)]

    def _parts(self, encode: Columns, names: list[str]) -> NDArray[np.int64]:
        crosses = [each.split(" x ") for each in encode.crosses if each != "all"]
        if "all" in encode.crosses:
            pairs = product(names[: self.width], names[self.width :])
            crosses += [list(pair) for pair in pairs]
        parts: list[list[int]] = [[]] if encode.intercept else []
        parts += [[place] for place in range(len(names))]
        for cross in crosses:
            for each in cross:
                if each not in names:
                    listing = ", ".join(map(repr, names))
                    hint = did_you_mean(each, names)
                    raise ParameterError("Encode", "crosses", f"of columns {listing}", each, hint)
            parts.append([names.index(each) for each in cross])
        widest = max(1, *map(len, parts))
        return np.array([[*part, *[-1] * (widest - len(part))] for part in parts])

    def _names(self, part: NDArray[np.int64]) -> list[str]:
        factors = [self.columns[place].features for place in part if place >= 0]
        return [" x ".join(each) for each in product(*factors)] if factors else ["intercept"]

    def quick(self, context: object) -> Floats | None:
        """The cells of a dict with finite numbers and values that are listed, in a third of the
        time; None for any other context."""
        if type(context) is not dict:
            return None
        try:
            cells = [context[name] for name in self._quick[0]]
            if cells and not _all_numbers(cells):
                return None
            cells += [codes[context[name]] for name, codes in self._quick[1]]
        except (KeyError, TypeError):
            return None
        return np.array(cells, np.float64)

    def cells(self, owner: str, context: object) -> Floats:
        """A context as numbers, one for each column; raises ParameterError if one is missing."""
        found = self.quick(context)
        if found is not None:
            return found
        row, columns = as_row(context), self.columns[: self.width]
        if isinstance(row, Mapping):
            try:
                values = [row[each.name] for each in columns]
            except KeyError as problem:
                raise missing(owner, "context", problem.args[0], row) from None
        elif row is None or len(row) != len(columns):
            listing = ", ".join(show(each.name) for each in columns)
            words = f"a row with the columns {listing}"
            raise ParameterError(owner, "context", words, context)
        else:
            values = list(row)
        numbers = values[: self.numbers]
        start = self.numbers if _all_numbers(numbers) else 0  # else the culprit is looked for
        pairs = zip(columns[start:], values[start:], strict=True)
        read = [each.cell(owner, "context", value) for each, value in pairs]
        return np.array([*numbers[:start], *read], dtype=np.float64)

    def arm_cells(self, arms: Sequence[object]) -> Floats:
        """The cells of the columns of these arms; raises ParameterError if an arm has none."""
        for arm in arms:
            if self.own and arm not in self.arms:
                listing = ", ".join(map(show, list(self.arms)[:8]))
                words = f"one of those that Encode has features of: {listing}"
                raise ParameterError("Decider", "arm", words, arm, did_you_mean(arm, self.arms))
        rows = [self.arms[arm] if self.own else [] for arm in arms]
        return np.array(rows, dtype=float).reshape(len(arms), self.own)


def _all_numbers(values: list[Any]) -> bool:
    """Whether all values are finite numbers, and none is too large."""
    try:
        finite = all(map(isfinite, values))
    except (TypeError, OverflowError):
        return False
    return finite and (not values or max(-float(min(values)), float(max(values))) <= LARGEST)


def _told(kind: Any) -> Any:
    return kind if kind == RUNNING else list(kind)


def _known(kind: Any) -> Any:
    return tuple(kind) if isinstance(kind, list) else kind
