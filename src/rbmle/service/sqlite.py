"""The storage in one SQLite file, and the fair lock beside it."""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import chain
from typing import Any
from urllib.parse import quote

from .next_rows import Next
from .rows import Kind, Row
from .storage import (
    ANSWER_SECONDS,
    FIELDS,
    VERSION,
    MissingError,
    SchemaError,
    Storage,
    StorageError,
)

if sys.platform != "win32":
    import fcntl

_APPLICATION_ID = 0x52424D4C  # "RBML", the file's application_id
# The time-out, in seconds, is for locks of other programs; ours wait for the fair lock.
_CONNECTION: dict[str, Any] = {"timeout": 3.0, "isolation_level": None, "check_same_thread": False}
# Pages (of 4 kB) in the write-ahead log before a checkpoint; SQLite's default. A larger number was
# measured slower: a sync takes longest while the log grows, because its size must be written too.
_CHECKPOINT_PAGES = 1_000
_INSERT = f"INSERT INTO log ({FIELDS}) VALUES "
_VALUES = f"({', '.join('?' * len(Row._fields))})"
# Of one statement: less than 999 values, which any SQLite takes. `executemany` takes 1.7 times it.
_ROWS_PER_INSERT = 62


def _size(path: str) -> int:
    """The size of the file; 0 if there is none."""
    return os.path.getsize(path) if os.path.exists(path) else 0


class FairLock:
    """A lock between processes: a holder cannot retake it before a waiter had it.

    Two file locks, one behind the other: the turn, and the lock itself. To enter, a process takes
    the turn, then the lock, then gives the turn back. While one holds the lock, the next waits for
    it with the turn, so the holder cannot retake it before the next. The operating system frees
    both when a process ends, even if it was killed.

    Each object has file handles of its own, so it also excludes other objects in its process.
    """

    def __init__(self, path: str) -> None:
        if sys.platform == "win32":
            raise OSError(f"{path}: this system has no file locks that can be waited for.")
        with ExitStack() as failed:
            self._lock = os.open(f"{path}-lock", os.O_RDWR | os.O_CREAT, 0o666)
            failed.callback(os.close, self._lock)
            self._turn = os.open(f"{path}-turn", os.O_RDWR | os.O_CREAT, 0o666)
            failed.pop_all()

    def enter(self) -> None:
        """Wait for the lock."""
        fcntl.flock(self._turn, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        finally:
            fcntl.flock(self._turn, fcntl.LOCK_UN)

    def leave(self) -> None:
        """Give the lock back."""
        fcntl.flock(self._lock, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the files; this frees the locks."""
        os.close(self._turn)
        os.close(self._lock)


class SqliteStorage(Storage):
    """One file, in WAL mode with synchronous=FULL: COMMIT returns when the transaction is on the
    disk, and nobody sees it before.

    Processes that write take turns at a fair lock beside the file: SQLite's own lock is polled, so
    that a busy process can keep another one out for seconds.
    """

    failures = (sqlite3.Error, OSError)
    duplicates = (sqlite3.IntegrityError,)
    among = "IN (SELECT value FROM json_each(?))"

    def __init__(
        self, path: str, create: bool = True, read_only: bool = False, timeouts: bool = False
    ) -> None:
        """create: False if the file must be there. read_only: nothing is written, nor created.
        timeouts: see `open_storage`."""
        self.path, self._read_only, self._timeouts = path, read_only, timeouts
        self._base: sqlite3.Connection | None = None
        self._fair: FairLock | None = None
        self._open(create and not read_only)

    def _open(self, create: bool) -> None:
        with self._translated(), ExitStack() as failed:
            failed.callback(self.close)
            unwritten, exists = _size(f"{self.path}-wal"), os.path.exists(self.path)
            size = _size(self.path)
            if not (size or create):
                raise self._missing("it is empty" if exists else "there is no such file")
            if unwritten and not size:  # SQLite would remove it, and with it the newest rows
                why = f"without it {self.path}-wal is of no use; put it back, or remove that"
                raise self._error(why)
            if exists:  # and is refused, if it is not ours, before there is anything beside it
                self._base = self._connection_to_read()
                if self._is_new(self._base) and not create:
                    raise self._missing("it is empty")
                if self._read_only:
                    failed.pop_all()
                    return
                self._base.close()
            self._fair = FairLock(self.path)
            self._base = sqlite3.connect(self.path, **_CONNECTION)
            mode = self._base.execute("PRAGMA journal_mode").fetchone()[0]
            if mode != "wal" or self._is_new(self._base):
                self._fair.enter()
                self._create(self._base)
                self._fair.leave()
            self._base.execute("PRAGMA synchronous=FULL")
            self._base.execute(f"PRAGMA wal_autocheckpoint={_CHECKPOINT_PAGES}")
            self._identity = self._found()
            failed.pop_all()

    def _connection_to_read(self) -> sqlite3.Connection:
        """A connection that creates no file: without a write-ahead log, SQLite must be told that
        nobody writes, or it would create one. `reading` finds out if somebody does."""
        self._alone = self._written() if not os.path.exists(f"{self.path}-wal") else None
        address = f"file:{quote(os.path.abspath(self.path))}?mode=ro"
        if self._alone is not None:
            address += "&immutable=1"
        found: sqlite3.Connection = sqlite3.connect(address, uri=True, **_CONNECTION)
        return found

    def _written(self) -> tuple[object, ...]:
        """What changes when somebody opens the file to write, or has written it."""
        found = os.stat(self.path)
        wal = os.path.exists(f"{self.path}-wal")
        return found.st_ino, found.st_size, found.st_mtime_ns, wal

    def _found(self) -> tuple[int, int]:
        """Which file is at the path now."""
        found = os.stat(self.path)
        return found.st_dev, found.st_ino

    def _connect(self) -> None:
        """Reopen the file if it was replaced: rows written to a moved file would be lost."""
        if self._read_only:
            return
        with self._translated():
            if self._base is not None and self._found() == self._identity:
                return
        self.close()
        self._open(create=False)
        self.generation += 1

    def _is_new(self, base: sqlite3.Connection) -> bool:
        """Whether there is nothing in the file; raises SchemaError if it is not ours."""
        run = base.execute
        version = run("PRAGMA user_version").fetchone()[0]
        mark = run("PRAGMA application_id").fetchone()[0]
        empty = not run("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if empty and version == mark == 0:
            return True
        if mark != _APPLICATION_ID:
            raise SchemaError(f"service: {self.path} is a database of another program.")
        self._check_version(version, self.path)
        return False

    def _create(self, base: sqlite3.Connection) -> None:
        """Create the tables, unless another process has just done so. The mode stays."""
        run = base.execute
        run("PRAGMA journal_mode=WAL")
        with base:
            run("BEGIN IMMEDIATE")
            if self._is_new(base):
                self._create_tables(
                    run, serial="INTEGER PRIMARY KEY AUTOINCREMENT", real="REAL", blob="BLOB",
                    clustered=" WITHOUT ROWID",
                )  # fmt: skip
                run(f"PRAGMA user_version={VERSION}")
                run(f"PRAGMA application_id={_APPLICATION_ID}")

    def _error(self, problem: object) -> StorageError:
        why = getattr(problem, "strerror", None) or problem
        return StorageError(f"service: {self.path} cannot be used: {why}.")

    def _missing(self, why: str) -> MissingError:
        return MissingError(f"service: {self.path} cannot be used: {why}.")

    def _opened(self) -> sqlite3.Connection:
        if self._base is None:
            raise self._error("it is closed")
        return self._base

    def _execute(self, statement: str, values: Sequence[Any]) -> sqlite3.Cursor:
        return self._opened().execute(statement, values)

    def begin(self) -> None:
        self._connect()
        assert self._fair is not None
        began = time.monotonic()
        self._fair.enter()
        try:
            if self._timeouts and time.monotonic() - began > ANSWER_SECONDS:
                raise self._error("another process holds its lock")  # the caller has been told so
            self._do("BEGIN IMMEDIATE")
        except BaseException:
            self.rollback()
            raise

    def begin_reading(self) -> None:
        self._connect()
        self._do("BEGIN")

    @contextmanager
    def reading(self) -> Iterator[None]:
        with super().reading():
            yield
        with self._translated():
            if self._read_only and self._alone is not None and self._alone != self._written():
                raise self._error("a service has started to use it; try again")

    def commit(self) -> None:
        self._do("COMMIT")
        self._leave()

    def rollback(self) -> None:
        with suppress(sqlite3.Error):  # then it is rolled back when the file is opened next
            if self._base is not None and self._base.in_transaction:
                self._base.execute("ROLLBACK")
        self._leave()

    def _leave(self) -> None:
        if self._fair is not None:
            self._fair.leave()

    def lock(self, numbers: Sequence[int]) -> None:
        """`begin` has locked the whole file."""
        self._locked = self._listed(numbers)

    def locked(self) -> dict[int, int]:
        asked = f"SELECT number, repairs FROM experiments WHERE number {self.among}"
        return dict(self._ask(asked, [self._locked]))

    def _listed(self, values: Sequence[Any]) -> Any:
        return json.dumps(list(values))

    def append(self, rows: Sequence[Row]) -> None:
        for first in range(0, len(rows), _ROWS_PER_INSERT):
            part = rows[first : first + _ROWS_PER_INSERT]
            values = list(chain.from_iterable(part))
            self._do(_INSERT + ", ".join([_VALUES] * len(part)), values)

    def unblock(self) -> None:
        """A wait for the lock cannot be ended; who gets it too late does nothing: see `begin`."""

    def overwrite_deleted(self) -> None:
        self._do("PRAGMA secure_delete = ON")

    def empty_journal(self) -> None:
        ((busy, _, _),) = self._ask("PRAGMA wal_checkpoint(TRUNCATE)")
        if busy:
            why = f"it is done, but {self.path}-wal still holds what was removed, as others read it"
            raise StorageError(f"service: {why}; run the command again.")

    def append_next(self, wanted: Sequence[Next], generation: int) -> list[list[Row] | None]:
        with self._unless_there(), self.writing():
            same = self.generation == generation
            return [self._append_next(each) if same else None for each in wanted]
        return [None] * len(wanted)

    def _append_next(self, each: Next) -> list[Row] | None:
        others = self.rows(each.experiment, each.basis)
        rows = each.after(others)
        if any(row.kind > Kind.EXPIRED for row in others) or rows[0].at >= each.until:
            return None
        if not self._ask(f"SELECT 1 WHERE {self._unchanged}", self._conditions(each)):
            return None
        self.append(rows)
        return [*others, *rows]

    def close(self) -> None:
        if self._base is not None:
            self._base.close()
        if self._fair is not None:
            self._fair.close()
        self._base = self._fair = None
