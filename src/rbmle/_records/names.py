"""Classes by their names: as people type them, `ucb(alpha=1)`, and from outside the package.

A class is known by its name once the module that defines it has been imported: the decorators
`@policy`, `@family` and `@law` register it. `load_package` imports the package's own. A user names
a module with `--import` or with `import = [...]` in a study's file. An installed package announces
its classes by entry points in its pyproject.toml,

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
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import entry_points
from typing import Any, NamedTuple

from ..errors import ParameterError, RunWarning, Words

# Other names of classes, in capitals: the paper's, and some that everyone uses. "KLUCB&UCB" is one
# column of the paper's tables, because the two coincide for Gaussian rewards.
ALIASES = {
    "NORMAL": "Gaussian",
    "GEOMETRIC": "NegativeBinomial",
    "THOMPSON": "ThompsonSampling",
    "UCB1": "UCB",
    "TS": "ThompsonSampling",
    "BUCB": "BayesUCB",
    "UCBT": "UCBTuned",
    "GPUCBT": "GPUCBTuned",
    "KG*": "KGStar",
    "KL-UCB": "KLUCB",
    "KLUCB&UCB": "UCB",
}


class Combination(NamedTuple):
    """A name from the literature without a class: its policy, its evidence and its source."""

    name: str
    policy: str
    evidence: str
    source: str


COMBINATIONS = (
    Combination("LinRBMLE", "RBMLE(RootBias())", "Linear(d)", "Hung et al. 2021"),
    Combination("LinUCB", "UCB", "Linear(d)", "Abbasi-Yadkori et al. 2011"),
    Combination("LinUCB, disjoint", "UCB", "Linear(d, shared=False)", "Li et al. 2010"),
    Combination("DUCB", "UCB", "Discounted(0.999)", "Garivier and Moulines 2011"),
    Combination("SWUCB", "UCB", "Window(1000)", "Garivier and Moulines 2011"),
    Combination(
        "DiscountedThompson", "ThompsonSampling", "Discounted(0.999)", "Raj and Kalyani 2017"
    ),
)


def plain_name(name: object) -> str:
    """The name in small letters, without hyphens and underscores: KL-UCB is klucb."""
    return re.sub("[-_]", "", str(name).lower())


def combination(name: object, among: Iterable[str]) -> str:
    """The sentence that says what a name of the literature is, if its policy is among these.

    >>> combination("lin-ucb", ["UCB", "KLUCB"])
    ' LinUCB is UCB with evidence=Linear(d).'
    """
    known = {plain_name(each.name): each for each in COMBINATIONS}.get(plain_name(name))
    if known is None or known.policy.partition("(")[0] not in among:
        return ""
    return f" {known.name} is {known.policy} with evidence={known.evidence}."


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


def parsed(
    text: str, owner: str, key: str, fields_of: Callable[[str], Sequence[str]]
) -> dict[str, Any]:
    """The name in the text and its parameters in parentheses, if any, as data for `from_spec`.

    As in a call in Python, the first parameters need not be named.
    owner, key: whose parameter the text is, for error messages. fields_of: returns the names of the
    parameters, given the name.

    >>> parsed("ucb(alpha=1)", "simulate", "policies", lambda name: ["alpha"])
    {'name': 'ucb', 'alpha': 1}
    >>> parsed("binomial(10)", "Problem", "law", lambda name: ["trials"])
    {'name': 'binomial', 'trials': 10}
    """
    match = re.fullmatch(r"\s*([^()\s]+)\s*(?:\((.*)\))?\s*", text)
    if match is None:
        raise ParameterError(owner, key, "a name, as in ucb or ucb(alpha=1)", text)
    name, inside = match.groups()
    values: dict[str, Any] = {"name": name}
    fields, named = fields_of(name), False
    for place, part in enumerate(split(inside or "")):
        given = re.fullmatch(r"(\w+)\s*=\s*(.*)", part, re.DOTALL)
        if given is None and named:
            raise ParameterError(name, "", "a parameter must be named if one before it is", part)
        if given is None and place >= len(fields):
            takes = f"the parameters {', '.join(map(repr, fields))}" if fields else "no parameters"
            raise ParameterError(name, "", f"takes {takes}", part)
        named = given is not None
        field, value = given.groups() if given else (fields[place], part)
        if field in values:
            raise ParameterError(name, field, "given once")
        values[field] = _literal(value)
    return values


def _literal(text: str) -> object:
    """The value of a Python literal, such as a number or True, or true as TOML and JSON write it;
    any other text stands for itself."""
    if text in ("true", "false"):
        return text == "true"
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
def load_package() -> None:
    """Import all rooms of the package, once, so that all its own classes are known."""
    package = sys.modules["rbmle"]
    for name in package.__all__:
        getattr(package, name)


@functools.cache
def load_installed() -> None:
    """Load the classes that installed packages announce, once; warn of one that fails to load."""
    load_package()
    for group in ("rbmle.policies", "rbmle.families"):
        for each in entry_points(group=group):
            try:
                each.load()
            except Exception as problem:
                text = f"{group}: {each.name} = {each.value} cannot be loaded ({problem})."
                warnings.warn(RunWarning(text), stacklevel=2)
