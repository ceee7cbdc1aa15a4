"""Policies and laws from text that people type: `ucb(alpha=1)` or `gaussian(sigma=2)`."""

from __future__ import annotations

import ast
import re
from typing import Any

from ..errors import ParameterError

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
    """The parts of the text between commas; commas inside parentheses or brackets do not count.

    >>> split("rbmle(alpha=logbias(c=2), boundary=exact), ucb")
    ['rbmle(alpha=logbias(c=2), boundary=exact)', 'ucb']
    """
    parts, depth = [""], 0
    for each in text:
        depth += (each in "([") - (each in ")]")
        if each == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += each
    return [part.strip() for part in parts if part.strip()]


def parsed(text: str, owner: str, key: str) -> dict[str, Any]:
    """The name in the text and its parameters in parentheses, if any, as data for `from_spec`.

    owner, key: whose parameter the text is, for error messages.

    >>> parsed("ucb(alpha=1)", "simulate", "policies")
    {'name': 'ucb', 'alpha': 1}
    """
    match = re.fullmatch(r"\s*([^()\s]+)\s*(?:\((.*)\))?\s*", text)
    if match is None:
        raise ParameterError(owner, key, "a name, as in ucb or ucb(alpha=1)", text)
    name, inside = match.groups()
    values: dict[str, Any] = {"name": name}
    for part in split(inside or ""):
        field, equals, value = part.partition("=")
        if not equals:
            raise ParameterError(name, "parameter", "as in alpha=1", part)
        if field.strip() in values:
            raise ParameterError(name, "parameter", "given once", field.strip())
        values[field.strip()] = _literal(value.strip())
    return values


def _literal(text: str) -> object:
    """The value of a Python literal, such as a number or True; any other text stands for itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # all that it raises
        return text
