"""The threads that work with the database: `Committer` writes, `ReadingThread` only looks.

A transaction costs one wait for the disk however many requests it has, so the committer collects
those that come while one runs, for the next. The event loop only reads and writes HTTP, and watches
the threads: who has waited too long is told so, whatever the database does.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from ..errors import ParameterError
from .experiment_cache import NotCompiledError, QuarantineError
from .ledger import Ledger
from .log_lines import Repeats, failed
from .messages import MAX_BATCH_CANDIDATES, Answer, FillSlate, RefusedError, refusal
from .meters import Histogram
from .storage import ANSWER_SECONDS, NO_ANSWER, Key, StorageError
from .transaction import Keyed

log = logging.getLogger("rbmle.service")

_SWEEP_SECONDS = 0.5  # between two checks of deadlines in experiments without requests
_WATCH_SECONDS = 0.25  # between two looks at what waits
_MAX_REQUESTS_PER_TRANSACTION = 2_000  # so that it takes less than 100 ms
_MAX_STOP_SECONDS = 2.0  # a thread that the database holds longer is left behind
# After a transaction of n groups, n more are likely to come at once: callers send the next request
# as soon as they have an answer. So the next transaction waits for them, beside those that came
# meanwhile, but no longer than this share of the last one's time, and never longer than this.
# Else callers fall into two halves, one of which is read while the other is written: both threads
# want the interpreter then, and 32 callers got three quarters of the rate.
_MAX_WAIT_SHARE, _MAX_WAIT_SECONDS = 0.5, 0.002
# While others write, reading pauses for so many times the time that it took, as both need the
# interpreter: it gets a tenth of it.
_PAUSE_SHARE, _MAX_PAUSE_SECONDS = 9.0, 0.5

T = TypeVar("T")
Question = Callable[[Ledger], Any]
Loop = asyncio.AbstractEventLoop


class Asked(NamedTuple):
    """What a caller waits for: requests to carry out together, or a question; and since when."""

    what: Sequence[Keyed] | Question
    future: asyncio.Future[Any]
    since: float


class LedgerThread(ABC):
    """A thread with a ledger of its own, and the queue in front of it. It starts at once."""

    _loading = False  # what is needed before the first answer; it may take long

    def __init__(self, open_ledger: Callable[[], Ledger], loop: Loop) -> None:
        self._open, self._loop = open_ledger, loop
        self._ledger: Ledger | None = None
        self._asked: list[Asked] = []
        self._taken: list[Asked] = []  # what the thread is doing
        self._wake = threading.Condition()
        self._stopping = False
        self._thread = threading.Thread(target=self._run, name=type(self).__name__, daemon=True)
        self._thread.start()
        loop.call_later(_WATCH_SECONDS, self._watch)

    @abstractmethod
    def _work(self) -> None:
        """What the thread does."""

    def stop(self) -> None:
        """Finish what has come, and end the thread, if the database lets it."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join(_MAX_STOP_SECONDS)

    def ask(self, question: Callable[[Ledger], T], key: Key | None = None) -> asyncio.Future[T]:
        """Ask the ledger something between two transactions; no lock is taken."""
        return self.do(lambda ledger: ledger.ask(question, key))

    def do(self, question: Callable[[Ledger], T]) -> asyncio.Future[T]:
        """Do something with the ledger between two transactions."""
        return self._put(question, 1)

    def _put(self, what: Sequence[Keyed] | Question, enough: int) -> asyncio.Future[Any]:
        """Queue it; so many in the queue wake the thread."""
        future: asyncio.Future[Any] = self._loop.create_future()
        with self._wake:
            self._asked.append(Asked(what, future, time.monotonic()))
            if len(self._asked) >= enough:
                self._wake.notify()
        return future

    def _watch(self) -> None:
        """Tell those who have waited too long, and end a call that the database does not answer.

        What the thread is doing may yet be done. What is in the queue is taken out of it.
        """
        if self._stopping:
            return
        self._loop.call_later(_WATCH_SECONDS, self._watch)
        ledger, oldest = self._ledger, time.monotonic() - ANSWER_SECONDS
        if ledger is not None:
            ledger.storage.unblock()
        if self._loading:
            return
        with self._wake:
            late = [each for each in self._asked if each.since < oldest]
            if late:
                self._asked = [each for each in self._asked if each.since >= oldest]
        late += [each for each in self._taken if each.since < oldest]
        late = [each for each in late if not each.future.done()]
        if late:
            problem = StorageError(NO_ANSWER)
            _log(problem)
            _set([(each.future, problem) for each in late])

    def _opened(self) -> Ledger:
        """The ledger; it is opened if need be."""
        if self._ledger is None:
            self._ledger = self._open()
        return self._ledger

    def _answer(self, ledger: Ledger, asked: Asked) -> None:
        """Answer a question."""
        assert callable(asked.what)
        try:
            self._tell([(asked.future, asked.what(ledger))])
        except Exception as problem:
            self._fail([asked], problem)

    def _fail(self, asked: Sequence[Asked], problem: Exception) -> None:
        _log(problem)
        self._tell([(each.future, problem) for each in asked])

    def _tell(self, answered: Sequence[tuple[asyncio.Future[Any], Any]]) -> None:
        self._loop.call_soon_threadsafe(_set, answered)

    def _run(self) -> None:
        self._work()
        if self._ledger is not None:
            self._ledger.storage.close()


class Committer(LedgerThread):
    """The thread that writes. seconds: how long its transactions took."""

    _enough = 1  # so many groups wake the thread
    _wrote = 0.0  # when it last wrote for somebody

    def __init__(self, open_ledger: Callable[[], Ledger], loop: Loop) -> None:
        self.seconds, self._loading = Histogram(), True
        super().__init__(open_ledger, loop)

    def waiting(self) -> int:
        """How many requests, batches and questions wait."""
        return len(self._asked)

    def submit(self, requests: Sequence[Keyed]) -> asyncio.Future[list[Answer]]:
        """Carry out the requests in one transaction; the answers come when it is durable."""
        return self._put(requests, self._enough)

    def busy(self) -> bool:
        """Whether it has written for somebody just now."""
        return time.monotonic() - self._wrote < _SWEEP_SECONDS

    def _work(self) -> None:
        swept = time.monotonic()
        likely, patience, due = 0, 0.0, False
        while True:
            with self._wake:
                self._await(likely, patience, due)
                self._taken, self._asked = self._asked, []
                if self._stopping and not self._taken:
                    break
            begin = time.monotonic()
            try:
                ledger = self._opened()
            except Exception as problem:
                self._fail(self._taken, problem)
                time.sleep(_SWEEP_SECONDS)
                continue
            groups = [each for each in self._taken if not callable(each.what)]
            if groups:
                self._wrote = begin
            for part in _parts([each for each in groups if not self._refuses(ledger, each)]):
                self._commit(ledger, part)
            for each in self._taken:
                if callable(each.what):
                    self._answer(ledger, each)
            if due or time.monotonic() - swept >= _SWEEP_SECONDS:
                swept = time.monotonic()
                due = ledger.due(ledger.clock()) and self._commit(ledger, [], sweep=True)
            self._taken = []
            took = time.monotonic() - begin
            likely = len(groups) + len(self._asked)
            patience = min(_MAX_WAIT_SHARE * took, _MAX_WAIT_SECONDS)

    def _await(self, likely: int, patience: float, due: bool) -> None:
        """Wait for work; and, for a moment, for as many groups as are likely to come."""
        if len(self._asked) < likely and not self._stopping:
            self._enough = likely
            self._wake.wait(patience)
            self._enough = 1
        if not (self._asked or self._stopping or due):
            self._wake.wait(_SWEEP_SECONDS)

    def _opened(self) -> Ledger:
        ledger = super()._opened()
        if self._loading:
            ledger.refresh()
            self._loading = False
        return ledger

    def _refuses(self, ledger: Ledger, asked: Asked) -> bool:
        """Refuse a batch whose slates would keep other callers waiting: the row of each place but
        the first names the candidates that are left."""
        slates = [
            each
            for key, each in asked.what  # type: ignore[union-attr]
            if isinstance(each, FillSlate) and key.sees(each.experiment)
        ]
        size = 0
        for each in slates if len(slates) > 1 else ():
            known = ledger.cache.cached(each.experiment)
            among = each.among if known is None or each.among is not None else known.arms
            size += (each.k - 1) * len(among or ())
        if size > MAX_BATCH_CANDIDATES:
            allowed = f"slates with at most {MAX_BATCH_CANDIDATES:,} places times candidates in all"
            problem = ParameterError("batch", "items", allowed, size)
            self._fail([asked], RefusedError(refusal(422, str(problem))))
        return size > MAX_BATCH_CANDIDATES

    def _commit(self, ledger: Ledger, groups: Sequence[Asked], sweep: bool = False) -> bool:
        """Carry out the requests; returns whether that worked."""
        begin = time.monotonic()
        try:
            if not sweep:
                groups = self._commit_ahead(ledger, groups)
            requests: list[Keyed] = [each for asked in groups for each in asked.what]  # type: ignore[union-attr]
            answers = iter(ledger.run(requests, sweep) if requests or sweep else ())
        except NotCompiledError as problem:
            if len(groups) == 1:
                self._fail(groups, problem)
                return False
            half = len(groups) // 2
            for part in (groups[:half], groups[half:]):  # so that the others go on
                self._commit(ledger, part)
            return False
        except Exception as problem:
            self._fail(groups, problem)
            return False
        self.seconds.observe(time.monotonic() - begin)
        self._tell([(each.future, [*islice(answers, _size(each))]) for each in groups])
        return True

    def _commit_ahead(self, ledger: Ledger, groups: Sequence[Asked]) -> Sequence[Asked]:
        """Carry out what `run_ahead` can, and return the rest. A group of several requests is left:
        it is one transaction."""
        if not ledger.cache.snapshots:
            return groups
        single = [each for each in groups if _size(each) == 1]
        answers = ledger.run_ahead([each.what[0] for each in single])  # type: ignore[index]
        done = {each.future: answer for each, answer in zip(single, answers, strict=True) if answer}
        if not done:
            return groups
        self._tell([(future, [answer]) for future, answer in done.items()])
        return [each for each in groups if each.future not in done]


class ReadingThread(LedgerThread):
    """The thread that reads the log and tells of experiments, with a connection and a cache of its
    own: who looks keeps nobody waiting who decides. busy: whether somebody decides."""

    def __init__(
        self, open_ledger: Callable[[], Ledger], loop: Loop, busy: Callable[[], bool]
    ) -> None:
        self._busy = busy
        super().__init__(open_ledger, loop)

    def _work(self) -> None:
        while True:
            with self._wake:
                while not (self._asked or self._stopping):
                    self._wake.wait()
                if self._stopping:
                    break
                self._taken = [self._asked.pop(0)]
            begin = time.thread_time()
            try:
                self._answer(self._opened(), self._taken[0])
            except Exception as problem:
                self._fail(self._taken, problem)
            self._taken = []
            if self._busy():
                used = time.thread_time() - begin
                time.sleep(min(_PAUSE_SHARE * used, _MAX_PAUSE_SECONDS))


def _set(answered: Sequence[tuple[asyncio.Future[Any], Any]]) -> None:
    """Tell each caller the answer, or the problem."""
    for future, answer in answered:
        if future.done():  # the caller has left
            continue
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)


def _size(asked: Asked) -> int:
    return 0 if callable(asked.what) else len(asked.what)


def _parts(groups: Sequence[Asked]) -> list[list[Asked]]:
    """The groups in parts of at most about `_MAX_REQUESTS_PER_TRANSACTION` requests."""
    parts: list[list[Asked]] = []
    size = _MAX_REQUESTS_PER_TRANSACTION
    for group in groups:
        size += _size(group)
        if size > _MAX_REQUESTS_PER_TRANSACTION:
            parts.append([])
            size = _size(group)
        parts[-1].append(group)
    return parts


_repeats = Repeats()


def _log(problem: Exception) -> None:
    if isinstance(problem, (RefusedError, NotCompiledError, QuarantineError)):
        return  # the last was logged when it was found
    if isinstance(problem, StorageError):
        _repeats.warn(log, str(problem))
    else:
        failed("a transaction", problem)
