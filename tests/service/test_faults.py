"""The database fails while the service runs: a sentence, nothing changed, then it goes on."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest
from http_cases import Worker, worker
from service_cases import fresh_postgres, postgres

from rbmle.service.repair import drop_snapshot
from rbmle.service.storage import StorageError, open_storage
from rbmle.service.verify import verify


@pytest.fixture
def ours(tmp_path: Path) -> Iterator[Worker]:
    with worker(f"sqlite:///{tmp_path}/rbmle.db") as made:
        made.create("x")
        yield made


def on_its_connection(ours: Worker, statement: str) -> None:
    """Run a statement on the worker's own connection, between two transactions."""
    import asyncio

    async def ask() -> None:
        await ours.app.committer.ask(lambda ledger: ledger.storage._do(statement))  # type: ignore[attr-defined]

    asyncio.run_coroutine_threadsafe(ask(), ours.loop).result(30)


@pytest.mark.slow
def test_a_full_disk(ours: Worker) -> None:
    """SQLite's own limit on the size of the file gives the error that a full disk gives."""
    on_its_connection(ours, "PRAGMA max_page_count = 1")
    told = [ours.decide("x", f"v{n}" * 40) for n in range(200)]
    kept = [each.data for each in told if each.status == 200]
    full = [each for each in told if each.status == 503]
    assert len(kept) + len(full) == 200
    assert full
    assert "full" in full[0].data["error"]
    assert ours.call("GET", "/readyz").data == full[0].data  # it was the last that was tried
    assert ours.call("GET", "/v1/experiments/x").data["decisions"] == len(kept)
    on_its_connection(ours, "PRAGMA max_page_count = 1000000")
    time.sleep(1.1)
    assert ours.call("GET", "/readyz").status == 200
    assert ours.decide("x").data["t"] == len(kept) + 1
    assert ours.decide("x", kept[0]["id"]).data == kept[0]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="it needs a limit on the size of files")
def test_ready_says_that_nothing_can_be_written(ours: Worker, tmp_path: Path) -> None:
    """Though nobody has tried to write; and many who ask do not make the disk busy."""
    import resource

    writes = "SELECT value FROM counters WHERE name = 'writes'"
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    assert ours.call("GET", "/readyz").status == 200
    time.sleep(1.1)
    resource.setrlimit(
        resource.RLIMIT_FSIZE, ((tmp_path / "rbmle.db-wal").stat().st_size, hard)
    )  # the file of new rows cannot grow, as on a full disk
    try:
        told = ours.call("GET", "/readyz")
        assert ours.call("GET", "/v1/experiments/x").status == 200  # reading goes on
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert told.status == 503
    assert "cannot be used" in told.data["error"]
    assert ours.call("GET", "/readyz").status == 503  # what was found holds for a second
    time.sleep(1.1)
    assert {ours.call("GET", "/readyz").status for _ in range(50)} == {200}
    (count,) = sqlite3.connect(tmp_path / "rbmle.db").execute(writes).fetchone()
    assert 1 <= count <= 3


@pytest.mark.slow
def test_a_file_that_becomes_read_only(ours: Worker) -> None:
    first = ours.decide("x", "first").data
    on_its_connection(ours, "PRAGMA query_only = 1")
    told = ours.decide("x", "second")
    assert told.status == 503
    assert "readonly" in told.data["error"]
    assert ours.call("GET", "/readyz").data == told.data
    assert ours.call("GET", "/v1/experiments/x").status == 200
    on_its_connection(ours, "PRAGMA query_only = 0")
    assert ours.decide("x", "first").data == first
    assert ours.decide("x", "second").data["t"] == 2


@pytest.mark.slow
def test_a_database_that_is_away_is_a_503_and_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with worker(f"sqlite:///{tmp_path}/rbmle.db") as ours:
        ours.create("x")
        kept = ours.decide("x", "kept").data

        def away(_: object) -> None:
            raise StorageError("service: the database is away.")

        with monkeypatch.context() as broken:
            broken.setattr("rbmle.service.sqlite.SqliteStorage.begin", away)
            broken.setattr("rbmle.service.sqlite.SqliteStorage.begin_reading", away)
            assert ours.decide("x", "lost").status == 503
            assert ours.call("GET", "/readyz").status == 503
            assert ours.call("GET", "/v1/experiments").data == {
                "error": "service: the database is away."
            }
            assert ours.call("GET", "/healthz").status == 200
        assert ours.decide("x", "kept").data == kept
        assert ours.decide("x", "lost").data["t"] == 2


@pytest.mark.slow
def test_a_file_that_is_moved_away_and_back(ours: Worker, tmp_path: Path) -> None:
    """SQLite would go on writing to a file that nobody finds again."""
    first = ours.decide("x", "first").data
    (tmp_path / "rbmle.db").rename(tmp_path / "away.db")
    told = ours.decide("x", "second")
    assert told.status == 503
    assert "No such file" in told.data["error"]
    assert ours.call("GET", "/readyz").status == 503
    assert not (tmp_path / "rbmle.db").exists()  # no empty one takes its place
    (tmp_path / "away.db").rename(tmp_path / "rbmle.db")
    assert ours.decide("x", "second").data["t"] == 2
    assert ours.decide("x", "first").data == first


def test_an_empty_file_in_its_place_costs_no_row(ours: Worker, tmp_path: Path) -> None:
    """SQLite removes the write-ahead log beside an empty file, and with it the newest rows."""
    first, file = ours.decide("x", "first").data, tmp_path / "rbmle.db"
    file.rename(tmp_path / "away.db")
    with pytest.raises(StorageError, match="db-wal is of no use; put it back, or remove"):
        open_storage(f"sqlite:///{file}")
    file.touch()
    assert "it is empty" in ours.decide("x", "second").data["error"]
    assert "it is empty" in ours.call("GET", "/v1/experiments/x").data["error"]
    with pytest.raises(StorageError, match="is of no use"):
        open_storage(f"sqlite:///{file}")
    (tmp_path / "away.db").replace(file)
    assert ours.decide("x", "second").data["t"] == 2
    assert ours.decide("x", "first").data == first


@pytest.mark.slow
def test_a_file_that_is_replaced_by_a_backup(ours: Worker, tmp_path: Path) -> None:
    first = ours.decide("x", "first").data
    with (
        sqlite3.connect(tmp_path / "copy.db") as copy,
        sqlite3.connect(tmp_path / "rbmle.db") as source,
    ):
        source.backup(copy)
    copy.close()
    source.close()
    assert ours.decide("x", "later").data["t"] == 2
    for name in ("rbmle.db", "rbmle.db-wal", "rbmle.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / "copy.db").rename(tmp_path / "rbmle.db")
    assert ours.decide("x", "other").data["t"] == 2  # what came after the backup is not there
    assert ours.decide("x", "first").data == first


def test_a_file_that_is_replaced_by_one_of_another_version(ours: Worker, tmp_path: Path) -> None:
    (tmp_path / "rbmle.db").rename(tmp_path / "away.db")
    with closing(sqlite3.connect(tmp_path / "rbmle.db")) as other:
        other.execute("PRAGMA application_id = 0x52424D4C")
        other.execute("PRAGMA user_version = 7")
        other.execute("CREATE TABLE log (x)")
        other.commit()
    for told in (ours.decide("x"), ours.call("GET", "/v1/experiments/x")):
        assert told.status == 503
        assert "version 7; this rbmle knows version 1" in told.data["error"]


def test_a_command_that_changes_an_experiment_costs_no_request(url: str) -> None:
    with worker(url) as ours, closing(open_storage(url)) as storage:
        ours.create("x")
        ours.decide("x")
        drop_snapshot(storage, "x")
        assert ours.decide("x").data["t"] == 2
        assert ours.call("GET", "/readyz").status == 200


@contextmanager
def full_disk(url: str) -> Iterator[None]:
    """A PostgreSQL that refuses to write rows as it does on a full disk."""
    with psycopg.connect(url, autocommit=True) as base:
        base.execute(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE "
            "'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$"
        )
        for table in ("log", "counters"):
            base.execute(
                f"CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON {table} "
                "EXECUTE FUNCTION full_disk()"
            )
        yield
        base.execute("DROP FUNCTION full_disk CASCADE")


@pytest.mark.postgres
def test_a_full_disk_of_postgres() -> None:
    with fresh_postgres() as url, worker(url) as ours:
        ours.create("x")
        first = ours.decide("x", "first").data
        with full_disk(url):
            told = ours.decide("x", "second")
            assert told.status == 503
            assert "No space left on device" in told.data["error"]
            assert not told.data["error"].endswith("..")
            assert ours.call("GET", "/readyz").status == 503
            assert ours.call("GET", "/v1/experiments/x").data["decisions"] == 1
        assert ours.decide("x", "second").data["t"] == 2
        assert ours.decide("x", "first").data == first


@pytest.mark.postgres
def test_a_read_only_postgres_is_read() -> None:
    with fresh_postgres() as url:
        with worker(url) as ours:
            ours.create("x")
        with psycopg.connect(url, autocommit=True) as base:
            name = base.info.dbname
            base.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        with worker(url) as ours:
            assert ours.call("GET", "/v1/experiments/x").status == 200
            told = ours.decide("x")
            assert told.status == 503
            assert "read-only" in told.data["error"]


@pytest.mark.slow
def test_the_same_reward_from_32_connections_is_counted_once(ours: Worker) -> None:
    for turn in range(5):
        id = ours.decide("x").data["id"]
        sent = [ours.submit("PUT", f"/v1/decisions/{id}/reward", {"value": 1}) for _ in range(32)]
        counted = [each.result(60).data["counted"] for each in sent]
        assert (len(counted), sum(counted)) == (32, 1), turn


@pytest.mark.slow
def test_a_reward_against_its_deadline_has_one_winner(ours: Worker) -> None:
    """Rewards are sent round the moment of the deadline; each is counted, or gone, never both."""
    ours.create("short", reward_wait_s=0.2, default_reward=0.0)
    ids, statuses, wait = [], [], 0.2
    for _ in range(30):
        ids.append(ours.decide("short").data["id"])
        time.sleep(wait)
        statuses.append(ours.reward(ids[-1]).status)
        wait *= 1.1 if statuses[-1] == 200 else 0.9
    assert set(statuses) == {200, 410}
    time.sleep(1.0)  # the others are ended even if nobody asks
    shown = ours.call("GET", "/v1/experiments/short").data
    assert (shown["rewards"], shown["expired"], shown["pending"]) == (
        statuses.count(200), statuses.count(410), 0,
    )  # fmt: skip
    again = [ours.reward(id).status for id in ids]
    assert again == statuses


@pytest.mark.postgres
def test_postgres_is_killed_and_comes_back() -> None:
    with fresh_postgres() as url:
        with worker(url) as ours:
            ours.create("x")
            arms = {}
            for turn in range(3):
                for number in range(10):
                    id = f"{turn}-{number}"
                    arms[id] = ours.decide("x", id).data["arm"]
                    assert ours.reward(id, float(number % 2)).data == {"counted": True}
                postgres().kill()
                told = ours.decide("x", f"{turn}-lost")
                assert told.status == 503
                assert "PostgreSQL cannot be used" in told.data["error"]
                assert ours.call("GET", "/readyz").status == 503
                postgres().start()
                assert ours.decide("x", f"{turn}-lost").status == 200
            assert {id: ours.decide("x", id).data["arm"] for id in arms} == arms
        storage = open_storage(url)
        (verdict,) = verify(storage)
        storage.close()
    assert (verdict.decisions, verdict.rewards, verdict.wrong) == (33, 30, "")
