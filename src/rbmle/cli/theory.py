"""`rbmle bounds`: what the theory says of a problem, as data and on the screen."""

from __future__ import annotations

from math import exp, isfinite, log
from typing import Any

from .._text import without_defaults
from ..errors import Interval, ParameterError, integer, number
from ..rewards.problems import Problem
from ..theory import lai_robbins, regret_bound, smallest_c_alpha
from ..theory.setting import PROPOSITIONS, inside, unique_best
from .screen import say, show_table

_ABOUT = {
    2: "exponential families",
    3: "Gaussian rewards, Gaussian index",
    4: "sub-Gaussian rewards, Gaussian index",
    5: "sub-Exponential rewards",
    6: "sub-Gaussian rewards, Algorithm 1",
}


def bounds_data(
    problem: Problem, horizon: int, epsilon: float, lower: float | None, family: Any
) -> dict[str, Any]:
    """Lai and Robbins' bound, and each proposition's as printed and as it can be proved.

    What is wrong with the problem for every one of them is raised; what stands in the way of one
    is its `obstacle`.
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
    family: Any, sharp: bool,
) -> dict[str, Any]:  # fmt: skip
    """One proposition. Only the index of Propositions 2 and 5 is of a family that can be chosen."""
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


def _plain(value: float) -> Any:
    """Infinity as text, which JSON can hold."""
    return value if isfinite(value) else "inf"


def show_bounds(data: dict[str, Any]) -> None:
    """The data as a table, and in words what has no row in it."""
    means = " ".join(f"{each:g}" for each in data["means"])
    say(f"{data['law']}, means {means}: gap {data['gap']:g}. T = {data['horizon']:,}.")
    least = data["lai_robbins"]
    if "obstacle" in least:
        say(f"Lai-Robbins: {least['obstacle']}")
    else:
        say(
            f"Lai-Robbins, {least['family']} rewards: in the long run no consistent policy has "
            f"less than {least['constant']:.4g} log T; here {least['at_horizon']:.4g}."
        )
    say()
    rows = [_row(each) for each in data["propositions"] if "obstacle" not in each]
    if rows:
        title = f"Regret bounds for RBMLE, alpha(t) = C_alpha log t, epsilon = {data['epsilon']:g}"
        show_table(
            title, ["proposition", "C_alpha", "log T times", "plus", "T_0", "at T", ""], rows
        )
        say(
            f"informative: less than {data['trivial_bound']:,.6g}, T times the largest gap. "
            "sharp: the least C_alpha that docs/theory.md proves."
        )
    for caution in dict.fromkeys(each.get("caution", "") for each in data["propositions"]):
        if caution:
            say(f"{caution} See docs/theory.md.")
    obstacles = [each for each in data["propositions"] if "obstacle" in each]
    if obstacles:
        say()
        say("No bound:")
    for each in obstacles:
        again = each["sharp"] and any(
            other["obstacle"] == each["obstacle"] for other in obstacles if not other["sharp"]
        )
        if not again:
            say(f"    {each['obstacle']}")


def _row(entry: dict[str, Any]) -> list[str]:
    number_ = entry["proposition"]
    name = f"{number_}{' sharp' if entry['sharp'] else ''}: {_ABOUT[number_]}"
    wait = ""
    if number_ == 6:
        log_wait = entry["log_wait"]
        wait = f"{exp(log_wait):,.0f}" if log_wait < 14.0 else f"e^{_amount(log_wait)}"
    return [
        name,
        _amount(entry["c_alpha"]) if "c_alpha" in entry else "estimated",
        _amount(entry["slope"]),
        _amount(entry["constant"]),
        wait,
        _amount(entry["bound"]),
        "informative" if entry["informative"] else "not informative",
    ]


def _amount(value: float | str) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.4g}" if value < 1e4 else f"{value:,.0f}" if value < 1e9 else f"{value:.3g}"
