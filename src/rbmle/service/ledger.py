"""The service without HTTP and threads: `Ledger` carries out many requests in one transaction."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from .ahead import Ahead
from .definition import Definition
from .experiment import Experiment
from .experiment_cache import Cache
from .keys import Keys
from .messages import NO_KEY, Answer, RefusedError
from .storage import ChangedError, Key, Storage, StorageError
from .transaction import Keyed, Transaction

_WRITE_PROBE_SECONDS = 1.0  # for which /readyz trusts the last write
_MOST_CHANGES = 5  # by commands, during one transaction, after which it is given up; a choice

T = TypeVar("T")


class Ledger:
    """Requests in, answers out, everything durable in between. One thread uses it at a time.

    compiled: see `Cache`.
    """

    def __init__(
        self, storage: Storage, keys: Keys | None = None, clock: Callable[[], float] = time.time,
        compiled: Callable[[Definition], bool] = lambda _: True,
    ) -> None:  # fmt: skip
        self.storage, self.keys, self.clock = storage, keys or Keys(), clock
        self.cache, self._compiled = Cache(storage, compiled), compiled
        self._generation = storage.generation
        self._cannot_write = ""  # why the last try to write failed
        self._last_try = -_WRITE_PROBE_SECONDS

    def run(self, requests: Sequence[Keyed], sweep: bool = False) -> list[Answer]:
        """Carry out the requests in order, in one transaction; the answers are true on return.

        sweep: also end the decisions of all experiments whose deadline has passed. If anything
        goes wrong with the database, nothing has changed, and StorageError is raised; where code is
        missing, NotCompiledError.
        """
        for _ in range(_MOST_CHANGES):
            with suppress(ChangedError):  # it is loaded again as it is
                return self._run(requests, sweep)
        return self._run(requests, sweep)

    def _run(self, requests: Sequence[Keyed], sweep: bool) -> list[Answer]:
        touched: dict[int, Experiment] = {}
        began = time.monotonic()
        try:
            with self.storage.writing():
                self._renew()
                transaction = Transaction(self.storage, self.cache, touched)
                answers = transaction.run(requests, self.keys, self.clock, sweep)
        except BaseException as problem:
            for each in touched.values():
                self.cache.drop(each)
            if isinstance(problem, StorageError) and not isinstance(problem, ChangedError):
                self._tried(problem)
            raise
        if transaction.rows:
            self._tried(None)
        for deadlines in transaction.sliced:
            deadlines.adapt(time.monotonic() - began)
        return answers

    def run_ahead(self, requests: Sequence[Keyed]) -> list[Answer | None]:
        """Carry out what can be done with a short lock, see `ahead.py`; None for what is left.

        What is done is durable on return, whatever becomes of the rest.
        """
        try:
            return Ahead(self.storage, self.cache, self.keys).run(requests, self.clock())
        except StorageError as problem:
            self._tried(problem)
            raise

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
        if self.cache.quarantined():
            self.ask(lambda _: self.cache.recheck())
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
            self.cache = Cache(self.storage, self._compiled)
            self.keys.invalidate()

    def refresh(self) -> list[Experiment]:
        """Read the keys and all experiments, without any lock."""
        return self.ask(lambda _: self.cache.load_all())

    def due(self, now: float) -> bool:
        """Whether a decision may have passed its deadline in an experiment that is known here, or a
        key's last use is to be stored."""
        return self.keys.unsaved() or bool(self.cache.due(now))
