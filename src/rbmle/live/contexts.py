"""Checks of the contexts that a caller gives to a decider: the features of its arms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError
from .input_checks import unknown
from .live_arm import LiveArm, Name

_KINDS = "biufO"  # of NumPy's types those of numbers, and of objects such as fractions


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


def the_features(given: Any, arms: Mapping[Name, LiveArm], evidence: Any) -> Floats:
    """The features of all arms, a row for each; those of disabled arms may be left out.

    given: a mapping of arms to their features; or one list for all arms, if each has a theta of its
    own.
    """
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
            features[arm.slot] = a_vector(given[arm.name], evidence, arm.name)
        elif arm.enabled:
            needed = f"the features of every enabled arm, {arm.name!r} too"
            raise ParameterError("Decider", "context", needed, list(given))
    return features


def the_vectors(given: Any, names: list[Name], evidence: Any) -> list[Floats | None]:
    """The features of each pull of these arms; None where they are left out."""
    listed = [None] * len(names) if given is None else given
    if not isinstance(listed, (list, tuple, np.ndarray)) or len(listed) != len(names):
        needed = f"a list of {len(names)} lists of features, one for each arm"
        raise ParameterError("Decider", "context", needed, given)
    return [
        None if each is None else a_vector(each, evidence, name)
        for each, name in zip(listed, names, strict=True)
    ]


def refuse_context(given: Any, evidence: Any) -> None:
    """Raise ParameterError if a context is given to evidence that reads none."""
    if given is not None:
        kind = type(evidence).__name__
        raise ParameterError(
            "Decider", "context", f"left out with {kind}, which reads no features", given
        )
