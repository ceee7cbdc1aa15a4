"""`Connection`: uvicorn's protocol with limits, so that no caller can keep the others out.

uvicorn's parser, httptools, is quick and bounds nothing: a head of 100 MB is collected whole, and a
connection that says nothing stays for ever; it closes only those that are idle after an answer. The
limits cost a request that is sent in one piece a microsecond; that it reads and writes without
ASGI's messages saves more.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from typing import TYPE_CHECKING, ClassVar

import httptools
from starlette.types import Scope
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)

from .log_lines import Repeats
from .messages import refusal
from .meters import Meters

if TYPE_CHECKING:
    from uvicorn._types import ASGI3Application

log = logging.getLogger("rbmle.service")
# What uvicorn says of a connection. Its warnings, "Invalid HTTP request received." for each one, or
# that a library for WebSockets should be installed, would let any caller fill the log.
_errors = logging.getLogger("uvicorn.error.connection")
_errors.setLevel(logging.ERROR)

_MAX_HEAD_BYTES = 32 << 10  # request line and headers; a choice: 4 times what nginx takes of a line
_MAX_HEADERS = 100  # Apache's default
_MAX_FRAMING_BYTES = 1 << 20  # of a body in chunks, beside the body: sizes of chunks, trailers
# Requests of a connection that wait for the answer to one before. The parser reads all that has
# come, and makes 1.6 kB and 7 us of work of each request, which may have 18 bytes.
_MAX_WAITING = 250
_FIRST_BYTE_SECONDS = 20.0  # until a new connection says something; a choice
_REQUEST_SECONDS = 30.0  # from its first byte to its last: 4 MiB at 1.2 Mbit/s
_WRITE_SECONDS = 60.0  # for which a caller may not read what it is sent; nginx's default

_TOO_LARGE = (
    f"A request has at most {_MAX_HEADERS} headers and {_MAX_HEAD_BYTES} bytes before its body."
)
_HOSTS = "A request names one Host."
_TOO_SLOW = f"A request must come within {_REQUEST_SECONDS:g} seconds."
_TOO_MANY = "The service has too many connections; try again."
_TOO_FAST = f"At most {_MAX_WAITING} requests of a connection may wait for their answers."
_JSON, _CLOSE = (b"content-type", b"application/json"), (b"connection", b"close")
Headers = tuple[tuple[bytes, bytes], ...]


@functools.lru_cache(maxsize=64)
def _lines(headers: Headers) -> bytes:
    """Headers as they are sent. Few differ, until the date does."""
    return b"".join(b"%b: %b\r\n" % each for each in headers)


class Connection(HttpToolsProtocol):
    """A connection. most: how many there may be. queue: all of them; see `_make_room`."""

    most: ClassVar[int]
    queue: ClassVar[dict[Connection, None]]
    repeats: ClassVar[Repeats]
    meters: ClassVar[Meters]
    _deadline: asyncio.TimerHandle | None = None  # of a request that has not come whole
    _unread: asyncio.TimerHandle | None = None  # of an answer that the caller does not read
    _answering: RequestResponseCycle | None = None  # the last that was begun to be answered
    _seen: object = None  # the last request when `_make_room` came by
    _in_head = True
    _framing = 0  # bytes of this request so far that are not its body
    _refused: tuple[int, str] | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.logger = _errors
        super().connection_made(transport)
        if len(self.connections) > self.most and not self._make_room():
            self._refuse(503, _TOO_MANY)
            return
        self.queue[self] = None
        close = self.timeout_keep_alive_handler
        self.timeout_keep_alive_task = self.loop.call_later(_FIRST_BYTE_SECONDS, close)

    def _make_room(self) -> bool:
        """Close the first connection of the queue that is idle and has sent no request since it was
        looked at; those before it go to the end. If there is none, cut one that does not read its
        answer as fast as it is sent. Returns whether there was one."""
        for each in [*self.queue] * 2:
            seen, each._seen = each._seen, each.cycle
            self.queue.pop(each)
            if each.cycle is seen and each._is_idle():
                each.transport.close()
                return True
            self.queue[each] = None
        for each in self.queue:
            if each.flow.write_paused:
                each.transport.abort()
                return True
        return False

    def _is_idle(self) -> bool:
        """Whether no whole request has come that is not answered."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, app)

    def connection_lost(self, exc: Exception | None) -> None:
        self.queue.pop(self, None)
        self.pipeline.clear()
        if self._answering is not None:  # uvicorn tells the last request only
            self._answering.disconnected = True
        self._stop_deadline()
        self.resume_writing()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._unset_keepalive_if_required()
        self._framing += len(data)
        try:
            self._parse(data)
        except httptools.HttpParserError:
            self.send_400_response("")
        if self._framing == 0 or self.transport.is_closing():  # nothing of a request is missing
            return
        if self._framing > (_MAX_HEAD_BYTES if self._in_head else _MAX_FRAMING_BYTES):
            self._refuse(431, _TOO_LARGE)
        elif self._deadline is None and self._is_idle():
            self._deadline = self.loop.call_later(_REQUEST_SECONDS, self._too_slow)

    def _parse(self, data: bytes | memoryview) -> None:
        """Read what has come. The parser stops at a request that asks for another protocol, as
        Java's client and `curl --http2` do: a server may ignore that, so it is read again as one
        that does not ask, and its body and what follows it after that."""
        while data:
            try:
                self.parser.feed_data(data)
                return
            except httptools.HttpParserUpgrade as stopped:
                data = memoryview(data)[stopped.args[0] :]
            lines = [b"%b: %b" % each for each in self.headers if each[0] != b"upgrade"]
            asked = self.parser.get_method(), self.url, self.parser.get_http_version().encode()
            self.parser = httptools.HttpRequestParser(self)
            self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn's
            self.parser.feed_data(b"\r\n".join([b"%b %b HTTP/%b" % asked, *lines, b"", b""]))

    def on_headers_complete(self) -> None:
        if self.parser.should_upgrade():
            if self.parser.get_method() == b"CONNECT":
                raise ValueError("CONNECT is for proxies")
            return  # see `_parse`
        if len(self.headers) > _MAX_HEADERS or self._framing > _MAX_HEAD_BYTES < self._head_bytes():
            self._refused = (431, _TOO_LARGE)
        elif len(self.pipeline) >= _MAX_WAITING:
            self._refused = (429, _TOO_FAST)
        elif [name for name, _ in self.headers].count(b"host") > 1:  # RFC 9112, 3.2
            self._refused = (400, _HOSTS)
        if self._refused is not None:
            raise ValueError  # the parser stops, and `send_400_response` is called
        super().on_headers_complete()
        self._in_head = False
        self.scope["state"]["connection"] = self

    def _head_bytes(self) -> int:
        return len(self.url) + sum(len(name) + len(value) for name, value in self.headers)

    def on_body(self, body: bytes) -> None:
        self._framing -= len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self.parser.should_upgrade():
            return
        super().on_message_complete()
        self._stop_deadline()
        self._in_head, self._framing = True, 0
        if self.cycle.response_complete:  # it was refused before all of it had come
            self.on_response_complete()

    def whole_body(self, scope: Scope) -> bytes | None:
        """The body of this request, if all of it has come at once; else it must be received."""
        cycle = self.cycle
        if cycle.scope is not scope or cycle.more_body or cycle.disconnected:
            return None
        return bytes(cycle.body) if len(cycle.body) <= HIGH_WATER_LIMIT else None

    def answer(self, scope: Scope, status: int, headers: Headers, body: bytes) -> bool:
        """Answer this request; False if it must be sent. headers: all but the body's length."""
        cycle = self.cycle
        if cycle.scope is not scope or cycle.disconnected or self.flow.write_paused:
            return False
        if not cycle.keep_alive:
            headers = (*headers, _CLOSE)
        self._write(status, headers, body if scope["method"] != "HEAD" else b"", len(body))
        cycle.response_started = cycle.response_complete = True
        cycle.message_event.set()
        if not cycle.keep_alive:
            self.transport.close()
        cycle.on_response()
        return True

    def cut(self) -> None:
        """End it in the middle of an answer, so that nobody takes that for whole."""
        if self._answering is not None:
            self._answering.disconnected = True
        self.transport.abort()

    def _write(self, status: int, headers: Headers, body: bytes, length: int) -> None:
        head = _lines((*self.server_state.default_headers, *headers))
        answer = b"%b%bcontent-length: %d\r\n\r\n%b" % (STATUS_LINE[status], head, length, body)
        self.transport.write(answer)

    def _stop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self._refuse(408, _TOO_SLOW)

    def send_400_response(self, msg: str) -> None:
        self._refuse(*(self._refused or (400, "The request cannot be read as HTTP.")))

    def _refuse(self, status: int, sentence: str) -> None:
        """Refuse and close at once. Nothing is said before the answer to another request, nor twice
        to one whose body goes on after its answer."""
        self.meters.observe("none", "other", status, 0.0)
        self.repeats.warn(log, f"{status} to {self.client[0] if self.client else '?'}: {sentence}")
        cycle = self.cycle
        if self._in_head:
            free = cycle is None or cycle.response_complete
        else:
            free = cycle is self._answering and not cycle.response_started
        if free:
            body = refusal(status, sentence).body
            self._write(status, (_JSON, _CLOSE), body, len(body))
        self.queue.pop(self, None)
        self.transport.close()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self.loop.call_later(_WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None
        super().resume_writing()

    def shutdown(self) -> None:
        """The server stops: who has not sent a whole request has asked for nothing."""
        if self._is_idle():
            self.transport.close()
        else:
            super().shutdown()


def at_most(connections: int, meters: Meters) -> type[Connection]:
    """The protocol of a server that has at most so many connections, and counts by these meters."""
    limits = {"most": connections, "queue": {}, "repeats": Repeats(), "meters": meters}
    return type("LimitedConnection", (Connection,), limits)
