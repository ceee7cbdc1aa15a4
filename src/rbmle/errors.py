"""The package's errors, and the checks of numbers and names that raise them.

Every message is one sentence of the form `RBMLE: 'c' must be a number in (0, inf). Got -1.`
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from typing import Any, NamedTuple

_OTHER_WORDS = {"gpu": "cuda"}  # what people type for a name that is spelled unlike it
_MAX_COMPARED = 100  # characters, and names, that a mistyped one is compared with: some 10 ms
_MAX_SHOWN = 500  # characters of a value that a message shows: about six lines of a terminal


def show(value: object) -> str:
    """The value's repr on one line, cut after 500 characters."""
    if type(value) is str or type(value) is list:
        value = value[: 10 * _MAX_SHOWN]  # it may be huge, and would take long
    text = " ".join(repr(value).split())
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


class RbmleError(ValueError):
    """The base class of every error that this package raises on purpose.

    >>> import rbmle
    >>> try:
    ...     rbmle.UCB(-1)
    ... except RbmleError as error:
    ...     print(error)
    UCB: 'alpha' must be a number in (0, inf). Got -1.
    """


class Words(str):
    """Text that is shown as it is, without quotes: in a message, at a prompt and in a notebook."""

    __slots__ = ()
    __repr__ = str.__str__


_NOTHING = Words()


class ParameterError(RbmleError):
    """A parameter, mean, reward or table has a value that is not allowed.

    owner: the class or function whose parameter it is. name: the parameter; "" if it is about all
    of them. allowed: the allowed values, in words. got: the value given, if one was. hint: what may
    help, after the sentence.

    >>> print(ParameterError("RBMLE", "c", "a number in (0, inf)", -1))
    RBMLE: 'c' must be a number in (0, inf). Got -1.
    """

    def __init__(
        self, owner: str, name: str, allowed: str, got: object = _NOTHING, hint: str = ""
    ) -> None:
        self.owner, self.name, self.allowed, self.got, self.hint = owner, name, allowed, got, hint
        given = f" Got {shown}." if (shown := show(got)) else ""
        rule = f"'{name}' must be {allowed}" if name else allowed
        super().__init__(f"{owner}: {rule}.{given}{hint}")

    def of(
        self, owner: str, name: str | None = None, instead_of: str | None = None
    ) -> ParameterError:
        """The same error about another owner's parameter; only that of `instead_of`, if given."""
        if instead_of not in (None, self.owner):
            return self
        return ParameterError(owner, name or self.name, self.allowed, self.got, self.hint)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        got = Words(show(self.got))
        return ParameterError, (self.owner, self.name, self.allowed, got, self.hint)


class BudgetError(ParameterError):
    """A budget is spent: what is left of it is less than any candidate may cost.

    >>> print(BudgetError(0.004, 5.0))
    Decider: 'budget' must be enough for a candidate. Got 0.004 left of 5.
    """

    def __init__(self, left: float, budget: float) -> None:
        self.left, self.budget = left, budget
        got = Words(f"{left:.6g} left of {budget:.6g}")
        super().__init__("Decider", "budget", "enough for a candidate", got)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return BudgetError, (self.left, self.budget)


class DefinitionError(RbmleError, TypeError):
    """A user's own policy, family or law is not written as the package needs it.

    >>> import rbmle
    >>> try:
    ...     rbmle.record(dict)
    ... except DefinitionError as error:
    ...     print(error)
    dict must be a NamedTuple.
    """


class StateError(RbmleError):
    """A saved state is corrupt, belongs to another kind of object, or is of a newer version.

    >>> import rbmle
    >>> issubclass(StateError, rbmle.RbmleError)
    True
    """


class StudyError(RbmleError):
    """A study, or its file, is incomplete or contradictory."""


class RunError(RbmleError):
    """A run folder cannot be read or written, or belongs to another study."""


class FileError(RbmleError, OSError):
    """A file cannot be written; also an OSError, with its number.

    >>> print(FileError("nodir/x.json", FileNotFoundError(2, "No such file or directory")))
    nodir/x.json: cannot be written (No such file or directory).
    """

    def __init__(self, path: str, why: OSError) -> None:
        OSError.__init__(self, why.errno, why.strerror or str(why), path)

    def __str__(self) -> str:
        return f"{self.filename}: cannot be written ({self.strerror})."

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return FileError, (self.filename, OSError(self.errno, self.strerror))


class RunWarning(UserWarning):
    """Something about a run needs attention but does not stop it, such as a damaged file of results
    (which is computed again), or a file system without locks."""


class FamilyWarning(UserWarning):
    """Rewards contradict what a family assumes of them, such as their standard deviation."""


class GuardrailWarning(UserWarning):
    """A guardrail has disabled an arm: its metric is proven to be beyond its limit."""


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
        """The interval that the text states, such as "(0, inf)"; raises ValueError if none."""
        low, high = (_bound(each.strip()) for each in text[1:-1].split(","))
        if text[0] not in "([" or text[-1] not in ")]" or not low <= high:
            raise ValueError(text)
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
    """An end of an interval: an int if it is written as one, so that large ends stay exact."""
    return int(text) if text.lstrip("-").isdigit() else float(text)


def number(owner: str, name: str, value: Any, interval: str | Interval) -> float:
    """The value as a float; raises ParameterError unless it is a real number in the interval."""
    allowed = Interval.parse(interval) if isinstance(interval, str) else interval
    try:
        given = float(value)
    except (TypeError, ValueError, OverflowError):
        given = math.nan
    if isinstance(value, (bool, str)) or given not in allowed:
        raise ParameterError(owner, name, f"a number in {allowed}", value)
    return given


def integer(owner: str, name: str, value: Any, interval: str | Interval) -> int:
    """The value as an int; raises ParameterError unless it is a whole number in the interval."""
    allowed = Interval.parse(interval) if isinstance(interval, str) else interval
    try:
        whole = int(value)
    except (TypeError, ValueError, OverflowError):
        whole = None
    if isinstance(value, (bool, str)) or whole is None or whole != value or whole not in allowed:
        raise ParameterError(owner, name, f"a whole number in {allowed}", value)
    return whole


def one_of(owner: str, name: str, value: object, allowed: Iterable[str], hint: str = "") -> str:
    """The value, if it is an allowed name; else raises ParameterError, suggesting the nearest.

    hint: what the message says instead of that.
    """
    names = list(allowed)
    if isinstance(value, str) and value in names:
        return value
    listing = ", ".join(repr(each) for each in names)
    raise ParameterError(
        owner, name, f"one of {listing}", value, hint or did_you_mean(value, names)
    )


def did_you_mean(value: object, names: Iterable[object]) -> str:
    """The hint that names the most similar name, or an empty string if none is similar.

    A similar name has the same first letter: people seldom mistype that one.

    >>> did_you_mean("ubc", ["UCB", "MOSS"]), did_you_mean("tpu", ["cpu", "cuda"])
    (" Did you mean 'UCB'?", '')
    """
    typed = str(value)[:_MAX_COMPARED].lower()
    lower = {str(each).lower(): each for each in names}
    if _OTHER_WORDS.get(typed) in lower:
        return f" Did you mean {_OTHER_WORDS[typed]!r}?"
    alike = [each for each in lower if each[:1] == typed[:1]][:_MAX_COMPARED]
    near = difflib.get_close_matches(typed, alike, n=1)
    near = near or [each for each in alike if typed and each.startswith(typed)]
    return f" Did you mean {lower[near[0]]!r}?" if near else ""
