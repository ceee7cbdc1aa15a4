"""Workers that die, hang or are stopped: others answer, the supervisor says what it saw."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from served import Service

from rbmle.service.client import Client

# Seconds without a heartbeat after which a worker is killed here: less than in earnest, and far
# more than compiling can delay one.
SILENT = 3.0
SHORT = f"""
from rbmle.service import supervisor
supervisor.MAX_SILENT_SECONDS, supervisor._MAX_STOP_SECONDS = {SILENT}, 2.0
"""


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """Two workers; what they and their supervisor log is in the file `log`."""
    made = Service(f"sqlite:///{tmp_path}/rbmle.db")
    made.program = SHORT + made.program
    with open(tmp_path / "log", "w") as log:
        made.start(stderr=log)
        made.ready()
        while len(made.children()) < 2:
            time.sleep(0.05)
        yield made
        if made.process is not None and made.process.poll() is None:
            made.stop()


def replaced(service: Service, worker: int, seconds: float = 30.0) -> bool:
    """Whether there are two workers again, without that one, within so many seconds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        now = service.children()
        if worker not in now and len(now) == 2:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
def test_a_stopped_worker_is_replaced_and_every_connection_is_answered(
    service: Service, tmp_path: Path
) -> None:
    def decide(_: int) -> int:  # a connection of its own, which the system deals to either worker
        address = f"{service.address}/v1/experiments/x/decisions"
        return int(httpx.post(address, json={}, timeout=30.0).raise_for_status().json()["t"])

    with Client(service.address) as client:
        client.create("x", ["a", "b"], "ucb")
        stopped = service.children()[0]
        os.kill(stopped, signal.SIGSTOP)
        with ThreadPoolExecutor(20) as callers:
            assert sorted(callers.map(decide, range(20))) == list(range(1, 21))
        assert replaced(service, stopped)
        assert client.decide("x").t == 21
    assert (
        f"worker {stopped} was killed, because it had not answered for 3 s"
        in (tmp_path / "log").read_text()
    )


@pytest.mark.slow
def test_a_signal_ends_the_service_even_if_a_worker_is_stopped(
    service: Service, tmp_path: Path
) -> None:
    os.kill(service.children()[0], signal.SIGSTOP)
    begin = time.monotonic()
    assert service.stop() == 0
    assert time.monotonic() - begin < 8.0
    assert "is killed: it does not stop" in (tmp_path / "log").read_text()


@pytest.mark.slow
def test_the_death_of_a_worker_is_logged(service: Service, tmp_path: Path) -> None:
    killed = service.children()[0]
    os.kill(killed, signal.SIGKILL)
    assert replaced(service, killed)
    assert f"worker {killed} was ended by SIGKILL; another" in (tmp_path / "log").read_text()


@pytest.mark.slow
def test_a_machine_that_stood_still_costs_no_worker(service: Service, tmp_path: Path) -> None:
    """The whole group is stopped for longer than a worker may be silent, and goes on."""
    before = service.children()
    assert service.process is not None
    everyone = [service.process.pid, *before]
    for each in everyone:
        os.kill(each, signal.SIGSTOP)
    time.sleep(SILENT + 1.0)
    for each in everyone:
        os.kill(each, signal.SIGCONT)
    time.sleep(1.0)
    assert service.children() == before
    assert (tmp_path / "log").read_text() == ""


@pytest.mark.slow
def test_compiling_costs_no_worker(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.stop()
    monkeypatch.setenv("RBMLE_CACHE_DIR", str(tmp_path / "cache"))  # nothing is compiled there
    service.start()
    service.ready()
    before = service.children()
    with Client(service.address) as client:
        client.create("x", ["a", "b"], "ucb", "gaussian")
        assert client.decide("x").t == 1
    assert service.children() == before
