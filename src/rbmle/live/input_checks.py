"""Checks of what a caller gives to a decider: names of arms, ids of decisions, rewards."""

from __future__ import annotations

import difflib
import operator
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from ..errors import Interval, ParameterError
from .live_arm import Name

_LARGEST = 1e100  # the largest reward: 2^53 squares of it add up to 9e215, below the float limit
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
    spelled = {str(name): name for name in names}
    near = difflib.get_close_matches(str(given), spelled, n=1)
    hint = f" Did you mean {spelled[near[0]]!r}?" if near else ""
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
