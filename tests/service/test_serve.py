"""`rbmle serve` and its commands as a user runs them."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from served import Service, free_port
from service_cases import create

from rbmle.service.client import Client
from rbmle.service.gate import is_loopback
from rbmle.service.ledger import Ledger
from rbmle.service.rows import Kind, Row
from rbmle.service.server import listen
from rbmle.service.storage import open_storage


def rbmle(*arguments: str, timeout: float = 60.0) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rbmle", *arguments],
        capture_output=True, text=True, timeout=timeout, check=False,
    )  # fmt: skip


@pytest.mark.slow
class TestServe:
    def test_it_prints_its_address_and_what_to_type_next(self, tmp_path: Path) -> None:
        with Service(f"sqlite:///{tmp_path}/rbmle.db") as service:
            assert service.process is not None
            assert service.process.stdout is not None
            first, second = (service.process.stdout.readline() for _ in range(2))
            assert service.address in first
            command = second.removeprefix("Next, type: ").strip()
            assert command.startswith("curl -X PUT")
            body = json.loads(command.split("'")[1])
            told = httpx.put(f"{service.address}/v1/experiments/first", json=body, timeout=60.0)
            assert told.status_code == 201
            assert service.stop() == 0

    @pytest.mark.parametrize(("workers", "told"), [(1, signal.SIGINT), (2, signal.SIGTERM)])
    def test_it_stops_when_it_is_told(self, tmp_path: Path, workers: int, told: int) -> None:
        with Service(f"sqlite:///{tmp_path}/rbmle.db", workers) as service:
            assert service.process is not None
            service.process.send_signal(told)
            assert service.process.wait(30) == 0
            assert service.process.stdout is not None
            service.process.stdout.close()

    def test_a_worker_that_dies_is_started_again(self, tmp_path: Path) -> None:
        with (
            Service(f"sqlite:///{tmp_path}/rbmle.db") as service,
            Client(service.address) as client,
        ):
            client.create("x", ["a", "b"], "ucb")
            assert service.process is not None
            children = Path(f"/proc/{service.process.pid}/task/{service.process.pid}/children")
            before = children.read_text().split()
            assert len(before) == 2
            os.kill(int(before[0]), signal.SIGKILL)
            for _ in range(20):
                client.reward(client.decide("x").id, 1.0)
            end = time.monotonic() + 10.0
            while time.monotonic() < end and len(children.read_text().split()) < 2:
                time.sleep(0.1)
            assert len(children.read_text().split()) == 2

    def test_workers_end_with_their_supervisor(self, tmp_path: Path) -> None:
        service = Service(f"sqlite:///{tmp_path}/rbmle.db")
        with service:
            assert service.process is not None
            service.process.kill()
            service.process.wait()
            assert service.process.stdout is not None
            service.process.stdout.close()
        again = Service(service.url, port=service.port)
        with again:  # the port is free again
            assert again.stop() == 0

    def test_a_backup_while_it_serves_is_whole(self, tmp_path: Path) -> None:
        with (
            Service(f"sqlite:///{tmp_path}/rbmle.db") as service,
            Client(service.address) as client,
        ):
            client.create("x", ["a", "b"], "ucb")
            for number in range(40):
                client.reward(client.decide("x").id, float(number % 2))
                if number == 20:
                    source = sqlite3.connect(tmp_path / "rbmle.db")
                    copy = sqlite3.connect(tmp_path / "copy.db")
                    source.backup(copy)
                    copy.close()
                    source.close()
        told = rbmle("service", "verify", "--database", f"sqlite:///{tmp_path}/copy.db", "--json")
        assert told.returncode == 0, told
        (verdict,) = json.loads(told.stdout)
        assert 20 <= verdict["decisions"] < 40
        with (
            Service(f"sqlite:///{tmp_path}/copy.db") as restored,
            Client(restored.address) as client,
        ):
            assert client.decide("x").t == verdict["decisions"] + 1

    def test_verify_fails_if_the_log_was_changed(self, tmp_path: Path) -> None:
        url = f"sqlite:///{tmp_path}/rbmle.db"
        storage = open_storage(url)
        Ledger(storage).run([create()])
        storage.close()
        assert rbmle("service", "verify", "--database", url).returncode == 0
        with sqlite3.connect(tmp_path / "rbmle.db") as base:
            base.execute("UPDATE log SET text = replace(text, '\"seed\":1', '\"seed\":2')")
        base.close()
        told = rbmle("service", "verify", "--database", url)
        assert told.returncode == 1
        assert "row 1 is not its definition" in told.stdout

    def test_keys_at_the_command_line(self, tmp_path: Path) -> None:
        place = ["--database", f"sqlite:///{tmp_path}/rbmle.db"]
        key = rbmle("service", "key", "create", "--role", "write", "--experiment", "shop", *place)
        assert key.stdout.startswith("rbmle_1_")
        assert (
            rbmle("service", "key", "list", *place).stdout == "1: write, only 'shop', never used\n"
        )
        assert rbmle("service", "key", "revoke", "1", *place).returncode == 0
        assert "revoked" in rbmle("service", "key", "list", *place).stdout
        assert rbmle("service", "key", "revoke", "7", *place).returncode == 2
        assert rbmle("service", "key", "create", "--role", "king", *place).returncode == 2

    def test_without_a_key_it_listens_here_only(self, tmp_path: Path) -> None:
        url = f"sqlite:///{tmp_path}/rbmle.db"
        told = rbmle("serve", "--host", "0.0.0.0", "--database", url, "--port", "0")
        assert told.returncode == 2
        assert "'--host' must be 127.0.0.1 as long as there is no key" in told.stderr

    def test_a_start_with_a_million_rows(self, tmp_path: Path) -> None:
        url = f"sqlite:///{tmp_path}/rbmle.db"
        rows = int(os.environ.get("RBMLE_ROWS", "60_000"))
        ledger = Ledger(open_storage(url))
        ledger.run([create()])
        known = ledger.cache.find("x")
        assert known is not None
        while known.seq < rows:
            made: list[Row] = []
            for _ in range(10_000):
                made.append(known.decide(None, 1.0))
                last = made[-1]
                assert last.kind == Kind.DECISION
                value = float(last.seq % 3 == 0)
                made.extend(known.reward(last.seq, known.open[last.seq], value, 1.0))
            with ledger.storage.writing():
                ledger.storage.append(made)
                ledger.cache.save_snapshot(known)
        ledger.storage.close()
        begin = time.perf_counter()
        again = Ledger(open_storage(url))
        again.refresh()
        took = time.perf_counter() - begin
        print(f"{known.seq} rows: opened in {took:.2f} s")
        found = again.cache.find("x")
        assert found is not None
        assert found.plain() == known.plain()
        assert took < 5.0
        again.storage.close()


def test_which_hosts_are_this_machine() -> None:
    hosts = (
        "127.0.0.1",
        "127.1.2.3",
        "::1",
        "localhost",
        "0.0.0.0",
        "::",
        "example.org",
        "10.0.0.1",
    )
    assert [is_loopback(each) for each in hosts] == [True] * 4 + [False] * 4


def test_a_port_that_is_taken_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rbmle.service.server._MAX_PORT_WAIT_SECONDS", 0.0)
    port = free_port()
    taken: Any = listen("127.0.0.1", port, 2)
    with pytest.raises(ValueError, match="cannot listen on 127"):
        listen("127.0.0.1", port, 2)
    for each in taken:
        each.close()
