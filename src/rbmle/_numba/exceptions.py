"""A search for exceptions in a user's function: `raise`, `assert`, `try` or `with`.

The code is read, not run. A CPU raises what compiled code raises; a GPU cannot: there the thread
would end in the middle of its replication, and nobody would know.
"""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from .generators import functions_in

# The instructions of Python's interpreter that raise (`raise`, `assert`) and that begin a handler
# (`except`, `finally`, and the end of `with`).
_RAISES, _HANDLES = "RAISE_VARARGS", "PUSH_EXC_INFO"


def exception_in(function: Any) -> tuple[str, CodeType, int] | None:
    """What the function does with exceptions, in words, the code and its line; None if nothing.

    Functions that it calls are searched too, whether compiled or not.
    """
    for each in _all_called(function, set()):
        line = each.__code__.co_firstlineno
        for step in dis.get_instructions(each):
            if step.positions is not None and step.positions.lineno is not None:
                line = step.positions.lineno
            if step.opname in (_RAISES, _HANDLES):
                words = "raised" if step.opname == _RAISES else "caught"
                return words, each.__code__, line
    return None


def _all_called(function: Any, seen: set[Any]) -> Iterator[FunctionType]:
    seen.add(function)
    yield function
    for _, inner, _ in functions_in(function):
        if inner not in seen:
            yield from _all_called(inner, seen)
