"""Play what is missing of a study on the workers of an executor, which need no shared disk.

The blocks that come back are put together and written here, in the process that runs the study. So
the run folder gets the same bytes as from a run on this machine alone.
"""

from __future__ import annotations

import os
import queue
import time
import uuid
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager

import numpy as np

from .._io.extras import require_extra
from ..errors import ParameterError, RunError, integer
from .blocks import STOPS, Block, Played, play_block
from .lanes import Lane, Lanes, Part
from .versions import versions
from .work import Work

_SECONDS_A_WAIT = 0.2  # for a block, so that Ctrl-C works on every system; and for other processes
_MOST_NAMED = 4  # blocks in a message: of a pool that broke, those that were played come first
_GO_ON = "what was finished is kept, and the same run goes on from there"


class Workers:
    """The workers of an executor: any of `concurrent.futures`, or one that behaves like it."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.killing: tuple[type[Exception], ...] = ()  # what a block raises that kills workers

    def check(self, device: str) -> None:
        """Raise RunError if a worker cannot play; by default each block checks its own."""

    def slots(self) -> int:
        """How many blocks are played at the same time: as many as the executor says it has workers,
        else one for each processor."""
        return getattr(self.executor, "_max_workers", None) or os.cpu_count() or 1

    def count(self) -> int:
        """How many workers there are."""
        return self.slots()

    def submit(self, block: Block) -> Future[Played]:
        """Hand a block to a worker."""
        return self.executor.submit(play_block, block)

    def why_cancelled(self) -> str:
        """Why a block was cancelled that this run had not given up."""
        return "the executor has cancelled a block"

    def abandon(self, futures: Iterable[Future[Played]]) -> None:
        """Cancel the blocks that nobody waits for any more."""
        for each in futures:
            each.cancel()


@contextmanager
def connected(cluster: str | None, workers: int | None = None) -> Iterator[Executor | None]:
    """The executor of a Dask cluster while the context lasts; None where no cluster is named.

    cluster: the address of its scheduler, as in "tcp://10.0.0.1:8786"; "local" starts one on this
    machine. workers: the processes of a local cluster; by default one for each processor.
    """
    if cluster is None:
        yield None
        return
    require_extra("run", "dask")
    if cluster != "local" and workers is not None:
        raise ParameterError("run", "threads", "left out where a cluster is named", workers)
    if workers is not None:
        workers = integer("run", "threads", workers, "[1, inf)")
    from .cluster import dask_client

    with dask_client(cluster, workers) as client:
        yield client.get_executor()


def workers_of(executor: Executor) -> Workers:
    """The workers of an executor that a user gave."""
    if not callable(getattr(executor, "submit", None)):
        raise ParameterError(
            "run",
            "executor",
            "a concurrent.futures.Executor, as in ProcessPoolExecutor()",
            executor,
        )
    if type(executor).__module__.partition(".")[0] == "distributed":
        from .cluster import DaskWorkers

        return DaskWorkers(executor)
    return Workers(executor)


def play_blocks(work: Work, workers: Workers, device: str) -> None:
    """Play all missing chunks of all policies and problems, in blocks of about a second.

    The calling thread hands out blocks, puts together what comes back, writes shards and reports
    progress. An exception in it, such as Ctrl-C, cancels the blocks.
    """
    lanes, name = Lanes(work, device), uuid.uuid4().hex
    STOPS[name] = np.zeros(1, np.int64)
    hand = _Hand(workers, device, name)
    try:
        while hand.playing or hand.suspects or not lanes.empty:
            if hand.suspects:
                hand.play_a_suspect()
            else:
                room = 2 * workers.slots()  # one that is played and one that waits, for each slot
                if len(hand.playing) < room:
                    for lane, parts in lanes.blocks(workers.slots()):
                        hand.play(lane, parts)
                        if len(hand.playing) >= room:
                            break
            if not hand.playing:
                time.sleep(_SECONDS_A_WAIT if not lanes.empty else 0.0)
                continue
            for lane, parts, played in hand.finished():
                _keep(work, parts, played)
                lanes.learn(lane, sum(b - a for _, _, a, b in parts), played.seconds)
    except BaseException:
        STOPS[name][0] = 1
        workers.abandon(hand.playing)
        raise
    finally:
        del STOPS[name]


class _Hand:
    """The blocks that are handed out.

    suspects: blocks that were on workers that died. Each of them is played again, alone, so that
    the one that is to blame is known.
    """

    def __init__(self, workers: Workers, device: str, name: str) -> None:
        self.workers, self.device, self.name = workers, device, name
        self.playing: dict[Future[Played], tuple[Lane, list[Part]]] = {}
        self.suspects: deque[tuple[Lane, list[Part]]] = deque()
        self._alone: Future[Played] | None = None
        self._done: queue.SimpleQueue[Future[Played]] = queue.SimpleQueue()
        self._count = 0

    def play(self, lane: Lane, parts: list[Part]) -> None:
        """Hand out a block."""
        self._count += 1
        ranges = tuple((part.first, part.last) for part in parts)
        block = Block(lane.content, ranges, versions(), self.device, self.name, self._count)
        try:
            future = self.workers.submit(block)
        except BrokenExecutor as problem:
            raise self._broken() from problem
        except RuntimeError as problem:  # it was shut down
            raise RunError(f"run: the executor takes no work ({problem}); {_GO_ON}.") from problem
        self.playing[future] = lane, parts
        future.add_done_callback(self._done.put)

    def play_a_suspect(self) -> None:
        """Hand out a suspect, once nothing else is played."""
        if not self.playing:
            self.play(*self.suspects.popleft())
            [self._alone] = self.playing

    def finished(self) -> Iterable[tuple[Lane, list[Part], Played]]:
        """The blocks that were finished since the last call; waits a moment for the first."""
        try:
            future = self._done.get(timeout=_SECONDS_A_WAIT)
            while True:
                lane, parts = self.playing[future]
                try:
                    played = future.result()
                except self.workers.killing:
                    if future is self._alone:
                        raise RunError(
                            f"run: {_names(lane, parts)}, killed every worker that played it; "
                            f"{_GO_ON}."
                        ) from None
                    self.suspects.append(self.playing.pop(future))
                except BrokenExecutor as problem:
                    raise self._broken() from problem
                except CancelledError:
                    raise RunError(f"run: {self.workers.why_cancelled()}; {_GO_ON}.") from None
                else:
                    del self.playing[future]
                    yield lane, parts, played
                future = self._done.get_nowait()
        except queue.Empty:
            return

    def _broken(self) -> RunError:
        """The error for a pool that died with one of its workers."""
        lost = [
            each for future, each in self.playing.items()
            if not future.done() or future.cancelled() or future.exception() is not None
        ][: min(self.workers.slots(), _MOST_NAMED)]  # fmt: skip
        named = " or ".join(_names(*each) for each in lost)
        return RunError(f"run: a worker of the executor died while it played {named}; {_GO_ON}.")


def _names(lane: Lane, parts: list[Part]) -> str:
    """A block in words."""
    label = list(lane.sheet.study.policies)[lane.policy]
    return f"{label} on {lane.sheet.name}, replications {parts[0].first} to {parts[-1].last - 1}"


def _keep(work: Work, parts: list[Part], played: Played) -> None:
    """Count the parts of a block, and store the stretches and chunks that they complete."""
    for (job, stretch, first, last), rows in zip(parts, played.rows, strict=True):
        whole = job.add(stretch, first, rows)
        work.tell(stretch, last - first)
        if whole is not None:
            work.keep(stretch, whole)
        if not job.stretches:
            work.release(job.chunk)
