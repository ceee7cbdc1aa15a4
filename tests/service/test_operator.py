"""What an operator sees: logs, metrics, and answers for who watches the service."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from attacked import HEAD, attacked
from evidence_cases import interpret
from http_cases import Worker, worker

from rbmle.service import app as app_module
from rbmle.service import log_lines, meters
from rbmle.service.callers import Edge
from rbmle.service.keys import create_key
from rbmle.service.meters import Histogram, Meters
from rbmle.service.storage import StorageError, open_storage

pytestmark = pytest.mark.slow


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Worker]:
    interpret(monkeypatch)
    with worker(f"sqlite:///{tmp_path}/rbmle.db") as made:
        yield made


def metrics(ours: Worker, key: str | None = None) -> dict[str, float]:
    """The lines of /metrics, by what stands before the value."""
    lines = ours.call("GET", "/metrics", key=key).content.decode().splitlines()
    told = [each.rpartition(" ") for each in lines if not each.startswith("#")]
    assert len({name for name, _, _ in told}) == len(told)
    return {name: float(value) for name, _, value in told}


def test_requests_are_counted_by_operation_and_status(ours: Worker) -> None:
    ours.create("x")
    for _ in range(3):
        ours.decide("x")
    ours.decide("none")
    found = metrics(ours)
    at = 'method="POST",path="/v1/experiments/{name}/decisions"'
    made, none = (f'{at},status="{status}",worker="0"' for status in (200, 404))
    assert found[f"rbmle_http_seconds_count{{{made}}}"] == 3
    assert found[f"rbmle_http_seconds_count{{{none}}}"] == 1
    assert found[f'rbmle_http_seconds_bucket{{{made},le="+Inf"}}'] == 3
    assert 0.0 < found[f"rbmle_http_seconds_sum{{{made}}}"] < 60.0
    assert found['rbmle_commit_seconds_count{worker="0"}'] >= 4
    assert found['rbmle_queue{worker="0"}'] == 0
    assert found["rbmle_workers"] == 1
    assert found['rbmle_pending{experiment="x"}'] == 3
    assert [name for name in found if name.startswith("rbmle_build_info{version=")]


def test_what_a_connection_refuses_is_counted(tmp_path: Path) -> None:
    with attacked(f"sqlite:///{tmp_path}/rbmle.db") as made:
        assert made.ask("GET", "/healthz", head=f"{HEAD}A: {'x' * 40_000}\r\n")[0] == 431
        with made.connect("nonsense\r\n\r\n") as bad:
            assert bad.recv(100)
        text = made.server.config.app.meters.text()  # type: ignore[union-attr]
    for status in (400, 431):
        assert f'_count{{method="none",path="other",status="{status}"' in text


def test_an_export_that_fails_is_cut_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It ends without the end of its body, and the log has no traceback."""
    real = app_module.events

    def fails(ledger: Any, who: Any, name: str, after: int) -> Any:
        if after:
            raise StorageError("service: the disk is away.")
        return real(ledger, who, name, after)

    monkeypatch.setattr(app_module, "events", fails)
    interpret(monkeypatch)
    with attacked(f"sqlite:///{tmp_path}/rbmle.db") as made:
        body = {"arms": ["a", "b"], "policy": "ucb", "family": "bernoulli"}
        assert made.ask("PUT", "/v1/experiments/x", body)[0] == 201
        batch = {"items": [{"decision": {"experiment": "x"}}] * 1_000}
        assert made.ask("POST", "/v1/batch", batch)[0] == 200
        read, asked = b"", f"GET /v1/experiments/x/events HTTP/1.1\r\n{HEAD}\r\n"
        with caplog.at_level(logging.WARNING), made.connect(asked) as reader:
            with suppress(ConnectionError):
                while part := reader.recv(65536):
                    read += part
            assert not read.endswith(b"0\r\n\r\n")
            assert made.healthy()
        text = made.server.config.app.meters.text()  # type: ignore[union-attr]
    place = "/v1/experiments/{name}/events"
    assert f'_count{{method="GET",path="{place}",status="503"' in text
    assert caplog.messages == [
        "service: the disk is away.", f"503 GET {place} from 127.0.0.1: the answer was cut",
    ]  # fmt: skip


def test_a_histogram_counts_up_to_each_bound() -> None:
    made = Histogram()
    for seconds in (0.0005, 0.001, 0.002, 100.0):
        made.observe(seconds)
    lines = [line for _, line in made.lines("s", {})]
    assert lines[:2] == ['s_bucket{le="0.001"} 2', 's_bucket{le="0.0025"} 3']
    assert lines[-3:] == ['s_bucket{le="+Inf"} 4', "s_sum{} 100.0035", "s_count{} 4"]


def test_a_disk_that_was_full_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines of a worker are there for the others again."""
    monkeypatch.setattr(meters, "_STORE_SECONDS", 0.01)
    folder = tmp_path / "meters"
    one, other = (Meters(number, str(folder)) for number in (7, 8))

    async def store() -> None:
        task = asyncio.create_task(one.store())
        await asyncio.sleep(0.1)
        folder.mkdir()
        while "rbmle_workers 2" not in other.text():
            await asyncio.sleep(0.01)
        task.cancel()

    asyncio.run(asyncio.wait_for(store(), 30.0))


def test_one_worker_tells_of_all(tmp_path: Path) -> None:
    workers = [Meters(number, str(tmp_path)) for number in (7, 8)]
    workers[0].observe("GET", "/", 200, 0.1)
    for each in workers:
        each._store(tmp_path)
    text = workers[1].text()
    assert 'rbmle_http_seconds_count{method="GET",path="/",status="200",worker="7"} 1' in text
    assert "rbmle_workers 2" in text
    assert text.count("# TYPE rbmle_http_seconds histogram") == 1


def test_a_failure_is_logged_once_with_its_cause(
    ours: Worker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ours.create("x")

    def broken(*_: Any) -> None:
        raise RuntimeError("a cause")

    monkeypatch.setattr("rbmle.service.transaction.Transaction.run", broken)
    monkeypatch.setattr("rbmle.service.app.a_label", broken)
    with caplog.at_level(logging.WARNING):
        assert ours.decide("x").status == 500  # by the thread that writes
        assert ours.decide("x", "id").status == 500  # by the event loop
    assert [each.message for each in caplog.records] == [
        "a transaction: RuntimeError: a cause",
        "500 POST /v1/experiments/{name}/decisions: RuntimeError: a cause",
    ]
    assert all(each.exc_info for each in caplog.records)


def test_a_slow_request_is_logged_with_its_parts(
    ours: Worker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ours.create("x")
    ours.decide("x")
    monkeypatch.setattr("rbmle.service.callers.SLOW_SECONDS", 0.1)
    monkeypatch.setattr(log_lines, "SLOW_SECONDS", 0.1)
    run = ours.app.committer._ledger.run  # type: ignore[union-attr]
    away = StorageError("service: the disk is slow and away.")

    def slow(*given: Any) -> Any:
        time.sleep(0.3)
        if failing:
            raise away
        return run(*given)

    monkeypatch.setattr(ours.app.committer._ledger, "run", slow)
    for failing, status in ((False, 200), (True, 503)):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            assert ours.decide("x").status == status
        told = caplog.messages[-1]
        assert caplog.messages[:-1] == [str(away)] * failing
        asked = f"slow: POST /v1/experiments/{{name}}/decisions {status} in "
        assert re.match(re.escape(asked) + r"\d+\.\d ms, \d+ bytes, no key, ", told)
        assert re.search(r"\(body 0\.\d\d s, database [0-9.]+ s\)$", told)


def test_the_access_log_has_a_line_of_json_for_each_request(tmp_path: Path) -> None:
    """In a process of its own, because logging is set up once; with names that are nobody's, and
    with the handler by which the command line shows messages."""
    program = f"""
import logging, sys
sys.path[:0] = {[str(Path(__file__).parent), str(Path(__file__).parents[1] / "live")]!r}
from attacked import HEAD, attacked
from rbmle._io.machine import log
from rbmle.cli.main import _Shown
from rbmle.service import log_lines, meters
from rbmle.service.callers import Edge
log.addHandler(_Shown())
kept = logging.StreamHandler(sys.stdout)
log.addHandler(kept)
edge = Edge(log_format="json", access_log=True)
log_lines.configure(edge.log_format, edge.access_log)
with attacked("sqlite:///{tmp_path}/rbmle.db", edge) as ours:
    ours.ask("GET", "/healthz")
    ours.ask("GET", "/v1/experiments/Jane%20Doe")
    ours.ask("GET", "/nothing/secret-id")
    ours.ask("GET", "/v1/experiments", head=HEAD + "Origin: http://evil.example\\r\\n")
"""
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    lines = [json.loads(each) for each in told.stderr.splitlines()]
    asked = [each for each in lines if each["level"] == "info"]
    assert [(each["method"], each["path"], each["status"]) for each in asked] == [
        ("GET", "/healthz", 200),
        ("GET", "/v1/experiments/{name}", 404),
        ("GET", "other", 404),
        ("GET", "/v1/experiments", 403),
    ]
    assert asked[0].keys() == {
        "time", "level", "message", "method", "path", "status", "ms", "bytes", "key", "client",
    }  # fmt: skip
    assert (asked[0]["key"], asked[0]["client"], asked[0]["bytes"]) == (None, "127.0.0.1", 15)
    (warned,) = [each for each in lines if each["level"] == "warning"]
    assert warned["message"].startswith("403 GET /v1/experiments from 127.0.0.1: A web page of")
    assert "403 GET /v1/experiments" in told.stdout  # a handler of the application's own stays
    assert "Jane" not in told.stderr
    assert "secret" not in told.stderr


def test_the_same_warning_is_logged_once_and_then_with_a_count(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    repeats, now = log_lines.Repeats(), [0.0]
    monkeypatch.setattr(log_lines.time, "monotonic", lambda: now[0])
    with caplog.at_level(logging.WARNING):
        for now[0] in (100.0, 101.0, 109.0, 111.0):
            repeats.warn(log_lines.log, "no.")
        repeats.warn(log_lines.log, "another.")
    assert caplog.messages == ["no.", "no. (2 more like this before.)", "another."]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/", "/metrics", "/openapi.json"])
def test_every_get_answers_head(ours: Worker, path: str) -> None:
    got, head = ours.call("GET", path), ours.call("HEAD", path)
    assert (head.status, head.kind) == (200, got.kind)
    if path == "/healthz":
        assert head.headers == got.headers


def test_head_of_a_log_reads_nothing(ours: Worker) -> None:
    ours.create("x")
    told = ours.call("HEAD", "/v1/experiments/x/events")
    assert (told.status, told.kind, told.content) == (200, "application/x-ndjson", b"")
    assert b"content-length" not in told.headers


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("DELETE", "/healthz", b"GET, HEAD"),
        ("OPTIONS", "/v1/batch", b"POST"),
        ("POST", "/v1/experiments/x", b"PUT, GET, HEAD"),
    ],
)
def test_a_405_says_what_is_allowed(ours: Worker, method: str, path: str, allow: bytes) -> None:
    told = ours.call(method, path)
    assert (told.status, told.headers[b"allow"]) == (405, allow)


def test_without_a_key_no_path_is_shown(ours: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(self: Any) -> None:
        raise StorageError("service: /srv/secret/rbmle.db cannot be used: it is away.")

    assert ours.call("GET", "/v1/experiments").status == 200  # it has read that there are no keys
    with closing(open_storage(ours.app.database)) as storage:
        for method in ("begin", "begin_reading"):
            monkeypatch.setattr(f"rbmle.service.sqlite.SqliteStorage.{method}", away)
        assert (
            b"/srv/secret" in ours.call("GET", "/readyz").content
        )  # there is no key: this machine
        monkeypatch.undo()
        key = create_key(storage, "read")
        assert ours.call("GET", "/v1/experiments", key=key).status == 200
    for method in ("begin", "begin_reading"):
        monkeypatch.setattr(f"rbmle.service.sqlite.SqliteStorage.{method}", away)
    time.sleep(1.1)  # for which the last try to write is trusted
    for path, stated in (("/readyz", None), ("/readyz", "rbmle_1_x"), ("/metrics", "rbmle_1_x")):
        told = ours.call("GET", path, key=stated)
        assert told.status == 503
        assert told.data["error"].startswith("The database cannot be used now.")
    assert b"/srv/secret" in ours.call("GET", "/readyz", key=key).content


def test_every_answer_has_the_headers_of_a_page_that_trusts_nobody(tmp_path: Path) -> None:
    with attacked(f"sqlite:///{tmp_path}/rbmle.db", Edge()) as ours:
        for asked in (
            f"GET / HTTP/1.1\r\n{HEAD}\r\n",
            f"GET /x HTTP/1.1\r\n{HEAD}\r\n",
            "?\r\n\r\n",
        ):
            with ours.connect(asked) as made:
                read = b""
                while b"\r\n\r\n" not in read:
                    read += made.recv(65536)
                head = read.partition(b"\r\n\r\n")[0].lower()
            assert b"content-security-policy: default-src 'none'; script-src 'self'" in head
            assert b"frame-ancestors 'none'" in head
            assert b"x-content-type-options: nosniff" in head
            assert b"cache-control: no-store" in head
