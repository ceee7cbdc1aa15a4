"""Checked records: a NamedTuple whose fields are coerced and validated by their annotations.

A field is annotated with what it may hold, and nothing else is needed:

    c: Annotated[float, "(0, inf)"] = 1.0       a real number in an interval
    trials: Annotated[int, "[1, inf)"] = 1      a whole number in an interval
    anytime: bool = False
    boundary: Boundary | str = "exact"          a `Choice`, given by its name
    alpha: Annotated[Any, as_bias] = 1.0        any value; `as_bias` converts what the user gives
    weights: tuple[float, ...] = (1.0, 2.0)     a tuple; a list is made one

Coercion also gives every instance of a class the same types, so it is compiled once.
"""

from __future__ import annotations

import enum
import inspect
import typing
from collections.abc import Callable, Mapping
from functools import partial, wraps
from inspect import Parameter, Signature
from typing import Annotated, Any, Literal, NamedTuple, Protocol, TypeGuard, TypeVar

from ..errors import (
    DefinitionError,
    Interval,
    ParameterError,
    Words,
    did_you_mean,
    integer,
    number,
    one_of,
    show,
)
from .names import ALIASES, load_package, plain_name

T = TypeVar("T")

KNOWN: dict[str, type] = {}  # every policy, family, law and bias-growth rate: name -> class
_ours: dict[str, str] = {}  # the package's own classes: plain name -> name


class Record(Protocol):
    """What every NamedTuple has."""

    @property
    def _fields(self) -> tuple[str, ...]: ...
    @property
    def _field_defaults(self) -> Mapping[str, object]: ...
    def _asdict(self) -> Mapping[str, object]: ...


def is_record(value: object) -> TypeGuard[Record]:
    """Whether the value is an instance of a NamedTuple."""
    return isinstance(value, tuple) and hasattr(value, "_fields")


def is_package(thing: object) -> bool:
    """Whether a class or a function is the package's own, not a user's."""
    return str(thing.__module__).startswith("rbmle.")


def register(known: dict[str, type], cls: type) -> None:
    """Add a class to `known`, a table of classes by name.

    A second class of the same name replaces the first, so that a notebook cell can be run again. A
    user's class cannot take a name of one of the package's own, whatever the case of its letters:
    a file that was saved with that name must keep its meaning.
    """
    name = cls.__name__
    if not is_package(cls):
        load_package()
    taken = ALIASES.get(name.upper()) or _ours.get(plain_name(name))
    if is_package(cls):
        _ours[plain_name(name)] = name
    elif taken is not None:
        raise DefinitionError(f"{name}: a class must have another name than the package's {taken}.")
    known[name] = KNOWN[name] = cls


class Choice(enum.IntEnum):
    """A named option. Users write its name as a string; compiled code sees a small integer.

    >>> from rbmle import RBMLE
    >>> RBMLE().boundary, int(RBMLE().boundary)
    ('exact', 0)
    """

    def __repr__(self) -> str:
        return repr(self.name)

    def __str__(self) -> str:
        return self.name


def checked(cls: type[T]) -> type[T]:
    """Make a NamedTuple class coerce and validate its fields, however an instance is built.

    That covers the constructor, `_make` and `replace`, which it gives to the class. A class with a
    static method `spelled` is given its parameters by other names too: it maps them to its fields.
    A method `check_fields` may refuse fields that do not go together.
    """
    kind: Any = cls
    plain, fields = kind.__new__, kind._fields
    hints = typing.get_type_hints(cls, include_extras=True)
    known = {name: _field(cls.__name__, name, hints[name]) for name in fields}
    spelled = vars(cls).get("spelled")

    @wraps(plain)
    def new(cls_: type[T], *args: object, **typed: object) -> T:
        kwargs = typed if spelled is None else kind.spelled(typed)
        try:
            given = plain(cls_, *args, **kwargs)
        except TypeError:
            lacking = [name for name in fields[len(args) :] if name not in kind._field_defaults]
            if lacking and not set(lacking) <= set(kwargs) and set(kwargs) <= set(fields):
                missing = next(name for name in lacking if name not in kwargs)
                raise ParameterError(cls.__name__, missing, "given") from None
            takes = f"the parameters {', '.join(map(repr, fields))}" if fields else "no parameters"
            unknown = next((name for name in kwargs if name not in fields), None)
            hint = did_you_mean(unknown, fields) if unknown else ""
            texts = [*map(show, args), *(f"{key}={show(value)}" for key, value in typed.items())]
            got = Words(f"({', '.join(texts)})")
            raise ParameterError(cls.__name__, "", f"takes {takes}", got, hint) from None
        try:
            values = [each.coerce(value) for each, value in zip(known.values(), given, strict=True)]
        except ParameterError as mistake:
            other = next((name for name in typed if name not in fields), None)
            spelt = mistake.name in kwargs and mistake.name not in typed
            if mistake.owner != cls.__name__ or not spelt or other is None:
                raise
            raise mistake.of(cls.__name__, other) from None
        made = tuple.__new__(cls_, values)  # type: ignore[type-var]
        if "check_fields" in vars(cls):
            kind.check_fields(made)
        return made

    _describe(kind, new, known)
    kind.__annotations__ = {name: hints[name] for name in fields}  # types instead of their names
    kind.__new__ = new
    kind._make = classmethod(lambda cls_, values: cls_(*values))
    kind._replace = kind.__replace__ = replace  # the latter is for `copy.replace`
    if "replace" not in vars(cls):
        kind.replace = replace
    return cls


def replace(self: T, **changes: object) -> T:
    """A copy with these parameters changed; they are checked as by the constructor."""
    record: Any = self
    return type(self)(**{**record._asdict(), **changes})


def _describe(kind: Any, new: Callable[..., object], fields: Mapping[str, _Field]) -> None:
    """Give a record class a signature that `help` shows as `UCB(alpha: float = 2.0)`.

    By itself a NamedTuple shows its annotations as they are stored:
    ForwardRef('Annotated[float, "(0, inf)"]').
    """
    ordinary = Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter("_cls", ordinary)]
    for name, field in fields.items():
        default = kind._field_defaults.get(name, Parameter.empty)
        parameters.append(Parameter(name, ordinary, default=default, annotation=field.shown))
        inspect.getattr_static(kind, name).__doc__ = field.words
    vars(new)["__signature__"] = Signature(parameters)
    new.__annotations__ = {name: field.shown for name, field in fields.items()}
    new.__doc__ = f"Create new instance of {kind.__name__}, its parameters checked."


class _Field(NamedTuple):
    """A field: the function that turns what a user gives into what the field holds, the type that
    `help` shows, and what the field may hold, in words."""

    coerce: Callable[[object], object]
    shown: object
    words: str


def _field(owner: str, name: str, hint: object) -> _Field:
    """What the annotation of a field says."""
    interval = ""
    if typing.get_origin(hint) is Annotated:
        hint, interval = typing.get_args(hint)[:2]
        if callable(interval):
            return _Field(interval, hint, inspect.getdoc(interval) or "")
    within = f" in {interval}." if interval else "."
    choice = _choice_in(hint)
    if choice is not None:
        names = tuple(choice.__members__)
        words = f"One of {', '.join(map(repr, names))}."
        return _Field(partial(_member, owner, name, choice), Literal[names], words)
    if hint is bool:
        return _Field(partial(_boolean, owner, name), bool, f"True or False{within}")
    if hint is float or hint is int:
        allowed = _interval(owner, name, interval or "[-inf, inf]")
        check, words = (number, "A number") if hint is float else (integer, "A whole number")
        return _Field(partial(check, owner, name, interval=allowed), hint, words + within)
    if tuple in (hint, typing.get_origin(hint)):  # JSON has lists
        return _Field(lambda value: tuple(value) if isinstance(value, list) else value, hint, "")
    return _Field(lambda value: value, hint, "")


def _interval(owner: str, name: str, text: object) -> Interval:
    """The range of a field, as its annotation states it."""
    try:
        return Interval.parse(str(text))
    except (ValueError, IndexError):
        stated = 'annotated with an interval, as in Annotated[float, "(0, 1]"]'
        raise DefinitionError(f"{owner}: {name!r} must be {stated}. Got {show(text)}.") from None


def _choice_in(hint: object) -> type[Choice] | None:
    """The `Choice` among the types that a union lists, if there is one."""
    for each in (hint, *typing.get_args(hint)):
        if isinstance(each, type) and issubclass(each, Choice):
            return each
    return None


def _member(owner: str, name: str, choice: type[Choice], value: object) -> Choice:
    if isinstance(value, choice):
        return value
    return choice[one_of(owner, name, value, choice.__members__)]


def _boolean(owner: str, name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise ParameterError(owner, name, "True or False", value)
    return value
