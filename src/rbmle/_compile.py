"""The one place that knows Numba.

A method of a class decorated with `record` can be called by its own name from compiled code,
exactly as from the interpreter: it is resolved from the NamedTuple's type. Methods that share a
name share a signature, because Numba keeps one entry a name.
"""

from __future__ import annotations

import contextlib
import functools
import getpass
import hashlib
import inspect
import os
import pathlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np
from numba import types
from numba.core import event
from numba.core.typing.templates import make_overload_method_template
from numba.extending import infer_getattr, overload
from numpy.typing import NDArray

from ._record import checked

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

Floats = NDArray[np.float64]

_PACKAGE = pathlib.Path(__file__).parent
_signatures: dict[str, inspect.Signature] = {}
_said: set[str] = set()
_defaults: dict[type, set[str]] = {}  # the methods of a record that it did not write itself
_extended_outside: set[type] = set()  # records with a method from outside the package
# forceinline: else every call of a record's method passes whole records, with reference counts.
_OPTIONS = {"nogil": True, "error_model": "numpy", "forceinline": True}


@functools.cache
def cache_folder() -> str:
    """Where compiled code is kept: one folder for each state of the package's sources.

    Numba's own cache notices edits in the file of a function, not in the files it calls.
    """
    sources = sorted(_PACKAGE.rglob("*.py"))
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    chosen = os.environ.get("RBMLE_CACHE_DIR") or pathlib.Path.home() / ".cache" / "rbmle"
    folder = pathlib.Path(chosen) / digest
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(f"no permission to write to {folder}")
    except OSError as problem:
        folder = pathlib.Path(tempfile.gettempdir()) / f"rbmle-{getpass.getuser()}" / digest
        print(f"rbmle: compiled code is kept in {folder} ({problem})", file=sys.stderr)
    return str(folder)


def njit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of this package to native code, kept on disk between processes."""
    outer, numba.config.CACHE_DIR = numba.config.CACHE_DIR, cache_folder()
    try:
        compiled: Callable[P, R] = numba.njit(cache=True, **_OPTIONS)(function)
    finally:
        numba.config.CACHE_DIR = outer
    return compiled


def lean(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function of records that allocates nothing, as a part of the kernels that call it.

    Neither it nor what it calls counts references to arrays, which would take most of the time
    of short loops. It is kept on disk with its kernel, or not, as the records' classes allow.
    """
    compiled: Callable[P, R] = numba.njit(_nrt=False, **_OPTIONS)(function)
    return compiled


def record(cls: type[T], defaults: Mapping[str, Callable[..., Any]] | None = None) -> type[T]:
    """Check the fields of a NamedTuple class and let compiled code call its methods.

    `defaults` are the methods that the class gets where it has none of its own.
    """
    if not getattr(cls, "_fields", ()):
        raise TypeError(
            f"{cls.__name__} must be a NamedTuple with at least one field: compiled code cannot "
            f"call the methods of an empty one."
        )
    for name, function in (defaults or {}).items():
        if name not in vars(cls):
            setattr(cls, name, function)
            _defaults.setdefault(cls, set()).add(name)
    checked(cls)
    for name, function in vars(cls).items():
        if inspect.isfunction(function) and not name.startswith("_"):
            _bridge(cls, name, inspect.signature(function))
    return cls


def extend(*classes: type) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Give record classes a method that is written outside them, as if it stood in each.

    So what only one room needs of a class stays in that room. The function is returned as it was.
    A default that the class got from `record` gives way; a method of its own does not.
    """

    def attach(function: Callable[P, R]) -> Callable[P, R]:
        name = function.__name__
        for cls in classes:
            if not hasattr(cls, "_fields"):
                raise TypeError(f"extend: {cls!r} must be a record, a NamedTuple class.")
            if name in vars(cls) and name not in _defaults.get(cls, ()):
                raise TypeError(f"extend: {cls.__name__} has a method {name} of its own.")
            _bridge(cls, name, inspect.signature(function))
            setattr(cls, name, function)
            _defaults.get(cls, set()).discard(name)
            if not _is_package(function):
                _extended_outside.add(cls)
        return function

    return attach


def _bridge(cls: type, name: str, signature: inspect.Signature) -> None:
    """Let compiled code call a record's method of this name, whichever record's it is."""
    known = _signatures.setdefault(name, signature)
    if list(known.parameters) != list(signature.parameters):
        raise TypeError(
            f"{cls.__name__}.{name} must have the parameters ({', '.join(known.parameters)}) "
            f"of other methods of that name, or another name."
        )
    if known is signature:

        def resolve(self: Any, *args: Any) -> Any:
            return getattr(self.instance_class, name, None)

        resolve.__signature__ = signature  # type: ignore[attr-defined]
        # Not strict: strict would also compare annotations, which say different things.
        template = make_overload_method_template(
            types.BaseNamedTuple, name, resolve, inline="never", strict=False
        )
        infer_getattr(type(template.__name__, (_FieldsFirst, template), {}))
        overload(resolve, strict=False)(resolve)


class _FieldsFirst:
    """What `overload_method` makes, except that a record's field hides a method of its name.

    Otherwise no record could have a field `alpha` while another has a method `alpha`.
    """

    def _resolve(self, record: Any, name: str) -> Any:
        if name in record.fields:
            return None
        return super()._resolve(record, name)  # type: ignore[misc]


class Kernel:
    """A compiled loop over records, with a twin that is not kept on disk for users' own classes.

    Numba's disk cache cannot see an edit of a class outside this package, so a loop that was
    specialised to such a class is compiled anew in each process.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.interpreted = function
        self._kept = njit(function)
        self._fresh = numba.njit(**_OPTIONS)(function)

    def __call__(self, *args: Any) -> Any:
        with _announced(args):
            return self._twin(args)(*args)

    def specialised(self, *args: Any) -> Callable[..., Any]:
        """The native code for arguments of exactly these types, compiled now and called directly.

        A call then costs well under a microsecond: no types are looked up, nor checked.
        """
        compiled, signature = self._twin(args), tuple(numba.typeof(each) for each in args)
        with _announced(args):
            compiled.compile(signature)
        native: Callable[..., Any] = compiled.overloads[signature].entry_point
        return native

    def _twin(self, args: tuple[Any, ...]) -> Any:
        return self._kept if all(map(_is_ours, args)) else self._fresh


def kernel(function: Callable[..., Any]) -> Kernel:
    """Compile a loop that takes records; see `Kernel`."""
    return Kernel(function)


def _is_ours(value: Any) -> bool:
    if not isinstance(value, tuple):
        return True
    kind = type(value)
    kept = kind is tuple or (_is_package(kind) and kind not in _extended_outside)
    return kept and all(map(_is_ours, value))


def _is_package(thing: Any) -> bool:
    return str(thing.__module__).startswith("rbmle.")


class _FirstCompilation(event.Listener):  # type: ignore[misc]
    """Says once that something is being compiled: the wait is otherwise unexplained."""

    def __init__(self, what: str) -> None:
        self.what = what

    def on_start(self, event: Any) -> None:
        if self.what not in _said:
            _said.add(self.what)
            print(f"rbmle: compiling {self.what} (once)", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        pass


@contextlib.contextmanager
def _announced(args: tuple[Any, ...]) -> Iterator[None]:
    names = [type(each).__name__ for each in args if hasattr(each, "_fields")]
    listener = _FirstCompilation(" for ".join(names[:2]))
    event.register("numba:compile", listener)
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)
