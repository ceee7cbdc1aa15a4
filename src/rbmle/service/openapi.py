"""What the service can be asked, and its description in the form of OpenAPI 3.1."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, get_type_hints

from msgspec import Struct
from msgspec.structs import fields
from starlette.responses import Response

from .messages import MAX_NAME_LENGTH, Answer, Refused, components

Schema = dict[str, Any]

_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": MAX_NAME_LENGTH}
_QUERY: dict[str, Schema] = {"experiment": _NAME, "after": {"type": "integer", "minimum": 0}}
_TEXTS = {
    400: "The body, or a parameter of the address, cannot be read.",
    401: "The key is missing, unknown or revoked.",
    403: "The key's role does not allow this.",
    404: "There is no such thing, or not for this key.",
    409: "It exists and is another.",
    410: "The deadline has passed.",
    413: "The body is too large.",
    422: "A value is not allowed.",
    503: "The database cannot be used now; nothing has changed. Try again.",
}


@dataclass(frozen=True)
class Operation:
    """A method at an address. `{name}` in the address is always that of an experiment.

    work: what does it; the first line of its docstring describes it. role: of the key that it
    needs; "" if it needs none. answer: the type of the answer's body, or its media type if it is no
    JSON; None if the operation is not described. statuses: further ones that it answers with.
    query: parameters of the address; where there are none, they are not looked at.
    """

    method: str
    path: str
    work: Callable[..., Awaitable[Answer | Response]]
    role: str = ""
    answer: type[Struct] | str | None = None
    statuses: tuple[int, ...] = ()
    query: tuple[str, ...] = ()

    @functools.cached_property
    def body(self) -> type[Struct] | None:
        """The type of the request's body, if it has one."""
        found: type[Struct] | None = get_type_hints(self.work).get("body")
        return found

    @property
    def optional_body(self) -> bool:
        """Whether no body is as good as an empty one."""
        return self.body is not None and not any(each.required for each in fields(self.body))

    def all_statuses(self) -> list[int]:
        """The statuses of its answers."""
        read = (400, 413, 422) if self.body is not None else (400, 422) if self.query else ()
        return sorted({200, 503, *((401, 403) if self.role else ()), *read, *self.statuses})


def openapi(operations: Sequence[Operation]) -> Schema:
    """The description of these operations."""
    described = [each for each in operations if each.answer is not None]
    bodies = {Refused, *(each for one in described for each in (one.body, one.answer))}
    types = sorted((each for each in bodies if isinstance(each, type)), key=lambda t: t.__name__)
    schemas, named = components(types)
    contents: dict[type[Struct] | str | None, Schema] = {
        each: {"application/json": {"schema": schema}}
        for each, schema in zip(types, schemas, strict=True)
    }
    for kind in bodies:
        if isinstance(kind, str):
            contents[kind] = {kind: {"schema": {"type": "string"}}}
    paths: dict[str, Schema] = {}
    for each in described:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(each, contents)
    return {
        "openapi": "3.1.0",
        "info": {"title": "rbmle", "version": version("rbmle")},
        "components": {
            "schemas": named,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"key": []}, {}],
        "paths": paths,
    }


def _operation(one: Operation, contents: dict[type[Struct] | str | None, Schema]) -> Schema:
    summary = (inspect.getdoc(one.work) or "").partition("\n")[0]
    parameters = [
        {"name": each, "in": "path", "required": True, "schema": _NAME}
        for each in re.findall(r"{(\w+)}", one.path)
    ]
    parameters += [{"name": each, "in": "query", "schema": _QUERY[each]} for each in one.query]
    responses = {
        str(status): {
            "description": _TEXTS.get(status, summary),
            "content": contents[Refused if status in _TEXTS else one.answer],
        }
        for status in one.all_statuses()
    }
    told: Schema = {"summary": summary, "parameters": parameters, "responses": responses}
    if one.body is not None:
        told["requestBody"] = {"required": not one.optional_body, "content": contents[one.body]}
    if not one.role:
        told["security"] = []
    return told
