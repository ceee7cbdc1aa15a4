"""The interface of a storage: transactions, and the few questions that are asked in one.

A storage is used by one thread at a time. Within `writing` it holds the lock of the experiments
that it has named by `lock`; what was read before may have changed by then. Within `reading` it sees
one state of the database and takes no lock.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from ..errors import ParameterError, RbmleError
from .rows import Row


class StorageError(RbmleError):
    """The database is away, full, read-only or otherwise cannot be used now."""


class SchemaError(RbmleError):
    """The database belongs to another program, or to a newer version of this one."""


class Stored(NamedTuple):
    """An experiment as it is stored: its number, its name, its definition as text, its start."""

    number: int
    name: str
    definition: str
    at: float


class StoredKey(NamedTuple):
    """A key as it is stored: only a hash of its secret is kept."""

    number: int
    role: str
    experiment: str | None
    hash: str
    created: float
    revoked: float | None


class Storage(ABC):
    """What the service needs of a database.

    generation: it changes when the database is opened again, because the connection broke or the
    file was replaced. What was read before may not be there any more.
    """

    generation = 0

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction that is durable when the `with` ends, or has changed nothing."""
        self.begin()
        try:
            yield
        except BaseException:
            self.rollback()
            raise
        self.commit()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A transaction that only reads."""
        self.begin_reading()
        try:
            yield
        finally:
            self.rollback()

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
    def lock(self, numbers: Sequence[int]) -> None:
        """Lock these experiments until the transaction ends; call it once in a transaction."""

    @abstractmethod
    def create(self, name: str, definition: str, at: float) -> Stored | None:
        """Create an experiment; None if there is one of that name. Call it before `lock`."""

    @abstractmethod
    def named(self, name: str) -> Stored | None:
        """The experiment of that name."""

    @abstractmethod
    def experiments(self) -> list[Stored]:
        """All experiments, in the order of their numbers."""

    @abstractmethod
    def decisions(self, ids: Sequence[str]) -> list[Row]:
        """The decisions that callers gave these ids, in any experiment."""

    @abstractmethod
    def decision(self, experiment: int, seq: int) -> Row | None:
        """The decision at this place of the log."""

    @abstractmethod
    def outcome(self, experiment: int, of: int) -> Row | None:
        """The row with the reward of the decision at `of`, or that says it expired."""

    @abstractmethod
    def rows(self, experiment: int, after: int, limit: int | None = None) -> list[Row]:
        """The rows after place `after`, in order."""

    @abstractmethod
    def append(self, rows: Sequence[Row]) -> None:
        """Append rows of experiments that are locked."""

    @abstractmethod
    def snapshot(self, experiment: int) -> bytes | None:
        """The latest snapshot of the experiment's state."""

    @abstractmethod
    def keep_snapshot(self, experiment: int, seq: int, state: bytes) -> None:
        """Replace the snapshot of a locked experiment."""

    @abstractmethod
    def write_something(self) -> None:
        """Change a number that nobody reads: it fails if nothing can be written."""

    @abstractmethod
    def keys_version(self) -> int:
        """A number that changes whenever a key is added or revoked."""

    @abstractmethod
    def stored_keys(self) -> list[StoredKey]:
        """All keys, also revoked ones."""

    @abstractmethod
    def add_key(self, role: str, experiment: str | None, hash: str, at: float) -> int:
        """Store a key and return its number."""

    @abstractmethod
    def revoke_key(self, number: int, at: float) -> bool:
        """Revoke the key; False if there is no such key."""


def open_storage(url: str, create: bool = True) -> Storage:
    """The storage at an address: sqlite:///file.db or postgresql://host/name.

    Its tables are created or brought up to this version. create: False if a file must be there.
    """
    kind, found, rest = url.partition("://")
    if kind == "sqlite" and found and rest.startswith("/") and len(rest) > 1:
        from .sqlite import SqliteStorage

        return SqliteStorage(rest[1:], create)
    if kind in ("postgresql", "postgres") and found:
        from .postgres import PostgresStorage

        return PostgresStorage(url)
    raise ParameterError(
        "service", "database", "sqlite:///FILE or postgresql://HOST/NAME", _without_password(url)
    )


def _without_password(url: str) -> str:
    kind, found, rest = url.partition("://")
    return f"{kind}://...@{rest.rpartition('@')[2]}" if found and "@" in rest else url
