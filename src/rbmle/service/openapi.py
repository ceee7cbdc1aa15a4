"""The description of the service in the form of OpenAPI 3.1, at /openapi.json."""

from __future__ import annotations

import functools
from importlib.metadata import version
from typing import Any

from .bodies import LONGEST_NAME, MOST_ITEMS

Schema = dict[str, Any]

_NAME: Schema = {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": "number"}
_MAYBE: Schema = {"type": ["number", "null"]}
_RECORD: Schema = {
    "anyOf": [
        {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        {"type": "string"},
    ]
}
_VECTOR: Schema = {"type": "array", "items": _NUMBER}
_CONTEXT: Schema = {
    "description": "The features of each active arm by its name; or one list for all arms, if each "
    "has a theta of its own. Only for evidence that reads features.",
    "anyOf": [
        {"type": "object", "additionalProperties": _VECTOR}, _VECTOR, {"type": "null"},
    ],
}  # fmt: skip
_STATE: Schema = {"enum": ["active", "paused", "retired"]}
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


def _object(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def _json(schema: Schema) -> Schema:
    return {"application/json": {"schema": schema}}


_ERROR = _object({"error": {"type": "string"}})
_CREATED = _object(
    {
        "arms": {"type": "array", "items": _NAME, "minItems": 2, "uniqueItems": True},
        "policy": _RECORD,
        "family": _RECORD,
    },
    {
        "evidence": {"anyOf": [_RECORD, {"type": "null"}]},
        "seed": _COUNT,
        "horizon": {"type": ["integer", "null"], "minimum": 1},
        "ties": {"enum": ["random", "first"]},
        "patience": {"type": ["integer", "null"], "minimum": 1},
        "reward_wait_s": {"type": ["number", "null"], "exclusiveMinimum": 0},
        "default_reward": _MAYBE,
    },
)
_DECIDED = _object({"id": _NAME, "arm": _NAME, "t": {"type": "integer", "minimum": 1}})
_COUNTED = _object({"counted": {"type": "boolean"}})
_ARM = _object({"name": _NAME, "state": _STATE})
_SUMMARY = {
    "name": _NAME,
    "policy": _RECORD,
    "family": _RECORD,
    "evidence": _RECORD,
    "n_arms": _COUNT,
    "decisions": _COUNT,
    "rewards": _COUNT,
    "expired": _COUNT,
    "pending": _COUNT,
    "last_seq": _COUNT,
    "updated": _NUMBER,
}
_STATISTICS = _object(
    {
        "name": _NAME,
        "state": _STATE,
        "pulls": _COUNT,
        "effective_pulls": _MAYBE,
        "mean": _MAYBE,
        "pending": _COUNT,
        "given_up": _COUNT,
        "index": _MAYBE,
        "share": _NUMBER,
        "probability_best": _MAYBE,
        "interval": {"type": ["array", "null"], "items": _NUMBER},
    }
)
_VIEW = _object(
    {
        **_SUMMARY,
        "arms": {"type": "array", "items": _STATISTICS},
        "t": _COUNT,
        "paid": _NUMBER,
        "gain": _MAYBE,
        "traffic": {
            "type": "array",
            "items": _object({"at": _NUMBER, "shares": {"type": "array", "items": _NUMBER}}),
        },
    },
    {
        key: value
        for key, value in {**_CREATED["properties"]}.items()
        if key not in ("arms", "policy", "family", "evidence")
    },
)
_ITEM: Schema = {
    "oneOf": [
        _object({"decision": _object({"experiment": _NAME}, {"id": _NAME, "context": _CONTEXT})}),
        _object({"reward": _object({"id": _NAME, "value": _NUMBER}, {"experiment": _NAME})}),
    ]
}
_ANSWERS = _object(
    {
        "answers": {
            "type": "array",
            "items": _object(
                {
                    "status": {"type": "integer"},
                    "body": {"anyOf": [_DECIDED, _COUNTED, _ERROR]},
                }
            ),
        }
    }
)


def _operation(
    summary: str, answers: dict[int, Schema], refusals: tuple[int, ...] = (),
    body: Schema | None = None, needs: tuple[str, ...] = (), query: tuple[Schema, ...] = (),
    required: bool = True, key: bool = True,
) -> Schema:  # fmt: skip
    """One operation. needs: the names in its address."""
    always = (401, 403, 503) if key else (503,)
    named: list[Schema] = [
        {"name": each, "in": "path", "required": True, "schema": _NAME} for each in needs
    ]
    told: Schema = {
        "summary": summary,
        "parameters": named + list(query),
        "responses": {
            **{str(code): {"description": summary, "content": _json(schema)}
               for code, schema in answers.items()},
            **{str(code): {"description": _TEXTS[code], "content": _json(_ERROR)}
               for code in sorted({*always, *refusals})},
        },
    }  # fmt: skip
    if body is not None:
        told["requestBody"] = {"required": required, "content": _json(body)}
    if not key:
        told["security"] = []
    return told


_EXPERIMENT_PARAMETER: Schema = {
    "name": "experiment", "in": "query", "required": False, "schema": _NAME,
}  # fmt: skip
_AFTER: Schema = {"name": "after", "in": "query", "required": False, "schema": _COUNT}
_BAD = (400, 413, 422)


@functools.cache
def openapi() -> Schema:
    """The whole description."""
    plain: Schema = {"text/plain": {"schema": {"type": "string"}}}
    metrics = _operation("The metrics, for Prometheus.", {200: {}})
    metrics["responses"]["200"]["content"] = plain
    log = _operation(
        "The log, one JSON object a line.", {200: {}}, (400, 404, 422), None, ("name",), (_AFTER,)
    )
    log["responses"]["200"]["content"] = {"application/x-ndjson": {"schema": {"type": "string"}}}
    status = _object({"status": {"type": "string"}})
    created = _object({"name": _NAME, **_CREATED["properties"]})
    return {
        "openapi": "3.1.0",
        "info": {"title": "rbmle", "version": version("rbmle")},
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
        "security": [{"key": []}, {}],
        "paths": {
            "/v1/experiments": {
                "get": _operation(
                    "All experiments.",
                    {200: _object({"experiments": {"type": "array", "items": _object(_SUMMARY)}})},
                )
            },
            "/v1/experiments/{name}": {
                "put": _operation(
                    "Create an experiment.", {200: created, 201: created}, (*_BAD, 404, 409),
                    _CREATED, ("name",),
                ),
                "get": _operation("One experiment.", {200: _VIEW}, (404,), None, ("name",)),
            },
            "/v1/experiments/{name}/decisions": {
                "post": _operation(
                    "Choose an arm.", {200: _DECIDED}, (*_BAD, 404),
                    _object({}, {"id": _NAME, "context": _CONTEXT}), ("name",), (), False,
                )
            },
            "/v1/experiments/{name}/events": {"get": log},
            "/v1/experiments/{name}/arms": {
                "post": _operation(
                    "Add an arm.", {200: _ARM, 201: _ARM}, (*_BAD, 404, 409),
                    _object({"name": _NAME}), ("name",),
                )
            },
            "/v1/experiments/{name}/arms/{arm}": {
                "patch": _operation(
                    "Make an arm active, paused or retired.", {200: _ARM}, (*_BAD, 404, 409),
                    _object({"state": _STATE}), ("name", "arm"),
                )
            },
            "/v1/decisions/{id}/reward": {
                "put": _operation(
                    "Tell the reward of a decision.", {200: _COUNTED}, (*_BAD, 404, 409, 410),
                    _object({"value": _NUMBER}), ("id",), (_EXPERIMENT_PARAMETER,),
                )
            },
            "/v1/batch": {
                "post": _operation(
                    "Decisions and rewards in one transaction.", {200: _ANSWERS}, _BAD,
                    _object({"items": {"type": "array", "items": _ITEM, "minItems": 1,
                                       "maxItems": MOST_ITEMS}}),
                )
            },
            "/healthz": {"get": _operation("The server runs.", {200: status}, key=False)},
            "/readyz": {"get": _operation("It can write.", {200: status}, key=False)},
            "/metrics": {"get": metrics},
        },
    }  # fmt: skip
