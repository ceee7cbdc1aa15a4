"""The bridge: in compiled code, the methods of a record are those of its class.

Numba's type of a NamedTuple names its class, and a method is looked up there, by name. That is the
same on every kind of processor; what differs between their compilers is in a `Target`.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from os.path import basename
from typing import Any, NamedTuple

import numba
from numba import types

INTERPRETED = bool(numba.config.DISABLE_JIT)

_bridged: set[str] = set()  # names of methods that compiled code can call
_targets: list[Target] = []  # the processors that Numba compiles for
# Long functions: they are called, where all others become parts of their callers.
APART: set[Callable[..., Any]] = set()
# Methods that could not be compiled, the innermost first, each with the line that is to blame.
failures: list[tuple[Callable[..., Any], int]] = []


class Target(NamedTuple):
    """A kind of processor that Numba compiles for, with what the bridge needs of its compiler.

    name: tells this processor's methods from another's.
    attributes, calls: the base classes of templates that resolve attributes and calls.
    infer, lower: register a template, and the code of a call. compiled: the Numba type of a method.
    """

    name: str
    attributes: type
    calls: type
    infer: Callable[[type], Any]
    lower: Callable[..., Callable[[Any], Any]]
    compiled: Callable[[Callable[..., Any]], Any]


def add_target(target: Target) -> None:
    """Let code for this kind of processor call the methods of records."""
    _infer_methods(target)
    for name in _bridged:
        _lower_calls(target, name)
    _targets.append(target)


def _infer_methods(target: Target) -> None:
    """Tell Numba what `record.name` is in compiled code: the method of the record's own class.

    Numba's documented way, `overload_method`, allows one signature for each name; here each class
    may have its own.
    """

    class Methods(target.attributes):  # type: ignore[name-defined,misc]
        key = types.BaseNamedTuple

        def generic_resolve(self, record: Any, name: str) -> Any:
            function = _method(record, name)
            if function is None:
                return None

            class Method(target.calls):  # type: ignore[name-defined,misc]
                key = ("rbmle", target.name, name)
                _overload_func = staticmethod(function)  # tells Numba's types of two methods apart

                def generic(self, args: Any, kws: Any) -> Any:
                    callee = target.compiled(function)
                    try:
                        signature = callee.get_call_type(self.context, (record, *args), kws)
                    except Exception as problem:
                        failures.append((function, _line_in(function, problem)))
                        raise
                    return None if signature is None else signature.as_method()

            return types.BoundFunction(Method, record)

    target.infer(Methods)


def _line_in(function: Callable[..., Any], problem: Exception) -> int:
    """The line of the function that could not be compiled, or its first.

    Numba's error does not always say: but the frames that raised it know which line they inferred.
    """
    code, line = function.__code__, function.__code__.co_firstlineno
    for frame, _ in traceback.walk_tb(problem.__traceback__):
        place = getattr(frame.f_locals.get("self"), "loc", None)
        if place is not None and basename(place.filename) == basename(code.co_filename):
            line = place.line
    return line


def _lower_calls(target: Target, name: str) -> None:
    """Tell Numba how a call of a method of this name is made."""

    @target.lower(("rbmle", target.name, name), types.BaseNamedTuple, types.VarArg(types.Any))
    def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        callee = target.compiled(vars(signature.args[0].instance_class)[name])
        found = callee.get_call_type(context.typing_context, signature.args, {})
        code = context.get_function(callee, found)
        context.add_linking_libs(getattr(code, "libs", ()))
        if len(args) < len(signature.args):  # Numba drops a record that has no fields
            args = [context.get_constant_undef(signature.args[0]), *args]
        return code(builder, args)


def bridge(name: str) -> None:
    """Let compiled code call the methods of this name, of any record class."""
    if name not in _bridged and not INTERPRETED:
        _bridged.add(name)
        for target in _targets:
            _lower_calls(target, name)


def _method(record: Any, name: str) -> Any:
    """The method of a record of this Numba type, or None; a field of the same name comes first."""
    function: Any = vars(record.instance_class).get(name) if name in _bridged else None
    return function if inspect.isfunction(function) and name not in record.fields else None
