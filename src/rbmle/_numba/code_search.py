"""A search in the code of a user's function: which line uses a random number generator, or raises
or catches exceptions.

The code is read, not run, so that a line in a branch that is rarely taken is found too. Functions
that it calls are searched, whether compiled or not, unless they are a library's.
"""

from __future__ import annotations

import dis
import inspect
import random
from collections.abc import Iterator
from types import BuiltinMethodType, CodeType, FunctionType, MethodType, ModuleType

import numpy as np

_MODULES = ("random", "secrets", "numpy.random")
_KINDS = (random.Random, np.random.RandomState, np.random.Generator)
# The instructions of Python's interpreter that raise (`raise`, `assert`) and that begin a handler
# (`except`, `finally`, and the end of `with`).
_EXCEPTIONS = {"RAISE_VARARGS": "raised", "PUSH_EXC_INFO": "caught"}


def generator_in(
    function: FunctionType, seen: frozenset[FunctionType] = frozenset()
) -> tuple[str, int] | None:
    """The name and the line of the first generator that the function uses, or None.

    seen: functions already searched.
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


def exception_in(function: FunctionType) -> tuple[str, CodeType, int] | None:
    """What the function does with exceptions, in words, the code and its line; None if nothing.

    A CPU raises what compiled code raises; a GPU cannot: there the thread would end in the middle
    of its replication, and nobody would know.
    """
    for each in _all_called(function, set()):
        for step, line in _steps(each):
            if step.opname in _EXCEPTIONS:
                return _EXCEPTIONS[step.opname], each.__code__, line
    return None


def _all_called(function: FunctionType, seen: set[FunctionType]) -> Iterator[FunctionType]:
    """The function and every function of the user's that it calls, directly or not."""
    seen.add(function)
    yield function
    for _, value, _ in _names_of(function):
        inner = _users_function(value)
        if inner is not None and inner not in seen:
            yield from _all_called(inner, seen)


def _steps(function: FunctionType) -> Iterator[tuple[dis.Instruction, int]]:
    """The instructions of a function, each with its line."""
    line = function.__code__.co_firstlineno
    for each in dis.get_instructions(function):
        if each.positions is not None and each.positions.lineno is not None:
            line = each.positions.lineno
        yield each, line


def _names_of(function: FunctionType) -> Iterator[tuple[str, object, int]]:
    """The global names that the function uses, such as `np` and then `np.random`: (name, value,
    line)."""
    outer = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    name, value = "", None
    for each, line in _steps(function):
        if each.opname in ("LOAD_GLOBAL", "LOAD_DEREF"):
            name, value = str(each.argval), outer.get(str(each.argval))
        elif each.opname in ("LOAD_ATTR", "LOAD_METHOD") and isinstance(value, ModuleType):
            name, value = f"{name}.{each.argval}", getattr(value, str(each.argval), None)
        else:
            value = None
        if value is not None:
            yield name, value, line


def _users_function(value: object) -> FunctionType | None:
    """The Python function, also if Numba compiled it; None if it is none or a library's."""
    inner = getattr(value, "py_func", value)
    libraries = ("rbmle", "numpy", "numba", "math")
    if isinstance(inner, FunctionType) and str(inner.__module__).split(".")[0] not in libraries:
        return inner
    return None


def _is_generator(value: object) -> bool:
    if isinstance(value, ModuleType):
        return value.__name__ in _MODULES
    if isinstance(value, (BuiltinMethodType, MethodType)):  # `from random import gauss`
        value = value.__self__
    of_module = str(getattr(value, "__module__", "")).split(".")[:2]
    return isinstance(value, _KINDS) or of_module == ["numpy", "random"]
