"""Checks of what a caller gives to a decider: names, ids of decisions, rewards, contexts."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterable, Mapping
from math import inf, nan
from numbers import Real
from typing import Any

import numpy as np

from .._io.machine import machine_memory, size_text
from .._numba.compile import Floats
from ..errors import Interval, ParameterError, did_you_mean, integer
from ..evidence import Evidence, features_of
from ..families import Family
from ..policies.base import Policy, has_index
from ..random import MAX_ARMS
from ..tables import Encode, Transformed, as_rows, by_arm
from .live_arm import LiveArm, Name

_LARGEST = 1e100  # the largest reward: 2^53 squares of it add up to 9e215, below the float limit
_KINDS = "biufO"  # of NumPy's types those of numbers, and of objects such as fractions
_SHOWN = 8  # names that an error message lists


def a_name(parameter: str, given: object) -> Name:
    """The name, if it is a string or a whole number; else raises ParameterError."""
    if isinstance(given, str):
        return given
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        return operator.index(given)
    raise ParameterError("Decider", parameter, "named by strings or whole numbers", given)


def the_names(arms: object) -> list[Name]:
    """The names of a new decider's arms, checked."""
    names = [] if isinstance(arms, str) or not isinstance(arms, Iterable) else list(arms)
    if not 2 <= len(names) <= MAX_ARMS:
        raise ParameterError("Decider", "arms", "a list of at least two names", arms)
    known = [a_name("arms", each) for each in names]
    twice = next((name for name, n in Counter(known).items() if n > 1), None)
    if twice is not None:
        raise ParameterError("Decider", "arms", "distinct names", twice)
    return known


def unknown(given: object, names: list[Name]) -> ParameterError:
    """The error for a name that no arm has; it suggests the nearest name."""
    listing = ", ".join(repr(name) for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    hint = did_you_mean(given, names)
    return ParameterError("Decider", "arm", f"one of {listing}{more}", given, hint)


def a_count(given: object) -> int:
    """The number of pulls; where features are given in its place, the error says how to."""
    if hasattr(given, "__len__") and not isinstance(given, str):
        hint = " Features are given by name, as in pull(context=...)."
        raise ParameterError("Decider", "n", "a whole number in [1, inf)", given, hint)
    return integer("Decider", "n", given, "[1, inf)")


def listed(name: str, given: object, size: int) -> list[Any]:
    """The values given for several pulls, checked to be a list of `size`."""
    values = list(given) if isinstance(given, Iterable) else []
    if len(values) != size:
        raise ParameterError("Decider", name, f"a list of {size} numbers, one for each arm", given)
    return values


def an_arm(given: Any, arms: Mapping[Name, LiveArm]) -> LiveArm:
    """The arm of that name; else raises ParameterError."""
    try:
        return arms[given]
    except (KeyError, TypeError):
        raise unknown(given, list(arms)) from None


def has_indices(policy: Policy) -> None:
    """Raise ParameterError unless the policy ranks arms by an index."""
    if not has_index(policy):
        name = type(policy).__name__
        raise ParameterError("Decider", "policy", "one that ranks arms by an index", name)


def support(family: Family) -> Interval:
    """The interval of rewards that a decider accepts: the family's, cut at -1e100 and 1e100."""
    low, high, closed_low, closed_high = family.reward_interval()
    return Interval(
        max(low, -_LARGEST),
        min(high, _LARGEST),
        closed_low or low == -inf,
        closed_high or high == inf,
    )


def a_reward(given: object, allowed: Interval, family: object) -> float:
    """The reward as a float, if it is a number in `allowed`; True and False are 1 and 0."""
    if isinstance(given, np.bool_):
        given = bool(given)
    if (type(given) is not float and not isinstance(given, Real)) or given not in allowed:
        name = type(family).__name__
        raise ParameterError("Decider", "reward", f"a number in {allowed} for {name}", given)
    return float(given)


def _numbers(given: object, largest: float, *shape: int) -> Floats | None:
    """The numbers as an array of floats of this shape, if none is too large or NaN; else None.

    A table of one row stands for the row.
    """
    try:
        found = np.asarray(given)
        found = found[0] if found.shape == (1, *shape) else found
        numbers = found.astype(np.float64) if found.dtype.kind in _KINDS else None
    except (TypeError, ValueError, OverflowError):
        return None
    if numbers is None or numbers.shape != shape or not np.all(np.abs(numbers) <= largest):
        return None
    return numbers


def a_vector(given: object, evidence: Evidence, arm: Name | None = None) -> Floats:
    """The features as an array of floats, if they are as many numbers as evidence reads.

    arm: whose features they are, for the error message.

    >>> from rbmle import Linear
    >>> a_vector([1, 0.5], Linear(2))
    array([1. , 0.5])
    >>> a_vector([1], Linear(2))
    Traceback (most recent call last):
    rbmle.errors.ParameterError: Decider: 'context' must be 2 numbers of at most 1e+09. Got [1].
    """
    reads = evidence.reads()
    vector = _numbers(given, evidence.largest(), reads)
    if vector is None:
        whose = "" if arm is None else f" for {arm!r}"
        numbers = "a list of one number" if reads == 1 else f"{reads} numbers"
        most = f"of at most {evidence.largest():g}"
        raise ParameterError("Decider", "context", f"{numbers} {most}{whose}", given)
    return vector


def the_features(
    given: object, arms: Mapping[Name, LiveArm], evidence: Evidence, among: set[Name] | None = None
) -> Floats | None:
    """The features of all arms, a row for each; those of arms that cannot be chosen, because they
    are disabled or not `among` the candidates, may be left out.

    given: a mapping of arms to their features, or a table whose rows are named by them; an array
    with a row for each arm, in their order; or one list for all arms, if each has a theta of its
    own; or None.
    """
    if given is None:
        return None
    encode = features_of(evidence)
    if encode is not None:
        return _the_rows(given, arms, evidence, encode, among)
    refuse_context(given, evidence)
    if not isinstance(given, Mapping):
        given = _named_rows(given, arms)
    if not isinstance(given, Mapping):
        rows = _numbers(given, evidence.largest(), len(arms), evidence.reads())
        if rows is not None:
            return rows
        if not evidence.separate():
            needed = f"the features of each arm, as in {{{next(iter(arms))!r}: [...], ...}}"
            raise ParameterError("Decider", "context", needed, given)
        return np.tile(a_vector(given, evidence), (len(arms), 1))
    _known_arms(given, arms, " A row with columns needs evidence with features=Encode(...).")
    if len(given) == len(arms):
        listed, largest = [given[name] for name in arms], evidence.largest()
        all_at_once = _numbers(listed, largest, len(arms), evidence.reads())
        if all_at_once is not None:
            return all_at_once
    features = np.zeros((len(arms), evidence.reads()))
    for arm in arms.values():
        if arm.name in given:
            features[arm.place] = a_vector(given[arm.name], evidence, arm.name)
        elif arm.enabled and (among is None or arm.name in among):
            raise _lacking(arm.name, given)
    return features


def _known_arms(
    given: Mapping[Any, object], arms: Mapping[Name, LiveArm], otherwise: str = ""
) -> None:
    """Raise ParameterError at a name that no arm has; otherwise: the hint if none is near."""
    for name in given:
        if name not in arms:
            error = unknown(name, list(arms))
            allowed = error.allowed.replace("one", "features", 1)
            raise ParameterError("Decider", "context", allowed, name, error.hint or otherwise)


def _lacking(name: Name, given: Mapping[Any, object]) -> ParameterError:
    needed = f"the features of every enabled arm, {name!r} too"
    return ParameterError("Decider", "context", needed, list(given))


def _the_rows(
    given: object,
    arms: Mapping[Name, LiveArm],
    evidence: Evidence,
    encode: Encode | Transformed,
    among: set[Name] | None,
) -> Floats:
    """The context of a table as features: one row for all arms, or one for each; see `_a_row`."""
    alike = evidence.separate() or (isinstance(encode, Encode) and bool(encode.arms))
    found = encode.layout.quick(given) if alike and isinstance(encode, Encode) else None
    if found is not None:
        return found[None]
    flat = isinstance(given, (list, tuple)) and not isinstance(given[0] if given else 0, Mapping)
    named = {} if flat else by_arm(given) or {}
    if any(name in arms for name in named):
        _known_arms(named, arms)
        needed = among or {name for name, arm in arms.items() if arm.enabled}
        lacking = next((name for name in arms if name in needed.difference(named)), None)
        if lacking is not None:
            raise _lacking(lacking, named)
        rows = {name: _a_row(each, evidence, encode) for name, each in named.items()}
        none = np.full_like(next(iter(rows.values())), nan if isinstance(encode, Encode) else 0.0)
        return np.array([rows.get(name, none) for name in arms])
    if not alike:
        words = f"a row for each arm, as in {{{next(iter(arms))!r}: {{...}}, ...}}"
        hint = " Encode(arms=...) has features of the arms, Linear(shared=False) a theta for each."
        raise ParameterError("Decider", "context", words, given, hint)
    row = _a_row(given, evidence, encode)
    return row[None] if isinstance(encode, Encode) else np.tile(row, (len(arms), 1))


def _a_row(given: object, evidence: Evidence, encode: Encode | Transformed) -> Floats:
    """A row of a table: the cells that an `Encode` reads, or the features of a transformer."""
    if isinstance(encode, Encode):
        return encode.layout.cells("Decider", given)
    return a_vector(encode.vector("Decider", given), evidence)


def _rows(given: Any) -> Any:
    """A table or a series of pandas, or of a library like it, as an array; else what is given."""
    return given.to_numpy() if hasattr(given, "to_numpy") else given


def _named_rows(given: Any, arms: Mapping[Name, LiveArm]) -> Any:
    """A table of pandas as a mapping of its row names to its rows, and so a series of lists.

    A table without names of its own is returned as an array, and so is a single row, which may
    have any name; what is no table is returned as it is.
    """
    rows, labels = _rows(given), getattr(given, "index", None)
    if rows is given or labels is None:
        return rows
    if rows.ndim == 1 and (not rows.size or np.ndim(rows[0]) == 0):
        return rows  # the features of one arm, which have names of their own
    names = list(labels)
    unnamed = len(names) == 1 or names == list(range(len(names)))
    if unnamed and not any(name in arms for name in names):
        return rows
    named = dict(zip(names, rows, strict=True))
    if len(named) < len(names):
        raise ParameterError("Decider", "context", "a table with one row for each arm", given)
    return named


def a_context(given: object, evidence: Evidence, arm: Name) -> Floats | None:
    """The features of one pull of this arm; None where they are left out."""
    if given is None:
        return None
    refuse_context(given, evidence)
    encode = features_of(evidence)
    return a_vector(given, evidence, arm) if encode is None else _a_row(given, evidence, encode)


def the_contexts(given: object, names: list[Name], evidence: Evidence) -> list[Floats | None]:
    """The features of each pull of these arms; None where they are left out."""
    refuse_context(given, evidence)
    listed = [None] * len(names) if given is None else _rows(given)
    if features_of(evidence) is not None and given is not None:
        listed = as_rows(given) if as_rows(given) is not None else listed
    if not isinstance(listed, (list, tuple, np.ndarray)) or len(listed) != len(names):
        needed = f"a list of {len(names)} lists of features, one for each arm"
        raise ParameterError("Decider", "context", needed, given)
    return [a_context(each, evidence, name) for each, name in zip(listed, names, strict=True)]


def refuse_context(given: object, evidence: Evidence) -> None:
    """Raise ParameterError if a context is given to evidence that reads none."""
    if given is not None and evidence.reads() == 0:
        kind = type(evidence).__name__
        raise ParameterError(
            "Decider", "context", f"left out with {kind}, which reads no features", given
        )


def room(evidence: Evidence, n_arms: int) -> Floats:
    """An array for the memory of the evidence with this many arms."""
    size, most = evidence.memory_size(n_arms), machine_memory()
    if most is not None and 8 * size > most:
        fits = f"one whose memory fits in {size_text(most)} with {n_arms} arms"
        raise ParameterError("Decider", "evidence", fits, evidence)
    return np.zeros(size)
