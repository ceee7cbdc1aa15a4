"""Dask as the executor of a study: connecting, the check of its workers, and how many there are.

Only this file imports `distributed`, and only a run on a cluster imports this file.
Dask itself plays the tasks of a dead worker again, on others.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager
from typing import Any

import dask
import numpy as np
from distributed import Client, LocalCluster, Reschedule, get_worker
from distributed.comm import resolve_address
from distributed.core import rpc
from distributed.scheduler import KilledWorker
from distributed.security import Security

from .._io.machine import log
from ..errors import RbmleError, RunError
from .file import Data
from .slurm import slurm_cluster
from .work_items import Played, StoppedError, WorkItem, check_versions, play_item, versions
from .workers import Report, Workers

_SECONDS_TO_CONNECT = 5.0
_SECONDS_A_COUNT = 1.0  # between two counts of the workers
_SECONDS_A_LOOK = 0.25  # between a worker's checks that its task is still wanted
# Dask watches itself: it samples what its workers do, and its loops tick 50 times a second. For two
# workers and a head on one machine that takes about 7 % of a processor; without it, 3 %.
_LEAN = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "1h",
    "distributed.admin.system-monitor.interval": "10s",
}
# Code that a worker evaluates, as text, because a worker without this version of the package could
# not read a function of ours.
_ASKED = "__import__('rbmle.studies.work_items', fromlist=['versions']).versions()"
_ASKED_FOR_DEVICE = (
    "__import__('rbmle.engine.devices', fromlist=['check_device']).check_device('run', {!r})"
)


@contextmanager
def dask_client(address: str, workers: int | None = None) -> Iterator[Any]:
    """A client of the scheduler at this address, or of a new cluster: a local one with that many
    workers, or jobs of Slurm.

    A local cluster has one process for each processor, if no number is given.
    """
    with ExitStack() as stack:
        stack.enter_context(_silence_dask())
        place: Any = address
        if address == "local":
            place = stack.enter_context(_local(workers or os.cpu_count() or 1))
        elif address.startswith("slurm:"):
            place = stack.enter_context(slurm_cluster(address))
        try:
            if place is address:
                _check_scheduler(address)
            client = Client(place, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except (OSError, ValueError, TypeError) as problem:  # TypeError: tls://, no certificates
            why = " ".join(str(problem).split()) or f"no answer in {_SECONDS_TO_CONNECT:g} seconds"
            raise RunError(
                f"run: 'cluster' must be the address of a Dask scheduler that answers, 'local' or "
                f"'slurm://PARTITION'. Got {address!r} ({why})."
            ) from None
        yield stack.enter_context(client)


def _check_scheduler(address: str) -> None:
    """Raise OSError, ValueError or TypeError unless a scheduler answers at the address.

    Dask's client is slow to give up an impossible address, and where something else than a
    scheduler listens it waits for ever.
    """

    async def identity() -> Any:
        security = Security().get_connection_args("client")
        async with rpc(address, connection_args=security) as there:
            return await there.identity()

    resolve_address(address)
    found = asyncio.run(asyncio.wait_for(identity(), _SECONDS_TO_CONNECT))
    if found.get("type") != "Scheduler":
        raise ValueError(f"a {found.get('type')} answers there")


def _local(workers: int) -> Any:
    """A cluster on this machine, of processes with one thread each."""
    # If Ctrl-C ends this process at once, Python's tracker of semaphores removes them and says so.
    silence = "ignore:resource_tracker:UserWarning"
    sys.warnoptions.append(silence)
    try:
        with dask.config.set(_LEAN):
            return LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
    finally:
        sys.warnoptions.remove(silence)


@contextmanager
def _silence_dask() -> Iterator[None]:
    """Silence Dask's messages and tracebacks where this file reports the error in a sentence."""
    every = [logging.getLogger(name) for name in list(logging.root.manager.loggerDict)]
    levels = {each: each.level for each in every if each.name.startswith("distributed")}
    for each in levels:
        each.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for each, level in levels.items():
            each.setLevel(level)


class DaskWorkers(Workers):
    """The workers of a Dask cluster. They may come and go while a study is played."""

    def __init__(self, executor: Executor) -> None:
        given: Any = executor
        self._client = given._client
        # One of our own, so that all its tasks, and nothing else, can be cancelled at once.
        super().__init__(self._client.get_executor(**{**given._kwargs, "pure": False}))
        self.killing = (KilledWorker,)
        self._threads: dict[str, int] = {}
        self._counted = -np.inf

    def check(self, device: str) -> None:
        """Raise RunError if a worker has other versions, or not the device. Workers that join later
        are checked by their first task."""
        found = self._ask(_ASKED)
        for address, answer in found.items():
            check_versions(versions(), answer, f"worker {address}")
        if device != "cpu":
            self._ask(_ASKED_FOR_DEVICE.format(device))
        if not found:
            log.info("the cluster has no workers yet: waiting for the first")

    def _ask(self, asked: str) -> Data:
        """What each worker answers, by its address."""
        found: Data = self._client.run(eval, asked, on_error="return")
        for address, answer in found.items():
            if isinstance(answer, Exception):
                kind = "" if isinstance(answer, RbmleError) else f"{type(answer).__name__}: "
                why = f"{kind}{answer}".rstrip(".")
                raise RunError(f"run: worker {address} cannot play this study ({why}).")
        return found

    def slots(self) -> int:
        """How many threads all workers have."""
        return sum(self._threads_of_workers().values()) or 1

    def count(self) -> int:
        """How many workers there are."""
        return len(self._threads_of_workers())

    def submit(self, item: WorkItem, report: Report | None = None) -> Future[Played]:
        """Hand an item to a worker."""
        return self.executor.submit(_play_while_wanted, item)

    def why_cancelled(self) -> str:
        """Why a task was cancelled though this run had not abandoned it."""
        lost = self._client.status != "running"
        return "the connection to the scheduler is lost" if lost else super().why_cancelled()

    def abandon(self, futures: Iterable[Future[Played]]) -> None:
        """Cancel all tasks at once."""
        self.executor.shutdown(wait=False)

    def _threads_of_workers(self) -> dict[str, int]:
        """The threads of each worker, by its address; refreshed about once a second."""
        if time.monotonic() - self._counted > _SECONDS_A_COUNT:
            if self._client.status == "running":
                self._threads = self._client.nthreads()
            self._counted = time.monotonic()
        return self._threads


def _play_while_wanted(item: WorkItem) -> Played:
    """Play an item on a Dask worker, and stop when nobody waits for it any more.

    Dask cannot interrupt a thread. So another thread looks whether the task was cancelled, as it is
    when the run was interrupted or killed; without that, long replications would go on for nothing.
    """
    worker, stop, done = get_worker(), np.zeros(1, np.int64), threading.Event()
    key = worker.get_current_task()

    def watch() -> None:
        while not done.wait(_SECONDS_A_LOOK):
            task = worker.state.tasks.get(key)
            if task is None or task.state == "cancelled":
                stop[0] = 1
                return

    threading.Thread(target=watch, daemon=True).start()
    try:
        return play_item(item, stop)
    except StoppedError:
        raise Reschedule from None  # if it is wanted again by now, it is played again
    finally:
        done.set()
