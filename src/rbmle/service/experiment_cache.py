"""A worker's cache of experiments, brought up to date from the rows that it has not seen."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from math import inf
from typing import NamedTuple

from .definition import Definition
from .experiment import Experiment
from .rows import Row
from .storage import Storage, StorageError, Stored

log = logging.getLogger("rbmle.service")

# Rows after which a snapshot is written. Reading and applying a row takes about 5 us, so a start
# takes at most about 0.1 s for each experiment; a snapshot of 10,000 arms takes 10 ms.
ROWS_PER_SNAPSHOT = 20_000


class QuarantineError(StorageError):
    """What is stored of an experiment cannot be used. The others go on."""


class NotCompiledError(Exception):
    """The code that an experiment needs is not compiled yet; nothing has changed."""

    def __init__(self, known: Experiment) -> None:
        self.name, self.definition = known.name, known.definition


class _Quarantine(NamedTuple):
    """An experiment as it was stored when it could not be used, and why, in one sentence."""

    stored: Stored
    why: str


class Cache:
    """Experiments by name and by number.

    One that cannot be loaded or brought up to date is put in quarantine: whoever looks for it gets
    a QuarantineError, until a command has repaired it.

    compiled: whether the code that a definition needs is there. Without it an experiment can be
    looked at, but not decide or learn: who writes would wait a minute for the compiler.
    """

    def __init__(
        self, storage: Storage, compiled: Callable[[Definition], bool] = lambda _: True
    ) -> None:
        self._storage, self._compiled = storage, compiled
        self._raw: dict[int, Experiment] = {}  # those whose code was not there
        self._named: dict[str, Experiment] = {}
        self._numbered: dict[int, Experiment] = {}
        self._stored: dict[int, Stored] = {}
        self._saved: dict[int, int] = {}  # number -> `seq` of the stored snapshot
        self._read: dict[int, float] = {}  # number -> when its rows were last asked for
        self._quarantine: dict[int, _Quarantine] = {}
        self.snapshots: dict[int, Experiment] = {}  # those that can be used so

    def all(self) -> list[Experiment]:
        """All cached experiments, in the order of their numbers."""
        return [self._numbered[each] for each in sorted(self._numbered)]

    def cached(self, which: str | int) -> Experiment | None:
        """The experiment of that name or number, if it is cached."""
        return self._named.get(which) if isinstance(which, str) else self._numbered.get(which)

    def quarantined(self) -> dict[str, str]:
        """The names of experiments in quarantine, and why they are there."""
        return {each.stored.name: each.why for each in self._quarantine.values()}

    def repairs(self, number: int) -> int:
        """How often a command had changed the log of the experiment when it was loaded."""
        return self._stored[number].repairs

    def find(self, which: str | int) -> Experiment | None:
        """The experiment of that name or number, not yet brought up to date; in a transaction."""
        found = self.cached(which)
        if found is None and (stored := self._storage.find(which)) is not None:
            found = self.load(stored)
        return found

    def is_ready(self, known: Experiment) -> bool:
        """Whether the experiment's code is compiled."""
        if known.number in self._raw and self._compiled(known.definition):
            del self._raw[known.number]
            if known.definition.uses_snapshots:
                self.snapshots[known.number] = known
        return known.number not in self._raw

    def ready(self, known: Experiment) -> Experiment:
        """The experiment, if its code is compiled; else raises NotCompiledError."""
        if not self.is_ready(known):
            raise NotCompiledError(known)
        return known

    def due(self, now: float) -> list[Experiment]:
        """The experiments in which a decision may have passed its deadline."""
        return [each for each in self.all() if each.due(now) and self.is_ready(each)]

    def current(self, stored: Stored | None) -> Experiment | None:
        """The experiment that is stored, brought up to date without a lock."""
        if stored is None:
            return None
        known = self._numbered.get(stored.number)
        if known is not None and self._stored[stored.number] != stored:
            self.drop(known)
            known = None
        return self.catch_up(known or self.load(stored))

    def load_all(self) -> list[Experiment]:
        """All experiments but those in quarantine, brought up to date without a lock."""
        stored = self._storage.experiments()
        for each in {*self._numbered, *self._quarantine} - {each.number for each in stored}:
            self._quarantine.pop(each, None)
            if each in self._numbered:
                self.drop(self._numbered[each])
        for one in stored:
            with suppress(QuarantineError):
                self.current(one)
        return self.all()

    def recheck(self) -> None:
        """Load those in quarantine that a command has repaired; forget those that were removed."""
        for number in [*self._quarantine]:
            stored = self._storage.find(number)
            if stored is None:
                del self._quarantine[number]
                continue
            with suppress(QuarantineError, NotCompiledError):  # who asks for it has it compiled
                self.catch_up(self.ready(self.load(stored)))

    def load(self, stored: Stored) -> Experiment:
        """The experiment at its last snapshot."""
        known = self._quarantine.get(stored.number)
        if known is not None and known.stored == stored:
            raise QuarantineError(known.why)
        with self._guarded(stored, lambda: "its definition or snapshot cannot be read"):
            definition = Definition.read(stored.definition)
            made = Experiment(stored.number, stored.name, definition, stored.at)
            state = self._storage.snapshot(stored.number)
            if state is not None:
                made.restore(state)
        self._saved[stored.number] = made.seq
        self._named[stored.name] = self._numbered[stored.number] = made
        self._stored[stored.number] = stored
        self._quarantine.pop(stored.number, None)
        self._raw[stored.number] = made
        self.is_ready(made)
        return made

    def catch_up(self, experiment: Experiment) -> Experiment:
        """Apply the rows that other workers have appended; within a transaction."""
        while True:
            began = self._storage.seen_at()
            rows = self._storage.rows(experiment.number, experiment.seq, ROWS_PER_SNAPSHOT)
            self.advance(experiment, rows, began)
            if len(rows) < ROWS_PER_SNAPSHOT:
                return experiment

    def advance(self, experiment: Experiment, rows: Sequence[Row], began: float) -> None:
        """Apply rows that follow, and are the last. began: when they were asked for."""
        with self._guarded(experiment, lambda: f"row {experiment.seq + 1} cannot be applied"):
            experiment.apply(rows)
        self._read[experiment.number] = began

    def read_at(self, experiment: Experiment) -> float:
        """When the newest rows were asked for, by `time.monotonic`."""
        return self._read.get(experiment.number, -inf)

    def reading(
        self, of: Stored | Experiment, first: int, last: int
    ) -> AbstractContextManager[None]:
        """Put the experiment in quarantine if what is done with these rows of it fails."""
        rows = f"one of its rows {first} to {last}" if last > first else f"row {first}"
        return self._guarded(of, lambda: f"{rows} cannot be read")

    @contextmanager
    def _guarded(self, of: Stored | Experiment, failed: Callable[[], str]) -> Iterator[None]:
        """The same. failed: says what has failed."""
        stored = of if isinstance(of, Stored) else self._stored[of.number]
        try:
            yield
        except StorageError:
            raise
        except Exception as problem:
            why = f"{failed()} ({type(problem).__name__}: {str(problem).rstrip('.')})"
            why = (
                f"service: the experiment {stored.name!r} cannot be used: {why}. "
                "'rbmle service repair' says what can be done."
            )
            if stored.number in self._numbered:
                self.drop(self._numbered[stored.number])
            self._quarantine[stored.number] = _Quarantine(stored, why)
            log.error("%s", why)
            raise QuarantineError(why) from problem

    def wants_snapshot(self, experiment: Experiment) -> bool:
        """Whether many rows have come since the last snapshot."""
        return experiment.seq - self._saved[experiment.number] >= ROWS_PER_SNAPSHOT

    def save_snapshot(self, experiment: Experiment) -> None:
        """Write a snapshot if many rows have come since the last; within a locked transaction."""
        if self.wants_snapshot(experiment):
            self._storage.save_snapshot(experiment.number, experiment.seq, experiment.snapshot())
            self._saved[experiment.number] = experiment.seq

    def drop(self, experiment: Experiment) -> None:
        """Invalidate an experiment whose state may be ahead of what was committed."""
        self._named.pop(experiment.name, None)
        self._numbered.pop(experiment.number, None)
        self.snapshots.pop(experiment.number, None)
        self._raw.pop(experiment.number, None)
        self._read.pop(experiment.number, None)
