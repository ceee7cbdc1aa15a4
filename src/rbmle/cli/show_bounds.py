"""The output of `rbmle bounds`: the theory's bounds for a problem."""

from __future__ import annotations

from math import exp
from typing import Any

from .._io.text import constant_text, power_text
from .screen import say, show_table

_ABOUT = {
    2: "exponential families",
    3: "Gaussian rewards, Gaussian index",
    4: "sub-Gaussian rewards, Gaussian index",
    5: "sub-Exponential rewards",
    6: "sub-Gaussian rewards, Algorithm 1",
}


def show_bounds(data: dict[str, Any]) -> None:
    """Print the bounds as a table, and below it why other propositions do not apply."""
    means = " ".join(power_text(f"{each:.12g}") for each in data["means"])
    gap = power_text(f"{data['gap']:g}")
    say(f"{data['law']}, means {means}: gap {gap}. T = {data['horizon']:,}.")
    least = data["lai_robbins"]
    if "obstacle" in least:
        say(f"Lai-Robbins: {least['obstacle']}")
    else:
        say(
            f"Lai-Robbins, {least['family']} rewards: in the long run no consistent policy has "
            f"less than {constant_text(least['constant'])} log T; here "
            f"{constant_text(least['at_horizon'])}."
        )
    say()
    rows = [_row(each) for each in data["propositions"] if "obstacle" not in each]
    if rows:
        title = f"Regret bounds for RBMLE, alpha(t) = C_alpha log t, epsilon = {data['epsilon']:g}"
        show_table(
            title, ["proposition", "C_alpha", "log T times", "plus", "T_0", "at T", ""], rows
        )
        say(
            f"informative: less than {constant_text(data['trivial_bound'])}, T times the largest "
            "gap. sharp: the least C_alpha that docs/theory.md proves."
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
            say(each["obstacle"], indent=4)


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
    return value if isinstance(value, str) else constant_text(value)
