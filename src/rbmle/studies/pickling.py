"""Plans as bytes, for workers in other processes and on other machines.

A class of the package is sent by its name. A user's own class, from a script or from a module that
is not installed, is sent by value with cloudpickle, if that is there (Dask brings it). Unpickling
registers it as `@policy`, `@family`, `@law` or `record` did here: compiled code finds its methods,
and the checks find what it needs.
"""

from __future__ import annotations

import functools
import importlib.util
import io
import os
import pickle
import site
import sys
import sysconfig
import threading
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .._numba.compile import bridge_methods, extended_outside
from .._records.record import is_package, register
from ..engine.plan import Plan
from ..errors import ParameterError, Words
from ..families.registry import FAMILIES
from ..policies.alpha import BIASES
from ..policies.base import NEEDS, POLICIES
from ..rewards.laws import LAWS

_TABLES = {"policy": POLICIES, "family": FAMILIES, "law": LAWS, "bias": BIASES}
_CACHED = 256  # plans that a worker keeps: one for each policy on each problem it plays
_unpickling = threading.Lock()  # a class must be complete before another thread sees it


def pickled(plan: Plan) -> bytes:
    """The plan as bytes; ParameterError if something in it cannot be sent."""
    for cls in filter(is_package, extended_outside):
        allowed = (
            "left out where a class of the package got methods from outside: workers do not "
            "have them"
        )
        raise ParameterError("run", "executor", allowed, Words(cls.__name__))
    try:
        if importlib.util.find_spec("cloudpickle") is None:
            return pickle.dumps(plan)
        return _by_value(plan)
    except Exception as problem:
        allowed = "left out for what cannot be sent to workers"
        name = type(plan.players[0][0][0]).__name__
        got = Words(f"{name} ({type(problem).__name__}: {problem})")
        raise ParameterError("run", "executor", allowed, got) from problem


def unpickled(content: bytes) -> Plan:
    """The plan in these bytes. Equal bytes are unpickled once in a process."""
    with _unpickling:
        return _unpickled(content)


@functools.lru_cache(_CACHED)
def _unpickled(content: bytes) -> Plan:
    plan = pickle.loads(content)
    assert isinstance(plan, Plan)
    return plan


def _by_value(plan: Plan) -> bytes:
    """Pickle the plan with the classes and functions of modules that workers do not have."""
    import cloudpickle
    from numba import cloudpickle as numba_pickle

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        def reducer_override(self, thing: Any) -> Any:
            reduced = super().reducer_override(thing)
            if not (isinstance(thing, type) and hasattr(thing, "_fields")):
                return reduced
            if not isinstance(reduced, tuple) or len(reduced) < 6:
                return reduced  # it is sent by its name
            make, arguments, state, _, _, fill = reduced
            return make, arguments, (fill, state, _facts(thing)), None, None, _arrive

    # Functions that were compiled with Numba are pickled by Numba's own copy of cloudpickle.
    todo = [(each, module) for module in _not_installed() for each in (cloudpickle, numba_pickle)]
    for each, module in todo:
        each.register_pickle_by_value(module)
    try:
        file = io.BytesIO()
        Pickler(file).dump(plan)
        return file.getvalue()
    finally:
        for each, module in todo:
            each.unregister_pickle_by_value(module)


def _facts(cls: type) -> tuple[set[str], list[str], tuple[str, ...] | None]:
    """The names in a class, and what the decorators noted of it: the tables that it is in, and what
    it needs of a family."""
    names = {name for name in vars(cls) if not name.startswith("__")}
    tables = [word for word, table in _TABLES.items() if table.get(cls.__name__) is cls]
    return names, tables, NEEDS.get(cls)


def _arrive(cls: type, sent: tuple[Callable[..., Any], Any, Any]) -> None:
    """Complete a class that was sent by value, and make it known; pickle calls this.

    A class that has all its names is complete: it was unpickled earlier, or is local.
    """
    fill, state, (names, tables, needs) = sent
    if names <= set(vars(cls)):
        return
    fill(cls, state)
    bridge_methods(cls)
    for word in tables:
        register(_TABLES[word], cls)
    if needs is not None:
        NEEDS[cls] = needs


def _not_installed() -> list[ModuleType]:
    """The imported modules that are neither Python's nor the package's nor in site-packages.

    `__main__` is not among them: cloudpickle sends what is defined there by value anyway.
    """
    paths = sysconfig.get_paths()
    places = [paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")]
    places += [*site.getsitepackages(), site.getusersitepackages()]
    places += [os.path.realpath(each) for each in places]
    installed = tuple(os.path.join(each, "") for each in places)
    found = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        ours = name == "__main__" or name.partition(".")[0] == "rbmle"
        if not file or ours or getattr(module, "__name__", "") != name:
            continue
        if not file.startswith(installed) and not os.path.realpath(file).startswith(installed):
            found.append(module)
    return found
