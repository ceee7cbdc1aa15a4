"""Records as plain data, for files: `RBMLE(2.0)` <-> `{"name": "RBMLE", "alpha": {...}, ...}`.

Numbers are written as numbers (infinity as "inf"), a `Choice` as its name, a tuple or an array as a
list, a record inside a record as another such object. A class is looked up by name among the known
policies, families, laws, bias-growth rates, kinds of evidence and delays; a user's own class is
known once the module that defines it has been imported.

A *stand-in* is a record that becomes a policy once the problem is known: any NamedTuple with a
method `on(problem, family)` that returns the policy. It is written like other records, unless it
has a method `as_spec()` that returns its own form; then its class method `of_spec(data)` reads that
form, and returns None for other data. Its method `described()` returns the class and the parameters
that its label is made of.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from functools import partial
from math import inf, isinf
from typing import Any, TypeVar

from ._records.names import ALIASES, combination, load_installed, load_package, parsed, plain_name
from ._records.record import KNOWN, Choice, Record, is_record
from .errors import ParameterError, Words, one_of

T = TypeVar("T")

STAND_INS: dict[str, type] = {}
_INFINITE = {"inf": inf, "-inf": -inf}


def to_spec(record: Record) -> dict[str, object]:
    """The record as data that JSON can hold.

    >>> from rbmle.policies import RBMLE
    >>> to_spec(RBMLE(2.0))
    {'name': 'RBMLE', 'alpha': {'name': 'LogBias', 'c': 2.0}, 'boundary': 'exact', 'f': 'canonical'}
    """
    kind = type(record)
    if stands_in(record):
        STAND_INS.setdefault(kind.__name__, kind)
        if hasattr(record, "as_spec"):
            return dict(record.as_spec())
    if _known().get(kind.__name__) is not kind:
        raise ParameterError("spec", "record", "a policy, family, law or bias", record)
    fields = {field: _plain(kind, field, value) for field, value in record._asdict().items()}
    return {"name": kind.__name__, **fields}


def from_spec(
    data: object, among: Mapping[str, type] | None = None, owner: str = "spec", key: str = "name"
) -> Any:
    """The record that the data describes: {"name": "UCB", "alpha": 1}, "ucb(alpha=1)" or "ucb(1)".

    Parameters that are left out have their default values. The case of the name does not matter.
    among: the classes that may be named; by default all that are known.
    owner, key: whose parameter the data is, for error messages.

    >>> from_spec({"name": "RBMLE", "alpha": {"name": "BetaBias"}, "boundary": "corollary"})
    RBMLE(alpha=BetaBias(power=0.5, c=1.0), boundary='corollary', f='canonical')
    >>> from_spec("ucb"), from_spec("ucb(alpha=1)")
    (UCB(alpha=2.0), UCB(alpha=1.0))
    """
    known = _known() if among is None else among
    named: Callable[[object], Any] = partial(class_named, among=known, owner=owner, key=key)
    given = data
    if isinstance(data, str):
        given = parsed(data, owner, key, lambda name: named(name)._fields)
    if not isinstance(given, Mapping) or "name" not in given:
        raise ParameterError(owner, key, "a name, or an object with a 'name'", data)
    kind = named(given["name"])
    values = {key: value for key, value in given.items() if key != "name"}
    return kind(**{key: _value(value) for key, value in values.items()})


def class_named(name: object, among: Mapping[str, type], owner: str, key: str) -> type:
    """The class of that name. Case, hyphens and underscores do not matter; `ALIASES` work too.

    If the name is not known, all classes of the package and those that installed packages announce
    are loaded first.
    owner, key: whose parameter the name is, for error messages.
    """
    if isinstance(name, str) and name in among:
        return among[name]
    full = plain_name(ALIASES.get(str(name).upper(), name))
    if full not in map(plain_name, among):
        load_installed()
    spelled = {plain_name(each): each for each in among}
    return among[spelled.get(full) or one_of(owner, key, name, among, combination(name, among))]


def as_record(given: object, among: Mapping[str, type], owner: str, key: str) -> Any:
    """The record that is given, as such or by name. A class, UCB for UCB(), is an error."""
    if isinstance(given, str):
        return from_spec(given, among, owner, key)
    if isinstance(given, type):
        words = f"written with parentheses, {given.__name__}()"
        raise ParameterError(owner, key, words, Words(f"the class {given.__name__}"))
    return given


def stand_in(cls: type[T]) -> type[T]:
    """A decorator that registers a class of stand-ins, so that files can name it."""
    STAND_INS[cls.__name__] = cls
    return cls


def stands_in(policy: object) -> bool:
    """Whether it is a stand-in: a record that becomes a policy once the problem is known."""
    return hasattr(type(policy), "on") and is_record(policy)


def stand_in_of(data: Mapping[str, object]) -> Any:
    """The stand-in whose own form (`as_spec`) this data is, or None."""
    load_package()
    readers = [kind.of_spec for kind in STAND_INS.values() if hasattr(kind, "of_spec")]
    return next((each for each in (read(data) for read in readers) if each is not None), None)


def _known() -> ChainMap[str, type]:
    return ChainMap(KNOWN, STAND_INS)


def _plain(owner: type, field: str, value: object) -> object:
    if isinstance(value, Choice):
        return value.name
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return str(value) if isinf(value) else value
    if is_record(value):
        return to_spec(value)
    if isinstance(value, tuple):
        return [_plain(owner, field, each) for each in value]
    if hasattr(value, "tolist"):
        return value.tolist()  # an array
    if hasattr(value, "as_spec"):
        return value.as_spec()
    raise ParameterError(owner.__name__, field, "a number, an option or a record", value)


def _value(data: object) -> object:
    if isinstance(data, Mapping) and not isinstance(data.get("name"), str):
        return dict(data)
    if isinstance(data, Mapping) or (isinstance(data, str) and data.endswith(")")):
        return from_spec(data)
    return _INFINITE.get(data, data) if isinstance(data, str) else data
