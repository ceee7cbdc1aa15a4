"""`Compiler`: compiles what experiments need in a thread, while the worker answers other requests.

Compiled code depends on the types of an experiment's policy, family and evidence, not on their
numbers: experiments of one kind share it. The first of a kind takes seconds, with IDS a minute;
from the disk cache about half a second.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time
from collections.abc import Hashable, Iterable
from contextlib import suppress
from functools import partial

from .._numba.compile import is_cacheable
from .definition import Definition
from .messages import Compiling

log = logging.getLogger("rbmle.service")


class _Job:
    """What is being compiled, since when, and the end of it."""

    def __init__(self, definition: Definition) -> None:
        self.name, self.since = definition.kind_name(), time.monotonic()
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.ended.add_done_callback(lambda done: done.exception())  # it is seen in any case

    def work(self, definition: Definition) -> None:
        """Compile, in a thread."""
        try:
            definition.prepare()
        except Exception as problem:
            end = partial(self.ended.set_exception, problem)
        else:
            end = partial(self.ended.set_result, None)
        # Compiling leaves some 100,000 objects that stay. They are exempted from garbage
        # collection, which would stop the worker for 0.1 s now and then.
        gc.freeze()
        with suppress(RuntimeError):  # the worker has stopped meanwhile
            self.ended.get_loop().call_soon_threadsafe(end)


class Compiler:
    """The kinds of experiments that a worker has compiled, and those that it compiles now.

    starting: what `warm` waits for; "" when that is done.
    """

    def __init__(self) -> None:
        self._jobs: dict[Hashable, _Job] = {}
        self.starting = ""

    def has(self, definition: Definition) -> bool:
        """Whether what the experiment needs is compiled; any thread may ask."""
        job = self._jobs.get(definition.kind())
        return job is not None and job.ended.done() and job.ended.exception() is None

    async def wait(self, definition: Definition, seconds: float | None = None) -> None:
        """Compile what the experiment needs, unless that was done; return then, or after so many
        seconds.

        Raises what compiling raised: a class of a user's own may be wrong. The thread is a daemon:
        a service that is stopped does not wait for it.
        """
        kind = definition.kind()
        job = self._jobs.get(kind)
        if job is None or (job.ended.done() and job.ended.exception() is not None):
            job = self._jobs[kind] = _Job(definition)
            compiler = threading.Thread(None, job.work, "compiler", [definition], daemon=True)
            compiler.start()
        if not job.ended.done():
            await asyncio.wait([job.ended], timeout=seconds)
        if job.ended.done():
            job.ended.result()

    def progress(self, definition: Definition) -> Compiling | None:
        """What is being compiled for the experiment now, and for how long."""
        job = self._jobs.get(definition.kind())
        if job is None or job.ended.done():
            return None
        return Compiling(job.name, round(time.monotonic() - job.since, 1))

    async def warm(self, stored: Iterable[str]) -> None:
        """Compile what these definitions need, one after the other."""
        for each in stored:
            try:
                definition = Definition.read(each)
                self.starting = definition.kind_name()
                await self.wait(definition)
            except Exception as problem:  # a method of a user's class may raise any
                log.error("an experiment cannot be compiled: %s", problem)
        self.starting = ""


def is_ours(definition: Definition) -> bool:
    """Whether all classes are the package's: then compiling succeeds, and need not be awaited."""
    return is_cacheable(tuple(definition.settings))
