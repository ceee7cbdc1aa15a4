"""Readable signatures of records in `help` and `inspect.signature`: `UCB(alpha: float = 2.0)`.

By itself a NamedTuple shows its annotations as they are stored, in a form that is hard to read:
ForwardRef('Annotated[float, "(0, inf)"]').
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from typing import Any


def describe(cls: Any, new: Callable[..., Any], fields: Mapping[str, tuple[Any, str]]) -> None:
    """Give a record class, and its `__new__`, a readable signature, and each field a description.

    fields: the type of each field, and what it may hold, in words.
    """
    types = {name: kind for name, (kind, _) in fields.items()}
    defaults: Mapping[str, Any] = cls._field_defaults
    parameters = [
        Parameter(
            name,
            Parameter.POSITIONAL_OR_KEYWORD,
            default=defaults.get(name, Parameter.empty),
            annotation=kind,
        )
        for name, kind in types.items()
    ]
    first = Parameter("_cls", Parameter.POSITIONAL_OR_KEYWORD)
    function: Any = new
    function.__signature__ = Signature([first, *parameters])
    function.__annotations__ = types
    function.__doc__ = f"Create new instance of {cls.__name__}, its parameters checked."
    for name, (_, words) in fields.items():
        getter = inspect.getattr_static(cls, name)
        getter.__doc__ = words
