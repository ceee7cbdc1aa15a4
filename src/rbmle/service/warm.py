"""`warm`: fill the cache of compiled code before a service needs it, for instance in an image."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from .definition import Definition
from .messages import NewExperiment
from .storage import Storage
from .verify import UNUSABLE

# What most experiments use: a choice. Together they compile for about a minute.
_COMMON = tuple(
    (policy, family)
    for family in ("bernoulli", "gaussian")
    for policy in ("recommended", "rbmle", "ts", "ucb")
)


def stored_definitions(storage: Storage, said: Callable[[str], object]) -> list[Definition]:
    """The definitions of all experiments in the database; says which cannot be used."""
    with storage.reading():
        stored = storage.experiments()
    found = []
    for each in stored:
        try:
            found.append(Definition.read(each.definition))
        except UNUSABLE as problem:
            said(f"{each.name}: left out, its definition cannot be read ({problem})")
    return found


def some_definition(policy: Any, family: Any, evidence: Any = None, n_arms: int = 2) -> Definition:
    """An experiment of this kind. Its horizon is for policies that need one."""
    arms = [f"arm {k}" for k in range(n_arms)]
    return Definition.of(
        NewExperiment(arms=arms, policy=policy, family=family, evidence=evidence, horizon=1)
    )


def common_definitions() -> list[Definition]:
    """Experiments of the common kinds."""
    return [some_definition(*each) for each in _COMMON]


def warm(definitions: Iterable[Definition], said: Callable[[str], object]) -> None:
    """Compile each kind among these once, or load it from the cache, and say how long it took."""
    kinds = {each.kind(): each for each in definitions}
    for number, each in enumerate(kinds.values(), 1):
        name, begin = f"[{number}/{len(kinds)}] {each.kind_name()}", time.monotonic()
        said(f"{name}: compiling ...")
        each.prepare()
        said(f"{name}: ready after {time.monotonic() - begin:.1f} s")
