"""What each command prints: its tables and sentences on the screen, or its data for scripts."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from math import exp, isfinite
from typing import Any, NamedTuple

from rich.text import Text

from .._io.text import (
    constant_text,
    number_text,
    power_text,
    print_text,
    signed_text,
    with_error,
)
from .._records.names import COMBINATIONS
from ..comparison import COMPARED, ComparisonTable
from ..evidence import EVIDENCE
from ..paper.published import tables
from ..paper.reproduction import PLAIN_MARKS, VERDICTS, Compared, ComparedRow, counted
from ..paper.scaling import Scaling
from ..policies import POLICIES, Policy, families_of
from ..result import STATISTICS, Result
from ..studies.export import statistics_data
from ..studies.study_result import StudyResult
from .screen import say, show_json, show_table

_STYLES = {"equal": "green", "misprint": "green", "agrees": "yellow", "differs": "bold red"}
_ABOUT = {
    2: "exponential families",
    3: "Gaussian rewards, Gaussian index",
    4: "sub-Gaussian rewards, Gaussian index",
    5: "sub-Exponential rewards",
    6: "sub-Gaussian rewards, Algorithm 1",
}


def show_result(result: Result, name: str = "") -> None:
    """Print the statistics of the final regret, with the smallest of each column in bold."""
    values = result.statistics()
    smallest = values == values.min(axis=0)
    rows: list[list[str | Text]] = [
        [label, *(Text(text, "bold" if b else "") for text, b in zip(cells, bold, strict=True))]
        for (label, cells), bold in zip(result.cells(), smallest, strict=True)
    ]
    title = f"{name}: {result.title}" if name else result.title
    show_table(title, ["policy", *STATISTICS], rows)
    if note := result.note():
        say(note)


def show_study(result: StudyResult, json: bool) -> None:
    """Print what a run found, as tables or as data."""
    if json:
        show_json({name: statistics_data(each) for name, each in result.results.items()})
        return
    for name, each in result.results.items():
        show_result(each, name)
    for missing in result.missing:
        say(f"Still to play: {missing}")


def show_comparisons(compared: ComparisonTable) -> None:
    """Print the differences between all pairs of policies on the same rewards."""
    say()
    rows = [[pair, *cells] for pair, cells in compared.cells()]
    show_table(compared.title, ["pair", *COMPARED], rows)


def policy_list() -> list[dict[str, Any]]:
    """Every policy's name, summary, parameters and families, as plain data."""
    return [_described_policy(each) for each in POLICIES.values()]


def show_policies(listed: Sequence[dict[str, Any]]) -> None:
    """Print every policy of `policy_list`, and the kinds of evidence."""
    for each in listed:
        _show_record(each)
        say(f"families: {', '.join(each['families'])}", 4)
        if each["needs_horizon"]:
            say("needs the horizon", 4)
    say("Recommended: the form of RBMLE to use; it stands for recommended(family).")
    say()
    say("Evidence, what an arm's past is worth; it goes with every policy (--evidence, evidence=):")
    for kind in EVIDENCE.values():
        _show_record(_described(kind))
    say()
    say("Policies with evidence that have names of their own in the literature:")
    for named in COMBINATIONS:
        say(f"{named.name} ({named.source}): {named.policy} with {named.evidence}")


def _show_record(described: dict[str, Any]) -> None:
    say(f"{described['name']}: {described['summary']}")
    given = ", ".join(f"{k}={v}" for k, v in described["parameters"].items())
    say(f"parameters: {given or 'none'}", 4)


def _described(kind: type[NamedTuple], **values: object) -> dict[str, Any]:
    """The name of a record, the first paragraph of its docstring, and its parameters: those given,
    else their defaults."""
    values = {**kind._field_defaults, **values}
    first, _, _ = inspect.cleandoc(kind.__doc__ or "").partition("\n\n")
    return {
        "name": kind.__name__,
        "summary": " ".join(first.split()),
        "parameters": {key: str(values.get(key, "required")) for key in kind._fields},
    }


def _described_policy(kind: Any) -> dict[str, Any]:
    values, needs = {}, kind.needs_horizon is not Policy.needs_horizon
    if len(kind._field_defaults) == len(kind._fields):  # else it has a required parameter
        values, needs = kind()._asdict(), kind().needs_horizon()
    families = [each.__name__ for each in families_of(kind)]
    return {**_described(kind, **values), "families": families, "needs_horizon": bool(needs)}


def show_comparison(table: str, rows: Sequence[ComparedRow]) -> None:
    """Print a table of the paper with all its statistics."""
    figure = tables()["regret"][table]["figure"]
    show_compared(f"{table}, Figure {figure}: final regret beside print", STATISTICS, rows)


def show_compared(title: str, columns: Sequence[str], rows: Sequence[ComparedRow]) -> None:
    """Print a table of all numbers with their verdicts' marks; where a number differs from print,
    the printed one stands beside it."""
    cells: list[list[str | Text]] = [[row.policy, *map(_compared, row.cells)] for row in rows]
    show_table(title, ["policy", *columns], cells)
    say("; ".join(f"{PLAIN_MARKS[each]} {words}" for each, words in VERDICTS.items()))
    say(
        "A number that differs from the paper's is followed by the paper's and, in brackets, by "
        "the difference in standard errors."
    )
    if not all(isfinite(cell.z) for row in rows for cell in row.cells):
        say("Without a spread between replications there are no standard errors to compare with.")


def _compared(cell: Compared) -> Text:
    text = f"{print_text(cell.computed)} {PLAIN_MARKS[cell.verdict]}"
    if cell.verdict in ("agrees", "differs"):
        text += f" {cell.printed:g}" + (f" ({signed_text(cell.z)})" if isfinite(cell.z) else "")
    elif cell.verdict == "misprint":
        text += f" ({cell.printed:g})"
    return Text(text, _STYLES[cell.verdict])


def summarise(counts: dict[str, int]) -> None:
    """Print the number of cells with each verdict."""
    say()
    say(f"{sum(counts.values()):,} numbers: {counted(counts)}.")


def cells(rows: Sequence[ComparedRow]) -> list[dict[str, object]]:
    """Every number and its verdict as plain data, for scripts."""
    return [
        {
            "table": row.table,
            "policy": row.policy,
            **cell._asdict(),
            "z": cell.z if isfinite(cell.z) else None,  # JSON cannot hold infinity
        }
        for row in rows
        for cell in row.cells
    ]


def show_scaling(records: Sequence[Scaling]) -> None:
    """Print a table for each family: times in microseconds, and ratios to UCB, also the paper's."""
    for record in records:
        rows = []
        for policy, times in record.times.items():
            cells = [policy]
            ratios, printed = record.ratios(policy), record.published_ratios(policy)
            for timing, ratio, paper in zip(times, ratios, printed, strict=True):
                spread = (timing.largest - timing.least) / 2
                mean, error = with_error(timing.median * 1e6, spread * 1e6)
                in_print = "" if paper is None else f" ({number_text(paper)})"
                cells += [f"{mean} ±{error}" if spread else mean, f"{number_text(ratio)}{in_print}"]
            rows.append(cells)
        heads = [head for n in record.arms for head in (f"{n} arms, us", "x UCB (paper)")]
        show_table(f"{record.family}: time per decision", ["policy", *heads], rows)


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
    propositions = data["propositions"]
    if rows := [_bound(each) for each in propositions if "obstacle" not in each]:
        title = f"Regret bounds for RBMLE, alpha(t) = C_alpha log t, epsilon = {data['epsilon']:g}"
        heads = ["proposition", "C_alpha", "log T times", "plus", "T_0", "at T", ""]
        show_table(title, heads, rows)
        say(
            f"informative: less than {constant_text(data['trivial_bound'])}, T times the largest "
            "gap. sharp: the least C_alpha that docs/explanation/theory.md proves."
        )
    for caution in dict.fromkeys(each["caution"] for each in propositions if each.get("caution")):
        say(f"{caution} See docs/explanation/theory.md.")
    # A sharp form that has the obstacle of a plain one is not printed again.
    obstacles = [each for each in propositions if "obstacle" in each]
    plain = {each["obstacle"] for each in obstacles if not each["sharp"]}
    if obstacles:
        say("\nNo bound:")
    for each in obstacles:
        if not each["sharp"] or each["obstacle"] not in plain:
            say(each["obstacle"], indent=4)


def _bound(entry: dict[str, Any]) -> list[str]:
    """The row of a proposition's bound."""
    number, wait = entry["proposition"], ""
    if number == 6:
        log_wait = entry["log_wait"]
        wait = f"{exp(log_wait):,.0f}" if log_wait < 14.0 else f"e^{_amount(log_wait)}"
    return [
        f"{number}{' sharp' if entry['sharp'] else ''}: {_ABOUT[number]}",
        _amount(entry["c_alpha"]) if "c_alpha" in entry else "estimated",
        _amount(entry["slope"]),
        _amount(entry["constant"]),
        wait,
        _amount(entry["bound"]),
        "informative" if entry["informative"] else "not informative",
    ]


def _amount(value: float | str) -> str:
    return value if isinstance(value, str) else constant_text(value)
