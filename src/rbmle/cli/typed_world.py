"""A world from what is typed: a law and means, further phases, or a drift."""

from __future__ import annotations

from .._records.names import parsed
from ..errors import ParameterError, one_of
from ..rewards.changing import Drift, Phases
from ..rewards.problems import Problem, World
from .arguments import numbers_given

_DRIFT = ("step", "every", "seed", "low", "high")


def typed_world(
    owner: str, first: Problem, then: list[str] | None, at: str | None, drift: str | None
) -> World:
    """The first problem; with --then and --at followed by others, with --drift wandering."""
    if (then is None) != (at is None):
        raise ParameterError(owner, "--then", "given together with '--at'")
    if then is not None and drift is not None:
        raise ParameterError(owner, "--drift", "left out where '--then' is given", drift)
    if drift is not None:
        values = parsed(f"drift({drift})", owner, "--drift")
        given = {
            one_of(owner, "--drift", key, _DRIFT): values[key] for key in values if key != "name"
        }
        if "step" not in given:
            raise ParameterError(owner, "--drift", "a step at least: step=0.01", drift)
        return Drift(first, **given)
    if then is None or at is None:
        return first
    phases = [Problem(first.law, numbers_given(owner, "--then", each, float)) for each in then]
    return Phases([first, *phases], numbers_given(owner, "--at", at, int))
