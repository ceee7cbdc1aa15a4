"""`Upkeep`: what commands do to the tables, beyond what requests do: copy, repair, erase, and keys.

A request only ever appends rows. A command that changes what is stored notes a repair, so that
workers load the experiment again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3

    import psycopg

    from .storage import Key, StorageError, Stored

    Cursor = sqlite3.Cursor | psycopg.Cursor[Any]


class Statements(ABC):
    """What the parts of a storage ask of its database. failures: what that raises."""

    failures: tuple[type[Exception], ...]
    _since = inf  # when the present call to the database began, by `monotonic`

    @abstractmethod
    def _error(self, problem: object) -> StorageError:
        """One of its failures as one sentence."""

    @contextmanager
    def _translated(self) -> Iterator[None]:
        self._since = monotonic()
        try:
            yield
        except self.failures as problem:
            raise self._error(problem) from None
        finally:
            self._since = inf

    @abstractmethod
    def _execute(self, statement: str, values: Sequence[Any]) -> Cursor:
        """Run a statement."""

    def _ask(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Run a statement and return its rows."""
        with self._translated():
            return self._execute(statement, values).fetchall()

    def _do(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Run a statement and return how many rows it changed."""
        with self._translated():
            return self._execute(statement, values).rowcount

    def _increment(self, counter: str) -> None:
        self._do("UPDATE counters SET value = value + 1 WHERE name = ?", [counter])


class Upkeep(Statements):
    """The part of a storage that only commands use; within a transaction."""

    def put(self, table: str, rows: Sequence[Stored | Key]) -> None:
        """Insert experiments, or keys, with their numbers; later ones get higher numbers."""
        for row in rows:
            places = ", ".join("?" * len(row))
            self._do(f"INSERT INTO {table} ({', '.join(row._fields)}) VALUES ({places})", row)
        if table == "keys":
            self._increment("keys")  # a service may have served the database without any

    @abstractmethod
    def overwrite_deleted(self) -> None:
        """From now on overwrite what is deleted, where the database can; not in a transaction."""

    @abstractmethod
    def empty_journal(self) -> None:
        """Remove what was overwritten from what the database keeps beside its tables."""

    def snapshots(self) -> list[tuple[int, int, bytes]]:
        """All snapshots: the number of the experiment, the row, and the state."""
        return self._ask("SELECT experiment, seq, state FROM snapshots ORDER BY experiment")

    def drop_snapshot(self, experiment: int) -> None:
        """Remove the snapshot: the state is computed from the rows."""
        self._do("DELETE FROM snapshots WHERE experiment = ?", [experiment])

    def note_repair(self, experiment: int) -> None:
        """Note that a command has changed the experiment, so that workers load it again."""
        self._do("UPDATE experiments SET repairs = repairs + 1 WHERE number = ?", [experiment])

    def remove_experiment(self, experiment: int) -> None:
        """Remove the experiment and its snapshot. Its rows, which nobody finds then, stay."""
        self.drop_snapshot(experiment)
        self._do("DELETE FROM experiments WHERE number = ?", [experiment])

    def ownerless(self) -> list[int]:
        """The numbers of experiments that were removed, but whose rows are there."""
        asked = "SELECT DISTINCT experiment FROM log EXCEPT SELECT number FROM experiments"
        return [each for (each,) in self._ask(asked)]

    def last_seq(self, experiment: int) -> int:
        """The place of the last row; 0 if there is none."""
        return self._ask("SELECT max(seq) FROM log WHERE experiment = ?", [experiment])[0][0] or 0

    def remove_rows(self, experiment: int, seq: int) -> int:
        """Remove the rows from place `seq` on; returns how many."""
        return self._do("DELETE FROM log WHERE experiment = ? AND seq >= ?", [experiment, seq])

    def erase_id(self, experiment: int, id: str) -> int:
        """Erase this id; returns how many decisions had it, 0 or 1."""
        return self._do(
            "UPDATE log SET id = NULL WHERE experiment = ? AND id = ?", [experiment, id]
        )

    def erase_ids(self, experiment: int, after: int, until: int, before: float) -> int:
        """Erase the ids of rows in this part of the log that were made before then."""
        return self._do(
            "UPDATE log SET id = NULL WHERE experiment = ? AND seq > ? AND seq <= ? AND at < ? "
            "AND id IS NOT NULL",
            [experiment, after, until, before],
        )

    def add_key(self, key: Key) -> int:
        """Store a key, whose number is not known yet, and return its number."""
        made = self._ask(
            "INSERT INTO keys (role, experiment, hash, created, name, expires) "
            "VALUES (?, ?, ?, ?, ?, ?) RETURNING number",
            [key.role, key.experiment, key.hash, key.created, key.name, key.expires],
        )
        self._increment("keys")
        return int(made[0][0])

    def revoke_key(self, number: int, at: float) -> bool:
        """Revoke the key; False if there is no such key."""
        changed = self._do(
            "UPDATE keys SET revoked = ? WHERE number = ? AND revoked IS NULL", [at, number]
        )
        self._increment("keys")
        return changed > 0 or bool(self._ask("SELECT 1 FROM keys WHERE number = ?", [number]))
