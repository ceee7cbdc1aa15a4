"""Columns learned from existing rows: those of `Encode.fit`, and those of arms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import sqrt

from ..errors import Words
from .rows import Category, a_category, a_number, cell_error, is_empty

_MOST_LISTED = 50  # categories of a column that are listed; if there are more, they are hashed


def learned(
    name: str, rows: Sequence[Mapping[str, object]]
) -> tuple[dict[str, list[float]], dict[str, list[Category] | int]]:
    """The columns of these rows: numbers with mean and deviation, categories with their values.

    name: the parameter of `Encode` that the rows are, for error messages.
    """
    numbers: dict[str, list[float]] = {}
    categories: dict[str, list[Category] | int] = {}
    for column in dict.fromkeys(key for row in rows for key in row):
        found = [row[column] for row in rows if column in row and not is_empty(row[column])]
        if not found:
            raise cell_error("Encode", name, column, "at least one value", Words("none"))
        if any(isinstance(each, (str, bool)) or type(each).__name__ == "bool_" for each in found):
            values = Counter(a_category("Encode", name, column, each) for each in found)
            if len({isinstance(each, str) for each in values}) > 1:
                some = next(each for each in values if not isinstance(each, str))
                raise cell_error("Encode", name, column, "words throughout", some)
            known = [value for value, _ in values.most_common()]
            categories[column] = known if len(known) <= _MOST_LISTED else _MOST_LISTED
            continue
        values_ = [a_number(each) for each in found]
        if None in values_:
            raise cell_error("Encode", name, column, "finite numbers", found[values_.index(None)])
        floats = [each for each in values_ if each is not None]
        mean = sum(floats) / len(floats)
        deviation = sqrt(sum((each - mean) ** 2 for each in floats) / len(floats))
        numbers[column] = [mean, deviation or 1.0]
    return numbers, categories
