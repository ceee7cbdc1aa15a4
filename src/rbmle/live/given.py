"""What a caller gives a decider, checked: names of arms, ids of decisions, rewards."""

from __future__ import annotations

import difflib
import operator
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from ..errors import Interval, ParameterError
from .live_arm import Name

_LARGEST = 1e100  # rewards beyond it could overflow a sum of squares
_SHOWN = 8  # names listed in a sentence


def a_name(parameter: str, given: Any) -> Name:
    """A string or a whole number."""
    if isinstance(given, str):
        return given
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        return operator.index(given)
    raise ParameterError.of("Decider", parameter, "named by strings or whole numbers", given)


def unknown(given: Any, names: list[Name]) -> ParameterError:
    """There is no such arm; the nearest name is suggested."""
    listing = ", ".join(repr(name) for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    spelled = {str(name): name for name in names}
    near = difflib.get_close_matches(str(given), spelled, n=1)
    hint = f" Did you mean {spelled[near[0]]!r}?" if near else ""
    return ParameterError(f"Decider: 'arm' must be one of {listing}{more}. Got {given!r}.{hint}")


def support(family: Any) -> Interval:
    """The rewards that the family allows, but none so large that its square could overflow."""
    low, high, closed_low, closed_high = family.reward_interval()
    return Interval(
        max(low, -_LARGEST),
        min(high, _LARGEST),
        closed_low or low == -inf,
        closed_high or high == inf,
    )


def a_reward(given: Any, allowed: Interval, family: Any) -> float:
    """A number that the family allows; True and False are 1 and 0."""
    if isinstance(given, np.bool_):
        given = bool(given)
    if not isinstance(given, Real) or given not in allowed:
        name = type(family).__name__
        raise ParameterError.of("Decider", "reward", f"a number in {allowed} for {name}", given)
    return float(given)
