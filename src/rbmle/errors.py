"""What is raised when something given is wrong: one sentence that names it."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

_LONGEST = 500  # characters of a value in a sentence


def show(value: object) -> str:
    """The value on one line, cut where it is very long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


class RbmleError(ValueError):
    """Base of every error this package raises on purpose."""


class ParameterError(RbmleError):
    """A parameter, mean, reward or table that is outside what is allowed."""

    @classmethod
    def of(cls, owner: str, name: str, allowed: str, got: object) -> ParameterError:
        """The one sentence form of the package: owner, parameter, allowed values, value given."""
        return cls(f"{owner}: '{name}' must be {allowed}. Got {show(got)}.")


class DefinitionError(RbmleError, TypeError):
    """A policy, family or law of one's own that is not written as it must be."""


class StateError(RbmleError):
    """A saved state that is corrupt, of another kind or of a newer version."""


class StudyError(RbmleError):
    """A study, or the file of one, that does not say what to run."""


class RunError(RbmleError):
    """A run folder that cannot be read or written, or that is another study's."""


class RunWarning(UserWarning):
    """A file of a run folder that is not what it should be, and is done again."""


class Interval(NamedTuple):
    """An interval of the real line, written as in mathematics: `(0, inf)`, `[0, 1]`, `(0, 1]`.

    >>> 0.5 in Interval.parse("(0, 1]"), 0.0 in Interval.parse("(0, 1]")
    (True, False)
    """

    low: float
    high: float
    closed_low: bool
    closed_high: bool

    @classmethod
    def parse(cls, text: str) -> Interval:
        low, high = (_bound(each.strip()) for each in text[1:-1].split(","))
        return cls(low, high, text[0] == "[", text[-1] == "]")

    def __contains__(self, value: object) -> bool:
        x: Any = value
        above = x >= self.low if self.closed_low else x > self.low
        below = x <= self.high if self.closed_high else x < self.high
        return bool(above and below)

    def __str__(self) -> str:
        left, right = "[" if self.closed_low else "(", "]" if self.closed_high else ")"
        low, high = (str(x) if isinstance(x, int) else f"{x:g}" for x in (self.low, self.high))
        return f"{left}{low}, {high}{right}"


def _bound(text: str) -> float:
    """Whole numbers stay exact, however large."""
    return int(text) if text.lstrip("-").isdigit() else float(text)


def number(owner: str, name: str, value: Any, interval: str | Interval) -> float:
    """The value as a float, or a sentence: it must be a real number in the interval."""
    allowed = Interval.parse(interval) if isinstance(interval, str) else interval
    try:
        given = float(value)
    except (TypeError, ValueError, OverflowError):
        given = math.nan
    if isinstance(value, (bool, str)) or given not in allowed:
        raise ParameterError.of(owner, name, f"a number in {allowed}", value)
    return given


def integer(owner: str, name: str, value: Any, interval: str | Interval) -> int:
    """The value as an int, or a sentence: it must be a whole number in the interval."""
    allowed = Interval.parse(interval) if isinstance(interval, str) else interval
    try:
        whole = int(value)
    except (TypeError, ValueError, OverflowError):
        whole = None
    if isinstance(value, (bool, str)) or whole is None or whole != value or whole not in allowed:
        raise ParameterError.of(owner, name, f"a whole number in {allowed}", value)
    return whole


def one_of(owner: str, name: str, value: object, allowed: Iterable[str]) -> str:
    """The value if it is among the allowed names, else a sentence that suggests the nearest."""
    names = list(allowed)
    if isinstance(value, str) and value in names:
        return value
    listing = ", ".join(repr(each) for each in names)
    hint = did_you_mean(value, names)
    raise ParameterError(f"{owner}: '{name}' must be one of {listing}. Got {show(value)}.{hint}")


def did_you_mean(value: object, names: Iterable[str]) -> str:
    """A suggestion of the nearest name, or nothing."""
    lower = {each.lower(): each for each in names}
    near = difflib.get_close_matches(str(value).lower(), lower, n=1, cutoff=0.5)
    return f" Did you mean {lower[near[0]]!r}?" if near else ""
