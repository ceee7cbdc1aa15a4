"""Play what is missing of a study: all chunks through one pool, shared with other processes.

A chunk is claimed before it is played, and looked for on disk once it is claimed: so of several
processes in one folder each plays chunks that no other has. A claim vanishes with its process; what
others hold is tried again until their results are there or their claim is gone.
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

from .._locks import Locks
from ..engine import simulate
from ..pieces import Piece, Rows, compile_piece, pieces_of, play_piece
from ..policies.base import ranks_only
from ..policies.fit import Assuming
from .shards import Place
from .sheet import Chunk, Sheet
from .store import Store

Progress = Callable[[str, str, int, int], None]

_SECONDS_A_WAIT = 0.2  # for a piece, so that Ctrl-C is heard everywhere; and for other processes


class Work:
    """What is done with chunks whichever way they are played: claim, keep, count, tell."""

    def __init__(
        self, sheets: Sequence[Sheet], store: Store | None, tell: Progress,
        kept: Callable[[Place], None],
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

    def claim(self, chunk: Chunk) -> list[Place] | None:
        """What is to be played of a chunk, now ours; None while it is another process's."""
        sheet = self.sheets[chunk.problem]
        if self.store is None or self._locks is None:
            return sheet.gaps(chunk)
        if not self._locks.take(self._number(chunk)):
            return None
        for place in sheet.gaps(chunk):
            rows = self.store.peek(place)
            if rows is not None:
                sheet.fill(place, rows)
                self.tell(place, place.last - place.first)
        gaps = sheet.gaps(chunk)
        if not gaps:
            self.release(chunk)
        return gaps

    def release(self, chunk: Chunk) -> None:
        if self._locks is not None:
            self._locks.free(self._number(chunk))

    def keep(self, place: Place, rows: Rows) -> None:
        """Results that were just played."""
        self.sheets[place.problem].fill(place, rows)
        if self.store is not None:
            self.store.write(place, rows)
        self._kept(place)

    def tell(self, place: Place, replications: int) -> None:
        """Say that so many more replications are done; from any thread, but in order."""
        sheet, at = self.sheets[place.problem], (place.problem, place.policy)
        with self._counting:
            label, before = self._counts[at]
            total = sheet.study.replications
            self._counts[at] = label, min(before + replications, total)
            self._tell(sheet.name, *self._counts[at], total)

    def _number(self, chunk: Chunk) -> int:
        """The chunk's own number in the file of claims, the same in every process."""
        policies = len(self.sheets[0].study.policies)
        return 1 + (chunk.number * len(self.sheets) + chunk.problem) * policies + chunk.policy


class _Job:
    """A chunk that is being played: the rows of its places, and how many are still to come."""

    def __init__(self, chunk: Chunk, places: Sequence[Place]) -> None:
        self.chunk, self.places = chunk, list(places)
        self.parts: dict[Place, dict[int, Rows]] = {place: {} for place in places}

    def add(self, place: Place, piece: Piece, rows: Rows) -> Rows | None:
        """The rows of the whole place, once they are all there."""
        parts = self.parts[place]
        parts[piece.first] = rows
        if sum(len(each.regret) for each in parts.values()) < place.last - place.first:
            return None
        self.places.remove(place)
        return Rows(*(np.concatenate(each) for each in zip(*_sorted(parts), strict=True)))


def play_chunks(work: Work, threads: int | None) -> None:
    """Play all missing chunks of all policies and problems in one pool, each piece on one thread.

    This thread compiles, hands out, writes and tells. Whatever ends it ends the pieces too.
    """
    count, stop = threads or os.cpu_count() or 1, np.zeros(1, np.int64)
    queue = deque(chunk for sheet in work.sheets for chunk in sheet.chunks())
    playing: dict[Future[Rows], tuple[_Job, Place, Piece]] = {}
    compiled: set[tuple[int, int]] = set()
    pool = ThreadPoolExecutor(count)
    try:
        while queue or playing:
            for _ in range(len(queue)):
                if len(playing) >= 2 * count:
                    break
                chunk = queue.popleft()
                places = work.claim(chunk)
                if places is None:
                    queue.append(chunk)  # another process has it: see again later
                    continue
                sheet, job = work.sheets[chunk.problem], _Job(chunk, places)
                for place in places:
                    whole = sheet.piece(place)
                    if chunk[:2] not in compiled:
                        compile_piece(whole)
                        compiled.add((chunk.problem, chunk.policy))
                    for piece in pieces_of(whole):
                        playing[pool.submit(play_piece, piece, stop)] = job, place, piece
            if not playing:
                time.sleep(_SECONDS_A_WAIT if queue else 0.0)
                continue
            for future in wait(playing, _SECONDS_A_WAIT, FIRST_COMPLETED).done:
                job, place, piece = playing.pop(future)
                rows = job.add(place, piece, future.result())
                work.tell(place, piece.last - piece.first)
                if rows is not None:
                    work.keep(place, rows)
                if not job.places:
                    work.release(job.chunk)
    except BaseException:
        stop[0] = 1
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def play_in_order(work: Work, threads: int | None) -> None:
    """Play policies whole, group by group, where a replication is reached through those before.

    Quick policies together, then those that draw: making the table takes most of the time of the
    first, and of the second some run in order while others take the other threads.
    """
    left = [group for sheet in work.sheets for group in _groups(sheet)]
    while left:
        held = []
        for group in left:
            claims = [(chunk, work.claim(chunk)) for chunk in group]
            mine = {chunk: places[0] for chunk, places in claims if places}
            if mine:
                _play_group(work, work.sheets[group[0].problem], list(mine.values()), threads)
            for chunk in mine:
                work.release(chunk)
            others = [chunk for chunk, places in claims if places is None]
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


def _play_group(work: Work, sheet: Sheet, places: Sequence[Place], threads: int | None) -> None:
    """Play all replications of some policies on the same rewards."""
    study = sheet.study
    result = simulate(
        sheet.problem,
        [sheet.policies[place.policy] for place in places],
        study.horizon,
        study.replications,
        rewards=study.rewards_source(),
        ties=study.ties,
        checkpoints=study.checkpoints,
        threads=threads,
        progress=lambda index, count: work.tell(places[index], count),
    )
    for row, place in enumerate(places):
        work.keep(place, Rows(result.regret[row], result.best_pulls[row], result.pulls[row]))


def _sorted(parts: dict[int, Rows]) -> list[Rows]:
    return [parts[first] for first in sorted(parts)]
