"""`Storage`: the tables, transactions, and the few questions that are asked in one.

A storage is used by one thread at a time. Within `writing` it holds the lock of the experiments
that it has named by `lock`; what was read before may have changed by then. Within `reading` it sees
one state of the database and takes no lock.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple

from ..errors import ParameterError, RbmleError
from .addresses import without_password
from .next_rows import NextRows
from .rows import Kind, Row
from .upkeep import Upkeep

VERSION = 1  # of the tables
# A service waits no longer for one answer of the database, so that its callers are told within 5 s.
ANSWER_SECONDS = 4.0
NO_ANSWER = (
    f"service: the database has not answered for {ANSWER_SECONDS:g} s. What was asked may have "
    "been done, or not: send it again, with the same id."
)
# {serial}, {real}, {blob}: what databases spell differently. A log lies together, in its order: to
# append touches one page, an id one more. `one_outcome`: no reward counts twice, or after its end.
_TABLES = (
    """CREATE TABLE experiments (
        number {serial}, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL,
        at {real} NOT NULL, repairs BIGINT NOT NULL DEFAULT 0)""",
    """CREATE TABLE log (
        experiment BIGINT NOT NULL, seq BIGINT NOT NULL, kind SMALLINT NOT NULL,
        at {real} NOT NULL, id TEXT, arm INTEGER, t BIGINT, number BIGINT, of BIGINT,
        value {real}, text TEXT,
        key BIGINT, probability {real}, basis BIGINT, among TEXT, told TEXT,
        PRIMARY KEY (experiment, seq)){clustered}""",
    "CREATE UNIQUE INDEX one_decision ON log (id, experiment) WHERE id IS NOT NULL",
    "CREATE UNIQUE INDEX one_outcome ON log (experiment, of) WHERE of IS NOT NULL",
    """CREATE TABLE snapshots (
        experiment BIGINT PRIMARY KEY, seq BIGINT NOT NULL, state {blob} NOT NULL)""",
    """CREATE TABLE keys (
        number {serial}, role TEXT NOT NULL, experiment TEXT, hash TEXT NOT NULL,
        created {real} NOT NULL, revoked {real}, name TEXT, expires {real}, used {real})""",
    "CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT NOT NULL)",
    "INSERT INTO counters VALUES ('keys', 0), ('writes', 0)",
)
FIELDS = ", ".join(Row._fields)
KEYS_VERSION = "SELECT value FROM counters WHERE name = 'keys'"
_ROWS_PER_READ = 5_000


class StorageError(RbmleError):
    """The database is away, full, read-only or otherwise cannot be used now."""


class MissingError(StorageError):
    """There is no database, or nothing in it."""


class ChangedError(StorageError):
    """A command has changed an experiment since it was loaded."""


class SchemaError(StorageError):
    """The database belongs to another program, or to another version of this one."""


class Stored(NamedTuple):
    """An experiment as it is stored: its number, its name, its definition as text, its start.

    repairs: how often a command has changed its log or its snapshot.
    """

    number: int
    name: str
    definition: str
    at: float
    repairs: int = 0


class Key(NamedTuple):
    """A key: its role, the only experiment that it is for, if any, and a hash of its secret.

    name: whose it is, in the operator's words. expires: when it stops. used: when it was last used,
    to about a minute. Times are in seconds since 1970.
    """

    number: int
    role: str
    experiment: str | None
    hash: str
    created: float
    revoked: float | None = None
    name: str | None = None
    expires: float | None = None
    used: float | None = None

    def sees(self, experiment: str) -> bool:
        """Whether the key is for this experiment, or for all."""
        return self.experiment is None or self.experiment == experiment


class Storage(Upkeep, NextRows):
    """What the service needs of a database. Statements have `?` for a value.

    generation: it changes when the database is opened again, because the connection broke or the
    file was replaced. Caches of what was read before are invalid then.
    """

    generation = 0
    _reading_since: float | None = None

    def _create_tables(self, run: Callable[[str], object], **spelled: str) -> None:
        for each in _TABLES:
            run(each.format(**spelled))

    def _check_version(self, version: int, where: str) -> None:
        if version != VERSION:
            why = f"service: {where} has tables of version {version}; this rbmle knows version"
            raise SchemaError(f"{why} {VERSION} only.")

    @abstractmethod
    def begin(self) -> None:
        """Begin a transaction that writes."""

    @abstractmethod
    def begin_reading(self) -> None:
        """Begin a transaction that only reads."""

    @abstractmethod
    def commit(self) -> None:
        """End the transaction; on return it is on the disk."""

    @abstractmethod
    def rollback(self) -> None:
        """End the transaction without its changes. It never raises."""

    @abstractmethod
    def close(self) -> None:
        """Close the database."""

    @abstractmethod
    def unblock(self) -> None:
        """End a call that the database has not answered in time; any thread may call it."""

    @abstractmethod
    def lock(self, numbers: Sequence[int]) -> None:
        """Lock these experiments until the transaction ends; call it once in a transaction."""

    @abstractmethod
    def locked(self) -> dict[int, int]:
        """The experiments that `lock` has found, and how often each was repaired."""

    @abstractmethod
    def append(self, rows: Sequence[Row]) -> None:
        """Append rows of experiments that are locked."""

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that is durable when the `with` ends, or has changed nothing."""
        self.begin()
        try:
            yield
            self.commit()
        except BaseException:
            self.rollback()
            raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A transaction that only reads."""
        self._reading_since = monotonic()
        self.begin_reading()
        try:
            yield
        finally:
            self._reading_since = None
            self.rollback()

    def seen_at(self) -> float:
        """Since when, by `monotonic`, rows that are read now may have changed: within `reading`
        since it began."""
        return self._reading_since or monotonic()

    def create(
        self, name: str, definition: str, at: float, key: int | None = None
    ) -> Stored | None:
        """Create an experiment; None if there is one of that name. Call it before `lock`.

        key: the number of the key that asks for it.
        """
        made = self._ask(
            "INSERT INTO experiments (name, definition, at) VALUES (?, ?, ?) "
            "ON CONFLICT (name) DO NOTHING RETURNING number",
            [name, definition, at],
        )
        if not made:
            return None
        stored = Stored(made[0][0], name, definition, at)
        self.append([Row(stored.number, 1, int(Kind.CREATED), at, text=definition, key=key)])
        return stored

    def find(self, which: str | int) -> Stored | None:
        """The experiment of that name, or number."""
        column = "name" if isinstance(which, str) else "number"
        found = self._stored(f"WHERE {column} = ?", [which]) if _may_be_stored(which) else ()
        return next(iter(found), None)

    def experiments(self) -> list[Stored]:
        """All experiments, in the order of their numbers."""
        return self._stored("ORDER BY number")

    def _stored(self, which: str, values: Sequence[Any] = ()) -> list[Stored]:
        asked = f"SELECT {', '.join(Stored._fields)} FROM experiments {which}"
        return [Stored(*each) for each in self._ask(asked, values)]

    def _rows(self, where: str, values: Sequence[Any]) -> list[Row]:
        return list(map(Row._make, self._ask(f"SELECT {FIELDS} FROM log WHERE {where}", values)))

    def decisions(self, ids: Sequence[str]) -> list[Row]:
        """The decisions that callers gave these ids, in any experiment."""
        asked = self._listed([each for each in ids if _may_be_stored(each)])
        return self._rows(f"id {self.among} AND id IS NOT NULL", [asked])

    def decision(self, experiment: int, seq: int) -> Row | None:
        """The decision at this place of the log."""
        values = [experiment, seq, int(Kind.DECISION)]
        return next(iter(self._rows("experiment = ? AND seq = ? AND kind = ?", values)), None)

    def outcome(self, experiment: int, of: int) -> Row | None:
        """The row with the reward of the decision at `of`, or that says it expired."""
        return next(iter(self._rows("experiment = ? AND of = ?", [experiment, of])), None)

    def waiting(self, experiment: int, after: int, until: int) -> list[Row]:
        """The decisions without an outcome in this part of the log, in order."""
        where = (
            "experiment = ? AND seq > ? AND seq <= ? AND kind = ? AND NOT EXISTS (SELECT 1 FROM log"
            " AS outcome WHERE outcome.experiment = log.experiment AND outcome.of = log.seq)"
            " ORDER BY seq"
        )
        return self._rows(where, [experiment, after, until, int(Kind.DECISION)])

    def rows(self, experiment: int, after: int, limit: int = sys.maxsize) -> list[Row]:
        """The first rows after place `after`, in order."""
        where = "experiment = ? AND seq > ? ORDER BY seq LIMIT ?"
        return self._rows(where, [experiment, after, limit])

    def log(self, experiment: int) -> Iterator[list[Row]]:
        """All rows, in pieces: a long log is never in memory as a whole."""
        after = 0
        while rows := self.rows(experiment, after, _ROWS_PER_READ):
            yield rows
            after = rows[-1].seq

    def snapshot(self, experiment: int) -> bytes | None:
        """The latest snapshot of the experiment's state."""
        found = self._ask("SELECT state FROM snapshots WHERE experiment = ?", [experiment])
        return bytes(found[0][0]) if found else None

    def save_snapshot(self, experiment: int, seq: int, state: bytes) -> None:
        """Replace the snapshot of a locked experiment."""
        self._do(
            "INSERT INTO snapshots (experiment, seq, state) VALUES (?, ?, ?) ON CONFLICT "
            "(experiment) DO UPDATE SET seq = excluded.seq, state = excluded.state",
            [experiment, seq, state],
        )

    def write_something(self) -> None:
        """Change a number that nobody reads: it fails if nothing can be written."""
        self._increment("writes")

    def keys_version(self) -> int:
        """A number that changes whenever a key is added or revoked."""
        return int(self._ask(KEYS_VERSION)[0][0])

    def stored_keys(self) -> list[Key]:
        """All keys, also revoked ones."""
        asked = f"SELECT {', '.join(Key._fields)} FROM keys ORDER BY number"
        return [Key(*each) for each in self._ask(asked)]

    def save_use(self, number: int, at: float) -> None:
        """Store when a key was last used."""
        self._do(
            "UPDATE keys SET used = ? WHERE number = ? AND (used IS NULL OR used < ?)",
            [at, number, at],
        )


def _may_be_stored(text: str | int) -> bool:
    """Whether there may be such a name or id. PostgreSQL refuses to look for a text with a NUL,
    which would fail the whole transaction, and with it the requests of others."""
    return isinstance(text, int) or "\0" not in text


def open_storage(
    url: str, create: bool = True, read_only: bool = False, timeouts: bool = False
) -> Storage:
    """The storage at an address: sqlite:///file.db or postgresql://host/name.

    Its tables are created if there are none. create: False if a file must be there. read_only:
    nothing is created or written; raises MissingError if there is nothing to read. timeouts: raise
    StorageError if the database does not answer in time, as a service must; a command waits.
    """
    kind, found, rest = url.partition("://")
    if kind == "sqlite" and found and rest.startswith("/") and len(rest) > 1:
        from .sqlite import SqliteStorage

        return SqliteStorage(rest[1:], create, read_only, timeouts)
    if kind in ("postgresql", "postgres") and found:
        from .postgres import PostgresStorage

        return PostgresStorage(url, read_only, timeouts)
    shown = without_password(url)
    raise ParameterError("service", "database", "sqlite:///FILE or postgresql://HOST/NAME", shown)
