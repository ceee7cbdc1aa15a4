"""A database that hangs: callers are told in time, and nothing is lost, doubled or held.

The timeouts are a quarter of the service's own, to be tested sooner, and the limits have room for a
busy machine; without timeouts these tests would never end.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import httpx
import pytest
from http_cases import Worker, worker
from lossy import LossyConnection
from served import Service
from service_cases import clean, fresh_postgres, postgres

from rbmle.service import committer
from rbmle.service import postgres as postgres_module
from rbmle.service import sqlite as sqlite_module
from rbmle.service.rows import Kind
from rbmle.service.storage import ANSWER_SECONDS, open_storage

SOON = 4.0  # 1 s and a quarter would be promised
# Another server that is stopped while it holds the lock of the experiment.
HOLDS = """
import os, signal, sys
from rbmle.service import postgres
from rbmle.service.storage import open_storage
postgres._SERVER_TIMEOUTS = sys.argv[2]
storage = open_storage(sys.argv[1], timeouts=True)
storage.begin()
storage.lock([1])
storage.rows(1, 0)
print("holds", flush=True)
os.kill(os.getpid(), signal.SIGSTOP)
storage.commit()
"""


SERVER_TIMEOUTS = (
    "SET statement_timeout = 950; SET lock_timeout = 750; "
    "SET idle_in_transaction_session_timeout = 1250"
)


@pytest.fixture(autouse=True)
def a_quarter(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (committer, postgres_module, sqlite_module):
        monkeypatch.setattr(module, "ANSWER_SECONDS", 1.0)
    monkeypatch.setattr(postgres_module, "_SERVER_TIMEOUTS", SERVER_TIMEOUTS)


def test_callers_are_told_within_five_seconds() -> None:
    """By whatever comes first, and the watch looks four times a second."""
    assert ANSWER_SECONDS + committer._WATCH_SECONDS < 5.0
    assert postgres_module._CONNECT_TIMEOUT_SECONDS * 2 < 5.0  # the one before, and their own


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    begin = time.monotonic()
    yield
    assert time.monotonic() - begin < seconds


@contextmanager
def killed(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kill it in the end, also if it is stopped."""
    try:
        yield
    finally:
        process.kill()


def rows_of(url: str) -> list[tuple[int, str | None]]:
    storage = open_storage(url)
    with storage.reading():
        found = [(row.kind, row.id) for row in storage.rows(1, 1)]
    assert clean(storage)
    storage.close()
    return found


@pytest.mark.postgres
def test_a_frozen_postgres_is_told_and_goes_on() -> None:
    with fresh_postgres() as url:
        with worker(url) as ours:
            ours.create("x")
            ours.decide("x", "before")
            ours.call("GET", "/v1/experiments")
            with postgres().frozen():
                with at_most(SOON):
                    asked = [
                        ours.submit("POST", "/v1/experiments/x/decisions", {"id": "during"}),
                        ours.submit("PUT", "/v1/decisions/before/reward", {"value": 1}),
                        ours.submit("GET", "/v1/experiments"),
                        ours.submit("GET", "/readyz"),
                    ]
                    told = [each.result(60) for each in asked]
                assert [each.status for each in told] == [503] * 4
                assert "has not answered for 4 s" in told[0].data["error"]
                with at_most(SOON + 2.0):  # now it cannot even connect
                    assert ours.decide("x", "during").status == 503
            again = ours.decide("x", "during")
            assert (again.status, again.data["t"]) == (200, 2)
            assert ours.reward("before").status == 200
        # Each once. A reward that was on its way when the database froze may come before.
        wanted = [(Kind.DECISION, "before"), (Kind.DECISION, "during"), (Kind.REWARD, None)]
        assert Counter(rows_of(url)) == Counter(wanted)


@pytest.mark.postgres
def test_those_who_look_first_when_it_is_frozen_are_told_together() -> None:
    """The thread that reads has no connection yet, and waits 2 s for one."""
    with fresh_postgres() as url, worker(url) as ours:
        ours.create("x")
        with postgres().frozen(), at_most(SOON):
            asked = [ours.submit("GET", "/v1/experiments") for _ in range(6)]
            assert [each.result(60).status for each in asked] == [503] * 6
        assert ours.call("GET", "/v1/experiments").status == 200


@pytest.mark.postgres
def test_a_commit_whose_answer_is_lost_is_found_by_the_same_id() -> None:
    """The database has the decision, and the caller was told 503: the retry gets that decision."""
    with fresh_postgres() as url, tempfile.TemporaryDirectory(prefix="rbmle-") as folder:
        between = LossyConnection(folder, postgres().folder)
        with worker(url.replace(postgres().folder, folder)) as ours:
            ours.create("x")
            first = ours.decide("x", "before").data
            between.lose_answer_to(b"COMMIT")
            with at_most(SOON):
                assert ours.decide("x", "during").status == 503
            between.lose_answer_to(None)
            assert (Kind.DECISION, "during") in rows_of(url)
            again = ours.decide("x", "during")
            assert (again.status, again.data["t"]) == (200, 2)
            assert ours.decide("x", "before").data == first
            assert ours.decide("x", "after").data["t"] == 3
        between.close()
        assert [id for _, id in rows_of(url)] == ["before", "during", "after"]


@pytest.mark.slow
def test_a_server_that_is_stopped_with_the_lock(url: str) -> None:
    """PostgreSQL takes the lock away from it; in SQLite whoever kills it, as a supervisor does."""
    with worker(url) as ours:
        ours.create("x")
        command = [sys.executable, "-c", HOLDS, url, SERVER_TIMEOUTS]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as other, killed(other):
            assert other.stdout is not None
            other.stdout.readline()
            with at_most(SOON):
                told = ours.decide("x", "during")
            assert told.status == 503
            if url.startswith("sqlite"):
                with at_most(SOON):
                    assert ours.call("GET", "/readyz").status == 503
                assert ours.call("GET", "/v1/experiments/x").data["decisions"] == 0
                other.kill()
            assert decided_within(ours, 10.0) == 1
            if not url.startswith("sqlite"):
                os.kill(other.pid, signal.SIGCONT)  # it has lost its session, and writes nothing
    assert rows_of(url) == [(Kind.DECISION, "during")]


def decided_within(ours: Worker, seconds: float) -> int:
    """The round of the decision, asked for again and again."""
    end = time.monotonic() + seconds
    while True:
        told = ours.decide("x", "during")
        if told.status == 200:
            t: int = told.data["t"]
            return t
        assert time.monotonic() < end, told


@pytest.mark.postgres
def test_sigterm_ends_a_service_whatever_is_open() -> None:
    """A database that is frozen, a caller who waits for it, and one who sends half a body."""
    with fresh_postgres() as url:
        service = Service(url, 1)
        with service, socket.create_connection(("127.0.0.1", service.port)) as half:
            half.sendall(b"PUT /v1/experiments/x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
            with postgres().frozen():
                threading.Thread(target=_asks, args=(service.port,), daemon=True).start()
                time.sleep(0.3)
                with at_most(12.0):  # 10 s are promised
                    assert service.stop() == 0


def _asks(port: int) -> None:
    with suppress(httpx.HTTPError):
        httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=30)
