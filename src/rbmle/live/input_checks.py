"""Checks of what a caller gives to a decider: names, ids of decisions, rewards, contexts."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from .._numba.compile import Floats
from ..errors import Interval, ParameterError, did_you_mean
from .live_arm import LiveArm, Name

_LARGEST = 1e100  # the largest reward: 2^53 squares of it add up to 9e215, below the float limit
_KINDS = "biufO"  # of NumPy's types those of numbers, and of objects such as fractions
_SHOWN = 8  # names that an error message lists


def a_name(parameter: str, given: Any) -> Name:
    """The name, if it is a string or a whole number; else raises ParameterError."""
    if isinstance(given, str):
        return given
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        return operator.index(given)
    raise ParameterError("Decider", parameter, "named by strings or whole numbers", given)


def unknown(given: Any, names: list[Name]) -> ParameterError:
    """The error for a name that no arm has; it suggests the nearest name."""
    listing = ", ".join(repr(name) for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    hint = did_you_mean(given, names)
    return ParameterError("Decider", "arm", f"one of {listing}{more}", given, hint)


def support(family: Any) -> Interval:
    """The interval of rewards that a decider accepts: the family's, cut at -1e100 and 1e100."""
    low, high, closed_low, closed_high = family.reward_interval()
    return Interval(
        max(low, -_LARGEST),
        min(high, _LARGEST),
        closed_low or low == -inf,
        closed_high or high == inf,
    )


def a_reward(given: Any, allowed: Interval, family: Any) -> float:
    """The reward as a float, if it is a number in `allowed`; True and False are 1 and 0."""
    if isinstance(given, np.bool_):
        given = bool(given)
    if not isinstance(given, Real) or given not in allowed:
        name = type(family).__name__
        raise ParameterError("Decider", "reward", f"a number in {allowed} for {name}", given)
    return float(given)


def _numbers(given: Any, largest: float, *shape: int) -> Floats | None:
    """The numbers as an array of floats of this shape, if none is too large or NaN; else None."""
    try:
        found = np.asarray(given)
        numbers = found.astype(np.float64) if found.dtype.kind in _KINDS else None
    except (TypeError, ValueError, OverflowError):
        return None
    if numbers is None or numbers.shape != shape or not np.all(np.abs(numbers) <= largest):
        return None
    return numbers


def a_vector(given: Any, evidence: Any, arm: Any = None) -> Floats:
    """The features as an array of floats, if they are as many numbers as evidence reads.

    arm: whose features they are, for the error message.

    >>> from rbmle import Linear
    >>> a_vector([1, 0.5], Linear(2))
    array([1. , 0.5])
    >>> a_vector([1], Linear(2))
    Traceback (most recent call last):
    rbmle.errors.ParameterError: Decider: 'context' must be 2 numbers of at most 1e+12. Got [1].
    """
    reads = evidence.reads()
    vector = _numbers(given, evidence.largest(), reads)
    if vector is None:
        whose = "" if arm is None else f" for {arm!r}"
        numbers = "a list of one number" if reads == 1 else f"{reads} numbers"
        most = f"of at most {evidence.largest():g}"
        raise ParameterError("Decider", "context", f"{numbers} {most}{whose}", given)
    return vector


def the_features(given: Any, arms: Mapping[Name, LiveArm], evidence: Any) -> Floats | None:
    """The features of all arms, a row for each; those of disabled arms may be left out.

    given: a mapping of arms to their features; or one list for all arms, if each has a theta of its
    own; or None.
    """
    refuse_context(given, evidence)
    if given is None:
        return None
    if not isinstance(given, Mapping):
        name = next(iter(arms))
        if not evidence.separate():
            needed = f"the features of each arm, as in {{{name!r}: [...], ...}}"
            raise ParameterError("Decider", "context", needed, given)
        return np.tile(a_vector(given, evidence), (len(arms), 1))
    for name in given:
        if name not in arms:
            told = unknown(name, list(arms))
            allowed = told.allowed.replace("one", "features", 1)
            raise ParameterError("Decider", "context", allowed, name, told.hint)
    if len(given) == len(arms):
        rows, largest = [given[name] for name in arms], evidence.largest()
        all_at_once = _numbers(rows, largest, len(arms), evidence.reads())
        if all_at_once is not None:
            return all_at_once
    features = np.zeros((len(arms), evidence.reads()))
    for arm in arms.values():
        if arm.name in given:
            features[arm.place] = a_vector(given[arm.name], evidence, arm.name)
        elif arm.enabled:
            needed = f"the features of every enabled arm, {arm.name!r} too"
            raise ParameterError("Decider", "context", needed, list(given))
    return features


def a_context(given: Any, evidence: Any, arm: Name) -> Floats | None:
    """The features of one pull of this arm; None where they are left out."""
    refuse_context(given, evidence)
    return None if given is None else a_vector(given, evidence, arm)


def the_contexts(given: Any, names: list[Name], evidence: Any) -> list[Floats | None]:
    """The features of each pull of these arms; None where they are left out."""
    refuse_context(given, evidence)
    listed = [None] * len(names) if given is None else given
    if not isinstance(listed, (list, tuple, np.ndarray)) or len(listed) != len(names):
        needed = f"a list of {len(names)} lists of features, one for each arm"
        raise ParameterError("Decider", "context", needed, given)
    return [a_context(each, evidence, name) for each, name in zip(listed, names, strict=True)]


def refuse_context(given: Any, evidence: Any) -> None:
    """Raise ParameterError if a context is given to evidence that reads none."""
    if given is not None and evidence.reads() == 0:
        kind = type(evidence).__name__
        raise ParameterError(
            "Decider", "context", f"left out with {kind}, which reads no features", given
        )
