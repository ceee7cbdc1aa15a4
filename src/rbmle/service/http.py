"""From a request to an operation, and from its answer to a response: one endpoint an address."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple
from urllib.parse import unquote

import msgspec
from starlette.datastructures import QueryParams
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..errors import ParameterError
from .committer import unavailable
from .keys import ANYONE
from .messages import Answer, RefusedError, refusal
from .openapi import Operation
from .storage import Key

_MAX_BODY_BYTES = 4 << 20  # of a body: room for 10,000 arms with names of 200 characters, and more
_JSON = ((b"content-type", b"application/json"),)
_HEADERS = {
    401: (*_JSON, (b"www-authenticate", b"Bearer")),
    503: (*_JSON, (b"retry-after", b"1")),
}
Authorize = Callable[[str | None, str, str | None], Awaitable[Key]]
NOTHING = refusal(404, "There is nothing at this address.")


class Call(NamedTuple):
    """What a request says beside its body: its key, the names and the parameters of its address."""

    key: Key
    names: dict[str, str]
    query: dict[str, str]

    @property
    def name(self) -> str:
        """The experiment in the address."""
        return self.names["name"]


class Endpoint:
    """The operations at one address, by their methods.

    authorize: from a token, a role and an experiment to the key, if it allows that.
    """

    def __init__(self, app: object, authorize: Authorize, operations: dict[str, Operation]) -> None:
        self._app, self._authorize, self._operations = app, authorize, operations
        self._decoders = {
            method: (msgspec.json.Decoder(each.body), b"{}" if each.optional_body else b"")
            for method, each in operations.items()
            if each.body is not None
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        try:
            told = await self._answer(scope, receive)
        except RefusedError as problem:
            told = problem.answer
        except ParameterError as problem:
            told = refusal(422, str(problem))
        except Exception as problem:
            told = unavailable(problem)
        await respond(told, scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Answer | Response:
        given: dict[str, str] = scope["path_params"]
        try:
            names = {name: unquote(text, errors="strict") for name, text in given.items()}
        except UnicodeDecodeError:
            return NOTHING
        method = scope["method"]
        operation = self._operations.get(method)
        if operation is None:
            return refusal(405, f"Use {', '.join(self._operations)} here.")
        key = ANYONE
        if operation.role:
            key = await self._authorize(_token(scope), operation.role, names.get("name"))
        bodies: list[msgspec.Struct] = []
        if method in self._decoders:
            decoder, empty = self._decoders[method]
            bodies.append(_read(decoder, await _whole_body(receive) or empty))
        query = _query(scope, operation.query) if operation.query else {}
        return await operation.work(self._app, Call(key, names, query), *bodies)


async def respond(told: Answer | Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Send an answer. One of JSON is sent without a `Response`, which takes a microsecond more."""
    if isinstance(told, Response):
        await told(scope, receive, send)
        return
    status, body = told
    headers = [*_HEADERS.get(status, _JSON), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _token(scope: Scope) -> str | None:
    """The key that the request states."""
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    stated = next((value for name, value in headers if name == b"authorization"), b"")
    kind, _, token = stated.decode("latin-1").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def _query(scope: Scope, allowed: tuple[str, ...]) -> dict[str, str]:
    """The parameters after the question mark."""
    if not scope["query_string"]:
        return {}
    given = dict(QueryParams(scope["query_string"]))
    for name in given:
        if name not in allowed:
            raise RefusedError(refusal(400, f"The address has an unknown parameter {name!r}."))
    return given


async def _whole_body(receive: Receive) -> bytes:
    """The whole body. A caller who leaves before it has come has asked for nothing."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise RefusedError(refusal(400, "The body has not come."))
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > _MAX_BODY_BYTES:
            sentence = f"The body must have at most {_MAX_BODY_BYTES} bytes."
            raise RefusedError(refusal(413, sentence))
    return body


def _read(decoder: msgspec.json.Decoder[msgspec.Struct], body: bytes) -> msgspec.Struct:
    try:
        return decoder.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
        sentence = str(problem).rstrip(".")
        raise RefusedError(refusal(400, f"The body cannot be read: {sentence}.")) from None
