"""What a worker of an executor plays: plans as bytes, and what all workers must have in common.

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
import platform
import site
import sys
import sysconfig
import threading
import time
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from .._numba.cache import digest_of_sources
from .._numba.compile import bridge_methods, extended_outside
from .._records.record import is_package, register
from ..engine.devices import check_device, compile_plan, play_plan
from ..engine.on_cpu import Progress
from ..engine.plan import Plan, Rows
from ..errors import ParameterError, RbmleError, RunError, Words
from ..families.registry import FAMILIES
from ..policies.alpha import BIASES
from ..policies.base import NEEDS, POLICIES
from ..rewards.laws import LAWS

_TABLES = {"policy": POLICIES, "family": FAMILIES, "law": LAWS, "bias": BIASES}
_CACHED = 256  # plans that a worker keeps: one for each policy on each problem it plays
_unpickling = threading.Lock()  # a class must be complete before another thread sees it
# Runs of this process, by their name: the array that stops their tasks. Tasks that are played on
# threads of the same process find it here; elsewhere it is not found, and is not needed.
STOPS: dict[str, NDArray[np.int64]] = {}


@dataclass(frozen=True)
class WorkItem:
    """A task as data that is complete. (No tuple, since Dask searches tuples for its futures.)

    plan: some policies on one problem, pickled for other processes.
    first, last: the replications first, ..., last - 1 are played.
    versions: what the worker must have. device: where the worker plays. run: names the run.
    number: different for each item of a run, so that no two are taken for one.
    """

    plan: Plan | bytes
    first: int
    last: int
    versions: dict[str, str]
    device: str
    run: str
    number: int


class Played(NamedTuple):
    """The rows of each policy, and the seconds that they took, without compilation."""

    rows: list[Rows]
    seconds: float


class StoppedError(Exception):
    """The run of this item has ended: its rows are unfinished, and nobody waits for them."""


def play_item(
    item: WorkItem,
    stop: NDArray[np.int64] | None = None,
    threads: int | None = 0,
    progress: Progress | None = None,
) -> Played:
    """Play an item on this thread: a pure function, for any thread, process or machine.

    stop: if another thread sets stop[0] to anything but 0, StoppedError is raised soon; by default
    what stops the run, if that is in this process. threads, progress: as in `play_plan`.
    """
    stop = STOPS.get(item.run) if stop is None else stop
    if isinstance(item.plan, Plan):
        plan = item.plan
    else:
        where = platform.node()
        check_versions(item.versions, versions(), where)
        try:
            check_device("run", item.device)
        except RbmleError as problem:
            why = str(problem).rstrip(".")
            raise RunError(f"run: the worker on {where} cannot play this study ({why}).") from None
        plan = unpickled(item.plan)
        compile_plan(plan, item.device)  # once in a process: it must not count as time to play
    begin = time.perf_counter()
    whole = plan._replace(first=item.first, last=item.last)
    [(regret, *pulls)] = play_plan("run", whole, item.device, threads, progress, stop)
    rows = [Rows(*each) for each in zip(regret, *(x.astype(np.int64) for x in pulls), strict=True)]
    if stop is not None and stop[0] != 0:
        raise StoppedError
    return Played(rows, time.perf_counter() - begin)


@functools.cache
def versions() -> dict[str, str]:
    """The versions of the package, NumPy, Numba and Python in this process: results depend on them.

    The package's has a digest of its sources, so that an edited copy is another version. Python's
    has two numbers: the code of a user's own class is sent as bytecode, which every 3.x changes.
    """
    return {
        "rbmle": f"{sys.modules['rbmle'].__version__} (sources {digest_of_sources()[:8]})",
        "numpy": np.__version__,
        "numba": numba.__version__,
        "python": ".".join(platform.python_version_tuple()[:2]),
    }


def check_versions(wanted: dict[str, str], found: dict[str, str], where: str) -> None:
    """Raise RunError if a worker's versions are not those of the process that runs the study."""
    for name, version in wanted.items():
        if found.get(name) != version:
            raise RunError(
                f"run: workers must have {name} {version}, as here, because results could differ. "
                f"Got {found.get(name, 'none')} on {where}."
            )


def pickled(plan: Plan) -> bytes:
    """The plan as bytes; ParameterError if something in it cannot be sent."""
    for cls in filter(is_package, extended_outside):
        why = "where a class of the package got methods from outside: workers do not have them"
        raise ParameterError("run", "executor", f"left out {why}", Words(cls.__name__))
    try:
        by_value = importlib.util.find_spec("cloudpickle") is not None
        return _by_value(plan) if by_value else pickle.dumps(plan)
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
    plan: Plan = pickle.loads(content)
    return plan


def _by_value(plan: Plan) -> bytes:
    """Pickle the plan with the classes and functions of modules that workers do not have."""
    import cloudpickle
    from numba import cloudpickle as numba_pickle

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        def reducer_override(self, thing: Any) -> Any:
            reduced = super().reducer_override(thing)
            record = isinstance(thing, type) and hasattr(thing, "_fields")
            if not record or not isinstance(reduced, tuple) or len(reduced) < 6:
                return reduced  # a value, or a class that is sent by its name
            make, arguments, state, _, _, fill = reduced
            names = {name for name in vars(thing) if not name.startswith("__")}
            tables = [word for word, table in _TABLES.items() if table.get(thing.__name__) is thing]
            sent = fill, state, names, tables, NEEDS.get(thing)
            return make, arguments, sent, None, None, _arrive

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


def _arrive(cls: type, sent: tuple[Any, ...]) -> None:
    """Complete a class that was sent by value, and make it known; pickle calls this.

    sent: what completes it; the names in it; the tables that it is in; what it needs of a family.
    A class that has all its names is complete: it was unpickled earlier, or is local.
    """
    fill, state, names, tables, needs = sent
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
    return [
        module
        for name, module in list(sys.modules.items())
        if (file := getattr(module, "__file__", None))
        and name.partition(".")[0] not in ("__main__", "rbmle")
        and getattr(module, "__name__", "") == name
        and not file.startswith(installed)
        and not os.path.realpath(file).startswith(installed)
    ]
