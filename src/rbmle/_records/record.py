"""Checked records: a NamedTuple whose fields are coerced and validated by their annotations.

A field is annotated with what it may hold, and nothing else is needed:

    c: Annotated[float, "(0, inf)"] = 1.0       a real number in an interval
    trials: Annotated[int, "[1, inf)"] = 1      a whole number in an interval
    anytime: bool = False
    boundary: Boundary | str = "exact"          a `Choice`, given by its name
    alpha: Annotated[Any, as_bias] = 1.0        any value; `as_bias` converts what the user gives

Coercion also gives every instance of a class the same types, so it is compiled once.
"""

from __future__ import annotations

import enum
import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeVar

from ..errors import (
    DefinitionError,
    ParameterError,
    Words,
    did_you_mean,
    integer,
    number,
    one_of,
    show,
)
from .help import describe

T = TypeVar("T")

_ANY_NUMBER = "[-inf, inf]"
KNOWN: dict[str, type] = {}  # every policy, family, law and bias-growth rate: name -> class
_ours: dict[str, str] = {}  # the package's own classes: lower-case name -> name


def is_package(thing: Any) -> bool:
    """Whether a class or a function is the package's own, not a user's."""
    return str(thing.__module__).startswith("rbmle.")


def register(known: dict[str, type], cls: type) -> None:
    """Add a class to `known`, a table of classes by name.

    A second class of the same name replaces the first, so that a notebook cell can be run again. A
    user's class cannot take the name of one of the package's own, whatever the case of its letters:
    a file that was saved with that name must keep its meaning.
    """
    name = cls.__name__
    if is_package(cls):
        _ours[name.lower()] = name
    elif name.lower() in _ours:
        raise DefinitionError(
            f"{name}: a class must have another name than the package's {_ours[name.lower()]}."
        )
    known[name] = KNOWN[name] = cls


class Choice(enum.IntEnum):
    """A named option. Users write its name as a string; compiled code sees a small integer."""

    def __repr__(self) -> str:
        return repr(self.name)

    def __str__(self) -> str:
        return self.name


def checked(cls: type[T]) -> type[T]:
    """Make a NamedTuple class coerce and validate its fields, however an instance is built.

    That covers the constructor, `_make` and `_replace`.
    """
    kind: Any = cls
    plain, fields = kind.__new__, kind._fields
    hints = typing.get_type_hints(cls, include_extras=True)
    coerce = [_coercion(cls.__name__, name, hints[name]) for name in fields]

    @functools.wraps(plain)
    def new(cls_: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            given = plain(cls_, *args, **kwargs)
        except TypeError:
            listing = ", ".join(repr(name) for name in fields)
            takes = f"the parameters {listing}" if fields else "no parameters"
            unknown = next((name for name in kwargs if name not in fields), None)
            hint = did_you_mean(unknown, fields) if unknown else ""
            got = Words(_show_call(args, kwargs))
            raise ParameterError(cls.__name__, "", f"takes {takes}", got, hint) from None
        return tuple.__new__(cls_, [c(value) for c, value in zip(coerce, given, strict=True)])

    describe(cls, new, {name: _shown(hints[name]) for name in fields})
    kind.__annotations__ = {name: hints[name] for name in fields}  # types instead of their names
    kind.__new__ = new
    kind._make = classmethod(lambda cls_, values: cls_(*values))
    kind._replace = lambda self, **changes: type(self)(**{**self._asdict(), **changes})
    return cls


def _show_call(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    parts = [show(value) for value in args] + [f"{k}={show(v)}" for k, v in kwargs.items()]
    return f"({', '.join(parts)})"


def _coercion(owner: str, name: str, hint: Any) -> Callable[[Any], Any]:
    """The function that turns what a user gives for a field into what the field holds."""
    interval = _ANY_NUMBER
    if typing.get_origin(hint) is Annotated:
        hint, interval = typing.get_args(hint)[:2]
        if callable(interval):
            return lambda value: interval(value)
    choice = next((each for each in _members(hint) if _is_choice(each)), None)
    if choice is not None:
        return lambda value: (
            value
            if isinstance(value, choice)
            else choice[one_of(owner, name, value, choice.__members__)]
        )
    if hint is bool:
        return lambda value: _boolean(owner, name, value)
    if hint is float:
        return lambda value: number(owner, name, value, interval)
    if hint is int:
        return lambda value: integer(owner, name, value, interval)
    return lambda value: value


def _shown(hint: Any) -> tuple[Any, str]:
    """The type of a field as `help` shows it, and what the field may hold in words."""
    interval = ""
    if typing.get_origin(hint) is Annotated:
        hint, interval = typing.get_args(hint)[:2]
        if callable(interval):
            return hint, inspect.getdoc(interval) or ""
    choice = next((each for each in _members(hint) if _is_choice(each)), None)
    if choice is not None:
        names = tuple(choice.__members__)
        return Literal[names], f"One of {', '.join(map(repr, names))}."
    what = {bool: "True or False", float: "A number", int: "A whole number"}.get(hint)
    if what is None:
        return hint, ""
    return hint, f"{what} in {interval}." if interval else f"{what}."


def _members(hint: Any) -> tuple[Any, ...]:
    """The types that a union lists, or the one type."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return typing.get_args(hint)
    return (hint,)


def _is_choice(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Choice)


def _boolean(owner: str, name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(owner, name, "True or False", value)
    return value
