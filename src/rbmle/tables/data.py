"""`DataTable`: the columns of a table in a file or in memory."""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Mapping
from math import isfinite
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError, Words, did_you_mean, show
from .layout import Column, Layout
from .rows import Category, a_category, as_rows, cell_error, is_empty


class DataTable(NamedTuple):
    """Columns by name, all of one length; an empty cell is None.

    owner: the class that reads it, for error messages. path, sha256: of the file; "" for none.
    """

    owner: str
    columns: dict[str, list[object]]
    path: str = ""
    sha256: str = ""

    @classmethod
    def of(cls, owner: str, given: object) -> DataTable:
        """given: the path of a CSV file with a line of names; a table of pandas or polars; a
        mapping of columns; a list of rows that are mappings.

        >>> DataTable.of("Replay", [{"arm": "a", "reward": 1}, {"arm": "b", "reward": 0}]).columns
        {'arm': ['a', 'b'], 'reward': [1, 0]}
        """
        if isinstance(given, (str, os.PathLike)):
            path = os.path.abspath(os.fspath(given))
            content = _content(owner, path)
            found = _parsed(owner, path, content)
            return cls(owner, found, path, hashlib.sha256(content).hexdigest())
        found = _in_memory(given)
        if len(set(map(len, found.values()))) != 1 or not next(iter(found.values())):
            words = "the path of a CSV file, a table, or columns of one length"
            raise ParameterError(owner, "table", words, Words(type(given).__name__))
        return cls(owner, found)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values())))

    def rows_without(self, names: set[str]) -> list[dict[str, object]]:
        """The rows as mappings, without these columns."""
        left = {name: each for name, each in self.columns.items() if name not in names}
        return [dict(zip(left, row, strict=True)) for row in zip(*left.values(), strict=True)]

    def column(self, parameter: str, name: object) -> list[object]:
        """The column of this name; raises ParameterError if there is none, or it is empty."""
        if name not in self.columns:
            listing = ", ".join(map(show, self.columns))
            hint = did_you_mean(name, self.columns)
            raise ParameterError(self.owner, parameter, f"one of the columns {listing}", name, hint)
        found = self.columns[str(name)]
        if all(each is None for each in found):
            raise cell_error(self.owner, parameter, str(name), "at least one value", Words("none"))
        return found

    def read(self, parameter: str, column: Column) -> Floats:
        """What is read of a column: a number for each row."""
        values = self.column(parameter, column.name)
        if column.is_number and self.sha256:  # so that an error names the cell that is no number
            values = [_typed(each) if isinstance(each, str) else each for each in values]
        return np.array([column.cell(self.owner, parameter, each) for each in values])

    def names(self, parameter: str, name: str) -> list[Category]:
        """The column as names of arms."""
        column = self.column(parameter, name)
        found = [a_category(self.owner, parameter, name, each) for each in column]
        if None in found:
            raise cell_error(self.owner, parameter, name, "a name in each row", None)
        return found

    def cells(self, layout: Layout) -> Floats:
        """The numbers that an `Encode` reads of each row: (rows, columns)."""
        found = [self.read("features", each) for each in layout.columns[: layout.width]]
        return np.array(found).reshape(layout.width, self.rows).T.copy()


def _content(owner: str, path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise ParameterError(owner, "table", f"a file that can be read ({reason})", path) from None


def _parsed(owner: str, path: str, content: bytes) -> dict[str, list[object]]:
    """The columns of a CSV file: numbers where all that is not empty is a number, else words."""
    lines: list[list[str]] = []
    number, wrong = 1, "with distinct names in its first line, and rows below"
    try:
        reader = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        lines = [row for row in reader if row]
        odd = next((k for k, row in enumerate(lines) if len(row) != len(lines[0])), 0)
        if odd:
            number, wrong = odd + 1, f"with {len(lines[0])} cells in each line"
    except UnicodeDecodeError as problem:
        number, wrong = content[: problem.start].count(b"\n") + 1, "in UTF-8"
    except csv.Error as problem:
        number, wrong = reader.line_num, f"without mistakes ({problem})"
    if number > 1 or len(lines) < 2 or len(set(lines[0])) < len(lines[0]):
        got = Words(f"line {number} of {show(path)}")
        raise ParameterError(owner, "table", f"a CSV file {wrong}", got)
    columns = zip(*lines[1:], strict=True)
    return {name: _column(cells) for name, cells in zip(lines[0], columns, strict=True)}


def _column(cells: tuple[str, ...]) -> list[object]:
    words = [cell if cell.strip() else None for cell in cells]
    typed: list[object] = [None if word is None else _typed(word) for word in words]
    return list(words) if any(isinstance(each, str) for each in typed) else typed


def _typed(cell: str) -> float | str:
    """The number that a cell of a file states, a whole one if it can be; else the cell."""
    if len(cell) < 19 and cell.removeprefix("-").isdecimal():
        return int(cell)
    try:
        return float(cell) if isfinite(float(cell)) and "_" not in cell else cell
    except ValueError:
        return cell


def _in_memory(given: object) -> dict[str, list[object]]:
    """The columns of a table in memory; none if it is no table."""
    listed = as_rows(given) or []
    rows = [row for row in listed if isinstance(row, Mapping)]
    if rows and len(rows) == len(listed):
        names = dict.fromkeys(key for row in rows for key in row)
        return {str(name): [_none(row.get(name)) for row in rows] for name in names}
    lists = given if isinstance(given, Mapping) else {}
    if not all(isinstance(each, (list, tuple, np.ndarray)) for each in lists.values()):
        return {}
    return {str(name): [_none(x) for x in np.asarray(each, object)] for name, each in lists.items()}


def _none(value: object) -> object:
    return None if is_empty(value) or (isinstance(value, str) and not value.strip()) else value
