"""Short explanations of mistakes in a user's own class: the reason, the file and the line.

Before a user's class is compiled, the interpreter plays a few rounds with it: it reports an
undefined variable or a wrong attribute in the form that Python programmers know. If the code passes
there and the compiler refuses it, the reason and the line are cut out of the compiler's long
message. Generators of random numbers, which the compiler accepts, and exceptions, which a GPU
cannot raise, are looked for in the code itself, in all of its branches, and in the functions that
it calls unless they are a library's.
"""

from __future__ import annotations

import copy
import dis
import inspect
import linecache
import os
import random
import re
import sys
import traceback
from collections.abc import Callable, Container, Iterator
from types import BuiltinMethodType, CodeType, FrameType, FunctionType, MethodType, ModuleType

import numpy as np

from .._records.record import is_package
from ..errors import DefinitionError, show

_MAX_CALLS = 5_000  # of the package's functions in a rehearsal: 0.1 s, 100 rounds of three arms
_MAX_BYTES = 1 << 26  # 64 MB: larger arrays take longer to copy than a rehearsal is worth
# Exceptions that mean that the code is wrong. Others may occur in the interpreter only: 1.0 / 0.0
# and log(0.0) raise there, but are infinite in compiled code.
_MISTAKES = (NameError, AttributeError, TypeError, LookupError)
# How NumPy and the compiler say that a policy writes to the statistics of arms.
_WRITES = re.compile(r"(destination|array) is read-only|setitem\(readonly|modify readonly array")
_WRITTEN = "the statistics in 'arms' must not be changed: a policy's own numbers are in 'state'."
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
NO_ARM = "'choose' must return the place of an arm, a whole number, on every path."
_DEFINED = re.compile(r"\s*def (\w+)")
_GENERATOR_MODULES = ("random", "secrets", "numpy.random")
_GENERATORS = (random.Random, np.random.RandomState, np.random.Generator)
# The instructions of Python's interpreter that raise (`raise`, `assert`) and that begin a handler
# (`except`, `finally`, and the end of `with`).
_EXCEPTIONS = {"RAISE_VARARGS": "raised", "PUSH_EXC_INFO": "caught"}

_Return = tuple[CodeType, int, object]  # a user's method, the line where it returned, the value


class _RehearsalDone(BaseException):
    """Ends a rehearsal that found nothing wrong."""


def rehearse(function: Callable[..., object], args: tuple[object, ...]) -> None:
    """Run the first steps of a kernel in the interpreter, on copies of its arguments.

    Raises DefinitionError, with the user's line, if that shows a mistake in a user's class.
    """
    refuse_generators(args)
    if sum(each.nbytes for each in _all_in(args) if isinstance(each, np.ndarray)) > _MAX_BYTES:
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
                raise _RehearsalDone

    outer, own = sys.getprofile(), copy.deepcopy(args)
    try:
        with np.errstate(all="ignore"):
            sys.setprofile(watch)
            function(*own)
    except _RehearsalDone:
        pass
    except _MISTAKES as problem:
        sys.setprofile(outer)
        raise _interpreter_error(args, problem, codes, returned) from None
    except Exception as problem:  # it may be no mistake: see _MISTAKES
        if _WRITES.search(str(problem)):
            sys.setprofile(outer)
            raise _interpreter_error(args, problem, codes, returned) from None
    finally:
        sys.setprofile(outer)


def refuse_generators(args: tuple[object, ...]) -> None:
    """Raise DefinitionError if a method of a user's class uses a random number generator.

    Its numbers would differ from run to run, and with the number of threads; results must not.
    """
    for function in _users_functions(args):
        found = generator_in(function)
        if found is not None:
            reason = "random numbers must come from the 'rng' or 'cell' that a method is given."
            raise _error(args, f"{reason} Got {found[0]}.", function.__code__, found[1])


def refuse_exceptions(args: tuple[object, ...], compiled: Container[FunctionType]) -> None:
    """Raise DefinitionError if a method of a user's class raises or catches exceptions.

    compiled: the methods that run on a device. Others may, as `check_family` does.
    """
    for function in _users_functions(args):
        found = exception_in(function) if function in compiled else None
        if found is not None:
            words, code, line = found
            reason = f"no exceptions can be {words} on a device (raise, assert, try, with)."
            raise _error(args, reason, code, line)


def _interpreter_error(
    args: tuple[object, ...], problem: Exception, codes: set[CodeType], returned: list[_Return]
) -> DefinitionError:
    """The error for an exception in the interpreter, with the user's line that led to it."""
    known = isinstance(problem, DefinitionError)
    reason = str(problem) if known else f"{type(problem).__name__}: {problem}"
    if _WRITES.search(reason):
        reason = _WRITTEN
    frames = traceback.walk_tb(problem.__traceback__)
    inside = [(frame.f_code, line) for frame, line in frames if frame.f_code in codes]
    if inside:
        code, line = inside[-1]
    elif returned:  # the package's own code failed, on the value that a user's method returned
        code, line, value = returned[0]
        reason = reason if known else f"{code.co_name} returned {show(value)}. {reason}"
    else:
        return _error(args, reason)
    return _error(args, reason, code, line)


def explained(
    args: tuple[object, ...], problem: Exception, place: tuple[FunctionType, int] | None = None
) -> DefinitionError:
    """The error for the compiler's refusal of a user's class: the reason and the user's line.

    place: the method and the line that are to blame, if the compiler's message does not say.
    """
    text = "\n" + re.sub(r"\x1b\[[0-9;]*m", "", str(problem))
    files = {os.path.basename(code.co_filename): code for code in _users_code(args)}
    begin, reason = 0, ""
    for found in _PLACE.finditer(text):
        reason = reason or _reason_in(text[begin : found.start()])
        begin = found.end()
        code = files.get(os.path.basename(found["file"]))
        if code is not None:
            return _error(args, reason, code, int(found["line"]))
    reason = reason or _reason_in(text) or type(problem).__name__
    ours = place is None or is_package(place[0])
    return _error(args, reason, *((place[0].__code__, place[1]) if place and not ours else ()))


def _reason_in(text: str) -> str:
    """The first line of the compiler's message that says something, or an empty string."""
    lines = [each.strip() for each in text.splitlines()]
    first = next((each for each in lines if each and not _NOISE.search(each)), "")
    if _WRITES.search(text):
        return _WRITTEN
    return NO_ARM if "function an_arm " in first else _UNKNOWN.sub(_CANNOT, first)


def _error(
    args: tuple[object, ...], reason: str, code: CodeType | None = None, line: int = 0
) -> DefinitionError:
    """The error about a user's class; code: any code in the file of the line to blame."""
    owners = " for ".join(dict.fromkeys(each.__name__ for each in _users_classes(args)))
    text = f"{owners}: {reason}"
    if code is not None:
        file = code.co_filename
        text += f'\n  File "{file}", line {line}, in {_function_at(args, file, line)}'
        text += f"\n    {linecache.getline(file, line).strip()}"
    return DefinitionError(text)


def _function_at(args: tuple[object, ...], file: str, line: int) -> str:
    """The name of the user's method that contains the line, or of a function that it calls."""
    for code in _users_code(args):
        if code.co_filename == file and line in {at for _, _, at in code.co_lines()}:
            return code.co_name
    above = (_DEFINED.match(linecache.getline(file, each)) for each in range(line, 0, -1))
    return next((each[1] for each in above if each), "?")


def _users_classes(args: tuple[object, ...]) -> Iterator[type]:
    """The classes of records among the arguments that are not the package's own."""
    for kind in map(type, _all_in(args)):
        if issubclass(kind, tuple) and kind is not tuple and not is_package(kind):
            yield kind


def _users_functions(args: tuple[object, ...]) -> Iterator[FunctionType]:
    """The methods that users wrote for the records among the arguments."""
    for kind in _users_classes(args):
        for each in vars(kind).values():
            if inspect.isfunction(each) and not is_package(each) and each.__name__[:2] != "__":
                yield each


def _users_code(args: tuple[object, ...]) -> set[CodeType]:
    return {each.__code__ for each in _users_functions(args)}


def _all_in(args: tuple[object, ...]) -> Iterator[object]:
    """The arguments, and everything in the records among them."""
    for each in args:
        yield each
        if isinstance(each, tuple):
            yield from _all_in(each)


def generator_in(
    function: FunctionType, seen: frozenset[FunctionType] = frozenset()
) -> tuple[str, int] | None:
    """The name and the line of the first generator of random numbers that the function uses.

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
    """Whether exceptions are "raised" or "caught", in which code and line; None if neither.

    On a GPU the thread would end in the middle of its replication, and nobody would know.
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
    """(name, value, line) of the global names in use, such as `np` and then `np.random`."""
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
        return value.__name__ in _GENERATOR_MODULES
    if isinstance(value, (BuiltinMethodType, MethodType)):  # `from random import gauss`
        value = value.__self__
    of_module = str(getattr(value, "__module__", "")).split(".")[:2]
    return isinstance(value, _GENERATORS) or of_module == ["numpy", "random"]
