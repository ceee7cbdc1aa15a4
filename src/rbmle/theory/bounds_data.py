"""All bounds for one problem as plain data: what `rbmle bounds` shows."""

from __future__ import annotations

from math import isfinite, log
from typing import Any

from .._io.text import without_defaults
from ..errors import Interval, ParameterError, integer, number
from ..rewards.problems import Problem
from .c_alpha import smallest_c_alpha
from .regret_bounds import lai_robbins, regret_bound
from .setting import PROPOSITIONS, inside, unique_best


def bounds_data(
    problem: Problem,
    horizon: int,
    epsilon: float = 0.5,
    lower: float | None = None,
    family: object = None,
) -> dict[str, Any]:
    """Lai and Robbins' lower bound, and the upper bound of each proposition, printed and sharp.

    A problem to which no bound applies is refused. Where a single bound does not apply, its entry
    has an `obstacle`, the sentence that says why.
    """
    _, gap = unique_best("bounds", problem)
    if problem.family is not None:
        inside("bounds", problem.family, problem.means)
    horizon = integer("bounds", "horizon", horizon, "[2, inf)")
    epsilon = number("bounds", "epsilon", epsilon, "(0, 1)")
    if lower is not None:
        allowed = problem.law.mean_interval()
        ends = Interval(allowed.low, float(problem.means.min()), allowed.closed_low, True)
        lower = number("bounds", "lower", lower, ends)
    try:
        model = family if problem.family is None else problem.family
        constant = lai_robbins(problem, model)
        least: dict[str, Any] = {
            "family": without_defaults(model),
            "constant": constant,
            "at_horizon": constant * log(horizon),
        }
    except ParameterError as obstacle:
        least = {"obstacle": str(obstacle).removeprefix("lai_robbins: ")}
    return {
        "law": without_defaults(problem.law),
        "means": problem.means.tolist(),
        "gap": gap,
        "horizon": horizon,
        "epsilon": epsilon,
        "lower": lower,
        "trivial_bound": horizon * float(problem.gaps.max()),
        "lai_robbins": least,
        "propositions": [
            _entry(problem, horizon, number_, epsilon, lower, family, sharp)
            for number_ in PROPOSITIONS
            for sharp in ((False,) if number_ == 6 else (False, True))
        ],
    }


def _entry(
    problem: Problem, horizon: int, proposition: int, epsilon: float, lower: float | None,
    family: object, sharp: bool,
) -> dict[str, Any]:  # fmt: skip
    """The bound of one proposition. `family` matters to Propositions 2 and 5 alone: the others are
    about the Gaussian index."""
    model = family if proposition in (2, 5) else None
    entry: dict[str, Any] = {"proposition": proposition, "sharp": sharp}
    try:
        if proposition != 6:
            c = smallest_c_alpha(problem, proposition, epsilon, lower, model, sharp)
            entry["c_alpha"] = _plain(c)
        bound = regret_bound(
            problem, horizon, proposition, None, epsilon, lower, model, sharp=sharp
        )
    except ParameterError as obstacle:
        return {**entry, "obstacle": str(obstacle)}
    entry |= {"slope": bound.slope, "constant": bound.constant}
    if proposition == 6:
        entry |= {"wait": _plain(bound.wait), "log_wait": bound.log_wait}
    if proposition == 5 and lower is not None and lower > problem.law.reward_interval().low:
        entry["caution"] = "Proposition 5 can fail with 'lower' above the least reward."
    return {**entry, "bound": _plain(bound.total), "informative": bound.informative}


def _plain(value: float) -> float | str:
    """Infinity as text, which JSON can hold."""
    return value if isfinite(value) else "inf"
