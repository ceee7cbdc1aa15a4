"""Chunks that are being played: claimed among processes, stored when finished, and counted.

A process claims a chunk, looks whether its results are on disk by now, and only then plays it. So
no two processes in one folder play the same chunk. A claim ends with its process; chunks that
others have claimed are tried again until their results are on disk or the claim is gone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack

from .._io.locks import Locks
from ..engine.plan import Rows, Task
from .progress_table import ProgressTable
from .store import Store

Progress = Callable[[str, str, int, int], None]


class Claims:
    """The chunks that this process plays.

    tell: called with each progress. kept: called with each task whose results were stored.
    """

    def __init__(
        self, table: ProgressTable, store: Store | None, tell: Progress,
        kept: Callable[[Task], None],
    ) -> None:  # fmt: skip
        self.table, self.store, self._tell, self._kept = table, store, tell, kept
        self._locks: Locks | None = None
        self._gaps: dict[int, list[Task]] = {}  # number of a chunk -> its gaps that are played
        self._counts = {each[:2]: table.done(each) for each in table.all_of_each()}
        self._counting = threading.Lock()

    def __enter__(self) -> Claims:
        self._stack = ExitStack()
        if self.store is not None:
            self._locks = self._stack.enter_context(self.store.locks())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def claim(self, chunk: Task) -> list[Task] | None:
        """Claim a chunk: its gaps to play, or None if another process has claimed it."""
        number = self._number(chunk)
        if self.store is not None and self._locks is not None:
            if not self._locks.take(number):
                return None
            for gap in self.table.gaps(chunk):
                rows = self.store.peek(gap)
                if rows is not None:
                    self.table.fill(gap, rows)
                    self.tell(gap, gap.size)
        gaps = self.table.gaps(chunk)
        self._gaps[number] = list(gaps)
        self._release_if_done(number)
        return gaps

    def finish(self, task: Task, rows: Rows) -> None:
        """Take the results of a task that was played, and store the gaps that they complete."""
        self.table.fill(task, rows)
        for first in range(task.first - task.first % self.table.chunk, task.last, self.table.chunk):
            number = self._number(task._replace(first=first))
            for gap in filter(self.table.has, list(self._gaps[number])):
                if self.store is not None:
                    self.store.write(gap, self.table.results(gap))
                self._kept(gap)
                self._gaps[number].remove(gap)
            self._release_if_done(number)

    def tell(self, task: Task, replications: int) -> None:
        """Report that this many more replications are done. Any thread may call this; reports of a
        policy come in increasing order."""
        total = self.table.study.replications
        with self._counting:
            self._counts[task[:2]] = min(self._counts[task[:2]] + replications, total)
            self._tell(*self.table.names(task), self._counts[task[:2]], total)

    def _release_if_done(self, number: int) -> None:
        if not self._gaps[number]:
            del self._gaps[number]
            if self._locks is not None:
                self._locks.free(number)

    def _number(self, chunk: Task) -> int:
        """The byte in the file of claims that stands for the chunk, the same in every process."""
        problems, policies, _ = self.table.have.shape
        place = chunk.first // self.table.chunk
        return 1 + (place * problems + chunk.problem) * policies + chunk.policy
