"""The candidates of one call, where it names some of the enabled arms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import numpy as np

from ..errors import ParameterError
from .input_checks import unknown
from .live_arm import LiveArm, Name
from .live_game import LiveGame

_ALL: AbstractContextManager[None] = nullcontext()


def the_candidates(given: object, arms: Mapping[Name, LiveArm]) -> set[Name] | None:
    """The names of the arms among which to choose; None: all that are enabled."""
    if given is None:
        return None
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ParameterError("Decider", "among", "a list of enabled arms", given)
    names: list[Any] = list(given)
    for name in names or [given]:
        found = isinstance(name, (str, int, np.integer)) and name in arms
        if not found or not arms[name].enabled:
            error = unknown(name, [each.name for each in arms.values() if each.enabled])
            allowed = f"a list of at least one enabled arm, {error.allowed}"
            raise ParameterError("Decider", "among", allowed, name, error.hint)
    return set(names)


def only(live: LiveGame, candidates: set[Name] | None) -> AbstractContextManager[None]:
    """In this context the game chooses among these arms alone; None: among all that are enabled."""
    return _ALL if candidates is None else _only(live, candidates)


@contextmanager
def _only(live: LiveGame, candidates: set[Name]) -> Iterator[None]:
    hidden = live.game.pending.hidden
    hidden[:] = 1.0
    hidden[[live.arms[name].place for name in candidates]] = 0.0
    hidden[-1] = len(live.enabled) - len(candidates)
    try:
        yield
    finally:
        hidden[:] = 0.0
