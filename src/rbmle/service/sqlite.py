"""The storage in one SQLite file."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Sequence
from typing import Any

from .rows import Row
from .schema import NEWEST, migrate
from .sql import _FIELDS, INSERT, SqlStorage
from .storage import SchemaError, StorageError
from .turnstile import Turnstile

_SPELLED = {
    "serial": "INTEGER PRIMARY KEY AUTOINCREMENT",
    "real": "REAL",
    "blob": "BLOB",
    "clustered": " WITHOUT ROWID",
}
_MARK = 0x52424D4C  # "RBML", the file's application_id
_SECONDS_BUSY = 10.0  # for a lock of another program; our own processes wait for the turnstile
# Pages (of 4 kB) in the write-ahead log before they are moved to the file. Moving them takes two
# more waits for the disk, so not at SQLite's 1,000, which comes several times a second under load.
_CHECKPOINT_PAGES = 8_000


class SqliteStorage(SqlStorage):
    """One file, in WAL mode with synchronous=FULL: COMMIT returns when the transaction is on the
    disk, and nobody sees it before.

    Processes that write take turns at a fair lock beside the file: SQLite's own lock is polled, so
    that a busy process can keep another one out for seconds.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._turnstile: Turnstile | None = None
        self._inside = False
        try:
            self._turnstile = Turnstile(path)
            self._base = sqlite3.connect(
                path, timeout=_SECONDS_BUSY, isolation_level=None, check_same_thread=False
            )
            self._turnstile.enter()
            try:
                self._prepare()
            finally:
                self._turnstile.leave()
        except (sqlite3.Error, OSError) as problem:
            self.close()
            raise self._error(problem) from None
        except BaseException:
            self.close()
            raise

    def _prepare(self) -> None:
        run = self._base.execute
        version = run("PRAGMA user_version").fetchone()[0]
        mark = run("PRAGMA application_id").fetchone()[0]
        empty = not run("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if mark != _MARK and not (empty and version == mark == 0):
            raise SchemaError(f"service: {self.path} is a database of another program.")
        run("PRAGMA journal_mode=WAL")
        run("PRAGMA synchronous=FULL")
        run(f"PRAGMA wal_autocheckpoint={_CHECKPOINT_PAGES}")
        run("BEGIN IMMEDIATE")
        try:
            if migrate(version, run, _SPELLED, self.path):
                run(f"PRAGMA user_version={NEWEST}")
                run(f"PRAGMA application_id={_MARK}")
            run("COMMIT")
        except BaseException:
            run("ROLLBACK")
            raise

    def _error(self, problem: Exception) -> StorageError:
        return StorageError(f"service: {os.fspath(self.path)} cannot be used: {problem}.")

    def _ask(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        try:
            return self._base.execute(statement, values).fetchall()
        except sqlite3.Error as problem:
            raise self._error(problem) from None

    def _do(self, statement: str, values: Sequence[Any] = ()) -> int:
        try:
            return self._base.execute(statement, values).rowcount
        except sqlite3.Error as problem:
            raise self._error(problem) from None

    def begin(self) -> None:
        assert self._turnstile is not None
        self._turnstile.enter()
        self._inside = True
        try:
            self._do("BEGIN IMMEDIATE")
        except BaseException:
            self._leave()
            raise

    def begin_reading(self) -> None:
        self._do("BEGIN")

    def commit(self) -> None:
        try:
            self._do("COMMIT")
        except BaseException:
            self.rollback()
            raise
        self._leave()

    def rollback(self) -> None:
        try:
            if self._base.in_transaction:
                self._base.execute("ROLLBACK")
        except sqlite3.Error:  # it is rolled back when the file is opened next
            pass
        self._leave()

    def _leave(self) -> None:
        if self._inside and self._turnstile is not None:
            self._inside = False
            self._turnstile.leave()

    def lock(self, numbers: Sequence[int]) -> None:
        """Nothing to do: `begin` has locked the whole file."""

    def decisions(self, ids: Sequence[str]) -> list[Row]:
        asked = f"SELECT {_FIELDS} FROM log WHERE id IN (SELECT value FROM json_each(?))"
        return list(map(Row._make, self._ask(asked, [json.dumps(list(ids))])))

    def append(self, rows: Sequence[Row]) -> None:
        try:
            self._base.executemany(INSERT, rows)
        except sqlite3.Error as problem:
            raise self._error(problem) from None

    def close(self) -> None:
        if hasattr(self, "_base"):
            self._base.close()
        if self._turnstile is not None:
            self._turnstile.close()
            self._turnstile = None
