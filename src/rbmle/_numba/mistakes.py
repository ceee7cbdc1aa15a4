"""Short explanations of mistakes in a user's own class: the reason, the file and the line.

Before a user's class is compiled, the interpreter plays a few rounds with it: it reports an
undefined variable or a wrong attribute in the form that Python programmers know. If the code passes
there and the compiler refuses it, the reason and the line are cut out of the compiler's long
message. Generators of random numbers are looked for in the code itself: the compiler accepts
NumPy's.
"""

from __future__ import annotations

import copy
import inspect
import linecache
import os
import re
import sys
import traceback
from collections.abc import Callable, Container, Iterator
from types import CodeType, FrameType, FunctionType

import numpy as np
from numpy.typing import NDArray

from .._records.record import is_package
from ..errors import DefinitionError, show
from .code_search import exception_in, generator_in

# A rehearsal ends after this many calls of the package's functions: about 0.1 s, some hundred
# rounds of three arms.
_MAX_CALLS = 5_000
_MAX_BYTES = 1 << 26  # 64 MB: larger arrays take longer to copy than a rehearsal is worth
# Exceptions that mean that the code is wrong. Others may occur in the interpreter only: 1.0 / 0.0
# and log(0.0) raise there, but are infinite in compiled code.
_MISTAKES = (NameError, AttributeError, TypeError, LookupError)
_PLACE = re.compile(r'\n\s*File "(?P<file>[^"\n]+)", line (?P<line>\d+)')
_NOISE = re.compile(
    r"^(Failed in (nopython|cuda)|- Resolution failure|During:|None$|Overload of|\W*$)|>>>"
)
# How the compiler says that it has no such function, or none for arguments of these types.
_UNKNOWN = re.compile(
    r"No implementation of function Function\(<[a-z -]*(?:function|class) '?(?:_ol_)?([\w.]+).*"
)
_CANNOT = (
    r"'\1' cannot be compiled for these arguments. A body must be arithmetic on single numbers, "
    r"without arrays, lists or text of its own."
)

_DEFINED = re.compile(r"\s*def (\w+)")

_Return = tuple[CodeType, int, object]  # a user's method, the line where it returned, the value


class _Enough(BaseException):
    """Ends a rehearsal that found nothing wrong."""


def rehearse(function: Callable[..., object], args: tuple[object, ...]) -> None:
    """Run the first steps of a kernel in the interpreter, on copies of its arguments.

    Raises DefinitionError, with the user's line, if that shows a mistake in a user's class.
    """
    refuse_generators(args)
    if sum(each.nbytes for each in _arrays(args)) > _MAX_BYTES:
        return
    codes = _users_code(args)
    returned: list[_Return] = []  # the most recent return of a user's method, if any
    calls = 0

    def watch(frame: FrameType, happened: str, value: object) -> None:
        nonlocal calls
        if happened == "return" and frame.f_code in codes:
            returned[:] = [(frame.f_code, frame.f_lineno, value)]
        elif happened == "call" and frame.f_globals.get("__name__", "").startswith("rbmle."):
            calls += 1
            if calls > _MAX_CALLS:
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
        raise _interpreter_error(args, problem, codes, returned) from None
    except Exception:
        pass  # it may be no mistake: see _MISTAKES
    finally:
        sys.setprofile(outer)


def refuse_generators(args: tuple[object, ...]) -> None:
    """Raise DefinitionError if a method of a user's class uses a random number generator.

    Its numbers would differ from run to run, and with the number of threads; results must not.
    """
    for function in _users_functions(args):
        found = generator_in(function)
        if found is not None:
            name, line = found
            reason = "random numbers must come from the 'rng' or 'cell' that a method is given."
            raise _error(args, f"{reason} Got {name}.", function.__code__.co_filename, line)


def refuse_exceptions(args: tuple[object, ...], compiled: Container[FunctionType]) -> None:
    """Raise DefinitionError if a method of a user's class raises or catches exceptions.

    compiled: the methods that run on a device. Others may: `check_family` is meant to.
    """
    for function in _users_functions(args):
        found = exception_in(function) if function in compiled else None
        if found is not None:
            words, code, line = found
            reason = f"no exceptions can be {words} on a device (raise, assert, try, with)."
            raise _error(args, reason, code.co_filename, line)


def _interpreter_error(
    args: tuple[object, ...], problem: Exception, codes: set[CodeType], returned: list[_Return]
) -> DefinitionError:
    """The error for an exception in the interpreter, with the user's line that led to it."""
    known = isinstance(problem, DefinitionError)
    reason = str(problem) if known else f"{type(problem).__name__}: {problem}"
    frames = traceback.walk_tb(problem.__traceback__)
    inside = [(frame.f_code, line) for frame, line in frames if frame.f_code in codes]
    if inside:
        code, line = inside[-1]
    elif returned:  # the package's own code failed, on the value that a user's method returned
        code, line, value = returned[0]
        reason = f"{code.co_name} returned {show(value)}. {reason}"
    else:
        return _error(args, reason)
    return _error(args, reason, code.co_filename, line)


def explained(
    args: tuple[object, ...], problem: Exception, place: tuple[FunctionType, int] | None = None
) -> DefinitionError:
    """The error for the compiler's refusal of a user's class: the reason and the user's line.

    place: the method and the line that are to blame, if the compiler's message does not say.
    """
    text = "\n" + re.sub(r"\x1b\[[0-9;]*m", "", str(problem))
    files = {os.path.basename(code.co_filename): code.co_filename for code in _users_code(args)}
    begin, reason = 0, ""
    for found in _PLACE.finditer(text):
        reason = reason or _reason_in(text[begin : found.start()])
        begin = found.end()
        file = files.get(os.path.basename(found["file"]))
        if file is not None:
            return _error(args, reason, file, int(found["line"]))
    reason = reason or _reason_in(text) or type(problem).__name__
    if place is None:
        return _error(args, reason)
    return _error(args, reason, place[0].__code__.co_filename, place[1])


def _reason_in(text: str) -> str:
    """The first line of the compiler's message that says something, or an empty string."""
    said = [each.strip() for each in text.splitlines()]
    first = next((each for each in said if each and not _NOISE.search(each)), "")
    return _UNKNOWN.sub(_CANNOT, first)


def _error(args: tuple[object, ...], reason: str, file: str = "", line: int = 0) -> DefinitionError:
    owners = " for ".join(dict.fromkeys(each.__name__ for each in _users_classes(args)))
    if not file:
        return DefinitionError(f"{owners}: {reason}")
    place = f'  File "{file}", line {line}, in {_function_at(args, file, line)}'
    return DefinitionError(
        f"{owners}: {reason}\n{place}\n    {linecache.getline(file, line).strip()}"
    )


def _function_at(args: tuple[object, ...], file: str, line: int) -> str:
    """The name of the user's method that contains the line, or of a function that it calls."""
    for code in _users_code(args):
        if code.co_filename == file and line in {at for _, _, at in code.co_lines()}:
            return code.co_name
    above = (_DEFINED.match(linecache.getline(file, each)) for each in range(line, 0, -1))
    return next((each[1] for each in above if each), "?")


def _users_classes(args: tuple[object, ...]) -> Iterator[type]:
    """The classes of records among the arguments that are not the package's own."""
    for each in args:
        if isinstance(each, tuple):
            if type(each) is not tuple and not is_package(type(each)):
                yield type(each)
            yield from _users_classes(each)


def _users_functions(args: tuple[object, ...]) -> Iterator[FunctionType]:
    """All methods that users wrote for the records among the arguments."""
    for kind in _users_classes(args):
        for each in vars(kind).values():
            if inspect.isfunction(each) and not is_package(each) and each.__name__[:2] != "__":
                yield each


def _users_code(args: tuple[object, ...]) -> set[CodeType]:
    """The code of all methods that users wrote for the records among the arguments."""
    return {each.__code__ for each in _users_functions(args)}


def _arrays(args: tuple[object, ...]) -> Iterator[NDArray[np.generic]]:
    for each in args:
        if isinstance(each, tuple):
            yield from _arrays(each)
        elif isinstance(each, np.ndarray):
            yield each
