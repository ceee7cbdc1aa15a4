"""A world from what is typed: a law and means, further phases, or a drift."""

from __future__ import annotations

from typing import Any

from .._records.names import parsed, split
from ..errors import ParameterError, one_of
from ..rewards.drift import Drift
from ..rewards.phases import Phases
from ..rewards.problems import Problem
from ..rewards.worlds import World

_DRIFT = ("step", "every", "seed", "low", "high")


def world_given(
    owner: str, law: str, means: list[float], then: list[str] | None, at: str | None,
    drift: str | None,
) -> World:  # fmt: skip
    """The problem with these means; with --then and --at phases, with --drift a drift."""
    first = Problem(law, means)
    if (then is None) != (at is None):
        raise ParameterError(owner, "--then", "given together with '--at'")
    if then is not None and drift is not None:
        raise ParameterError(owner, "--drift", "left out where '--then' is given", drift)
    if drift is not None:
        values = parsed(f"drift({drift})", owner, "--drift")
        given: dict[str, Any] = {key: value for key, value in values.items() if key != "name"}
        for key in given:
            one_of(owner, "--drift", key, _DRIFT)
        if "step" not in given:
            raise ParameterError(owner, "--drift", "a step at least: step=0.01", drift)
        return Drift(first, **given)
    if then is None or at is None:
        return first
    phases = [Problem(law, _numbers(owner, "--then", each, float)) for each in then]
    return Phases([first, *phases], _numbers(owner, "--at", at, int))


def _numbers(owner: str, option: str, text: str, kind: type) -> list[Any]:
    """Numbers with commas or spaces between them."""
    words = "whole numbers" if kind is int else "numbers"
    try:
        return [kind(each) for part in split(text) for each in part.split()]
    except ValueError:
        raise ParameterError(owner, option, f"{words}, with commas", text) from None
