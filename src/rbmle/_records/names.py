"""Classes by their names: as people type them, `ucb(alpha=1)`, and from outside the package.

A class is known by its name once the module that defines it has been imported: the decorators
`@policy`, `@family` and `@law` register it. A user names a module with `--import` or with
`import = [...]` in a study's file. An installed package announces its classes by entry points in
its pyproject.toml,

    [project.entry-points."rbmle.policies"]
    imed = "my_package.imed:IMED"

and in the same way under "rbmle.families".
"""

from __future__ import annotations

import ast
import functools
import importlib
import os
import re
import sys
import warnings
from collections.abc import Iterable
from importlib.metadata import entry_points
from typing import Any

from ..errors import ParameterError, RunWarning, Words

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
        field, equals, value = map(str.strip, part.partition("="))
        if not equals:
            raise ParameterError(name, "parameter", "as in alpha=1", part)
        if field in values:
            raise ParameterError(name, "parameter", "given once", field)
        values[field] = _literal(value)
    return values


def _literal(text: str) -> object:
    """The value of a Python literal, such as a number or True; any other text stands for itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):  # all that it raises
        return text


def import_modules(
    names: Iterable[str],
    owner: str,
    key: str = "import",
    beside: str | os.PathLike[str] | None = None,
) -> None:
    """Import modules by name, so that the classes they define are known.

    Besides Python's usual places, the current folder and the folder `beside` (that of the study's
    file) are searched, last.
    """
    folders = [os.getcwd(), *([] if beside is None else [os.path.abspath(beside)])]
    sys.path.extend(each for each in folders if each not in sys.path)
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as problem:
            why = f"{type(problem).__name__}: {problem}"
            got = Words(f"{name!r} ({' '.join(why.split())})")
            raise ParameterError(
                owner, key, "names of modules that can be imported", got
            ) from problem


@functools.cache
def load_installed() -> None:
    """Load the classes that installed packages announce, once; warn of one that fails to load."""
    for group in ("rbmle.policies", "rbmle.families"):
        for each in entry_points(group=group):
            try:
                each.load()
            except Exception as problem:
                text = f"{group}: {each.name} = {each.value} cannot be loaded ({problem})."
                warnings.warn(RunWarning(text), stacklevel=2)
