"""The compile layer: records, functions and loops for compiled code.

Compiled code calls the methods of a class decorated with `record` by name, as interpreted code
does (`bridge.py`). With NUMBA_DISABLE_JIT=1 the interpreter runs the same lines.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, Generic, ParamSpec, TypeVar

import numba
import numpy as np
from numba import types
from numba.core import event
from numba.core.registry import CPUDispatcher
from numba.core.targetconfig import ConfigStack
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate
from numba.extending import infer_getattr, lower_builtin
from numpy.typing import NDArray

from .._io.machine import log
from .._records.record import checked, is_package
from ..errors import DefinitionError
from . import cache as _cache
from .announcement import Announcement
from .bridge import APART, INTERPRETED, Target, add_target, bridge, failures
from .inlining import MethodCompiler
from .mistakes import explained, rehearse

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

Floats = NDArray[np.float64]

# The private parts of Numba that this room uses. A test compares the table with the installed
# Numba, so that a version in which one of them changed fails with a clear sentence. It was found to
# hold for the range of versions in pyproject.toml.
PRIVATE = (
    "numba.core.caching.FunctionCache(py_func)",
    "numba.core.caching.FunctionCache.load_overload(self, sig, target_context)",
    "numba.core.caching.FunctionCache.save_overload(self, sig, data)",
    "numba.core.caching.IndexDataCacheFile(cache_path, filename_base, source_stamp)",
    "numba.core.caching.IndexDataCacheFile._dump(self, obj)",
    "numba.core.caching.IndexDataCacheFile._load_index(self)",
    "numba.core.caching.IndexDataCacheFile._load_data(self, name)",
    "numba.core.caching.IndexDataCacheFile._data_path(self, name)",
    "numba.core.codegen.JITCodeLibrary.add_ir_module(self, ir_module)",
    "numba.core.codegen.JITCodeLibrary.finalize(self)",
    "numba.core.codegen.JITCodeLibrary._optimize_functions(self, ll_module)",
    "numba.core.codegen.JITCodeLibrary._get_module_for_linking(self)",
    "numba.core.codegen.JITCodeLibrary.get_pointer_to_function(self, name)",
    "numba.core.codegen.JITCPUCodegen._add_module(self, module)",
    "numba.core.codegen.JITCPUCodegen.set_env(self, env_name, env)",
    "numba.core.codegen.JitEngine.is_symbol_defined(self, name)",
    "numba.core.compiler.CompilerBase.define_pipelines(self)",
    "numba.core.compiler.DefaultPassBuilder.define_nopython_pipeline(state, name)",
    "numba.core.event.install_listener(kind, listener)",
    "numba.core.targetconfig.ConfigStack.top_or_none()",
    "numba.core.types.BoundFunction.__init__(self, template, this)",
    "numba.core.types.functions.BaseFunction.get_call_type(self, context, args, kws)",
    "numba.core.types.Dispatcher.get_call_type(self, context, args, kws)",
    "numba.core.typing.templates.Signature.as_method(self)",
    "numba.core.base.BaseContext.get_constant_undef(self, ty)",
    "numba.core.base.BaseContext.add_linking_libs(self, libs)",
    "numba.core.base.BaseContext.get_function(self, fn, sig, _firstcall)",
    "numba.core.imputils.impl_ret_borrowed(ctx, builder, retty, ret)",
    "numba.core.types.Array.copy(self, dtype, ndim, layout, readonly)",
)

_lean: set[Callable[..., object]] = set()  # functions that `lean` compiled
_defaults: dict[type, set[str]] = {}  # the methods that a class got from `record`'s defaults
extended_outside: set[type] = set()  # classes that got a method from outside the package
_dispatchers: dict[tuple[FunctionType, bool], CPUDispatcher] = {}  # (method, counts references?)
# Code that checks bounds has a cache of its own: it is slower.
_COMPILER = numba.__version__ + ("+checked" if numba.config.BOUNDSCHECK else "")
# forceinline: otherwise each call of a method passes whole records and counts references to arrays.
# No wrapper for C is made of any function: compiling takes a sixth less time without.
_OPTIONS: dict[str, Any] = {
    "nogil": True, "error_model": "numpy", "forceinline": True, "no_cfunc_wrapper": True
}  # fmt: skip
_INLINED = _OPTIONS | {"no_cpython_wrapper": True, "pipeline_class": MethodCompiler}


def njit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of this package to native code, and cache the code on disk.

    Compiled code calls it as it calls a method, unless it is `apart`: then it is compiled with the
    options of its first caller, and must not return arrays. If the first caller is `lean`, they
    would be freed too early in one that counts references.
    """
    compiled: Callable[P, R] = _cached_on_disk(function)
    return compiled


def _cached_on_disk(function: Callable[..., object], counts: bool = True) -> CPUDispatcher:
    if INTERPRETED:
        return function
    options = _OPTIONS | _called(function) | ({} if counts else {"_nrt": False})
    compiled = numba.njit(**options)(function) if function in APART else _Inlined(function, options)
    folder = _cache.place(_COMPILER).folder
    if folder is not None:
        outer, numba.config.CACHE_DIR = numba.config.CACHE_DIR, folder
        try:
            compiled._cache = _cache.DiskCache(function)
        except (OSError, RuntimeError) as problem:  # a full disk, or the folder was just deleted
            log.debug("%s", problem)
        finally:
            numba.config.CACHE_DIR = outer
    return compiled


class _Inlined(CPUDispatcher):  # type: ignore[misc]
    """A function that Python calls as a function, and compiled code as it calls a method."""

    def __init__(self, function: Callable[..., object], options: dict[str, Any]) -> None:
        super().__init__(function, targetoptions=options | {"nopython": True, "boundscheck": None})

    @property
    def _numba_type_(self) -> types.Type:
        return _compiled(self.py_func)


def apart(function: Callable[P, R]) -> Callable[P, R]:
    """As `njit`, but not inlined: for a function that takes a good part of a microsecond.

    Inlined, it would make its callers many times as long: that takes long to compile, and is slow
    on a GPU, whose cache for code is small.
    """
    return njit(apart_method(function))


def apart_method(function: Callable[P, R]) -> Callable[P, R]:
    """As `apart`, for a method of a record."""
    APART.add(function)
    return function


def _called(function: Callable[..., object]) -> dict[str, bool]:
    """The option by which a function is not inlined, if it is `apart`."""
    return {"forceinline": False} if function in APART else {}


def plain(function: Callable[P, R]) -> Callable[P, R]:
    """The function as it was written: Python, which also takes arrays where it only computes."""
    found: Callable[P, R] = getattr(function, "py_func", function)
    return found


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function that takes records and allocates nothing, inlined in its callers.

    Neither it nor the functions it calls count references to arrays: in short loops that would take
    most of the time. Its code is cached on disk with the kernel that calls it.
    """
    _lean.add(function)
    if INTERPRETED:
        return function
    compiled: Callable[P, R] = _Inlined(function, _OPTIONS | {"_nrt": False})
    return compiled


def record(cls: type[T], defaults: Mapping[str, Callable[..., object]] | None = None) -> type[T]:
    """Make a NamedTuple class a record: its fields are checked, compiled code calls its methods.

    defaults: methods that the class gets unless it has its own of that name.

        @rbmle.record
        class Pair(NamedTuple):
            low: Annotated[float, "[0, 1]"] = 0.0
            high: Annotated[float, "[0, 1]"] = 1.0
    """
    fields = getattr(cls, "_fields", None)
    if fields is None:
        raise DefinitionError(f"{cls.__name__} must be a NamedTuple.")
    if "view" in fields or "view" in vars(cls):
        raise DefinitionError(f"{cls.__name__}: 'view' must have another name: Numba reserves it.")
    for name, function in (defaults or {}).items():
        if name not in vars(cls):
            setattr(cls, name, function)
            _defaults.setdefault(cls, set()).add(name)
        elif inspect.isfunction(vars(cls)[name]):  # the package calls it with these parameters
            expected = inspect.signature(function).parameters
            if len(inspect.signature(getattr(cls, name)).parameters) != len(expected):
                raise DefinitionError(f"{cls.__name__}.{name} must take ({', '.join(expected)}).")
    bridge_methods(cls)
    return checked(cls)


def defaults_of(*protocols: type) -> dict[str, Callable[..., object]]:
    """The methods that protocols define: all but those that a class must define, the abstract ones.

    A protocol thus is both the type of a kind of record and the place of its default methods.
    """
    return {
        name: function
        for protocol in protocols
        for base in reversed(protocol.__mro__)
        for name, function in vars(base).items()
        if inspect.isfunction(function) and not name.startswith("_")
        if not getattr(function, "__isabstractmethod__", False)
    }


def bridge_methods(cls: type) -> None:
    """Let compiled code call the methods of a record class by name."""
    for name, function in vars(cls).items():
        if inspect.isfunction(function) and not name.startswith("__"):
            bridge(name)


def extend(*classes: type, name: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator that adds a function to record classes as a method, from outside the classes.

    It replaces a default that the class got from `record`; if the class itself defines the method,
    that is an error. name: the name of the method, if it is not the function's.
    """

    def attach(function: Callable[P, R]) -> Callable[P, R]:
        method = name or function.__name__
        for cls in classes:
            if not hasattr(cls, "_fields"):
                raise DefinitionError(f"extend: {cls!r} must be a record, a NamedTuple class.")
            if method in vars(cls) and method not in _defaults.get(cls, ()):
                raise DefinitionError(f"extend: {cls.__name__} has a method {method} of its own.")
            bridge(method)
            setattr(cls, method, function)
            _defaults.get(cls, set()).discard(method)
            if not is_package(function):
                extended_outside.add(cls)
        return function

    return attach


def _compiled(function: FunctionType) -> types.Type:
    """The Numba type of a method, which counts references to arrays if its caller does."""
    caller = ConfigStack.top_or_none()
    counts = function not in _lean and (caller is None or bool(caller.nrt))
    if (function, counts) not in _dispatchers:
        compiler = numba.njit(_nrt=counts, **_INLINED | _called(function))
        _dispatchers[function, counts] = compiler(function)
    return types.Dispatcher(_dispatchers[function, counts])


if not INTERPRETED:
    add_target(
        Target("cpu", AttributeTemplate, AbstractTemplate, infer_getattr, lower_builtin, _compiled)
    )


class Kernel(Generic[R]):
    """A compiled loop over records: cached on disk for the package's classes, not for users'.

    Numba's disk cache cannot notice an edit of a user's class, so a loop that was specialised to
    such a class is compiled again in each process.
    """

    __name__: str

    def __init__(self, function: Callable[..., R], counts: bool = True) -> None:
        """counts: whether it counts references to arrays; see `lean_kernel`."""
        functools.update_wrapper(self, function)
        self._function = function
        self._cached = _cached_on_disk(function, counts)
        self._uncached = numba.njit(_nrt=counts, **_OPTIONS)(function)

    @functools.cached_property
    def interpreted(self) -> Callable[..., R]:
        """The loop in plain Python, with every `lean` function that it calls."""
        return _interpreted(self._function)

    def __call__(self, *args: object) -> R:
        if INTERPRETED:
            return self.interpreted(*args)
        if all(map(is_cacheable, args)):
            with event.install_listener("numba:compile", Announcement(args, _COMPILER)):
                result: R = self._cached(*args)
                return result
        return self.specialised(*args)(*args)

    def specialised(self, *args: object) -> Callable[..., R]:
        """The native code for arguments of these types, compiled now unless it was before.

        A call of it costs well under a microsecond, because types are neither looked up nor
        checked: the caller must pass exactly these.
        """
        if INTERPRETED:
            return self.interpreted
        cacheable, signature = all(map(is_cacheable, args)), tuple(map(numba.typeof, args))
        compiled = self._cached if cacheable else self._uncached
        if signature not in compiled.overloads:  # else it would wait for what others compile
            with event.install_listener("numba:compile", Announcement(args, _COMPILER)):
                if cacheable:
                    compiled.compile(signature)
                else:
                    self._compile_users(signature, args)
        native: Callable[..., R] = compiled.overloads[signature].entry_point
        return native

    def _compile_users(self, signature: tuple[types.Type, ...], args: tuple[object, ...]) -> None:
        """Compile for a user's class, after the interpreter has looked for mistakes in it."""
        rehearse(self.interpreted, args)
        failures.clear()
        try:
            self._uncached.compile(signature)
        except Exception as problem:
            log.debug("%s", problem)
            raise explained(args, problem, failures[0] if failures else None) from None


kernel = Kernel  # as a decorator


def lean_kernel(function: Callable[..., R]) -> Kernel[R]:
    """As `kernel`, for one that is called for each decision and allocates nothing, as `lean`: each
    of its arrays is passed in half the time, 0.03 microseconds."""
    return Kernel(function, counts=False)


def _interpreted(function: Callable[..., R]) -> Callable[..., R]:
    """A copy of a function that calls `lean` functions, at any depth, in plain Python."""
    if not isinstance(function, FunctionType):
        return function
    called = {
        name: _interpreted(value.py_func)
        for name, value in function.__globals__.items()
        if name in function.__code__.co_names and getattr(value, "py_func", None) in _lean
    }
    return FunctionType(function.__code__, {**function.__globals__, **called})


def is_cacheable(value: object) -> bool:
    """Whether code for the value may be cached on disk: it has no class or method of a user."""
    if not isinstance(value, tuple):
        return True
    kind = type(value)
    ours = kind is tuple or (is_package(kind) and kind not in extended_outside)
    return ours and all(map(is_cacheable, value))
