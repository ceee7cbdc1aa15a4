"""Records as plain data, for files: `RBMLE(2.0)` <-> `{"name": "RBMLE", "alpha": {...}, ...}`.

Numbers are written as numbers (infinity as "inf"), a `Choice` as its name, a record inside a record
as another such object. A class is looked up by name among the known policies, families, laws and
bias-growth rates; a user's own class is known once the module that defines it has been imported.

A *stand-in* is a record that becomes a policy once the problem is known: any NamedTuple with a
method `on(problem, family)` that returns the policy. It is written like other records, unless it
has a method `as_spec()` that returns its own form; then its class method `of_spec(data)` reads that
form, and returns None for other data. Its method `described()` returns the class and the parameters
that its label is made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, isinf
from typing import Any, TypeVar

from ._record import Choice
from .errors import ParameterError, one_of
from .families import FAMILIES
from .policies.alpha import BIASES
from .policies.base import POLICIES
from .policies.fit import Assuming
from .rewards.laws import LAWS
from .rewards.problems import Problem

T = TypeVar("T")

STAND_INS: dict[str, type] = {}

_INFINITE = {"inf": inf, "-inf": -inf}


def to_spec(record: Any) -> dict[str, Any]:
    """The record as data that JSON can hold.

    >>> from rbmle.policies import RBMLE
    >>> to_spec(RBMLE(2.0))
    {'name': 'RBMLE', 'alpha': {'name': 'LogBias', 'c': 2.0}, 'boundary': 'exact'}
    """
    kind = type(record)
    if stands_in(record):
        STAND_INS.setdefault(kind.__name__, kind)
        if hasattr(record, "as_spec"):
            written: dict[str, Any] = record.as_spec()
            return written
    if _known().get(kind.__name__) is not kind:
        raise ParameterError.of("spec", "record", "a policy, family, law or bias", record)
    return {
        "name": kind.__name__,
        **{field: _plain(kind, field, getattr(record, field)) for field in record._fields},
    }


def from_spec(data: Any, among: Mapping[str, type] | None = None) -> Any:
    """The record that the data describes, such as {"name": "UCB", "alpha": 1} or just "ucb".

    Parameters that are left out have their default values. The case of the name does not matter.
    among: the classes that may be named; by default all that are known.

    >>> from_spec({"name": "RBMLE", "alpha": {"name": "BetaBias"}, "boundary": "corollary"})
    RBMLE(alpha=BetaBias(power=0.5), boundary='corollary')
    >>> from_spec("ucb")
    UCB(alpha=2.0)
    """
    known = _known() if among is None else among
    given = {"name": data} if isinstance(data, str) else data
    if not isinstance(given, Mapping) or "name" not in given:
        raise ParameterError.of("spec", "data", "a name, or an object with a 'name'", data)
    spelled = {name.lower(): name for name in known}
    name = given["name"]
    kind: Any = known[spelled.get(str(name).lower()) or one_of("spec", "name", name, known)]
    values = {key: value for key, value in given.items() if key != "name"}
    for key in values:
        one_of(kind.__name__, "parameter", key, kind._fields)
    return kind(**{key: _value(value) for key, value in values.items()})


def stand_in(cls: type[T]) -> type[T]:
    """A decorator that registers a class of stand-ins, so that files can name it."""
    STAND_INS[cls.__name__] = cls
    return cls


def stands_in(policy: Any) -> bool:
    """Whether it is a stand-in: a record that becomes a policy once the problem is known."""
    return hasattr(type(policy), "on") and hasattr(policy, "_fields")


def stand_in_of(data: Mapping[str, Any]) -> Any:
    """The stand-in whose own form (`as_spec`) this data is, or None."""
    readers = [kind.of_spec for kind in STAND_INS.values() if hasattr(kind, "of_spec")]
    return next((each for each in (read(data) for read in readers) if each is not None), None)


def on_problem(given: Any, problem: Problem) -> Any:
    """The policy to play on the problem: what a stand-in stands for, or what was given."""
    policy, family = given if isinstance(given, Assuming) else (given, None)
    return policy.on(problem, family) if stands_in(policy) else given


def _known() -> dict[str, type]:
    return {**STAND_INS, **LAWS, **BIASES, **FAMILIES, **POLICIES}


def _plain(owner: type, field: str, value: Any) -> Any:
    if isinstance(value, Choice):
        return value.name
    if isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return str(value) if isinf(value) else value
    if hasattr(value, "_fields"):
        return to_spec(value)
    raise ParameterError.of(owner.__name__, field, "a number, an option or a record", value)


def _value(data: Any) -> Any:
    if isinstance(data, Mapping):
        return from_spec(data)
    return _INFINITE.get(data, data) if isinstance(data, str) else data
