"""`Encode`: how the columns of a table become features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._numba.compile import Floats
from .._records.record import register, replace
from ..errors import ParameterError, Words, integer
from .encoder import Encoder
from .layout import MOST_FEATURES, RUNNING, Columns, Layout, Pairs
from .learned import learned
from .rows import a_category, a_number, as_rows, by_arm, cell_error, is_empty

ENCODERS: dict[str, type] = {}


class Encode(Columns):
    """How a context, a row of a table with words in it, becomes features.

    numbers: names of columns, each scaled by the mean and the standard deviation of the rows so
    far, the present one included; or a mapping of names to "running", which is that, or to
    [mean, deviation].
    categories: a mapping of names to the values that are known, which become one feature each (0
    or 1), with one more, "other", for any other value and for an empty one; or to a number of
    features, at least 2, into which all values are hashed.
    crosses: products of columns, "device x hour", also of three or more; "all" for every column of
    the context times every column of the arms.
    intercept: whether there is a feature that is always 1.
    arms: features of the arms: a mapping of arms to rows, a DataFrame with the arms as its index,
    or a table with a column "arm". Its numbers are scaled by their own mean and deviation, its
    words are categories. Or only the names of the arms, for a column "arm". With them an arm's
    features are those of the context, those of the arm, and their crosses.

    A context is then a mapping, `{"device": "mobile", "age": 31}`, a row of pandas or polars, or a
    list of values in the order of `columns`. Other columns are ignored. `names` are those of the
    features. A running scale belongs to the decider and is saved with it; features that were
    learned from do not change when it moves.

    >>> encode = Encode({"age": [40, 10]}, {"device": ["mobile", "desktop"]}, ["device x age"])
    >>> encode.names[:5]
    ('intercept', 'age', 'device=mobile', 'device=desktop', 'device=other')
    >>> encode.vector({"device": "mobile", "age": 55}).tolist()
    [1.0, 1.5, 1.0, 0.0, 0.0, 1.5, 0.0, 0.0]
    """

    def __new__(
        cls,
        numbers: object = (),
        categories: object = (),
        crosses: object = (),
        intercept: bool = True,
        arms: object = (),
    ) -> Encode:
        if not isinstance(intercept, bool):
            raise ParameterError("Encode", "intercept", "True or False", intercept)
        listed = [crosses] if isinstance(crosses, str) else crosses
        if not isinstance(listed, (list, tuple)) or not all(isinstance(x, str) for x in listed):
            raise ParameterError("Encode", "crosses", 'as in ["device x hour"]', crosses)
        given = _numbers(numbers), _categories(categories), tuple(listed), intercept, _arms(arms)
        made = tuple.__new__(cls, given)
        made.layout = Layout(made)  # which refuses columns that do not fit together
        return made

    layout: Layout

    replace = replace

    @classmethod
    def fit(
        cls, rows: object, crosses: object = (), intercept: bool = True, arms: object = ()
    ) -> Encode:
        """The `Encode` whose columns are those of these rows: numbers with their mean and standard
        deviation, words and truth values with their values, the most frequent first; more than 50
        of them are hashed to 50 features.

        rows: a DataFrame, or a list of mappings; their labels and rewards left out.

        >>> Encode.fit([{"device": "mobile", "age": 30}, {"device": "tv", "age": 50}]).numbers
        (('age', (40.0, 10.0)),)
        """
        listed = as_rows(rows) or []
        known = [row for row in listed if isinstance(row, Mapping)]
        if not known or len(known) < len(listed):
            raise ParameterError("Encode", "rows", "a table, or a list of mappings", rows)
        numbers, categories = learned("rows", known)
        return cls(numbers, categories, crosses, intercept, arms)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return type(self), tuple(self)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of a context, in the order in which a list has their values."""
        return tuple(name for name, _ in (*self.numbers, *self.categories))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return tuple(self.layout.names)

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self.layout.names)

    def vector(self, context: object, arm: object = None) -> Floats:
        """The features of a context, and of an arm if arms have some, in a new decider."""
        rows = self.layout.cells("Encode", context)[None]
        names = [self.arms[0][0] if arm is None and self.arms else arm]
        features, _ = Encoder(self.layout, names).peek(rows)
        return np.asarray(features[0])


register(ENCODERS, Encode)


def _pairs(name: str, given: object, words: str) -> list[tuple[Any, Any]]:
    """A mapping as pairs; files have pairs already."""
    pairs = list(given.items()) if isinstance(given, Mapping) else given
    if not isinstance(pairs, (list, tuple)) or not all(
        isinstance(each, (list, tuple)) and len(each) == 2 for each in pairs
    ):
        raise ParameterError("Encode", name, words, given)
    return [(key, value) for key, value in pairs]


def _numbers(given: object) -> Pairs:
    if isinstance(given, (list, tuple)) and all(isinstance(each, str) for each in given):
        given = dict.fromkeys(given, RUNNING)
    words = 'names of columns, or a mapping of them to "running" or [mean, deviation]'
    found: list[tuple[Any, Any]] = []
    for name, scale in _pairs("numbers", given, words):
        if isinstance(scale, (list, tuple)) and len(scale) == 2:
            mean, deviation = (a_number(each) for each in scale)
            if mean is None or deviation is None or not deviation > 0.0:
                allowed = f"scaled by a mean and a deviation in (0, inf) in {name!r}"
                raise ParameterError("Encode", "numbers", allowed, scale)
            found.append((name, (mean, deviation)))
        elif scale == RUNNING:
            found.append((name, RUNNING))
        else:
            raise ParameterError("Encode", "numbers", words, scale)
    return tuple(found)


def _categories(given: object) -> Pairs:
    words = "a mapping of columns to lists of values, or to a number of features"
    found: list[tuple[Any, Any]] = []
    for name, values in _pairs("categories", given, words):
        if isinstance(values, (list, tuple)):
            known = tuple(a_category("Encode", "categories", name, each) for each in values)
            if not known or None in known or len(set(known)) < len(known):
                allowed = f"a list of one or more distinct values in {name!r}"
                raise ParameterError("Encode", "categories", allowed, values)
            found.append((name, known))
        elif isinstance(values, (str, bool)):
            raise ParameterError("Encode", "categories", words, values)
        else:
            found.append((name, integer("Encode", "categories", values, f"[2, {MOST_FEATURES}]")))
    return tuple(found)


def _arms(given: object) -> Pairs:
    """The rows of the arms: pairs of an arm and its row, which is pairs of a column and a value."""
    if isinstance(given, (list, tuple)) and all(isinstance(each, (str, int)) for each in given):
        return tuple((name, (("arm", name),)) for name in given)
    words = "names of arms, or a table with a row for each arm"
    table: Mapping[object, object]
    if isinstance(given, (list, tuple)) and all(isinstance(x, (list, tuple)) for x in given):
        table = {arm: dict(_pairs("arms", row, words)) for arm, row in _pairs("arms", given, words)}
    else:
        table = by_arm(given) or {}
    rows: dict[object, dict[str, object]] = {}
    for arm, row in table.items():
        if not isinstance(row, Mapping) or not row or isinstance(arm, float):
            raise ParameterError("Encode", "arms", words, row)
        rows[arm] = {name: _plain(name, value) for name, value in row.items()}
    if not rows:
        raise ParameterError("Encode", "arms", words, given)
    first = next(iter(rows.values()))
    for row in rows.values():
        if list(row) != list(first):
            allowed = f"a table whose rows have the columns {', '.join(map(repr, first))}"
            raise ParameterError("Encode", "arms", allowed, Words(f"{', '.join(map(repr, row))}"))
    return tuple((arm, tuple(row.items())) for arm, row in rows.items())


def _plain(column: str, value: object) -> object:
    """A value of the arms' table as JSON has it."""
    if isinstance(value, (str, bool)) or is_empty(value):
        return None if is_empty(value) else value
    number = a_number(value)
    if number is None:
        raise cell_error("Encode", "arms", column, "numbers or words", value)
    return int(number) if number.is_integer() else number
