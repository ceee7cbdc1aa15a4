"""The storage in one SQLite file."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import Any

from .fair_lock import FairLock
from .rows import Row
from .storage import (
    FIELDS,
    VERSION,
    SchemaError,
    Storage,
    StorageError,
    check_version,
    create_tables,
)

_COLUMN_TYPES = {
    "serial": "INTEGER PRIMARY KEY AUTOINCREMENT",
    "real": "REAL",
    "blob": "BLOB",
    "clustered": " WITHOUT ROWID",
}
_APPLICATION_ID = 0x52424D4C  # "RBML", the file's application_id
_BUSY_TIMEOUT_SECONDS = 10.0  # for locks of other programs; ours wait for the fair lock
# Pages (of 4 kB) in the write-ahead log before a checkpoint; SQLite's default. A larger number was
# measured slower: a sync takes longest while the log grows, because its size must be written too.
_CHECKPOINT_PAGES = 1_000
_INSERT = f"INSERT INTO log ({FIELDS}) VALUES ({', '.join('?' * len(Row._fields))})"


class SqliteStorage(Storage):
    """One file, in WAL mode with synchronous=FULL: COMMIT returns when the transaction is on the
    disk, and nobody sees it before.

    Processes that write take turns at a fair lock beside the file: SQLite's own lock is polled, so
    that a busy process can keep another one out for seconds.
    """

    failures = (sqlite3.Error, OSError)

    def __init__(self, path: str, create: bool = True) -> None:
        """create: False if the file must be there."""
        self.path = path
        self._fair: FairLock | None = None
        self._base: sqlite3.Connection | None = None
        self._inside = False
        self._identity = (-1, -1)
        self._open(create)

    def _open(self, create: bool) -> None:
        with self._translated(), ExitStack() as failed:
            failed.callback(self.close)
            if not create:
                os.stat(self.path)
            self._fair = FairLock(self.path)
            self._base = sqlite3.connect(
                self.path, _BUSY_TIMEOUT_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._fair.enter()
            try:
                self._prepare(self._base)
            finally:
                self._fair.leave()
            self._identity = self._found()
            failed.pop_all()

    def _found(self) -> tuple[int, int]:
        """Which file is at the path now."""
        found = os.stat(self.path)
        return found.st_dev, found.st_ino

    def _connect(self) -> None:
        """Reopen the file if it was replaced: rows written to a moved file would be lost."""
        with self._translated():
            if self._base is not None and self._found() == self._identity:
                return
        self.close()
        self._open(create=False)
        self.generation += 1

    def _prepare(self, base: sqlite3.Connection) -> None:
        run = base.execute
        version = run("PRAGMA user_version").fetchone()[0]
        mark = run("PRAGMA application_id").fetchone()[0]
        empty = not run("SELECT count(*) FROM sqlite_master").fetchone()[0]
        new = empty and version == mark == 0
        if not new:
            if mark != _APPLICATION_ID:
                raise SchemaError(f"service: {self.path} is a database of another program.")
            check_version(version, self.path)
        run("PRAGMA journal_mode=WAL")
        run("PRAGMA synchronous=FULL")
        run(f"PRAGMA wal_autocheckpoint={_CHECKPOINT_PAGES}")
        with base:
            run("BEGIN IMMEDIATE")
            if new:
                create_tables(run, _COLUMN_TYPES)
                run(f"PRAGMA user_version={VERSION}")
                run(f"PRAGMA application_id={_APPLICATION_ID}")

    def _error(self, problem: Exception) -> StorageError:
        return StorageError(f"service: {os.fspath(self.path)} cannot be used: {problem}.")

    def _opened(self) -> sqlite3.Connection:
        if self._base is None:
            raise StorageError(f"service: {self.path} cannot be used: it is closed.")
        return self._base

    def _ask(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._translated():
            return self._opened().execute(statement, values).fetchall()

    def _do(self, statement: str, values: Sequence[Any] = ()) -> int:
        with self._translated():
            return self._opened().execute(statement, values).rowcount

    def begin(self) -> None:
        self._connect()
        assert self._fair is not None
        self._fair.enter()
        self._inside = True
        try:
            self._do("BEGIN IMMEDIATE")
        except BaseException:
            self.rollback()
            raise

    def begin_reading(self) -> None:
        self._connect()
        self._do("BEGIN")

    def commit(self) -> None:
        self._do("COMMIT")
        self._leave()

    def rollback(self) -> None:
        with suppress(sqlite3.Error):  # then it is rolled back when the file is opened next
            if self._base is not None and self._base.in_transaction:
                self._base.execute("ROLLBACK")
        self._leave()

    def _leave(self) -> None:
        if self._inside and self._fair is not None:
            self._inside = False
            self._fair.leave()

    def lock(self, numbers: Sequence[int]) -> None:
        """Nothing to do: `begin` has locked the whole file."""

    def decisions(self, ids: Sequence[str]) -> list[Row]:
        return self._rows("id IN (SELECT value FROM json_each(?))", [json.dumps(list(ids))])

    def append(self, rows: Sequence[Row]) -> None:
        with self._translated():
            self._opened().executemany(_INSERT, rows)

    def close(self) -> None:
        if self._base is not None:
            self._base.close()
            self._base = None
        if self._fair is not None:
            self._fair.close()
            self._fair = None
