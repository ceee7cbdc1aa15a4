"""Policies and laws from text that people type: `rbmle,ucb(alpha=1),ts` or `gaussian(sigma=2)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from .errors import ParameterError, one_of
from .extensions import load_installed
from .families import FAMILIES
from .policies import POLICIES
from .rewards.laws import LAWS
from .spec import from_spec

# Names in the paper that differ from the names of the classes. "KLUCB&UCB" is one column of its
# tables, because the two coincide for Gaussian rewards.
ALIASES = {
    "TS": "ThompsonSampling",
    "BUCB": "BayesUCB",
    "UCBT": "UCBTuned",
    "GPUCBT": "GPUCBTuned",
    "KG*": "KGStar",
    "KL-UCB": "KLUCB",
    "KLUCB&UCB": "UCB",
}


def split(text: str) -> list[str]:
    """The parts of the text between commas; commas inside parentheses do not count.

    >>> split("rbmle(alpha=2, boundary=exact), ucb")
    ['rbmle(alpha=2, boundary=exact)', 'ucb']
    """
    parts = re.split(r",(?![^(]*\))", text)
    return [part.strip() for part in parts if part.strip()]


def policies(text: str) -> list[Any]:
    """The policies in a list of names, each with its parameters in parentheses.

    >>> policies("ucb(alpha=1),ts")
    [UCB(alpha=1.0), ThompsonSampling(prior='conjugate')]
    """
    listed = [record(part, POLICIES) for part in split(text)]
    if not listed:
        raise ParameterError.of("policies", "names", "a list, as in rbmle,ucb", text)
    return listed


def law(text: str) -> Any:
    """The family or other law of rewards that the text names."""
    return record(text, {**LAWS, **FAMILIES}, "law")


def record(text: str, among: Mapping[str, type], what: str = "policy") -> Any:
    """The record that the text names, with its parameters in parentheses, if any.

    among: the classes that may be named. what: the kind of thing, for error messages.
    """
    load_installed()
    match = re.fullmatch(r"\s*([^()\s]+)\s*(?:\((.*)\))?\s*", text)
    if match is None:
        raise ParameterError.of(what, "name", "as in ucb or ucb(alpha=1)", text)
    name, inside = match.groups()
    values: dict[str, Any] = {"name": ALIASES.get(name.upper(), name)}
    for part in split(inside or ""):
        key, equals, value = part.partition("=")
        if not equals:
            raise ParameterError.of(name, "parameter", "as in alpha=1", part)
        if key.strip() in values:
            raise ParameterError.of(name, "parameter", "given once", key.strip())
        values[key.strip()] = _literal(value.strip())
    if values["name"].lower() not in map(str.lower, among):
        one_of(what, "name", name, among)
    return from_spec(values, among)


def _literal(text: str) -> Any:
    """The value of a Python literal, such as a number or True; any other text stands for itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # all that it raises
        return text
