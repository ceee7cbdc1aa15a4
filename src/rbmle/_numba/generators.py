"""A search for random number generators in a user's function: which one it uses, in which line.

The code is read, not run, so that a use in a branch that is rarely taken is found too.
"""

from __future__ import annotations

import dis
import inspect
import random
from collections.abc import Iterator
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_MODULES = ("random", "secrets", "numpy.random")
_KINDS = (random.Random, np.random.RandomState, np.random.Generator)


def generator_in(function: Any, seen: frozenset[Any] = frozenset()) -> tuple[str, int] | None:
    """The name and the line of the first generator that the function uses, or None.

    Functions that it calls are searched too, whether compiled or not. seen: those already searched.
    """
    for name, value, line in _names_of(function):
        if _is_generator(value):
            return name, line
        inner = _users_function(value)
        if inner is not None and inner not in seen:
            found = generator_in(inner, seen | {function})
            if found is not None:
                return f"{found[0]} in {name}", line
    return None


def functions_in(function: Any) -> Iterator[tuple[str, FunctionType, int]]:
    """The functions of the user's that a function names: (name, function, line)."""
    for name, value, line in _names_of(function):
        inner = _users_function(value)
        if inner is not None:
            yield name, inner, line


def _users_function(value: Any) -> FunctionType | None:
    inner = getattr(value, "py_func", value)  # the Python function, if Numba compiled it
    return inner if isinstance(inner, FunctionType) and not _of_a_library(inner) else None


def _names_of(function: Any) -> Iterator[tuple[str, Any, int]]:
    """The global names that the function uses, such as `np` and then `np.random`: (name, value,
    line)."""
    outer = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    name, value, line = "", None, function.__code__.co_firstlineno
    for each in dis.get_instructions(function):
        if each.positions is not None and each.positions.lineno is not None:
            line = each.positions.lineno
        if each.opname in ("LOAD_GLOBAL", "LOAD_DEREF"):
            name, value = str(each.argval), outer.get(str(each.argval))
        elif each.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(value, ModuleType):
            name, value = f"{name}.{each.argval}", getattr(value, str(each.argval), None)
        else:
            value = None
        if value is not None:
            yield name, value, line


def _is_generator(value: Any) -> bool:
    if isinstance(value, ModuleType):
        return value.__name__ in _MODULES
    if isinstance(value, (BuiltinMethodType, MethodType)):  # `from random import gauss`
        value = value.__self__
    of_module = str(getattr(value, "__module__", "")).split(".")[:2]
    return isinstance(value, _KINDS) or of_module == ["numpy", "random"]


def _of_a_library(function: FunctionType) -> bool:
    """Whether the function belongs to this package or to a library it stands on: not searched."""
    return str(function.__module__).split(".")[0] in ("rbmle", "numpy", "numba", "math")
