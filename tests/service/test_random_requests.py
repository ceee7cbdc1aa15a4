"""Bytes that are almost HTTP: each is answered or cut, and none is an unexpected error."""

from __future__ import annotations

import logging
import random
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from attacked import HEAD, Attacked, attacked
from evidence_cases import interpret

pytestmark = pytest.mark.slow

DECIDE = "POST /v1/experiments/x/decisions HTTP/1.1"
SEEDS = (
    f"GET /healthz HTTP/1.1\r\n{HEAD}\r\n",
    f"{DECIDE}\r\n{HEAD}Content-Length: 2\r\n\r\n{{}}",
    f"{DECIDE}\r\n{HEAD}Transfer-Encoding: chunked\r\nUpgrade: h2c\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n",
    f"{DECIDE}\r\n{HEAD}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{{}}",
    f"GET / HTTP/1.1\r\n{HEAD}Upgrade: websocket\r\nConnection: upgrade\r\n\r\n",
    f"HEAD /metrics HTTP/1.0\r\n{HEAD}Connection: keep-alive\r\n\r\n",
    f"CONNECT a:1 HTTP/1.1\r\n{HEAD}Upgrade: x\r\n\r\n",
    f"GET http://[::1/healthz HTTP/1.1\r\n{HEAD}\r\n",
    f"OPTIONS * HTTP/1.1\r\n{HEAD}\r\n",
)
PIECES = (b"\r\n", b"\r\n\r\n", b"\0", b": ", b"%", b"Upgrade: a\r\n", b"Content-Length: 5\r\n")


@pytest.fixture
def ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Attacked]:
    interpret(monkeypatch)
    with attacked(f"sqlite:///{tmp_path}/rbmle.db") as made:
        yield made


def mutated(draw: random.Random) -> bytes:
    """Some requests after one another, with up to three mistakes."""
    sent = bytearray("".join(draw.choices(SEEDS, k=draw.randrange(1, 5))).encode())
    for _ in range(draw.randrange(4)):
        at = draw.randrange(len(sent))
        match draw.randrange(5):
            case 0:
                sent[at] = draw.randrange(256)
            case 1:
                del sent[at + 1 : at + 9]
            case 2:
                sent[at:at] = sent[at : at + 20]
            case 3:
                sent[at:at] = draw.choice(PIECES)
            case 4:
                del sent[at + 1 :]
    return bytes(sent)


def test_almost_http(ours: Attacked, caplog: pytest.LogCaptureFixture) -> None:
    draw = random.Random(5)
    for _ in range(400):
        sent, read = mutated(draw), b""
        half = len(sent) // 2 if draw.random() < 0.4 else len(sent)
        with suppress(OSError), ours.connect(sent[:half]) as made:
            made.settimeout(0.02)
            made.sendall(sent[half:])
            with suppress(TimeoutError):
                while part := made.recv(65536):
                    read += part
            made.shutdown(socket.SHUT_RDWR)
        assert b"HTTP/1.1 5" not in read, sent
    assert ours.healthy()
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []
