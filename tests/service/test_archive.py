"""The end of an experiment: archived, erased, without ids; and what repairs say and do."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from service_cases import Clock, add_arm, clean, create, decide, one, reward, said
from snapshot_cases import carry_out

from rbmle.cli.main import run
from rbmle.errors import ParameterError
from rbmle.service import archive as archive_module
from rbmle.service import experiment_cache as cache_module
from rbmle.service.archive import archive, delete, end, erase
from rbmle.service.ledger import Ledger
from rbmle.service.repair import advise, drop_snapshot, truncate
from rbmle.service.storage import Storage, StorageError, open_storage
from rbmle.service.verify import verify

Opened = Callable[[], Storage]


@pytest.mark.slow
def test_an_archive_tells_everything(opened: Opened, tmp_path: Path) -> None:
    ledger, path = Ledger(opened()), f"{tmp_path}/x.jsonl"
    ledger.run([create("x"), add_arm("d"), decide("x", "v"), reward("v", 0.25), decide("x")])
    assert archive(ledger.storage, "x", path) == 5
    header, *rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
    assert (header["format"], header["version"], header["name"]) == ("rbmle-archive", 1, "x")
    assert header["arms"] == ["a", "b", "c", "d"]
    assert header["definition"]["policy"]["name"] == "UCB"
    assert [row["kind"] for row in rows] == ["created", "added", "decision", "reward", "decision"]
    assert rows[2]["id"] == "v"
    assert rows[2]["arm"] == rows[3]["arm"]
    assert {rows[2]["arm"], rows[4]["arm"]} <= {*header["arms"]}
    assert (rows[3]["value"], rows[3]["of"], rows[4]["id"]) == (0.25, 3, "d-1-5")
    with pytest.raises(ParameterError, match="does not exist yet"):
        archive(ledger.storage, "x", path)
    with pytest.raises(ParameterError, match="the name of one that exists"):
        archive(ledger.storage, "z", f"{tmp_path}/z.jsonl")


@pytest.mark.slow
def test_a_wrong_clock_of_the_command_that_ends_it_expires_nothing(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, now = Ledger(opened()), time.time()
    ledger.run([create("x", reward_wait_s=3600.0), decide("x", "v")])
    with monkeypatch.context() as patch:
        patch.setattr("time.time", lambda: now + 86_400.0)
        end(opened(), "x")
    assert one(ledger, decide("x"))[0] == 410
    assert one(ledger, reward("v")) == (200, {"counted": True})


def test_an_erased_id_is_gone_from_workers_and_files(
    url: str, opened: Opened, tmp_path: Path
) -> None:
    """Also while the service runs, which keeps SQLite's write-ahead log."""
    ledger, id = Ledger(opened()), "visit-of-somebody"
    ledger.run([create("x", policy="ts", consistency="snapshot")])
    ledger.refresh()
    carry_out(ledger, decide("x", id), decide("x", "other"))
    assert erase(opened(), "x", id, None) == 1
    assert [each.status for each in carry_out(ledger, reward(id), reward("other"))[0]] == [404, 200]
    for file in tmp_path.glob("rbmle.db*"):
        assert id.encode() not in file.read_bytes(), file


@pytest.mark.slow
def test_a_reader_without_a_pause_keeps_what_was_erased(tmp_path: Path) -> None:
    """SQLite's write-ahead log cannot be emptied then: the command says so, and is run again."""
    path = f"{tmp_path}/rbmle.db"
    ledger, id = Ledger(open_storage(f"sqlite:///{path}")), "visit-of-somebody"
    ledger.run([create("x"), decide("x", id)])
    eraser = open_storage(f"sqlite:///{path}")
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM log").fetchone() == (2,)
        told = "it is done, but .*-wal still holds what was removed"
        with pytest.raises(StorageError, match=told):
            erase(eraser, "x", id, None)
    assert one(ledger, reward(id))[0] == 404
    assert erase(eraser, "x", id, None) == 0
    for file in tmp_path.glob("rbmle.db*"):
        assert id.encode() not in file.read_bytes(), file


@pytest.mark.slow
def test_an_experiment_is_deleted_while_workers_have_it(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it comes back, and a new one of its name is another."""
    monkeypatch.setattr(archive_module, "_ROWS_PER_STEP", 3)
    ledger, storage = Ledger(opened()), opened()
    ledger.run([create("x"), create("y"), *(decide("x", f"v{n}") for n in range(10))])
    with pytest.raises(ParameterError, match="one that has ended"):
        delete(storage, "x")
    end(storage, "x")
    assert one(ledger, decide("x"))[0] == 410
    assert delete(storage, "x") == 12
    statuses = [each.status for each in ledger.run([decide("x"), reward("d-1-2"), reward("v1")])]
    assert statuses == [404, 404, 404]
    assert one(ledger, decide("y"))[0] == 200
    assert one(ledger, create("x"))[0] == 201
    assert one(ledger, decide("x", "v1"))[1]["t"] == 1
    with storage.reading():
        assert storage.rows(1, 0) == []
        assert storage.ownerless() == []
    assert clean(storage)


@pytest.mark.slow
def test_the_same_again_ends_a_deletion_that_was_cut_short(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> int:
        raise KeyboardInterrupt

    ledger, storage = Ledger(opened()), opened()
    ledger.run([create("x"), decide("x", "v")])
    end(storage, "x")
    with monkeypatch.context() as patch:
        patch.setattr(archive_module, "_remove_rows", killed)
        with pytest.raises(KeyboardInterrupt):
            delete(storage, "x")
    with pytest.raises(ParameterError, match="the name of one that exists"):
        delete(storage, "x")
    with storage.reading():
        assert storage.rows(1, 0) == []


@pytest.mark.slow
def test_ids_are_erased_and_counts_stay(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive_module, "_ROWS_PER_STEP", 4)
    clock = Clock()
    ledger, storage = Ledger(opened(), clock=clock), opened()
    ledger.run([create("x"), *(decide("x", f"old{n}") for n in range(9)), reward("old1")])
    first = said(ledger.run([decide("x", "old0")])[0])
    clock.now += 100.0
    ledger.run([decide("x", "new"), decide("x", "newer")])
    assert erase(storage, "x", "newer", None) == 1
    assert erase(storage, "x", "newer", None) == 0
    assert erase(storage, "x", None, clock.now - 50.0) == 9
    with storage.reading():
        assert {row.id for row in storage.rows(1, 0)} == {None, "new"}
    assert one(ledger, reward("old2"))[0] == 404
    assert one(ledger, decide("x", "d-1-2"))[1] == {**first, "id": "d-1-2"}
    assert one(ledger, reward("d-1-4")) == (200, {"counted": True})
    assert one(ledger, reward("d-1-3")) == (200, {"counted": False})
    known = ledger.cache.find("x")
    assert known is not None
    assert (known.made, known.rewarded) == (11, 2)
    assert clean(storage)


@pytest.mark.slow
def test_a_bad_snapshot_is_dropped_only_if_asked(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache_module, "ROWS_PER_SNAPSHOT", 3)
    ledger, storage = Ledger(opened()), opened()
    ledger.run([create("x"), create("y"), *(decide("x") for _ in range(9))])
    assert advise(storage) == []
    with storage.writing():
        storage.save_snapshot(1, 10, b"{}")
    (told,) = advise(storage)
    assert (told.experiment, told.row) == ("x", None)
    assert "--drop-snapshot" in told.advice
    fresh = Ledger(opened())
    assert one(fresh, decide("x"))[0] == 503
    with pytest.raises(ParameterError, match="the first row that is wrong"):
        truncate(storage, "x", 5)
    drop_snapshot(storage, "x")
    assert one(fresh, decide("x"))[0] == 200
    assert clean(storage)


@pytest.mark.slow
def test_a_bad_row_is_cut_off_only_if_it_is_named(opened: Opened) -> None:
    ledger, storage = Ledger(opened()), opened()
    ledger.run([create("x"), *(decide("x") for _ in range(9))])
    with storage.writing():
        storage._do("UPDATE log SET arm = 77 WHERE seq = 6")
    (told,) = advise(storage, "x")
    assert told.row == 6
    assert "--truncate 6" in told.advice
    for wrong in (5, 7, 1):
        with pytest.raises(ParameterError, match="the first row that is wrong, 6"):
            truncate(storage, "x", wrong)
    assert truncate(storage, "x", 6) == 5
    assert one(ledger, decide("x"))[1]["t"] == 5  # its state had nine rows
    assert clean(storage)


@pytest.mark.slow
def test_a_database_that_is_away_is_no_wrong_row(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody is advised to remove rows, or the experiment, because reading them has failed."""
    Ledger(opened()).run([create("x"), decide("x")])
    storage = opened()

    def away(*_: object) -> None:
        raise StorageError("service: it is away.")

    monkeypatch.setattr(storage, "rows", away)
    for ask in (
        lambda: verify(storage),
        lambda: advise(storage, "x"),
        lambda: archive(storage, "x", f"{tmp_path}/x.jsonl"),
    ):
        with pytest.raises(StorageError, match=r"^service: it is away\.$"):
            ask()


@pytest.mark.slow
def test_the_commands(url: str, opened: Opened, tmp_path: Path) -> None:
    ledger, where = Ledger(opened()), ["--database", url]
    ledger.run([create("shop"), decide("shop", "visit-7"), reward("visit-7")])
    assert run(["service", "repair", *where]) == 0
    assert run(["service", "repair", "--drop-snapshot", *where]) == 2
    assert run(["service", "repair", "shop", "--truncate", "3", *where]) == 2
    assert run(["service", "delete", "shop", *where]) == 2
    assert run(["service", "erase", "--experiment", "shop", *where]) == 2
    assert run(["service", "erase", "--experiment", "shop", "--id", "visit-7", *where]) == 0
    assert run(["service", "erase", "--experiment", "shop", "--older-than", "0", *where]) == 0
    assert run(["service", "end", "shop", *where]) == 0
    assert run(["service", "archive", "shop", f"{tmp_path}/shop.jsonl", *where]) == 0
    assert run(["service", "verify", *where]) == 0
    assert run(["service", "delete", "shop", *where]) == 0
    assert run(["service", "delete", "shop", *where]) == 2
    assert b"visit-7" not in (tmp_path / "shop.jsonl").read_bytes()
