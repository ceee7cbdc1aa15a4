"""A worker without a socket: its application is called as a server would call it."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import quote

from rbmle.service.app import App
from rbmle.service.storage import open_storage

HOST = (b"host", b"127.0.0.1:8000")
BODY = {"arms": ["a", "b"], "policy": {"name": "UCB"}, "family": {"name": "Bernoulli"}, "seed": 1}


class Told(NamedTuple):
    status: int
    kind: str
    content: bytes
    headers: dict[bytes, bytes]

    @property
    def data(self) -> Any:
        return json.loads(self.content)


class Worker:
    """A worker's application, with an event loop of its own."""

    def __init__(self, url: str, keys: bool = False) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        open_storage(url).close()  # as `serve` does before it starts workers
        self.app = App(url, keys)
        self.headers: list[tuple[bytes, bytes]] = []  # of every request
        self.life = self.app.lifespan()
        asyncio.run_coroutine_threadsafe(self.life.__aenter__(), self.loop).result()

    def close(self) -> None:
        leaving = self.life.__aexit__(None, None, None)
        asyncio.run_coroutine_threadsafe(leaving, self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    def leave(self, path: str, *parts: bytes) -> int:
        """Send the parts of a body and leave before its end."""
        messages = [{"type": "http.request", "body": each, "more_body": True} for each in parts]
        messages.append({"type": "http.disconnect"})
        sent: list[Any] = []

        async def receive() -> Any:
            return messages.pop(0)

        async def send(message: Any) -> None:
            sent.append(message)

        scope = {
            "type": "http", "method": "POST", "raw_path": path.encode(), "headers": [HOST],
            "query_string": b"",
        }  # fmt: skip
        asyncio.run_coroutine_threadsafe(self.app(scope, receive, send), self.loop).result(60)
        status: int = sent[0]["status"]
        return status

    def submit(self, method: str, path: str, body: Any = None, key: str | None = None) -> Any:
        content = (
            body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        )
        return asyncio.run_coroutine_threadsafe(self._call(method, path, content, key), self.loop)

    def call(self, method: str, path: str, body: Any = None, key: str | None = None) -> Told:
        told: Told = self.submit(method, path, body, key).result(60)
        return told

    async def _call(self, method: str, path: str, body: bytes, key: str | None) -> Told:
        place, _, query = path.partition("?")
        headers = [HOST, *self.headers]
        if key is not None:
            headers.append((b"authorization", f"Bearer {key}".encode()))
        scope = {
            "type": "http", "method": method, "raw_path": place.encode(), "headers": headers,
            "query_string": query.encode(),
        }  # fmt: skip
        sent: list[Any] = []

        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            if not messages:  # the caller waits for the answer
                await asyncio.Event().wait()
            return messages.pop()

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        told = dict(sent[0]["headers"])
        content = b"".join(each["body"] for each in sent[1:])
        return Told(sent[0]["status"], told[b"content-type"].decode(), content, told)

    # Short forms of the requests.

    def create(self, name: str = "x", key: str | None = None, **changes: Any) -> Told:
        """Create an experiment, and wait until it is compiled; the first answer's status."""
        asked = "PUT", f"/v1/experiments/{quote(name, '')}", {**BODY, **changes}, key
        first = told = self.call(*asked)
        while told.status < 300 and "compiling" in told.data:
            time.sleep(0.05)
            told = self.call(*asked)
        return told._replace(status=first.status)

    def decide(self, name: str = "x", id: str | None = None, key: str | None = None) -> Told:
        body = None if id is None else {"id": id}
        return self.call("POST", f"/v1/experiments/{quote(name, '')}/decisions", body, key)

    def reward(self, id: str, value: Any = 1.0, key: str | None = None) -> Told:
        return self.call("PUT", f"/v1/decisions/{quote(id, '')}/reward", {"value": value}, key)


@contextmanager
def worker(url: str, keys: bool = False) -> Iterator[Worker]:
    made = Worker(url, keys)
    try:
        yield made
    finally:
        made.close()
