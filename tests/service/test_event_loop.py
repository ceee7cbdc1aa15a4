"""Nothing that a caller sends keeps the event loop, and so all other callers, for long."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from attacked import HEAD, Attacked, attacked
from evidence_cases import interpret

from rbmle.service import http
from rbmle.service.app import OPERATIONS

pytestmark = pytest.mark.slow

# A turn of the loop may take 10 ms. What is measured is processor time, which on a machine with
# other work to do can be several times as much as on an idle one.
LONGEST = 0.040
PUT, BATCH, DECIDE = "/v1/experiments/y", "/v1/batch", "/v1/experiments/x/decisions"


@pytest.fixture(scope="module")
def ours(tmp_path_factory: Any) -> Iterator[Attacked]:
    folder: Path = tmp_path_factory.mktemp("loop")
    with pytest.MonkeyPatch.context() as patch, attacked(f"sqlite:///{folder}/rbmle.db") as made:
        interpret(patch)
        body = {"arms": ["a", "b"], "policy": "ucb", "family": "bernoulli"}
        assert made.ask("PUT", "/v1/experiments/x", body)[0] == 201
        assert made.ask("POST", DECIDE)[0] == 200
        made.ask("GET", "/openapi.json")
        yield made


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The processor time of each call, in any thread, that holds the interpreter on a body: what
    another thread does, the event loop waits for it, too."""
    found: list[float] = []

    def timed(work: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        def later(body: bytes) -> Any:
            begin = time.thread_time()
            try:
                return work(body)
            finally:
                found.append(time.thread_time() - begin)

        return later

    for each in OPERATIONS:
        if each.body is not None:
            monkeypatch.setattr(each, "_decode", timed(each._decode))
    monkeypatch.setattr(http, "_check_size", timed(http._check_size))
    return found


@contextmanager
def watched(ours: Attacked) -> Iterator[list[float]]:
    """The processor time of the longest turn of the event loop, once the `with` has ended."""
    loop = ours.server.config.app.committer._loop  # type: ignore[union-attr]
    found, stop = [0.0], asyncio.Event()

    async def watch() -> None:
        last = time.thread_time()
        while not stop.is_set():
            await asyncio.sleep(0)
            now = time.thread_time()
            found[0], last = max(found[0], now - last), now

    ended = asyncio.run_coroutine_threadsafe(watch(), loop)
    yield found
    loop.call_soon_threadsafe(stop.set)
    ended.result(10.0)


def fitted(begin: bytes, piece: bytes, end: bytes, size: int) -> bytes:
    return begin + piece * ((size - len(begin) - len(end)) // len(piece)) + end


BODIES = {
    "arms": (PUT, b'{"policy":"ucb","family":"bernoulli","arms":[', b'"a",', b'"b"]}'),
    "lists": (PUT, b'{"arms":[],"family":"x","policy":{"name":[', b"[],", b"0]}}"),
    "objects": (PUT, b'{"arms":[],"family":"x","policy":{"name":[', b"{},", b"0]}}"),
    "spaces": (PUT, b'{"arms":[],"family":"x","policy":"x"', b" ", b"}"),
    "features": (DECIDE, b'{"context":[', b"0,", b"0]}"),
    "items": (BATCH, b'{"items":[', b"{},", b"{}]}"),
    "decisions": (BATCH, b'{"items":[', b'{"decision":{"experiment":"x"}},', b"{}]}"),
    "depth": (DECIDE, b'{"context":', b"[", b"}"),
    "a long id": (DECIDE, b'{"id":"', b"x", b'"}'),
    "a long field": (DECIDE, b'{"', b"x", b'":1}'),
}


@pytest.mark.parametrize("size", [60_000, 300_000, 4_000_000])
@pytest.mark.parametrize("kind", BODIES)
def test_a_body(ours: Attacked, calls: list[float], kind: str, size: int) -> None:
    path, begin, piece, end = BODIES[kind]
    body = fitted(begin, piece, end, size)
    with watched(ours) as longest:
        status, told = ours.ask("PUT" if path == PUT else "POST", path, body)
    assert 400 <= status < 500 or kind == "arms", told
    assert longest[0] < (0.010 if size > 100_000 else LONGEST)  # a thread reads large ones
    assert max(calls) < LONGEST


@pytest.mark.parametrize(
    "policy", [f"ucb(alpha={'9' * 3_900_000})", "ucb(" * 2_000, {"name": "x" * 3_900_000}]
)
def test_a_definition(ours: Attacked, policy: Any) -> None:
    body = {"arms": ["a", "b"], "policy": policy, "family": "bernoulli"}
    with watched(ours) as longest:
        assert ours.ask("PUT", PUT, json.dumps(body).encode())[0] == 422
    assert longest[0] < LONGEST


@pytest.mark.parametrize(
    ("path", "head"),
    [
        (f"/v1/experiments/{'%20' * 10_000}", HEAD),
        (f"/v1/experiments/x/events?{'a&' * 15_000}", HEAD),
        ("/healthz", HEAD + "A: b\r\n" * 5_000),
        ("/healthz", f"{HEAD}A: {'x' * 5_000_000}\r\n"),
        ("/v1/experiments", f"{HEAD}Origin: http://{'x' * 30_000}\r\n"),
        ("/v1/experiments", f"{HEAD}Authorization: Bearer rbmle_1_{'x' * 30_000}\r\n"),
    ],
)
def test_a_head(ours: Attacked, path: str, head: str) -> None:
    with watched(ours) as longest, suppress(ConnectionError):  # it may be cut while we send
        ours.ask("GET", path, head=head)
    assert longest[0] < LONGEST


@pytest.mark.parametrize(
    "asked", [b"GET / HTTP/1.1\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nx"]
)
def test_many_requests_in_one_piece(ours: Attacked, asked: bytes) -> None:
    with watched(ours) as longest, suppress(ConnectionError), ours.connect() as made:
        made.sendall(asked * 14_000)
        made.settimeout(10.0)
        while made.recv(65536):
            pass
    assert longest[0] < LONGEST
