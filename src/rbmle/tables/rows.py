"""Rows of tables, whatever library they come from, and the values in them."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from math import isnan
from numbers import Real

import numpy as np

from ..errors import ParameterError, Words, show

Row = Mapping[str, object] | Sequence[object]
Category = str | int | None  # None: it is empty

LARGEST = 1e100  # of a number: its square is far below the largest float


def as_rows(given: object) -> list[object] | None:
    """The rows of a table of pandas or polars, or of a list of rows; None if it is neither.

    >>> as_rows([{"age": 31}, {"age": 40}])
    [{'age': 31}, {'age': 40}]
    """
    if hasattr(given, "to_dicts"):  # of polars
        return list(given.to_dicts())
    if hasattr(given, "to_dict") and hasattr(given, "columns"):  # of pandas
        return list(given.to_dict("records"))
    return list(given) if isinstance(given, (list, tuple)) else None


def as_row(given: object) -> Row | None:
    """One row as a mapping of columns to values, or as a list of values; None if it is neither.

    given: a mapping, a Series or a table of one row, a named tuple, a list, an array.
    """
    if type(given) is dict or isinstance(given, Mapping):
        return given
    if hasattr(given, "_asdict"):
        return dict(given._asdict())
    if hasattr(given, "to_dict") and hasattr(given, "index"):  # a Series, or a table of pandas
        given = given.to_dict("records") if hasattr(given, "columns") else given.to_dict()
    elif hasattr(given, "to_dicts"):
        given = given.to_dicts()
    elif isinstance(given, np.ndarray):
        given = given.tolist()
    if isinstance(given, list) and len(given) == 1 and isinstance(given[0], (Mapping, list)):
        given = given[0]
    return given if isinstance(given, (Mapping, list, tuple)) else None


def by_arm(given: object) -> dict[object, object] | None:
    """A table whose rows are named by arms, as a mapping of arms to rows; None if it is none.

    given: a mapping of arms to rows, a DataFrame whose index has the arms, or a table with a
    column "arm".
    """
    if isinstance(given, Mapping):
        if any(isinstance(each, (str, int, float)) for each in given.values()):
            return None  # a row, of which none of the values is a row
        rows = all(as_row(each) is not None for each in given.values())
        return dict(given) if given and rows else None
    columns = getattr(given, "columns", ["arm"])
    if hasattr(given, "to_dict") and hasattr(given, "index") and "arm" not in columns:
        return dict(given.to_dict("index"))
    listed = as_rows(given) or []
    named = [row for row in listed if isinstance(row, Mapping) and "arm" in row]
    if not named or len(named) < len(listed):
        return None
    return {row["arm"]: {k: v for k, v in row.items() if k != "arm"} for row in named}


def is_empty(value: object) -> bool:
    """Whether a cell of a table has no value: None, NaN, or what pandas has for it."""
    if isinstance(value, float):
        return isnan(value)
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def a_number(value: object) -> float | None:
    """The value as a float, if it is a finite number; else None."""
    if isinstance(value, (Real, np.bool_)) and abs(float(value)) <= LARGEST:
        return float(value)
    return None


def a_category(owner: str, name: str, column: str, value: object) -> Category:
    """The value as a category: a string, or a whole number; None if it is empty."""
    if isinstance(value, str):
        return str(value)
    if is_empty(value):
        return None
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return operator.index(value)
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return int(value)  # pandas makes whole numbers floats where some are empty
    raise cell_error(owner, name, column, "a string or a whole number", value)


def cell_error(owner: str, name: str, column: str, words: str, value: object) -> ParameterError:
    """The error for a value of a column that is not what it must be."""
    rows = "a row" if name == "context" else "rows"
    return ParameterError(owner, name, f"{rows} with {words} in the column {show(column)}", value)


def missing(owner: str, name: str, column: str, row: Mapping[str, object]) -> ParameterError:
    """The error for a column that a row does not have."""
    words, got = f"a row with the column {show(column)}", ", ".join(map(show, row))
    return ParameterError(owner, name, words, Words(f"the columns {got}" if row else "no columns"))
