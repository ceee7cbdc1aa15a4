"""A worker with real sockets in this process, so that its limits can be made small, and attacks."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from rbmle.service import clock
from rbmle.service.callers import Edge
from rbmle.service.server import Options, configuration, listen
from rbmle.service.storage import open_storage

HEAD = "Host: 127.0.0.1\r\n"


class Attacked:
    """A worker that listens on a port of this machine, in a thread."""

    def __init__(self, url: str, edge: Edge | None = None) -> None:
        open_storage(url).close()
        (self.socket,) = listen("127.0.0.1", 0, 1)
        self.port = self.socket.getsockname()[1]
        self.server = uvicorn.Server(
            configuration(Options(url, False, (), clock.offset(), edge or Edge()))
        )
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],), daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def connect(self, sent: str | bytes = b"") -> socket.socket:
        made = socket.create_connection(("127.0.0.1", self.port), timeout=60.0)
        try:
            made.sendall(sent.encode() if isinstance(sent, str) else sent)
        except OSError:  # it was cut while we sent
            made.close()
            raise
        return made

    def ask(self, method: str, path: str, body: Any = None, head: str = HEAD) -> tuple[int, Any]:
        """The status and the data of an answer, over a new connection."""
        content = (
            b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        )
        length = f"Content-Length: {len(content)}\r\nConnection: close\r\n\r\n"
        with self.connect(f"{method} {path} HTTP/1.1\r\n{head}{length}".encode() + content) as made:
            return answer_of(made)

    def healthy(self) -> bool:
        return self.ask("GET", "/healthz") == (200, {"status": "ok"})

    def stop(self) -> float:
        """Stop it as a signal would; returns the seconds that this took."""
        begin = time.monotonic()
        self.server.should_exit = True
        self.thread.join(30.0)
        assert not self.thread.is_alive()
        return time.monotonic() - begin


def answer_of(made: socket.socket) -> tuple[int, Any]:
    """What comes until the end of the connection; (0, None) if it was cut without an answer."""
    read = b""
    try:
        while part := made.recv(65536):
            read += part
    except ConnectionError:
        pass
    head, _, body = read.partition(b"\r\n\r\n")
    return (int(head.split()[1]), json.loads(body)) if body else (0, None)


@contextmanager
def attacked(url: str, edge: Edge | None = None) -> Iterator[Attacked]:
    made = Attacked(url, edge)
    try:
        yield made
    finally:
        made.stop()
