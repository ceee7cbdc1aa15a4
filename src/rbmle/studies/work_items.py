"""What a worker of an executor plays, and what it must have in common with the others."""

from __future__ import annotations

import functools
import platform
import sys
import time
from dataclasses import dataclass
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from .._numba.cache import digest_of_sources
from ..engine.devices import check_device, compile_plan, play_plan
from ..engine.on_cpu import Progress
from ..engine.plan import Plan, Rows
from ..errors import RbmleError, RunError
from .pickling import unpickled

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
        check_versions(item.versions, versions(), platform.node())
        _check_device(item.device)
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


def _check_device(device: str) -> None:
    """Raise RunError, with the name of this machine, if the device is not here."""
    try:
        check_device("run", device)
    except RbmleError as problem:
        why = str(problem).rstrip(".")
        where = platform.node()
        raise RunError(f"run: the worker on {where} cannot play this study ({why}).") from None
