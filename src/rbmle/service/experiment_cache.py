"""A worker's cache of experiments, brought up to date from the rows that it has not seen."""

from __future__ import annotations

from .definition import Definition
from .experiment import Experiment
from .storage import Storage, Stored

# Rows after which a snapshot is written. Reading and applying a row takes about 5 us, so a start
# takes at most about 0.1 s for each experiment; a snapshot of 10,000 arms takes 10 ms.
ROWS_PER_SNAPSHOT = 20_000


class Cache:
    """Experiments by name and by number."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._named: dict[str, Experiment] = {}
        self._numbered: dict[int, Experiment] = {}
        self._snapshots: dict[int, int] = {}  # number -> `seq` of the stored snapshot

    def all(self) -> list[Experiment]:
        """All cached experiments, in the order of their numbers."""
        return [self._numbered[each] for each in sorted(self._numbered)]

    def named(self, name: str) -> Experiment | None:
        """The experiment of that name, not yet brought up to date; within a transaction."""
        if name not in self._named and (stored := self._storage.named(name)) is not None:
            self.load(stored)
        return self._named.get(name)

    def numbered(self, number: int) -> Experiment | None:
        """The experiment of that number, not yet brought up to date; within a transaction."""
        if number not in self._numbered:
            self.load_all()
        return self._numbered.get(number)

    def load_all(self) -> list[Experiment]:
        """All experiments, not yet brought up to date; within a transaction."""
        for stored in self._storage.experiments():
            if stored.number not in self._numbered:
                self.load(stored)
        return self.all()

    def load(self, stored: Stored) -> Experiment:
        """The experiment at its last snapshot."""
        definition = Definition.read(stored.definition)
        made = Experiment(stored.number, stored.name, definition, stored.at)
        state = self._storage.snapshot(stored.number)
        if state is not None:
            made.restore(state)
        self._snapshots[stored.number] = made.seq
        self._named[stored.name] = self._numbered[stored.number] = made
        return made

    def catch_up(self, experiment: Experiment) -> Experiment:
        """Apply the rows that other workers have appended; within a transaction."""
        while rows := self._storage.rows(experiment.number, experiment.seq, ROWS_PER_SNAPSHOT):
            experiment.apply(rows)
            if len(rows) < ROWS_PER_SNAPSHOT:
                break
        return experiment

    def save_snapshot(self, experiment: Experiment) -> None:
        """Write a snapshot if many rows have come since the last; within a locked transaction."""
        if experiment.seq - self._snapshots[experiment.number] >= ROWS_PER_SNAPSHOT:
            self._storage.save_snapshot(experiment.number, experiment.seq, experiment.snapshot())
            self._snapshots[experiment.number] = experiment.seq

    def drop(self, experiment: Experiment) -> None:
        """Invalidate an experiment whose state may be ahead of what was committed."""
        self._named.pop(experiment.name, None)
        self._numbered.pop(experiment.number, None)
