"""Generators of random numbers in a user's function: which one it uses, and in which line.

The function is read, not run, so that a branch that is rarely taken is found too.
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
    """The name and the line of the first generator that the function uses, itself or through a
    function that it calls, compiled or not; None if there is none."""
    for name, value, line in _names_of(function):
        if _is_generator(value):
            return name, line
        inner = getattr(value, "py_func", value)  # of a function that Numba compiles
        if isinstance(inner, FunctionType) and inner not in seen and not _of_a_library(inner):
            found = generator_in(inner, seen | {function})
            if found is not None:
                return f"{found[0]} in {name}", line
    return None


def _names_of(function: Any) -> Iterator[tuple[str, Any, int]]:
    """What the function names that is not its own: `np`, then `np.random`, each with its line."""
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
    """Functions of the package and of what it stands on are not read."""
    return str(function.__module__).split(".")[0] in ("rbmle", "numpy", "numba", "math")
