"""The bridge: in compiled code, the methods of a record are those of its class.

Numba's type of a NamedTuple names its class, and a method is looked up there, by name. That is the
same on every kind of processor; what differs between their compilers is in a `Target`.
"""

from __future__ import annotations

import dis
import functools
import inspect
import traceback
from collections.abc import Callable
from os.path import basename
from types import FunctionType
from typing import NamedTuple

import numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import typing
from numba.core.base import BaseContext
from numba.core.typing import Signature

# The bytecode of a function that only returns a constant, in all versions of Python.
_NO_STEPS = "RESUME", "NOP", "CACHE"
_RETURN_A_CONSTANT = ["RETURN_CONST"], ["LOAD_CONST", "RETURN_VALUE"]
_CONSTANTS = {type(None): types.none, bool: types.boolean, int: types.int64, float: types.float64}
INTERPRETED = bool(numba.config.DISABLE_JIT)

_bridged: set[str] = set()  # names of methods that compiled code can call
_targets: list[Target] = []  # the processors that Numba compiles for
# Long functions: they are called, where all others are inlined.
APART: set[Callable[..., object]] = set()
# Methods that could not be compiled, the innermost first, each with the line that is to blame.
failures: list[tuple[FunctionType, int]] = []


class Target(NamedTuple):
    """A kind of processor that Numba compiles for, with what the bridge needs of its compiler.

    name: distinguishes this processor's methods from another's.
    attributes, calls: the base classes of templates that resolve attributes and calls.
    infer, lower: register a template, and the code of a call. compiled: the Numba type of a method.
    """

    name: str
    attributes: type
    calls: type
    infer: Callable[[type], object]
    lower: Callable[..., Callable[[Callable[..., ir.Value]], object]]
    compiled: Callable[[FunctionType], types.Dispatcher]


def add_target(target: Target) -> None:
    """Let code for this kind of processor call the methods of records.

    Numba's documented way, `overload_method`, allows one signature for each name; here each class
    may have its own.
    """

    class Methods(target.attributes):  # type: ignore[name-defined,misc]
        """What `record.name` is: a field, or else the method of the record's own class."""

        key = types.BaseNamedTuple

        def generic_resolve(self, record: types.BaseNamedTuple, name: str) -> types.Type | None:
            function = vars(record.instance_class).get(name) if name in _bridged else None
            if not inspect.isfunction(function) or name in record.fields:
                return None
            return types.BoundFunction(_template(target, name, record, function), record)

    target.infer(Methods)
    for name in _bridged:
        _lower_calls(target, name)
    _targets.append(target)


@functools.cache
def _template(
    target: Target, name: str, record: types.BaseNamedTuple, function: FunctionType
) -> type:
    """Numba's template of a record's method: it has the type of a call."""

    class BridgedMethod(target.calls):  # type: ignore[name-defined,misc]
        key = ("rbmle", target.name, name)
        _overload_func = staticmethod(function)  # makes Numba's types of two methods differ

        def generic(
            self, args: tuple[types.Type, ...], kws: dict[str, types.Type]
        ) -> Signature | None:
            constant = None if kws else constant_of(function, len(args) + 1)
            if constant is not None:
                return typing.signature(constant[0], *args, recvr=record)
            try:
                callee = target.compiled(function)
                signature = _call_type(callee, self.context, (record, *args), tuple(kws.items()))
            except Exception as problem:
                failures.append((function, _line_in(function, problem)))
                raise
            return None if signature is None else signature.as_method()

    return BridgedMethod


@functools.cache
def _call_type(
    callee: types.Dispatcher,
    context: typing.BaseContext,
    args: tuple[types.Type, ...],
    kws: tuple[tuple[str, types.Type], ...],
) -> Signature | None:
    """The type of a call, which Numba asks for several times at each place."""
    return callee.get_call_type(context, args, dict(kws))


@functools.cache
def constant_of(function: FunctionType, n_args: int) -> tuple[types.Type, object] | None:
    """The type and the value of the constant that a method with this many arguments returns.

    Many do, such as the defaults of a record: such a method need not be compiled. None: it does
    more than that.
    """
    steps = [each for each in dis.get_instructions(function) if each.opname not in _NO_STEPS]
    names, value = [each.opname for each in steps], steps[0].argval
    if names not in _RETURN_A_CONSTANT or function.__code__.co_argcount != n_args:
        return None
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return None
    kind = _CONSTANTS.get(type(value))
    return None if kind is None else (kind, value)


def _line_in(function: FunctionType, problem: Exception) -> int:
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
    def call(
        context: BaseContext, builder: ir.IRBuilder, signature: Signature, args: list[ir.Value]
    ) -> ir.Value:
        function = vars(signature.args[0].instance_class)[name]
        constant = constant_of(function, len(signature.args))
        if constant is not None:
            kind, value = constant
            return context.get_dummy_value() if value is None else context.get_constant(kind, value)
        callee = target.compiled(function)
        found = _call_type(callee, context.typing_context, signature.args, ())
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
