"""The storage in a PostgreSQL database, for workers on several machines."""

from __future__ import annotations

import functools
import os
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ..errors import ParameterError
from .addresses import without_password
from .next_rows import Next
from .rows import Row
from .storage import (
    ANSWER_SECONDS,
    FIELDS,
    KEYS_VERSION,
    NO_ANSWER,
    VERSION,
    Key,
    MissingError,
    SchemaError,
    Storage,
    StorageError,
    Stored,
)

_CREATION_LOCK = 0x52424D4C  # the number of the advisory lock under which tables are made
_CONNECT_TIMEOUT_SECONDS = 2  # the least that PostgreSQL's library allows
# The server's own timeouts, below ours: a statement; a lock that another worker holds, which may be
# stopped; and a session whose worker does not go on with its transaction, which then loses its
# locks.
_SERVER_TIMEOUTS = (
    f"SET statement_timeout = {ANSWER_SECONDS - 0.2:g}e3; SET lock_timeout = 3000; "
    "SET idle_in_transaction_session_timeout = 5000"
)
_READS = "SET default_transaction_read_only = on"
# Each statement is planned once, while the log may be empty, and must use the indices all the same:
# a log of 14,000 rows that was read from end to end took PostgreSQL five times as much work. How
# many rows are new it cannot know, and guesses a third: from some 400,000 rows on it would start
# other processes to read thirty, which took 10 ms under the lock.
_WRITES = (
    "SET default_transaction_isolation = 'read committed'; SET synchronous_commit = on; "
    "SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET jit = off; "
    "SET max_parallel_workers_per_gather = 0"
)
# A network that swallows packets breaks the connection after about as long.
_NETWORK = {
    "keepalives_idle": 2, "keepalives_interval": 1, "keepalives_count": 3,
    "tcp_user_timeout": int(ANSWER_SECONDS * 1000),
}  # fmt: skip
# All rows of a transaction in one statement, a column for each field.
_TYPES = (
    "bigint", "bigint", "smallint", "float8", "text", "integer", "bigint", "bigint", "bigint",
    "float8", "text", "bigint", "float8", "bigint", "text", "text",
)  # fmt: skip
_INSERT = (
    f"INSERT INTO log ({FIELDS}) SELECT * FROM unnest("
    f"{', '.join(f'?::{each}[]' for each in _TYPES)})"
)


# The fields of rows that `append_next` sends: the others follow from where they come to stand.
_SENT = [place for place, each in enumerate(Row._fields) if each not in ("experiment", "seq", "at")]
_LOCK = "SELECT number, repairs FROM experiments WHERE number = ANY(?) ORDER BY number FOR UPDATE"
_AFTER = f"SELECT {FIELDS} FROM log WHERE experiment = ? AND seq > ? ORDER BY seq"


@functools.cache
def _next(unchanged: str) -> str:
    """The statement that appends rows after all others; `_values` has its values."""
    sent = ", ".join(Row._fields[each] for each in _SENT)
    shifted = sent.replace("number", "number + CASE WHEN kind = 1 THEN made ELSE 0 END")
    arrays = ", ".join(f"?::{_TYPES[each]}[]" for each in _SENT)
    return f"""INSERT INTO log (experiment, seq, at, {sent})
        SELECT ?, ?::bigint + others.n + place, others.at, {shifted}
        FROM (SELECT count(*) AS n, greatest(max(at), ?::float8) AS at, coalesce(max(kind), 0) AS
        kinds, count(*) FILTER (WHERE kind = 1) AS made FROM log WHERE experiment = ? AND seq > ?)
        AS others, unnest({arrays}) WITH ORDINALITY AS new ({sent}, place)
        WHERE kinds <= 3 AND others.at < ?::float8 AND {unchanged}"""


@functools.cache
def _spelled(statement: str) -> bytes:
    return statement.replace("?", "%s").encode()


def _quoted(value: str | None) -> str:
    """A text as PostgreSQL writes it in an array."""
    if value is None:
        return "NULL"
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _columns(rows: Sequence[Row], fields: Sequence[int] = range(len(Row._fields))) -> list[str]:
    """The rows as arrays, one for each field, floats with all their digits; fields: only those."""
    columns = [list(each) for each in zip(*rows, strict=True)]
    texts = [
        ",".join(map(_quoted, columns[each])) if _TYPES[each] == "text"
        else repr(columns[each])[1:-1].replace("None", "NULL")
        for each in fields
    ]  # fmt: skip
    return [f"{{{each}}}" for each in texts]


def _password(url: str) -> str:
    """The password in the address. An address that can be misread, so that a part of the password
    would be taken for the host and shown in an error, is refused."""
    users, at, _ = url.partition("://")[2].partition("?")[0].rpartition("@")
    try:
        parts = conninfo_to_dict(url)
        if at and any(each in users for each in "@/"):
            raise ValueError
        if not str(parts.get("port", "0")).replace(",", "0").isdigit():
            raise ValueError
    except (psycopg.Error, ValueError):
        allowed = (
            "postgresql://USER:PASSWORD@HOST:PORT/NAME, with %40 for @ and %2F for / in a password"
        )
        raise ParameterError("service", "database", allowed, without_password(url)) from None
    return str(parts.get("password") or "")


class PostgresStorage(Storage):
    """A connection to PostgreSQL. The row of an experiment is its lock.

    A transaction takes two trips to the server: one to begin it, read the version of the keys, lock
    the experiments and read their new rows, and one to append rows and commit.

    A broken connection is reopened when the next transaction begins.

    A server that does not answer is not waited for: `unblock` breaks the connection. A COMMIT that
    was not answered may have succeeded; whoever sends the same id again finds out.
    """

    failures = (psycopg.Error, UnicodeError)  # the latter of a host such as a..b
    duplicates = (psycopg.errors.UniqueViolation,)
    among = "= ANY(?)"

    def __init__(self, url: str, read_only: bool = False, timeouts: bool = False) -> None:
        self._read_only, self._timeouts = read_only, timeouts
        self._unanswered = False  # whether the present call to the server was ended
        self._keys: psycopg.Cursor[Any] | None = None  # has the version of the keys
        self._password = _password(url)
        self._base: psycopg.Connection[Any] | None = None
        self._waiting: psycopg.Pipeline | None = None  # statements that are not sent yet
        self._sends = ExitStack()  # it sends them
        options: dict[str, Any] = {
            "connect_timeout": _CONNECT_TIMEOUT_SECONDS, "application_name": "rbmle",
        }  # fmt: skip
        self._address = make_conninfo(url, **options, **(_NETWORK if timeouts else {}))
        if not timeouts:  # else when it is needed, and `unblock` can be called
            self._connect()

    def _connect(self) -> psycopg.Connection[Any]:
        if self._base is not None and not self._base.closed and not self._base.broken:
            return self._base
        self.close()
        self._unanswered = False
        self.generation += 1
        with self._translated(), ExitStack() as failed:
            failed.callback(self.close)
            self._base = psycopg.connect(self._address, autocommit=True)
            if self._timeouts:
                self._base.execute(_SERVER_TIMEOUTS)
            self._base.execute(_READS if self._read_only else _WRITES)
            if not self._is_ours(self._base):
                if self._read_only:
                    why = "the database has no tables"
                    raise MissingError(f"service: PostgreSQL cannot be used: {why}.")
                self._prepare(self._base)
            failed.pop_all()
        return self._base

    def _is_ours(self, base: psycopg.Connection[Any]) -> bool:
        found = base.execute("SELECT to_regclass('rbmle_schema')").fetchone()
        return found != (None,) and self._has_version(base)

    def _has_version(self, base: psycopg.Connection[Any]) -> bool:
        found = base.execute("SELECT version FROM rbmle_schema").fetchone()
        if found is not None:
            self._check_version(found[0], "the database")
        return found is not None

    def _prepare(self, base: psycopg.Connection[Any]) -> None:
        with base.transaction():
            base.execute("SELECT pg_advisory_xact_lock(%s)", [_CREATION_LOCK])
            base.execute("CREATE TABLE IF NOT EXISTS rbmle_schema (version INTEGER NOT NULL)")
            if self._has_version(base):
                return
            taken = base.execute("SELECT to_regclass('log'), to_regclass('keys')").fetchone()
            if taken != (None, None):
                raise SchemaError("service: the database has tables of another program.")
            base.execute("INSERT INTO rbmle_schema VALUES (%s)", [VERSION])
            self._create_tables(
                base.execute, serial="BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
                real="DOUBLE PRECISION", blob="BYTEA", clustered="",
            )  # fmt: skip

    def _error(self, problem: object) -> StorageError:
        if self._unanswered:
            return StorageError(NO_ANSWER)
        text = " ".join(str(problem).split()).rstrip(".") or type(problem).__name__
        if self._password:
            text = text.replace(self._password, "...")
        end = "" if text.endswith("?") else "."
        return StorageError(f"service: PostgreSQL cannot be used: {text}{end}")

    def unblock(self) -> None:
        base = self._base
        if time.monotonic() - self._since > ANSWER_SECONDS and base is not None:
            self._unanswered = True
            with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(base.fileno())) as s:
                s.shutdown(socket.SHUT_RDWR)  # the call fails, as if the server had gone

    def _later(self, statement: str, values: Sequence[Any] = ()) -> psycopg.Cursor[Any]:
        """Run a statement. In a transaction that writes it is sent together with those after it,
        when the first answer is needed."""
        if self._base is None:
            raise self._error("the connection is closed")
        return self._base.execute(_spelled(statement), values, binary=True)

    def _run(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Run a statement whose answer is not needed."""
        with self._translated():
            self._later(statement, values)

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> psycopg.Cursor[Any]:
        """Run a statement and wait for its answer. After it the server waits for us, and ends the
        session if we do not go on: it would not if its answer were only flushed."""
        cursor = self._later(statement, values)
        if self._waiting is not None:
            self._waiting.sync()
        return cursor

    def begin(self) -> None:
        self._begin("BEGIN")

    def begin_reading(self) -> None:
        self._begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def _begin(self, statement: str) -> None:
        base = self._connect()
        self._sends, self._keys = ExitStack(), None
        with self._translated():
            self._waiting = self._sends.enter_context(base.pipeline())
        self._run(statement)

    def commit(self) -> None:
        self._run("COMMIT")
        self._send()

    def _send(self) -> None:
        """Send what waits, and wait for all answers."""
        stack, self._sends, self._waiting = self._sends, ExitStack(), None
        with self._translated():
            stack.close()

    def rollback(self) -> None:
        with suppress(StorageError):
            self._send()
        base = self._base
        try:
            if base is not None and base.info.transaction_status != 0:
                self._run("ROLLBACK")
        except StorageError:  # the server rolls back when the connection is gone
            self.close()

    def lock(self, numbers: Sequence[int]) -> None:
        """Lock the rows in the order of their numbers, so that no two workers wait in a circle."""
        with self._translated():
            self._keys = self._later(KEYS_VERSION)
            self._locked = self._later(_LOCK, [list(numbers)])

    def locked(self) -> dict[int, int]:
        with self._translated():
            return dict(self._locked.fetchall())

    def keys_version(self) -> int:
        """As `lock` has read it, in the same trip."""
        with self._translated():
            read, self._keys = self._keys or self._execute(KEYS_VERSION), None
            return int(read.fetchall()[0][0])

    def _listed(self, values: Sequence[Any]) -> Any:
        return list(values)

    def append(self, rows: Sequence[Row]) -> None:
        self._run(_INSERT, _columns(rows))

    def append_next(self, wanted: Sequence[Next], generation: int) -> list[list[Row] | None]:
        """All of it in one trip to the server: the lock is held while that works, no longer."""
        asked, statement = [], _next(self._unchanged)
        with self._unless_there(), self.writing():
            if self.generation == generation:
                with self._translated():
                    self._later(_LOCK, [[each.experiment for each in wanted]])
                    for each in wanted:
                        others = self._later(_AFTER, [each.experiment, each.basis])
                        asked.append((each, others, self._later(statement, self._values(each))))
        found: dict[int, list[Row]] = {}
        for each, others, inserted in asked:
            if inserted.rowcount == len(each.rows):
                before = list(map(Row._make, others.fetchall()))
                found[each.experiment] = [*before, *each.after(before)]
        return [found.get(each.experiment) for each in wanted]

    def _values(self, each: Next) -> list[Any]:
        number, basis, rows = each.experiment, each.basis, _columns(each.rows, _SENT)
        places = [number, basis, each.at, number, basis]
        return [*places, *rows, each.until, *self._conditions(each)]

    def put(self, table: str, rows: Sequence[Stored | Key]) -> None:
        super().put(table, rows)
        last = max((each.number for each in rows), default=0)
        if last:
            self._ask("SELECT setval(pg_get_serial_sequence(?, 'number'), ?)", [table, last])

    def overwrite_deleted(self) -> None:
        """PostgreSQL overwrites deleted rows in time, after its own VACUUM."""

    def empty_journal(self) -> None:
        """PostgreSQL recycles its journal in time."""

    def close(self) -> None:
        self._sends, self._waiting = ExitStack(), None
        if self._base is not None:
            self._base.close()
            self._base = None
