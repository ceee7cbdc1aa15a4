"""The output of results and policies: tables on the screen, or data."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from rich.text import Text

from ..comparison import COMPARED, ComparisonTable
from ..evidence import EVIDENCE
from ..evidence.combinations import COMBINATIONS
from ..policies import POLICIES, Policy, families_of
from ..result import STATISTICS, Result
from ..studies.export import statistics_data
from ..studies.study_result import StudyResult
from .screen import say, show_json, show_table


def show_result(result: Result, name: str = "") -> None:
    """Print the statistics of the final regret, with the smallest of each column in bold."""
    values = result.statistics()
    least = values.min(axis=0)
    rows: list[list[str | Text]] = [
        [
            label,
            *(
                Text(text, "bold" if x == y else "")
                for text, x, y in zip(cells, row, least, strict=True)
            ),
        ]
        for (label, cells), row in zip(result.cells(), values, strict=True)
    ]
    title = f"{name}: {result.title}" if name else result.title
    show_table(title, ["policy", *STATISTICS], rows)


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


def show_policies() -> None:
    """Print every policy with its summary, parameters and families."""
    for each in policy_list():
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
    return {
        **_described(kind, **values),
        "families": [each.__name__ for each in families_of(kind)],
        "needs_horizon": bool(needs),
    }
