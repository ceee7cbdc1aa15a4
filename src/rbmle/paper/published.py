"""The published tables: what was printed, and each policy in the form that the table ran."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any

from ..errors import one_of
from ..families import Bernoulli, Exponential, Gaussian
from ..names import ALIASES
from ..policies import IDS, KG, KLUCB, POLICIES, RBMLE, VIDS, KGStar, ThompsonSampling
from ..rewards.problems import Problem

FAMILIES = {"bernoulli": Bernoulli(), "gaussian": Gaussian(), "exponential": Exponential()}

# What the tables ran in another form than the policies' own, by the tables' names.
_FORMS: dict[str, Any] = {
    "RBMLE": RBMLE(boundary="published"),
    "IDS": IDS(method="monte_carlo", commit=0.99),
    "VIDS": VIDS(method="monte_carlo", commit=0.99),
    "KLUCB": KLUCB(search="published"),
    "KG": KG(form="published"),
    "KG*": KGStar(form="published"),
}

# What is printed is another number than what was computed: (as it should read, why). The other
# statistics of each of these cells agree. See docs/errata.md.
MISPRINTS = {
    ("Exponential_ID=14", "BUCB", "q25"): ("522.2", "another table's number is printed"),
    ("Exponential_ID=14", "KG", "q25"): ("49.9", "another table's number is printed"),
    ("Exponential_ID=14", "RBMLE", "q95"): ("1118.7", "another table's number is printed"),
    ("Bernoulli_ID=2", "KGMin", "q50"): ("2411.5", "2411.545 was rounded twice"),
    ("Gaussian_ID=24", "KLUCB&UCB", "mean"): ("1301.9", "rounded to a whole number in print"),
    ("Gaussian_ID=24", "KLUCB&UCB", "q10"): ("1099.9", "rounded to a whole number in print"),
}


@functools.cache
def tables() -> dict[str, Any]:
    """The tables of the paper as data: `regret` by table, `seconds_per_decision` by family."""
    text = resources.files("rbmle.paper").joinpath("published_tables.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def published(table: str, policy: str) -> Any:
    """A table's policy in the form that the table ran.

    >>> published("Bernoulli_ID=2", "KG")
    KG(form='published')
    """
    entry = _table(table)
    one_of("published", "policy", policy, entry["policies"])
    if policy == "TS" and entry["family"] == "gaussian":
        return ThompsonSampling(prior="flat")
    return _FORMS[policy] if policy in _FORMS else POLICIES[ALIASES.get(policy, policy)]()


def published_problem(table: str) -> Problem:
    """A table's problem: its family with the paper's prior, and the means."""
    entry = _table(table)
    return Problem(FAMILIES[entry["family"]], entry["means"])


def _table(name: str) -> dict[str, Any]:
    entry: dict[str, Any] = tables()["regret"][
        one_of("published", "table", name, tables()["regret"])
    ]
    return entry
