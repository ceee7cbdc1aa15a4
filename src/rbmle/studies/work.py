"""Play what is missing of a study: all chunks through one pool, shared with other processes.

A process claims a chunk, looks whether its results are on disk by now, and only then plays it. So
no two processes in one folder play the same chunk. A claim ends with its process; chunks that
others have claimed are tried again until their results are on disk or the claim is gone.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack

import numpy as np

from .._io.locks import Locks
from ..engine import simulate
from ..pieces import Piece, Rows, compile_piece, pieces_of, play_piece
from ..policies.base import ranks_only
from ..policies.fit import Assuming
from .shards import Stretch
from .sheet import Chunk, Sheet
from .store import Store

Progress = Callable[[str, str, int, int], None]

_SECONDS_A_WAIT = 0.2  # for a piece, so that Ctrl-C works on every system; and for other processes


class Work:
    """The bookkeeping of chunks: claim them, store results, count replications, report progress."""

    def __init__(
        self, sheets: Sequence[Sheet], store: Store | None, tell: Progress,
        kept: Callable[[Stretch], None],
    ) -> None:  # fmt: skip
        self.sheets, self.store, self._tell, self._kept = sheets, store, tell, kept
        self._locks: Locks | None = None
        self._counts = {
            (sheet.number, policy): sheet.done(policy)
            for sheet in sheets
            for policy in sheet.wanted
        }
        self._counting = threading.Lock()

    def __enter__(self) -> Work:
        self._stack = ExitStack()
        if self.store is not None:
            self._locks = self._stack.enter_context(self.store.locks())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def claim(self, chunk: Chunk) -> list[Stretch] | None:
        """Claim a chunk: its stretches to play, or None if another process has claimed it."""
        sheet = self.sheets[chunk.problem]
        if self.store is None or self._locks is None:
            return sheet.gaps(chunk)
        if not self._locks.take(self._number(chunk)):
            return None
        for stretch in sheet.gaps(chunk):
            rows = self.store.peek(stretch)
            if rows is not None:
                sheet.fill(stretch, rows)
                self.tell(stretch, stretch.last - stretch.first)
        gaps = sheet.gaps(chunk)
        if not gaps:
            self.release(chunk)
        return gaps

    def release(self, chunk: Chunk) -> None:
        """Give up the claim on a chunk."""
        if self._locks is not None:
            self._locks.free(self._number(chunk))

    def keep(self, stretch: Stretch, rows: Rows) -> None:
        """Take and store the results of a stretch that was just played."""
        self.sheets[stretch.problem].fill(stretch, rows)
        if self.store is not None:
            self.store.write(stretch, rows)
        self._kept(stretch)

    def tell(self, stretch: Stretch, replications: int) -> None:
        """Report that this many more replications are done. Any thread may call this; reports of a
        policy come in increasing order."""
        sheet, at = self.sheets[stretch.problem], (stretch.problem, stretch.policy)
        with self._counting:
            label, before = self._counts[at]
            total = sheet.study.replications
            self._counts[at] = label, min(before + replications, total)
            self._tell(sheet.name, *self._counts[at], total)

    def _number(self, chunk: Chunk) -> int:
        """The byte in the file of claims that stands for the chunk, the same in every process."""
        policies = len(self.sheets[0].study.policies)
        return 1 + (chunk.number * len(self.sheets) + chunk.problem) * policies + chunk.policy


class Job:
    """A chunk that is being played: the rows of its stretches, and how many are still to come."""

    def __init__(self, chunk: Chunk, stretches: Sequence[Stretch]) -> None:
        self.chunk, self.stretches = chunk, list(stretches)
        self.parts: dict[Stretch, dict[int, Rows]] = {stretch: {} for stretch in stretches}

    def add(self, stretch: Stretch, first: int, rows: Rows) -> Rows | None:
        """Take the rows of replications first, first + 1, ...; the rows of the whole stretch if
        these were the last."""
        parts = self.parts[stretch]
        parts[first] = rows
        if sum(len(each.regret) for each in parts.values()) < stretch.last - stretch.first:
            return None
        self.stretches.remove(stretch)
        return Rows(*(np.concatenate(each) for each in zip(*_sorted(parts), strict=True)))


def play_chunks(work: Work, threads: int | None) -> None:
    """Play all missing chunks of all policies and problems in one pool, each piece on one thread.

    The calling thread compiles, hands out pieces, writes shards and reports progress. An exception
    in it, such as Ctrl-C, stops the pieces too.
    """
    count, stop = threads or os.cpu_count() or 1, np.zeros(1, np.int64)
    queue = deque(chunk for sheet in work.sheets for chunk in sheet.chunks())
    playing: dict[Future[Rows], tuple[Job, Stretch, Piece]] = {}
    compiled: set[tuple[int, int]] = set()
    pool = ThreadPoolExecutor(count)
    try:
        while queue or playing:
            for _ in range(len(queue)):
                if len(playing) >= 2 * count:
                    break
                chunk = queue.popleft()
                stretches = work.claim(chunk)
                if stretches is None:
                    queue.append(chunk)  # another process has it: try again later
                    continue
                sheet, job = work.sheets[chunk.problem], Job(chunk, stretches)
                for stretch in stretches:
                    whole = sheet.piece(stretch)
                    if chunk[:2] not in compiled:
                        compile_piece(whole)
                        compiled.add((chunk.problem, chunk.policy))
                    for piece in pieces_of(whole):
                        playing[pool.submit(play_piece, piece, stop)] = job, stretch, piece
            if not playing:
                time.sleep(_SECONDS_A_WAIT if queue else 0.0)
                continue
            for future in wait(playing, _SECONDS_A_WAIT, FIRST_COMPLETED).done:
                job, stretch, piece = playing.pop(future)
                rows = job.add(stretch, piece.first, future.result())
                work.tell(stretch, piece.last - piece.first)
                if rows is not None:
                    work.keep(stretch, rows)
                if not job.stretches:
                    work.release(job.chunk)
    except BaseException:
        stop[0] = 1
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def play_in_order(work: Work, threads: int | None, device: str = "cpu") -> None:
    """Play all replications of each policy at once, for rewards that can only be drawn in order.

    On each problem the policies that draw nothing are played together, because drawing the table of
    rewards takes most of their time; then those that draw are played together.
    """
    left = [group for sheet in work.sheets for group in _groups(sheet)]
    while left:
        held = []
        for group in left:
            claims = [(chunk, work.claim(chunk)) for chunk in group]
            mine = {chunk: stretches[0] for chunk, stretches in claims if stretches}
            if mine:
                sheet = work.sheets[group[0].problem]
                _play_group(work, sheet, list(mine.values()), threads, device)
            for chunk in mine:
                work.release(chunk)
            others = [chunk for chunk, stretches in claims if stretches is None]
            if others:
                held.append(others)
        if held == left:
            time.sleep(_SECONDS_A_WAIT)
        left = held


def _groups(sheet: Sheet) -> list[list[Chunk]]:
    policies = [each.policy if isinstance(each, Assuming) else each for each in sheet.policies]
    chunks = list(sheet.chunks())
    quick = [chunk for chunk in chunks if ranks_only(policies[chunk.policy])]
    drawing = [chunk for chunk in chunks if chunk not in quick]
    return [group for group in (quick, drawing) if group]


def _play_group(
    work: Work, sheet: Sheet, group: Sequence[Stretch], threads: int | None, device: str
) -> None:
    """Play all replications of some policies on the same rewards."""
    study = sheet.study
    result = simulate(
        sheet.problem,
        [sheet.policies[stretch.policy] for stretch in group],
        study.horizon,
        study.replications,
        rewards=study.rewards_source(),
        ties=study.ties,
        checkpoints=study.checkpoints,
        evidence=study.evidence,
        delay=study.delay,
        threads=threads,
        device=device,
        progress=lambda index, count: work.tell(group[index], count),
    )
    for row, stretch in enumerate(group):
        work.keep(stretch, Rows(result.regret[row], result.best_pulls[row], result.pulls[row]))


def _sorted(parts: dict[int, Rows]) -> list[Rows]:
    return [parts[first] for first in sorted(parts)]
