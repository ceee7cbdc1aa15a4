"""The published tables: the printed numbers, and each policy in the form that the table used."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any, TypedDict

from .._records.names import ALIASES
from ..errors import one_of
from ..families import Bernoulli, Exponential, Gaussian
from ..policies import (
    IDS,
    KG,
    KGMN,
    KLUCB,
    POLICIES,
    RBMLE,
    VIDS,
    KGMin,
    KGStar,
    ThompsonSampling,
)
from ..rewards.problems import Problem

PAPER_FAMILIES = {"bernoulli": Bernoulli(), "gaussian": Gaussian(), "exponential": Exponential()}

# Policies whose form in the tables is not the default one, by the tables' names.
_FORMS: dict[str, Any] = {
    "RBMLE": RBMLE(boundary="published"),
    "IDS": IDS(method="monte_carlo", commit=0.99),
    "VIDS": VIDS(method="monte_carlo", commit=0.99),
    "KLUCB": KLUCB(search="published"),
    "KG": KG(form="published"),
    "KG*": KGStar(form="published"),
    "KGMin": KGMin(form="published"),
    "KGMN": KGMN(form="published"),
}

# Printed numbers that differ from what the paper's code computed: (the right number, what went
# wrong). The policy's other statistics in the same table agree. See docs/explanation/errata.md.
MISPRINTS = {
    ("Exponential_ID=14", "BUCB", "q25"): ("522.2", "another table's number is printed"),
    ("Exponential_ID=14", "KG", "q25"): ("49.9", "another table's number is printed"),
    ("Exponential_ID=14", "RBMLE", "q95"): ("1118.7", "another table's number is printed"),
    ("Bernoulli_ID=2", "KGMin", "q50"): ("2411.5", "2411.545 was rounded twice"),
    ("Gaussian_ID=24", "KLUCB&UCB", "mean"): ("1301.9", "rounded to a whole number in print"),
    ("Gaussian_ID=24", "KLUCB&UCB", "q10"): ("1099.9", "rounded to a whole number in print"),
}


class RegretTable(TypedDict):
    """A table of final regrets: its problem, and the statistics of each policy by their names."""

    figure: str
    family: str
    means: list[float]
    trials: int
    horizon: int
    policies: dict[str, dict[str, float]]


class TimesTable(TypedDict):
    """A table of seconds per decision: of each policy, by numbers of arms as in "10_mean"."""

    trials: int
    horizon: int
    arms: list[int]
    policies: dict[str, dict[str, float]]


class Tables(TypedDict):
    """All tables: of regret by their names, of seconds per decision by family."""

    regret: dict[str, RegretTable]
    seconds_per_decision: dict[str, TimesTable]


@functools.cache
def tables() -> Tables:
    """The paper's tables as data: `regret` by table, `seconds_per_decision` by family."""
    file = resources.files("rbmle.paper").joinpath("published_tables.json")
    loaded: Tables = json.loads(file.read_text("utf-8"))
    return loaded


def published(table: str, policy: str) -> Any:
    """A policy of a table in the form that the table used.

    >>> published("Bernoulli_ID=2", "KG")
    KG(form='published')
    """
    entry = _table("published", table)
    one_of("published", "policy", policy, entry["policies"])
    if policy == "TS" and entry["family"] == "gaussian":
        return ThompsonSampling(prior="flat")
    return _FORMS[policy] if policy in _FORMS else POLICIES[ALIASES.get(policy, policy)]()


def published_problem(table: str) -> Problem:
    """The problem of a table: its family, with the paper's prior, and its means.

    >>> published_problem("Bernoulli_ID=2").n_arms
    10
    """
    entry = _table("published_problem", table)
    return Problem(PAPER_FAMILIES[entry["family"]], entry["means"])


def _table(owner: str, name: str) -> RegretTable:
    return tables()["regret"][one_of(owner, "table", name, tables()["regret"])]
