"""Mistakes in a user's own class, told in five lines that name the line.

The interpreter plays a little first: it names an undefined variable or a wrong attribute as Python
programmers are used to. What only the compiler refuses is cut out of its long message.
"""

from __future__ import annotations

import copy
import inspect
import linecache
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

import numpy as np

from ._record import is_package
from .errors import DefinitionError, show

_CALLS = 5_000  # of the package's functions, about 0.1 s: some hundred rounds of three arms
_MOST_BYTES = 1 << 26  # of arrays that are copied for a rehearsal
# What says that the code is wrong. Others may be the interpreter's alone: 1.0 / 0.0 is infinite in
# compiled code, and log(0.0) too.
_MISTAKES = (NameError, AttributeError, TypeError, LookupError)
_PLACE = re.compile(r'\n\s*File "(?P<file>[^"\n]+)", line (?P<line>\d+)')
_NOISE = re.compile(
    r"^(Failed in nopython|- Resolution failure|During:|None$|Overload of|\W*$)|>>>"
)

_Return = tuple[CodeType, int, Any]  # a user's method, the line where it returned, and what


class _Enough(BaseException):
    """Ends a rehearsal that found nothing wrong."""


def rehearse(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Run the first steps of a kernel by the interpreter, on copies, and explain what is raised."""
    if sum(each.nbytes for each in _arrays(args)) > _MOST_BYTES:
        return
    codes = _users_code(args)
    returned: list[_Return] = []  # the last one only
    calls = 0

    def watch(frame: FrameType, happened: str, value: Any) -> None:
        nonlocal calls
        if happened == "return" and frame.f_code in codes:
            returned[:] = [(frame.f_code, frame.f_lineno, value)]
        elif happened == "call" and frame.f_globals.get("__name__", "").startswith("rbmle."):
            calls += 1
            if calls > _CALLS:
                raise _Enough

    outer = sys.getprofile()
    own = copy.deepcopy(args)
    try:
        with np.errstate(all="ignore"):
            sys.setprofile(watch)
            function(*own)
    except _Enough:
        pass
    except _MISTAKES as problem:
        sys.setprofile(outer)
        raise _interpreters(args, problem, codes, returned) from None
    except Exception:
        pass  # not surely a mistake: see _MISTAKES
    finally:
        sys.setprofile(outer)


def _interpreters(
    args: tuple[Any, ...], problem: Exception, codes: set[CodeType], returned: list[_Return]
) -> DefinitionError:
    """What the interpreter says, with the last line of the user's that led to it."""
    reason = f"{type(problem).__name__}: {problem}"
    frames = traceback.walk_tb(problem.__traceback__)
    inside = [(frame.f_code, line) for frame, line in frames if frame.f_code in codes]
    if inside:
        code, line = inside[-1]
        return _error(args, reason, code.co_filename, line, code.co_name)
    if returned:  # then the package fell over what a method gave it
        code, line, value = returned[0]
        reason = f"{code.co_name} returned {show(value)}. {reason}"
        return _error(args, reason, code.co_filename, line, code.co_name)
    return _error(args, reason)


def explained(args: tuple[Any, ...], problem: Exception) -> DefinitionError:
    """A compiler's complaint about a user's class, cut to the reason and the user's line."""
    text = "\n" + re.sub(r"\x1b\[[0-9;]*m", "", str(problem))
    files = {os.path.basename(code.co_filename): code.co_filename for code in _users_code(args)}
    begin, reason = 0, ""
    for found in _PLACE.finditer(text):
        said = [each.strip() for each in text[begin : found.start()].splitlines()]
        said = [each for each in said if each and not _NOISE.search(each)]
        begin = found.end()
        reason = reason or (said[0] if said else "")
        file = files.get(os.path.basename(found["file"]))
        if file is not None:
            line = int(found["line"])
            return _error(args, reason, file, line, _function_at(args, file, line))
    return _error(args, reason or next(iter(str(problem).splitlines()), type(problem).__name__))


def _error(
    args: tuple[Any, ...], reason: str, file: str = "", line: int = 0, name: str = ""
) -> DefinitionError:
    owners = " for ".join(dict.fromkeys(each.__name__ for each in _users_classes(args)))
    if not file:
        return DefinitionError(f"{owners}: {reason}")
    place = f'  File "{file}", line {line}, in {name}\n    {linecache.getline(file, line).strip()}'
    return DefinitionError(f"{owners}: {reason}\n{place}")


def _function_at(args: tuple[Any, ...], file: str, line: int) -> str:
    """The user's method that the line is in."""
    codes = [each for each in _users_code(args) if each.co_filename == file]
    before = [each for each in codes if each.co_firstlineno <= line]
    return max(before or codes, key=lambda each: each.co_firstlineno).co_name


def _users_classes(args: tuple[Any, ...]) -> Iterator[type]:
    for each in args:
        if isinstance(each, tuple):
            if type(each) is not tuple and not is_package(type(each)):
                yield type(each)
            yield from _users_classes(each)


def _users_code(args: tuple[Any, ...]) -> set[CodeType]:
    functions = (
        each
        for kind in _users_classes(args)
        for each in vars(kind).values()
        if inspect.isfunction(each) and not is_package(each)
    )
    return {each.__code__ for each in functions if not each.__name__.startswith("__")}


def _arrays(args: tuple[Any, ...]) -> Iterator[Any]:
    for each in args:
        if isinstance(each, tuple):
            yield from _arrays(each)
        elif isinstance(each, np.ndarray):
            yield each
