"""What can be asked over HTTP: an operation is a method at an address, read, answered, described.

The description has the form of OpenAPI 3.1; msgspec makes the schemas of the bodies.
"""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from time import perf_counter
from typing import TYPE_CHECKING, Any, get_type_hints
from urllib.parse import parse_qsl, unquote

import msgspec
from msgspec import Struct
from msgspec.structs import fields
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Receive, Scope, Send

from ..errors import ParameterError
from .keys import ANYONE
from .log_lines import failed
from .messages import COMPONENTS, MAX_NAME_LENGTH, Answer, Refused, RefusedError, refusal
from .storage import StorageError

if TYPE_CHECKING:
    from .callers import Callers
    from .connections import Connection

Schema = dict[str, Any]

NOTHING = refusal(404, "There is nothing at this address.")
_AWAY = refusal(503, "The database cannot be used now. Send the same again, with the same id.")
_MAX_BODY_BYTES = 4 << 20  # of a body: room for 10,000 arms with names of 200 characters, and more
# Python does nothing else while a body is decoded: 100,000 strings take 9 ms, 25,000 lists with a
# name 5 ms. Where it may be slow, the characters that values come with are counted first.
_MAX_VALUES, _MAX_NAMED, _LARGE_BYTES = 100_000, 50_000, 64 << 10
# Counting takes 4 ms for 4 MiB, and decoding 5. One thread does that for all large bodies, so that
# the event loop goes on between the two, and waits for no more than one of them.
_large = ThreadPoolExecutor(1, "bodies")
_MAX_PARAMETERS = 10  # after the question mark
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
    403: "The key's role does not allow this, or a page of another site asked.",
    404: "There is no such thing, or not for this key.",
    409: "It exists and is another.",
    410: "The deadline has passed, the experiment has ended, or its budget is spent.",
    413: "The body is too large.",
    422: "A value is not allowed.",
    429: "Too many wrong keys; try again later.",
    503: "The database cannot be used now. Send the same again, with the same id.",
}


class Call:
    """A request without its body: its key, the names and the parameters of its address.

    trusted: whether it has a valid key, or none is needed: then it may see names and paths.
    For the log: spent, the seconds of its parts; cause, why it was refused, where that matters;
    seconds, until the answer was there; sent, the bytes of its body.
    """

    __slots__ = ("cause", "key", "names", "query", "seconds", "sent", "spent", "trusted")

    def __init__(self, names: dict[str, str]) -> None:
        self.key, self.trusted, self.names = ANYONE, False, names
        self.query: dict[str, str] = {}
        self.spent: dict[str, float] = {}
        self.cause, self.seconds, self.sent = "", 0.0, 0

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
        if len(body) > _LARGE_BYTES:
            _check_size(body)
        try:
            return self._decode(body or self.empty)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
            sentence = str(problem)[:1_000].rstrip(".")  # which may hold a field of 4 MB
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
        statuses = {200, 403, 503, *((401, 429) if self.role else ()), *read, *self.statuses}
        responses = {
            str(status): {
                "description": _TEXTS.get(status, summary),
                "content": _content(Refused if status in _TEXTS else self.answer),
            }
            for status in sorted(statuses)
        }
        operation: Schema = {"summary": summary, "parameters": parameters, "responses": responses}
        if self.body is not None:
            operation["requestBody"] = {"required": not self.empty, "content": _content(self.body)}
        if not self.role:
            operation["security"] = []
        return operation


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


def pattern_of(path: str) -> re.Pattern[str]:
    """The addresses of this form: `{name}` stands for anything without a slash."""
    return re.compile(re.sub(r"{(\w+)}", r"(?P<\1>[^/]+)", path))


class Endpoint:
    """The operations of the application at one address, by their methods."""

    def __init__(
        self, app: object, callers: Callers, path: str, operations: dict[str, Operation]
    ) -> None:
        self._app, self._callers, self._path, self._operations = app, callers, path, operations
        if "GET" in operations:
            operations["HEAD"] = operations["GET"]
        self._allow = ", ".join(operations)

    async def __call__(
        self, scope: Scope, receive: Receive, send: Send, names: dict[str, str]
    ) -> None:
        """Answer the request. names: those in its address, as they came."""
        begin, call = perf_counter(), Call(names)
        try:
            response = await self._answer(scope, receive, call)
        except RefusedError as problem:
            response, call.cause = problem.answer, problem.cause
        except ParameterError as problem:
            response = refusal(422, str(problem))
        except StorageError as problem:
            response = refusal(503, str(problem)) if call.trusted else _AWAY
        except Exception as problem:
            failed(f"500 {scope['method']} {self._path}", problem)
            response = refusal(500, "The service failed; its log says why.")
        status = response.status_code if isinstance(response, Response) else response.status
        if status == 401 and not call.cause:
            await self._callers.stopped(call)
        call.seconds = perf_counter() - begin
        try:
            await respond(response, scope, receive, send, call, self._allow)
        except (StorageError, RefusedError) as problem:  # in the middle of an export
            status = problem.answer.status if isinstance(problem, RefusedError) else 503
            call.cause = "the answer was cut"
            if (connection := _connection(scope)) is not None:
                connection.cut()
        finally:
            self._callers.observe(scope, call, self._path, status)

    async def _answer(self, scope: Scope, receive: Receive, call: Call) -> Answer | Response:
        operation = self._operations.get(scope["method"])
        try:
            for name, text in call.names.items():
                if "%" in text:
                    call.names[name] = unquote(text, errors="strict")
        except UnicodeDecodeError:
            return NOTHING
        if operation is not None and operation.role:
            only = call.names.get("name")
            call.key = await self._callers.authorize(scope, operation.role, only)
            call.trusted = True
        else:
            known = self._callers.recognize(scope)
            call.key, call.trusted = known or ANYONE, known is not None
        if operation is None:
            return refusal(405, f"Use {self._allow} here.") if self._operations else NOTHING
        if operation.query:
            call.query = _query(scope, operation.query)
        if operation.body is None:
            return await operation.work(self._app, call)
        begin = perf_counter()
        connection = _connection(scope)
        body = None if connection is None else connection.whole_body(scope)
        if body is None:
            body = await _whole_body(receive)
        if len(body) > _LARGE_BYTES:
            read = await asyncio.get_running_loop().run_in_executor(_large, operation.read, body)
        else:
            read = operation.read(body)
        call.spent["body"] = perf_counter() - begin
        return await operation.work(self._app, call, read)


def _connection(scope: Scope) -> Connection | None:
    """The connection that the request came by, if it is ours: it takes less time than ASGI."""
    connection: Connection | None = scope.get("state", {}).get("connection")
    return connection


async def respond(
    response: Answer | Response, scope: Scope, receive: Receive, send: Send, call: Call, allow: str
) -> None:
    """Send an answer. One of JSON is sent without a `Response`, which takes a microsecond more, and
    by the connection itself where it is ours."""
    if isinstance(response, Response):
        if scope["method"] == "HEAD" and isinstance(response, StreamingResponse):
            response = Response(media_type=response.media_type)
            del response.headers["content-length"]  # nobody knows it

        async def counted(message: Message) -> None:
            call.sent += len(message.get("body", b""))
            await send(message)

        await response(scope, receive, counted)
        return
    status, body = response
    call.sent = len(body)
    headers = _HEADERS.get(status, _JSON)
    if status == 405:
        headers = (*headers, (b"allow", allow.encode()))
    connection = _connection(scope)
    if connection is not None and connection.answer(scope, status, headers, body):
        return
    headers = (*headers, (b"content-length", b"%d" % len(body)))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _query(scope: Scope, allowed: tuple[str, ...]) -> dict[str, str]:
    """The parameters after the question mark."""
    if not scope["query_string"]:
        return {}
    text = scope["query_string"].decode("latin-1")
    try:
        given = parse_qsl(text, keep_blank_values=True, max_num_fields=_MAX_PARAMETERS)
    except ValueError:
        sentence = f"The address must have at most {_MAX_PARAMETERS} parameters."
        raise RefusedError(refusal(400, sentence)) from None
    found: dict[str, str] = {}
    for name, value in given:
        if name not in allowed:
            raise RefusedError(refusal(400, f"The address has an unknown parameter {name!r}."))
        if name in found:
            raise RefusedError(refusal(400, f"The address has the parameter {name!r} twice."))
        found[name] = value
    return found


def _check_size(body: bytes) -> None:
    """Raise RefusedError if a body has so many values that reading it would keep others waiting."""
    values = body.count(b",")
    named = len(body) - len(body.translate(None, b"[{:"))
    if values > _MAX_VALUES or named > _MAX_NAMED:
        sentence = (
            f"The body must have at most {_MAX_VALUES:,} values, and {_MAX_NAMED:,} lists, objects "
            "and fields of objects."
        )
        raise RefusedError(refusal(413, sentence))


async def _whole_body(receive: Receive) -> bytes:
    """The whole body. A caller who leaves before it has come has asked for nothing."""
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise RefusedError(refusal(400, "The body has not come."))
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
        if size > _MAX_BODY_BYTES:
            sentence = f"The body must have at most {_MAX_BODY_BYTES} bytes."
            raise RefusedError(refusal(413, sentence))
    return parts[0] if len(parts) == 1 else b"".join(parts)
