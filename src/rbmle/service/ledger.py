"""The service without HTTP: `Ledger` carries out many requests in one transaction; `Committer`
collects those that come while a transaction runs, for the next one.

A transaction costs one wait for the disk however many requests it has, so under load each carries
many. One thread does all the work with the database; the event loop only reads and writes HTTP.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, TypeVar

from .experiment import Experiment
from .experiment_cache import Cache
from .keys import Keys
from .messages import NO_KEY, Answer, RefusedError
from .storage import Key, Storage, StorageError
from .transaction import Keyed, Transaction

log = logging.getLogger("rbmle.service")

_WRITE_PROBE_SECONDS = 1.0  # for which /readyz trusts the last write
_SWEEP_SECONDS = 0.5  # between two checks of deadlines in experiments without requests
_MAX_REQUESTS_PER_TRANSACTION = 2_000  # so that it takes less than 100 ms
_MAX_STOP_SECONDS = 10.0
_LOG_REPEAT_SECONDS = 10.0  # before the same error of the database is logged again
# After a transaction of n groups, n more are likely to come at once: callers send the next request
# as soon as they have an answer. So the next transaction waits for n groups, but no longer than
# this share of the last one's time, and never longer than this.
_MAX_WAIT_SHARE, _MAX_WAIT_SECONDS = 0.5, 0.002

T = TypeVar("T")
Group = tuple[Sequence[Keyed], "asyncio.Future[list[Answer]]"]
Question = tuple[Callable[["Ledger"], Any], "asyncio.Future[Any]"]


class Ledger:
    """Requests in, answers out, everything durable in between. One thread uses it at a time."""

    def __init__(
        self, storage: Storage, keys: Keys | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self.storage, self.keys, self.clock = storage, keys or Keys(), clock
        self.cache = Cache(storage)
        self._generation = storage.generation
        self._cannot_write = ""  # why the last try to write failed
        self._last_try = -_WRITE_PROBE_SECONDS

    def run(self, requests: Sequence[Keyed], sweep: bool = False) -> list[Answer]:
        """Carry out the requests in order, in one transaction; the answers are true on return.

        sweep: also end the decisions of all experiments whose deadline has passed. If anything
        goes wrong with the database, nothing has changed, and StorageError is raised.
        """
        touched: dict[int, Experiment] = {}
        try:
            with self.storage.writing():
                self._renew()
                transaction = Transaction(self.storage, self.cache, touched)
                answers = transaction.run(requests, self.keys, self.clock, sweep)
        except BaseException as problem:
            for each in touched.values():
                self.cache.drop(each)
            if isinstance(problem, StorageError):
                self._tried(problem)
            raise
        if transaction.rows:
            self._tried(None)
        return answers

    def try_to_write(self) -> dict[str, str]:
        """Raise StorageError if nothing can be written now, because the disk is full for instance;
        returns the experiments in quarantine, and why they are.

        The result is cached for a second, so that nobody can keep the disk busy by asking; and
        after rows were written there is no need to try.
        """
        if time.monotonic() - self._last_try > _WRITE_PROBE_SECONDS:
            try:
                with self.storage.writing():
                    self._renew()
                    self.storage.write_something()
            except StorageError as problem:
                self._tried(problem)
            else:
                self._tried(None)
        if self._cannot_write:
            raise StorageError(self._cannot_write)
        return self.cache.quarantined()

    def _tried(self, problem: StorageError | None) -> None:
        self._cannot_write, self._last_try = str(problem or ""), time.monotonic()

    def ask(self, question: Callable[[Ledger], T], key: Key | None = None) -> T:
        """The answer to a question that only reads, if the key is still valid; no lock is taken."""
        with self.storage.reading():
            self._renew()
            self.keys.refresh(self.storage)
            if key is not None and not self.keys.allows(key):
                raise RefusedError(NO_KEY)
            return question(self)

    def _renew(self) -> None:
        """Invalidate all caches if the database was reopened: it may be another one."""
        if self.storage.generation != self._generation:
            self._generation = self.storage.generation
            self.cache = Cache(self.storage)
            self.keys.invalidate()

    def refresh(self) -> list[Experiment]:
        """Read the keys and all experiments, without any lock."""
        return self.ask(lambda _: self.cache.load_all())

    def due(self, now: float) -> bool:
        """Whether a decision may have passed its deadline in an experiment that is known here."""
        return any(each.due(now) for each in self.cache.all())


class Committer:
    """The thread that works with the ledger, and the queues in front of it. It starts at once."""

    def __init__(self, open_ledger: Callable[[], Ledger], loop: asyncio.AbstractEventLoop) -> None:
        self._open, self._loop = open_ledger, loop
        self._groups: list[Group] = []
        self._questions: list[Question] = []
        self._wake = threading.Condition()
        self._enough = 1  # so many groups wake the thread
        self._stopping = False
        self._thread = threading.Thread(target=self._work, name="committer", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Finish what has come, and end the thread."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join(_MAX_STOP_SECONDS)

    def submit(self, requests: Sequence[Keyed]) -> asyncio.Future[list[Answer]]:
        """Carry out the requests in one transaction; the answers come when it is durable."""
        future: asyncio.Future[list[Answer]] = self._loop.create_future()
        with self._wake:
            self._groups.append((requests, future))
            if len(self._groups) >= self._enough:
                self._wake.notify()
        return future

    def ask(self, question: Callable[[Ledger], T], key: Key | None = None) -> asyncio.Future[T]:
        """Ask the ledger something between two transactions; no lock is taken."""
        return self.do(lambda ledger: ledger.ask(question, key))

    def do(self, question: Callable[[Ledger], T]) -> asyncio.Future[T]:
        """Do something with the ledger between two transactions."""
        future: asyncio.Future[T] = self._loop.create_future()
        with self._wake:
            self._questions.append((question, future))
            self._wake.notify()
        return future

    def _work(self) -> None:
        ledger: Ledger | None = None
        swept = time.monotonic()
        likely, patience = 0, 0.0
        while True:
            with self._wake:
                self._await(likely, patience)
                groups, self._groups = self._groups, []
                questions, self._questions = self._questions, []
                if self._stopping and not groups and not questions:
                    break
            begin = time.monotonic()
            try:
                ledger = ledger or self._opened()
            except Exception as problem:
                self._fail([*groups, *questions], problem)
                time.sleep(_SWEEP_SECONDS)
                continue
            for part in _parts(groups):
                self._commit(ledger, part)
            for each in questions:
                try:
                    self._tell([(each[1], each[0](ledger))])
                except Exception as problem:
                    self._fail([each], problem)
            if time.monotonic() - swept >= _SWEEP_SECONDS:
                swept = time.monotonic()
                if ledger.due(ledger.clock()):
                    self._commit(ledger, [], sweep=True)
            took = time.monotonic() - begin
            likely, patience = len(groups), min(_MAX_WAIT_SHARE * took, _MAX_WAIT_SECONDS)
        if ledger is not None:
            ledger.storage.close()

    def _await(self, likely: int, patience: float) -> None:
        """Wait for work; and, for a moment, for as many groups as are likely to come."""
        if len(self._groups) < likely and not (self._questions or self._stopping):
            self._enough = likely
            self._wake.wait(patience)
            self._enough = 1
        if not (self._groups or self._questions or self._stopping):
            self._wake.wait(_SWEEP_SECONDS)

    def _opened(self) -> Ledger:
        ledger = self._open()
        try:
            ledger.refresh()
        except BaseException:
            ledger.storage.close()
            raise
        return ledger

    def _commit(self, ledger: Ledger, groups: Sequence[Group], sweep: bool = False) -> None:
        requests = [each for group, _ in groups for each in group]
        try:
            answers = iter(ledger.run(requests, sweep))
        except Exception as problem:
            self._fail(groups, problem)
        else:
            self._tell([(future, [*islice(answers, len(group))]) for group, future in groups])

    def _fail(self, asked: Sequence[Group | Question], problem: Exception) -> None:
        _log(problem)
        self._tell([(future, problem) for _, future in asked])

    def _tell(self, told: Sequence[tuple[asyncio.Future[Any], Any]]) -> None:
        self._loop.call_soon_threadsafe(_set, told)


def _set(told: Sequence[tuple[asyncio.Future[Any], Any]]) -> None:
    """Tell each caller the answer, or the problem."""
    for future, answer in told:
        if future.done():  # the caller has left
            continue
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)


def _parts(groups: Sequence[Group]) -> list[list[Group]]:
    """The groups in parts of at most about `_MAX_REQUESTS_PER_TRANSACTION` requests."""
    parts: list[list[Group]] = []
    size = _MAX_REQUESTS_PER_TRANSACTION
    for group in groups:
        if size + len(group[0]) > _MAX_REQUESTS_PER_TRANSACTION:
            parts.append([])
            size = 0
        parts[-1].append(group)
        size += len(group[0])
    return parts


_said: dict[str, float] = {}  # when each sentence was last logged


def _log(problem: Exception) -> None:
    if isinstance(problem, RefusedError):
        return
    if not isinstance(problem, StorageError):
        log.error("%s", problem, exc_info=problem)
        return
    sentence, now = str(problem), time.monotonic()
    if now - _said.get(sentence, -_LOG_REPEAT_SECONDS) >= _LOG_REPEAT_SECONDS:
        _said[sentence] = now
        log.warning("%s", sentence)
