"""Contexts in the log: the features that a decision was made with, as the text of its row; and the
candidates that it was made among, the places of their arms: `[0,2]`; and what came with a reward.

A list for all arms that were there, in their order, with null for an arm that was not given
features because it rests: `[[0.2,1.0],null,[0.9,0.1]]`; or, where all arms had the same features,
the one list: `[0.2,1.0]`. The row of a reward has the features of its arm, if the engine has
forgotten them. With an `Encode` it is cells in the place of features. JSON writes a float with all
its digits, so that what is read is what was written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import nan
from typing import Annotated, Any

import msgspec
import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError
from ..live.candidates import the_candidates
from ..live.live_arm import LiveArm, Name
from ..live.live_game import LiveGame

Context = Mapping[str, Any] | Sequence[Any]  # as callers give it
_MOST_COMPARED = 20  # arms whose names are compared with a wrong one; a choice

_encode = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder(list[list[float] | None]).decode
_decode_vector = msgspec.json.Decoder(list[float]).decode


def as_numbers(given: Context) -> Context:
    """The context, if it has nothing but numbers; else raises ParameterError."""
    try:
        return msgspec.convert(given, dict[str, list[float]] | list[float])
    except msgspec.ValidationError:
        raise ParameterError("service", "context", "lists of numbers", given) from None


def written(given: Context, arms: Iterable[str]) -> str:
    """A context as it is stored. arms: the names of all arms, in their order."""
    data: Any = [given.get(name) for name in arms] if isinstance(given, Mapping) else given
    return _encode(data).decode()


def written_cells(rows: Floats) -> str:
    """The cells of a context as they are stored: one row for all arms, or one for each."""
    if len(rows) == 1:
        return written_vector(rows[0].tolist())
    return _encode([None if np.isnan(each).any() else each for each in rows.tolist()]).decode()


def written_vector(vector: Iterable[float]) -> str:
    """The features of one arm as they are stored."""
    return _encode(list(vector)).decode()


def features_of(text: str, n_arms: int, dimension: int, cells: bool = False) -> Floats:
    """The features of all arms, a row for each, that `written` wrote; 0 for arms without.

    cells: they are those of an `Encode`: one row if all arms have the same, NaN for arms without.
    """
    if not text.startswith(("[[", "[null")):
        return np.tile(vector(text, dimension), (1 if cells else n_arms, 1))
    rows = _decode(text)
    features = np.full((n_arms, dimension), nan if cells else 0.0)
    if len(rows) != n_arms or any(row is not None and len(row) != dimension for row in rows):
        raise ValueError(f"its context is not {dimension} numbers for each of {n_arms} arms")
    for place, row in enumerate(rows):
        if row is not None:
            features[place] = row
    return features


def features_of_arm(text: str, arm: int) -> tuple[float, ...]:
    """The features of the arm at this place."""
    if not text.startswith(("[[", "[null")):
        return tuple(_decode_vector(text))
    return tuple(_decode(text)[arm] or ())


def vector(text: str, dimension: int) -> Floats:
    """The features of one arm."""
    numbers = _decode_vector(text)
    if len(numbers) != dimension:
        raise ValueError(f"its context is not {dimension} numbers")
    return np.array(numbers, dtype=np.float64)


def candidates(among: Sequence[str] | None, arms: Mapping[Name, LiveArm]) -> set[Name] | None:
    """The candidates that a request names, checked. Among many arms the nearest name is not looked
    for: that takes milliseconds, and a batch may have a thousand wrong names."""
    for each in among or () if len(arms) > _MOST_COMPARED else ():
        if each not in arms or not arms[each].enabled:
            raise ParameterError("service", "among", "a list of active arms", each)
    return the_candidates(among, arms)


def written_candidates(among: Iterable[str] | None, arms: Mapping[Name, LiveArm]) -> str | None:
    """The candidates as they are stored; None: all active arms."""
    if among is None:
        return None
    return _encode(sorted({arms[each].place for each in among})).decode()


def candidates_of(text: str | None, arms: Sequence[LiveArm]) -> set[Name] | None:
    """The candidates that `written_candidates` wrote; refused if they are not all active."""
    if text is None:
        return None
    places = msgspec.json.decode(text, type=list[Annotated[int, msgspec.Meta(ge=0)]])
    return the_candidates([arms[each].name for each in places], {arm.name: arm for arm in arms})


def written_extras(more: Mapping[str, Any]) -> str | None:
    """What comes with a reward beside its value, `{"cost":0.02,"metrics":{"errors":1.0}}`."""
    return _encode(more).decode() if more else None


def extras(text: str, live: LiveGame, arm: LiveArm) -> tuple[float | None, tuple[float, ...]]:
    """The cost and the shares of metrics that `written_extras` wrote, if they suit the arm."""
    given = msgspec.json.decode(text)
    return live.checked(arm, given.get("cost"), given.get("metrics"))
