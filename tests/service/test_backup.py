"""Backups: consistent while others write, complete, verified, from and into both databases."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from http_cases import worker
from service_cases import clean, create, decide, fresh_postgres, one, reward

from rbmle.cli.main import run
from rbmle.service import backup as backup_module
from rbmle.service.addresses import without_password
from rbmle.service.backup import backup, restore
from rbmle.service.keys import create_key, list_keys, revoke_key
from rbmle.service.ledger import Ledger
from rbmle.service.storage import Storage, open_storage

Opened = Callable[[], Storage]


def content(storage: Storage) -> list[object]:
    with storage.reading():
        experiments = storage.experiments()
        rows = [storage.rows(each.number, 0) for each in experiments]
        return [experiments, rows, storage.stored_keys(), storage.snapshots()]


@contextmanager
def empty(kind: str, tmp_path: Path) -> Iterator[str]:
    if kind == "sqlite":
        yield f"sqlite:///{tmp_path}/restored.db"
    else:
        with fresh_postgres() as url:
            yield url


@pytest.mark.slow
@pytest.mark.parametrize("into", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def test_a_backup_is_restored_whole(
    opened: Opened, tmp_path: Path, into: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ledger = Ledger(opened())
    ledger.run([create("x"), create("y"), *(decide("x") for _ in range(5))])
    ledger.run([decide("y", "v"), reward("v", 0.1 + 0.2)])
    known = ledger.cache.find("x")
    assert known is not None
    with ledger.storage.writing():
        ledger.storage.save_snapshot(1, known.seq, known.snapshot())
    create_key(ledger.storage, "write", "x")
    assert backup(ledger.storage, f"{tmp_path}/copy.db") == 9
    assert [each.name for each in tmp_path.glob("copy.db*")] == ["copy.db"]
    with empty(into, tmp_path) as url:
        assert restore(f"{tmp_path}/copy.db", url) == 9
        again = open_storage(url)
        assert content(again) == content(ledger.storage)
        assert clean(again)
        create_key(again, "admin")
        assert [each.number for each in list_keys(again)] == [1, 2]
        again.close()
        assert run(["service", "restore", f"{tmp_path}/copy.db", "--database", url]) == 2
        assert f"Got '{without_password(url)}'." in capsys.readouterr().err


@pytest.mark.slow
def test_a_backup_while_others_write(opened: Opened, tmp_path: Path) -> None:
    """It is one state of the database: every reward has its decision, and `verify` agrees."""
    ledger, source = Ledger(opened()), opened()
    ledger.run([create("x")])
    stopping = threading.Event()

    def write() -> None:
        turn = 0
        while not stopping.is_set():
            turn += 1
            ledger.run([decide("x", f"v{turn}"), reward(f"v{turn}")])

    writing = threading.Thread(target=write)
    writing.start()
    try:
        for turn in range(5):
            backup(source, f"{tmp_path}/{turn}.db")
    finally:
        stopping.set()
        writing.join()
    sizes = []
    for turn in range(5):
        copy = open_storage(f"sqlite:///{tmp_path}/{turn}.db", read_only=True)
        assert clean(copy)
        with copy.reading():
            sizes.append(copy.last_seq(1))
        copy.close()
    assert sizes == sorted(sizes)
    assert all(size % 2 for size in sizes)  # a decision and its reward are one transaction


@pytest.mark.slow
def test_a_backup_that_fails_leaves_nothing(
    opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = Ledger(opened())
    ledger.run([create("x"), decide("x")])

    def fails(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup_module, "_copy", fails)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(Exception, match="No space left"):
        backup(ledger.storage, f"{tmp_path}/copy.db")
    assert sorted(tmp_path.iterdir()) == before


def test_a_running_service_asks_for_the_keys_that_are_restored(url: str, tmp_path: Path) -> None:
    """It has served the empty database, which needed no key."""
    storage = open_storage(f"sqlite:///{tmp_path}/source.db")
    Ledger(storage).run([create("x")])
    key = create_key(storage, "admin")
    backup(storage, f"{tmp_path}/copy.db")
    storage.close()
    with worker(url) as ours:
        assert ours.call("GET", "/v1/experiments").data == {"experiments": []}
        assert restore(f"{tmp_path}/copy.db", url) == 1
        assert ours.call("GET", "/v1/experiments").status == 401
        assert ours.decide("x").status == 401
        assert ours.call("GET", "/v1/experiments", key=key).status == 200
        with closing(open_storage(url)) as restored:
            revoke_key(restored, 1)
        assert ours.call("GET", "/v1/experiments", key=key).status == 401


@pytest.mark.slow
def test_what_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"sqlite:///{tmp_path}/rbmle.db"
    assert run(["service", "backup", f"{tmp_path}/copy.db", "--database", url]) == 2
    storage = open_storage(url)
    ledger = Ledger(storage)
    ledger.run([create("x"), decide("x")])
    assert one(ledger, decide("x"))[0] == 200
    assert run(["service", "backup", f"{tmp_path}/copy.db", "--database", url]) == 0
    assert run(["service", "backup", f"{tmp_path}/copy.db", "--database", url]) == 2
    assert "a file that does not exist yet" in capsys.readouterr().err
    other = f"sqlite:///{tmp_path}/other.db"
    assert run(["service", "restore", f"{tmp_path}/none.db", "--database", other]) == 2
    bad = open_storage(f"sqlite:///{tmp_path}/copy.db")
    with bad.writing():
        bad._do("UPDATE log SET arm = (arm + 1) % 3 WHERE seq = 3")
    bad.close()
    capsys.readouterr()
    assert run(["service", "restore", f"{tmp_path}/copy.db", "--database", other]) == 2
    assert "is not restored" in capsys.readouterr().err
    assert not (tmp_path / "other.db").exists()
    storage.close()
