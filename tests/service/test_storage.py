"""The laws of a storage, for each database."""

from __future__ import annotations

import contextlib
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rbmle.errors import ParameterError
from rbmle.service.ids import place_of
from rbmle.service.ledger import Ledger
from rbmle.service.postgres import _AFTER, _TYPES, PostgresStorage
from rbmle.service.rows import Kind, Row
from rbmle.service.sqlite import FairLock, SqliteStorage
from rbmle.service.storage import _TABLES, Key, SchemaError, Storage, StorageError, open_storage
from rbmle.service.verify import verify

Opened = Callable[[], Storage]


def decision(experiment: int, seq: int, id: str | None = None) -> Row:
    return Row(experiment, seq, int(Kind.DECISION), 5.0, id, 1, seq - 1, seq - 1)


def outcome(experiment: int, seq: int, of: int, value: float = 1.0) -> Row:
    return Row(experiment, seq, int(Kind.REWARD), 6.0, None, 1, None, of - 1, of, value)


def test_every_field_of_a_row_has_a_column_and_a_type() -> None:
    """Without a PostgreSQL, too: who adds a field is told at once."""
    assert len(_TYPES) == len(Row._fields)
    (log,) = [each for each in _TABLES if each.startswith("CREATE TABLE log")]
    columns = [each.split()[0] for each in log.partition("(")[2].split(",")]
    assert [each for each in columns if each in Row._fields] == list(Row._fields)


def test_what_was_committed_is_read_by_another(opened: Opened) -> None:
    one, other = opened(), opened()
    with one.writing():
        made = one.create("x", "{}", 1.0)
        assert made is not None
        one.lock([made.number])
        one.append([decision(made.number, 2, "visit"), decision(made.number, 3)])
        one.append([outcome(made.number, 4, 2, 0.1)])
    with other.reading():
        assert other.find("x") == made
        assert other.find("y") is None
        assert other.experiments() == [made]
        rows = other.rows(made.number, 0)
        assert [each.seq for each in rows] == [1, 2, 3, 4]
        assert rows[0] == Row(made.number, 1, int(Kind.CREATED), 1.0, text="{}")
        assert other.rows(made.number, 1, 2) == rows[1:3]
        assert other.decisions(["visit", "nothing"]) == [rows[1]]
        assert other.decision(made.number, 3) == rows[2]
        assert other.decision(made.number, 4) is None
        assert other.outcome(made.number, 2) == rows[3]
        assert other.outcome(made.number, 3) is None


def test_a_transaction_that_fails_changes_nothing(opened: Opened) -> None:
    base = opened()
    with contextlib.suppress(ZeroDivisionError), base.writing():
        assert base.create("x", "{}", 1.0)
        raise ZeroDivisionError
    with base.reading():
        assert base.experiments() == []


def test_a_name_is_created_once(opened: Opened) -> None:
    one, other = opened(), opened()
    with one.writing():
        assert one.create("x", "{}", 1.0)
    with other.writing():
        assert other.create("x", "{}", 1.0) is None


@pytest.mark.parametrize("again", ["decision", "outcome", "seq"])
def test_the_database_itself_refuses_what_would_count_twice(opened: Opened, again: str) -> None:
    base = opened()
    with base.writing():
        made = base.create("x", "{}", 1.0)
        assert made is not None
        base.append([decision(made.number, 2, "visit"), outcome(made.number, 3, 2)])
    row = {
        "decision": decision(made.number, 4, "visit"),
        "outcome": outcome(made.number, 4, 2, 0.0),
        "seq": decision(made.number, 3),
    }[again]
    with pytest.raises(StorageError), base.writing():
        base.append([row])
    with base.reading():
        assert len(base.rows(made.number, 0)) == 3


def test_an_id_may_be_used_in_two_experiments(opened: Opened) -> None:
    base = opened()
    with base.writing():
        first, second = base.create("x", "{}", 1.0), base.create("y", "{}", 1.0)
        assert first is not None
        assert second is not None
        base.append([decision(first.number, 2, "visit"), decision(second.number, 2, "visit")])
        assert len(base.decisions(["visit"])) == 2


def test_a_snapshot_is_replaced(opened: Opened) -> None:
    base = opened()
    with base.writing():
        assert base.snapshot(1) is None
        base.save_snapshot(1, 10, b"ten")
        base.save_snapshot(1, 20, b"\0twenty")
    with base.reading():
        assert base.snapshot(1) == b"\0twenty"


def test_keys_have_a_version_that_changes(opened: Opened) -> None:
    base = opened()
    with base.writing():
        before = base.keys_version()
        number = base.add_key(Key(0, "read", "x", "hash", 1.0))
        added = base.keys_version()
        assert base.revoke_key(number, 2.0)
        assert base.revoke_key(number, 3.0)  # again: nothing changes
        assert not base.revoke_key(number + 1, 2.0)
        assert len({before, added, base.keys_version()}) == 3
        assert [tuple(each) for each in base.stored_keys()] == [
            (number, "read", "x", "hash", 1.0, 2.0, None, None, None)
        ]


@pytest.mark.slow
def test_writers_of_one_experiment_take_turns(opened: Opened) -> None:
    """Each adds to the last row that it sees: without the lock two would take the same place."""
    base = opened()
    with base.writing():
        made = base.create("x", "{}", 1.0)
    assert made is not None
    number = made.number

    def work(storage: Storage) -> None:
        for _ in range(20):
            with storage.writing():
                storage.lock([number])
                last = storage.rows(number, 0)[-1].seq
                storage.append([decision(number, last + 1)])

    threads = [threading.Thread(target=work, args=(opened(),)) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    with base.reading():
        assert len(base.rows(number, 0)) == 61


def test_a_reader_does_not_wait_for_a_writer(opened: Opened) -> None:
    writer, reader = opened(), opened()
    with writer.writing():
        made = writer.create("x", "{}", 1.0)
        assert made is not None
        writer.lock([made.number])
        with reader.reading():
            assert reader.experiments() == []


@pytest.mark.parametrize("version", [0, 2, 99])
def test_tables_of_another_version_are_refused_and_not_changed(url: str, version: int) -> None:
    storage: Any = open_storage(url)
    in_file = isinstance(storage, SqliteStorage)
    with storage.writing():
        storage._do("DELETE FROM counters")  # nothing of it must come back
        storage._do(
            f"PRAGMA user_version={version}"
            if in_file
            else f"UPDATE rbmle_schema SET version = {version}"
        )
    asked = "PRAGMA user_version" if in_file else "SELECT version FROM rbmle_schema"
    for _ in range(2):
        with pytest.raises(SchemaError, match=f"version {version}; this rbmle knows version 1"):
            open_storage(url)
    with storage.reading():
        assert storage._ask(asked) == [(version,)]
        assert storage._ask("SELECT count(*) FROM counters") == [(0,)]
    storage.close()


class TestSqlite:
    def test_another_programs_file_is_refused_and_not_changed(self, tmp_path: Path) -> None:
        with sqlite3.connect(tmp_path / "a.db") as base:
            base.execute("CREATE TABLE theirs (x)")
        base.close()
        before = (tmp_path / "a.db").read_bytes()
        with pytest.raises(SchemaError, match="another program"):
            open_storage(f"sqlite:///{tmp_path}/a.db")
        assert (tmp_path / "a.db").read_bytes() == before

    @pytest.mark.parametrize("name", ["missing/a.db", "."])
    def test_a_file_that_cannot_be_opened_is_a_sentence(self, tmp_path: Path, name: str) -> None:
        with pytest.raises(StorageError, match="cannot be used"):
            open_storage(f"sqlite:///{tmp_path}/{name}")

    def test_a_commit_waits_for_the_disk(self, tmp_path: Path) -> None:
        """SQLite's own words for it: 2 is FULL."""
        base = SqliteStorage(f"{tmp_path}/a.db")
        assert base._ask("PRAGMA synchronous") == [(2,)]
        assert base._ask("PRAGMA journal_mode") == [("wal",)]
        base.close()

    def test_who_has_had_the_lock_waits_behind_who_waits(self, tmp_path: Path) -> None:
        mine, theirs = FairLock(f"{tmp_path}/a"), FairLock(f"{tmp_path}/a")
        order = []
        mine.enter()

        def other() -> None:
            theirs.enter()
            order.append("theirs")
            theirs.leave()

        thread = threading.Thread(target=other)
        thread.start()
        time.sleep(0.05)  # until it waits
        mine.leave()
        mine.enter()
        order.append("mine")
        mine.leave()
        thread.join()
        assert order == ["theirs", "mine"]
        mine.close()
        theirs.close()


@pytest.mark.postgres
def test_a_dump_of_postgres_is_whole() -> None:
    """As the documents say: pg_dump while it serves, restore into an empty database, verify."""
    from service_cases import create, decide, fresh_postgres, postgres, reward

    with fresh_postgres() as url, fresh_postgres() as other:
        ledger = Ledger(open_storage(url))
        ledger.run([create(), decide(id="v"), reward("v"), decide(id="w")])
        told = ledger.run([decide(id="v")])
        with ledger.storage.writing():  # a transaction is under way, and is not in the dump
            ledger.storage.append([decision(1, 5)])
            dump = subprocess.run(
                [f"{postgres().binaries}/pg_dump", url], check=True, capture_output=True
            )
        command = [f"{postgres().binaries}/psql", "-q", "-v", "ON_ERROR_STOP=1", other]
        subprocess.run(command, input=dump.stdout, check=True, capture_output=True)
        restored = Ledger(open_storage(other))
        (verdict,) = verify(restored.storage)
        assert (verdict.decisions, verdict.rewards, verdict.wrong) == (2, 1, "")
        assert restored.run([decide(id="v")]) == told
        ledger.storage.close()
        restored.storage.close()


@pytest.mark.parametrize("url", ["", "rbmle.db", "sqlite:a", "sqlite:///", "mysql://u:secret@h/d"])
def test_an_address_that_is_none_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ParameterError, match="sqlite:///FILE") as refused:
        open_storage(url)
    assert "secret" not in str(refused.value)


def test_ids_of_our_own_say_their_place() -> None:
    assert place_of(decision(12, 345).name()) == (12, 345)
    for other in ("visit-7", "d-1", "d-0-1", "d-1-2-3", "d-1-x", "D-1-2", "d-1-2\n", "d-٣-1"):
        assert place_of(other) is None


@pytest.mark.postgres
def test_no_request_reads_the_whole_log() -> None:
    """Statements are planned while the log is empty; the plan must be good for a long one."""
    from service_cases import create, decide, fresh_postgres, reward

    read = "SELECT seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'log'"
    with fresh_postgres() as url, contextlib.closing(open_storage(url)) as storage:
        ledger = Ledger(storage)
        ledger.run([create()])
        for number in range(12):
            ledger.run([decide(id=f"x-{number}"), reward(f"x-{number - 1}")])
        with storage.writing():
            for _ in range(3):
                storage.decisions(["x-1", "x-2"])
                storage.outcome(1, 2)
                storage.waiting(1, 2, 10)
            assert storage._ask(read) == [(0,)]


@pytest.mark.postgres
def test_new_rows_of_a_long_log_are_read_by_one_process() -> None:
    """PostgreSQL guesses that a third of an experiment's rows are new. With processes to help it,
    it took 10 ms to read thirty, under the lock, and two servers decided no more than one."""
    from service_cases import fresh_postgres

    with fresh_postgres() as url, contextlib.closing(open_storage(url)) as storage:
        assert isinstance(storage, PostgresStorage)
        base = storage._connect()
        base.execute(
            "INSERT INTO log (experiment, seq, kind, at, id, arm, probability) "
            "SELECT each, seq, 1, 5.0, 'visitor ' || seq, 1, 0.5 "
            "FROM generate_series(1, 2) AS each, generate_series(1, 200000) AS seq "
            "ORDER BY seq / 30, each"
        )
        base.execute("ANALYZE log")
        asked = _AFTER.replace("?", "$1", 1).replace("?", "$2")
        base.execute(f"PREPARE new_rows (bigint, bigint) AS {asked}".encode())
        plan = str(base.execute("EXPLAIN EXECUTE new_rows (1, 199970)").fetchall())
        assert "log_pkey" in plan
        assert "Gather" not in plan
