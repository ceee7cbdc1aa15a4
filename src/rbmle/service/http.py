"""What can be asked over HTTP: an operation is a method at an address, read, answered, described.

The description has the form of OpenAPI 3.1; msgspec makes the schemas of the bodies.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple, get_type_hints
from urllib.parse import unquote

import msgspec
from msgspec import Struct
from msgspec.structs import fields
from starlette.datastructures import QueryParams
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..errors import ParameterError
from .keys import ANYONE
from .messages import COMPONENTS, MAX_NAME_LENGTH, Answer, Refused, RefusedError, refusal
from .storage import Key, StorageError

Schema = dict[str, Any]
Authorize = Callable[[str | None, str, str | None], Awaitable[Key]]

NOTHING = refusal(404, "There is nothing at this address.")
_MAX_BODY_BYTES = 4 << 20  # of a body: room for 10,000 arms with names of 200 characters, and more
_JSON = ((b"content-type", b"application/json"),)
_HEADERS = {
    401: (*_JSON, (b"www-authenticate", b"Bearer")),
    503: (*_JSON, (b"retry-after", b"1")),
}
_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": MAX_NAME_LENGTH}
_QUERY: dict[str, Schema] = {"experiment": _NAME, "after": {"type": "integer", "minimum": 0}}
_TEXTS = {
    400: "The body, or a parameter of the address, cannot be read.",
    401: "The key is missing, unknown or revoked.",
    403: "The key's role does not allow this.",
    404: "There is no such thing, or not for this key.",
    409: "It exists and is another.",
    410: "The deadline has passed, or the experiment has ended.",
    413: "The body is too large.",
    422: "A value is not allowed.",
    503: "The database cannot be used now. Send the same again, with the same id.",
}


class Call(NamedTuple):
    """What a request says beside its body: its key, the names and the parameters of its address."""

    key: Key
    names: dict[str, str]
    query: dict[str, str]

    @property
    def name(self) -> str:
        """The experiment in the address."""
        return self.names["name"]


@dataclass
class Operation:
    """A method at an address. `{name}` in the address is always that of an experiment.

    work: what does it; the first line of its docstring describes it. role: of the key that it
    needs; "" if it needs none. answer: the type of the answer's body, or its media type if it is no
    JSON; "" if the operation is not described. statuses: further ones that it answers with.
    query: parameters of the address; where there are none, they are not looked at.
    """

    method: str
    path: str
    work: Callable[..., Awaitable[Answer | Response]]
    role: str = ""
    answer: type[Struct] | str = ""
    statuses: tuple[int, ...] = ()
    query: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """body: the type of the request's body, if it has one. empty: what no body means."""
        self.body: type[Struct] | None = get_type_hints(self.work).get("body")
        if self.body is not None:
            self._decode: Callable[[bytes], Struct] = msgspec.json.Decoder(self.body).decode
            self.empty = b"" if any(each.required for each in fields(self.body)) else b"{}"

    def read(self, body: bytes) -> Struct:
        """The request's body; raises RefusedError if it cannot be read."""
        try:
            return self._decode(body or self.empty)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
            sentence = str(problem).rstrip(".")
            raise RefusedError(refusal(400, f"The body cannot be read: {sentence}.")) from None

    def described(self) -> Schema:
        """The operation in the form of OpenAPI."""
        summary = (inspect.getdoc(self.work) or "").partition("\n")[0]
        parameters = [
            {"name": each, "in": "path", "required": True, "schema": _NAME}
            for each in re.findall(r"{(\w+)}", self.path)
        ]
        parameters += [{"name": each, "in": "query", "schema": _QUERY[each]} for each in self.query]
        read = (400, 413, 422) if self.body else (400, 422) if self.query else ()
        statuses = {200, 503, *((401, 403) if self.role else ()), *read, *self.statuses}
        responses = {
            str(status): {
                "description": _TEXTS.get(status, summary),
                "content": _content(Refused if status in _TEXTS else self.answer),
            }
            for status in sorted(statuses)
        }
        told: Schema = {"summary": summary, "parameters": parameters, "responses": responses}
        if self.body is not None:
            told["requestBody"] = {"required": not self.empty, "content": _content(self.body)}
        if not self.role:
            told["security"] = []
        return told


def _content(kind: type[Struct] | str) -> Schema:
    """The content of a body of this type, or of this media type."""
    if isinstance(kind, type):
        return {"application/json": {"schema": {"$ref": COMPONENTS.format(name=kind.__name__)}}}
    return {kind: {"schema": {"type": "string"}}}


def openapi(operations: Sequence[Operation]) -> Schema:
    """The description of these operations."""
    described = [each for each in operations if each.answer]
    kinds = {Refused, *(kind for each in described for kind in (each.body, each.answer))}
    bodies = sorted((each for each in kinds if isinstance(each, type)), key=lambda t: t.__name__)
    paths: dict[str, Schema] = {}
    for each in described:
        paths.setdefault(each.path, {})[each.method.lower()] = each.described()
    return {
        "openapi": "3.1.0",
        "info": {"title": "rbmle", "version": version("rbmle")},
        "components": {
            "schemas": msgspec.json.schema_components(bodies, ref_template=COMPONENTS)[1],
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"key": []}, {}],
        "paths": paths,
    }


class Endpoint:
    """The operations of the application at one address, by their methods.

    authorize: from a token, a role and an experiment to the key, if it allows that.
    """

    def __init__(self, app: object, authorize: Authorize, operations: dict[str, Operation]) -> None:
        self._app, self._authorize, self._operations = app, authorize, operations

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        try:
            told = await self._answer(scope, receive)
        except RefusedError as problem:
            told = problem.answer
        except ParameterError as problem:
            told = refusal(422, str(problem))
        except StorageError as problem:
            told = refusal(503, str(problem))
        except Exception:
            told = refusal(500, "The service failed; its log says why.")
        await respond(told, scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive) -> Answer | Response:
        given: dict[str, str] = scope["path_params"]
        try:
            names = {name: unquote(text, errors="strict") for name, text in given.items()}
        except UnicodeDecodeError:
            return NOTHING
        operation = self._operations.get(scope["method"])
        if operation is None:
            return refusal(405, f"Use {', '.join(self._operations)} here.")
        key = ANYONE
        if operation.role:
            key = await self._authorize(_token(scope), operation.role, names.get("name"))
        bodies = [operation.read(await _whole_body(receive))] if operation.body else []
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
