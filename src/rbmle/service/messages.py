"""Requests as they are read and answers as they are sent, by ASGI."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import msgspec

from .answers import Answer, refusal

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
T = TypeVar("T")

MOST_BYTES = 4 << 20  # of a body: room for 10,000 arms with names of 200 characters, and more
JSON = b"application/json"


class RefusedError(Exception):
    """A request that is refused before it reaches the ledger."""

    def __init__(self, refused: Answer) -> None:
        self.answer = refused


def token_of(scope: Scope) -> str | None:
    """The key that the request states."""
    for name, value in scope["headers"]:
        if name == b"authorization":
            kind, _, token = value.decode("latin-1").partition(" ")
            return token.strip() if kind.lower() == "bearer" else None
    return None


def query_of(scope: Scope, allowed: set[str]) -> dict[str, str]:
    """The parameters after the question mark."""
    if not scope["query_string"]:
        return {}
    try:
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    except ValueError:
        raise RefusedError(refusal(400, "The parameters of the address cannot be read.")) from None
    for name, _ in pairs:
        if name not in allowed:
            raise RefusedError(refusal(400, f"The address has an unknown parameter {name!r}."))
    return dict(pairs)


async def whole_body(receive: Receive) -> bytes:
    """The whole body. A caller who leaves before it has come has asked for nothing."""
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise RefusedError(refusal(400, "The body has not come."))
        part = message.get("body", b"")
        size += len(part)
        if size > MOST_BYTES:
            raise RefusedError(refusal(413, f"The body must have at most {MOST_BYTES} bytes."))
        parts.append(part)
        more = message.get("more_body", False)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def read(decoder: msgspec.json.Decoder[T], body: bytes) -> T:
    """The body as the decoder's type."""
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        sentence = str(problem).rstrip(".")
        raise RefusedError(refusal(400, f"The body cannot be read: {sentence}.")) from None


async def begin(send: Send, status: int, kind: bytes, length: int | None = None) -> None:
    """Send the head of an answer."""
    headers = [(b"content-type", kind)]
    if length is not None:
        headers.append((b"content-length", b"%d" % length))
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    elif status == 503:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def send_answer(send: Send, told: Answer, kind: bytes) -> None:
    """Send an answer."""
    await begin(send, told.status, kind, len(told.body))
    await send({"type": "http.response.body", "body": told.body})
