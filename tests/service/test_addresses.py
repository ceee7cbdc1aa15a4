"""Databases that are missing, foreign or secret: nothing is created, no password is shown."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from served import Service, free_port
from service_cases import clean, create, decide, reward

from rbmle.cli.main import run
from rbmle.service.addresses import without_password
from rbmle.service.keys import create_key
from rbmle.service.ledger import Ledger
from rbmle.service.server import serve
from rbmle.service.storage import (
    MissingError,
    SchemaError,
    StorageError,
    open_storage,
)

SECRET = "s3cr3t-Pa55"


def files(folder: Path) -> dict[str, str]:
    """All files in the folder, by a digest of what they hold."""
    return {each.name: hashlib.sha256(each.read_bytes()).hexdigest() for each in folder.iterdir()}


COMMANDS = [
    ["service", "verify"],
    ["service", "key", "list"],
    ["service", "key", "revoke", "1"],
    ["serve", "--host", "0.0.0.0", "--port", "0"],
]


@pytest.mark.parametrize("typed", COMMANDS, ids=" ".join)
def test_a_missing_file_is_an_error_and_is_not_created(
    tmp_path: Path, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*typed, "--database", f"sqlite:///{tmp_path}/typo.db"]) == 2
    assert f"{tmp_path}/typo.db" in capsys.readouterr().err
    assert files(tmp_path) == {}


def test_serve_creates_nothing_if_its_port_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rbmle.service.server import listen

    monkeypatch.setattr("rbmle.service.server._MAX_PORT_WAIT_SECONDS", 0.0)
    port = free_port()
    taken: Any = listen("127.0.0.1", port, 1)
    with pytest.raises(ValueError, match="cannot listen"):
        serve(port=port, database=f"sqlite:///{tmp_path}/rbmle.db")
    for each in taken:
        each.close()
    assert files(tmp_path) == {}


def foreign(path: Path, kind: str) -> None:
    if kind == "text":
        path.write_text("not a database, but longer than the head of one" * 40)
    elif kind == "empty":
        path.touch()
    else:
        with closing(sqlite3.connect(path)) as base:
            base.execute(f"PRAGMA journal_mode={kind}")
            base.execute("CREATE TABLE theirs (x)")


@pytest.mark.parametrize("kind", ["text", "wal", "delete", "empty"])
@pytest.mark.parametrize("typed", [*COMMANDS, ["serve", "--port", "0"]], ids=" ".join)
def test_a_foreign_file_stays_as_it_is_with_nothing_beside_it(
    tmp_path: Path, kind: str, typed: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    if kind == "empty" and typed[0] == "serve":
        pytest.skip("an empty file becomes a database, as a missing one does")
    foreign(tmp_path / "theirs.db", kind)
    before = files(tmp_path)
    assert run([*typed, "--database", f"sqlite:///{tmp_path}/theirs.db"]) == 2
    assert f"{tmp_path}/theirs.db" in capsys.readouterr().err
    assert files(tmp_path) == before


@pytest.fixture
def written(tmp_path: Path) -> str:
    """The address of a database with a key and an experiment, closed."""
    url = f"sqlite:///{tmp_path}/odd name?#%41.db"
    with closing(open_storage(url)) as storage:
        Ledger(storage).run([create(), decide(id="v"), reward("v")])
    return url


@pytest.fixture
def with_key(written: str) -> str:
    with closing(open_storage(written)) as storage:
        create_key(storage, "read")
    return written


def test_reading_changes_nothing(tmp_path: Path, written: str, capsys: Any) -> None:
    before = files(tmp_path)
    for typed in (["service", "verify"], ["service", "key", "list"]):
        assert run([*typed, "--database", written]) == 0
    assert files(tmp_path) == before
    assert "1 decision, 1 reward," in capsys.readouterr().out
    with closing(open_storage(written, read_only=True)) as storage, pytest.raises(StorageError):
        storage._do("DELETE FROM log")


def test_reading_while_others_write(written: str) -> None:
    """What is in the write-ahead log is read too."""
    with closing(open_storage(written)) as storage:
        Ledger(storage).run([decide(id="w")])
        with closing(open_storage(written, read_only=True)) as reader, reader.reading():
            assert len(reader.decisions(["v", "w"])) == 2
        Ledger(storage).run([decide(id="x")])
        assert clean(storage)


def test_who_reads_a_file_that_nobody_had_open_finds_out_that_it_was_written(written: str) -> None:
    with closing(open_storage(written, read_only=True)) as reader:
        with reader.reading():
            assert reader.decisions(["v"])
        with (
            pytest.raises(StorageError, match="try again"),
            reader.reading(),
            closing(open_storage(written)) as storage,
        ):
            Ledger(storage).run([decide(id="w")])


@pytest.mark.postgres
def test_reading_postgres_creates_nothing() -> None:
    from service_cases import fresh_postgres

    with fresh_postgres() as url:
        for _ in range(2):
            with pytest.raises(MissingError, match="no tables"):
                open_storage(url, read_only=True)
        open_storage(url).close()
        with closing(open_storage(url, read_only=True)) as reader:
            with reader.reading():
                assert reader.experiments() == []
            with pytest.raises(StorageError, match="read-only"), reader.writing():
                reader.write_something()


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:////var/a@b.db", "sqlite:////var/a@b.db"),
        (f"postgresql://user:{SECRET}@127.0.0.1:1/name", "postgresql://...@127.0.0.1:1/name"),
        (f"postgresql://user:{SECRET}@[::1]:1/name", "postgresql://...@[::1]:1/name"),
        (f"postgresql://user:{SECRET}@a..b/name", "postgresql://...@a..b/name"),
        (f"postgres://[::1]:1/name?user=u&password={SECRET}", "postgres://[::1]:1/name"),
        ("postgresql:///name?host=/tmp", "postgresql:///name"),
        (f"postgresql://user:a@{SECRET}@host/name", "postgresql://...@host/name"),
        (f"postgresql://user:a/{SECRET}@host/name", "postgresql://...@host/name"),
        (f"postgresql://user:a?{SECRET}@host/name", "postgresql://..."),
        (f"postgresql://host/name?password=a@{SECRET}", "postgresql://..."),
        (f"postgresql://user:{SECRET}", "postgresql://..."),
        (f"host=h password={SECRET}", "..."),
        (f"postgresql:user:{SECRET}@host/name", "..."),
        (f"postgresql:/user:{SECRET}@host/name", "..."),
        (f"user:{SECRET}@host/name", "..."),
        (f"mysql://u:{SECRET}@h/d", "mysql://...@h/d"),
        ("rbmle.db", "rbmle.db"),
    ],
)
def test_an_address_is_shown_without_its_password(url: str, shown: str) -> None:
    assert without_password(url) == shown
    assert SECRET not in shown
    if not url.startswith("sqlite") and "/tmp" not in url:
        with pytest.raises(ValueError, match=r"'database' must|cannot be used") as refused:
            open_storage(url)
        assert SECRET not in str(refused.value)
        assert "?." not in str(refused.value)


def in_processes(service: Service) -> str:
    """All that everyone on the machine can see of its processes."""
    assert service.process is not None
    pids = [str(service.process.pid)]
    pids += Path(f"/proc/{pids[0]}/task/{pids[0]}/children").read_text().split()
    assert len(pids) == 3
    return "".join(Path(f"/proc/{each}/cmdline").read_text() for each in pids)


class FromFile(Service):
    """A service that is given its database by a file."""

    def options(self) -> list[str]:
        return ["--database-file", self.url]


@pytest.mark.postgres
def test_a_password_is_nowhere_to_be_seen(tmp_path: Path) -> None:
    from service_cases import fresh_postgres, postgres

    with fresh_postgres() as url:
        role = f"CREATE ROLE shop LOGIN SUPERUSER PASSWORD '{SECRET}'"
        subprocess.run([f"{postgres().binaries}/psql", "-qc", role, url], check=True)
        secret = tmp_path / "address"
        secret.write_text(url.replace("rbmle@", f"shop:{SECRET}@") + "\n")
        with FromFile(str(secret)) as service:
            seen = in_processes(service)
            assert service.process is not None
            assert service.process.stdout is not None
            seen += service.process.stdout.readline()
            assert "rbmle serves decisions" in seen
        typed = ["-m", "rbmle", "service", "verify", "--database-file", str(secret)]
        told = subprocess.run([sys.executable, *typed], capture_output=True, text=True, check=True)
        assert SECRET not in seen + told.stdout + told.stderr


@pytest.mark.slow
def test_workers_do_not_show_their_database(tmp_path: Path) -> None:
    with Service(f"sqlite:///{tmp_path}/{SECRET}.db") as service:
        shown = in_processes(service)
    assert shown.count(SECRET) == 1  # what was typed


class TestWhereTheAddressComesFrom:
    @pytest.fixture(autouse=True)
    def elsewhere(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        monkeypatch.chdir(tmp_path)
        monkeypatch.delenv("RBMLE_DATABASE", raising=False)
        return iter(())

    def read(self, *typed: str) -> int:
        return run(["service", "key", "list", "--json", *typed])

    def test_an_option_a_file_the_environment_or_the_default(
        self, tmp_path: Path, with_key: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
    ) -> None:
        (tmp_path / "address").write_text(with_key + "\n")
        assert self.read("--database", with_key) == 0
        assert self.read("--database-file", "address") == 0
        assert self.read() == 2
        assert "rbmle.db" in capsys.readouterr().err
        monkeypatch.setenv("RBMLE_DATABASE", with_key + "\n")  # as an editor writes a secret
        assert self.read() == 0
        assert json.loads(capsys.readouterr().out)[0]["role"] == "read"
        assert self.read("--database", "sqlite:///typo.db") == 2
        assert "typo.db" in capsys.readouterr().err

    @pytest.mark.parametrize("content", [None, b"", b"\xff\xfe", f"mysql://{SECRET}@h".encode()])
    def test_a_file_that_holds_none(self, content: bytes | None, capsys: Any) -> None:
        if content is not None:
            Path("address").write_bytes(content)
        assert self.read("--database-file", "address") == 2
        told = capsys.readouterr().err
        assert told.count("\n") == 1
        assert SECRET not in told

    def test_both_are_refused(self, written: str, capsys: Any) -> None:
        assert self.read("--database", written, "--database-file", "address") == 2
        assert "'--database-file' must be left out" in capsys.readouterr().err


def test_a_version_that_is_unknown_is_refused_before_anything_is_beside_the_file(
    tmp_path: Path, written: str
) -> None:
    path = written.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA user_version=7")
    before = files(tmp_path)
    for read_only in (True, False):
        with pytest.raises(SchemaError, match="version 7"):
            open_storage(written, read_only=read_only)
    assert files(tmp_path) == before
