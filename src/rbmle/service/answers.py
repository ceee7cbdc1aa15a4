"""What the service answers: a status and a body. An error is one sentence."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

_LONGEST = 1_000  # characters of a sentence; a choice: errors of the package show 500 of a value
_encode = msgspec.json.Encoder().encode


class Answer(NamedTuple):
    """The status and the body, as JSON, of an answer."""

    status: int
    body: bytes


def answer(status: int, data: Any) -> Answer:
    """An answer with this data."""
    return Answer(status, _encode(data))


def refusal(status: int, sentence: str) -> Answer:
    """An answer that refuses, with one sentence that says why.

    What the caller sent may be part of it, so it is made one line, and cut if it is long.
    """
    line = "".join(each if each.isprintable() else " " for each in sentence[: _LONGEST + 1])
    if len(line) > _LONGEST:
        line = f"{line[:_LONGEST]}..."
    return Answer(status, _encode({"error": line}))


COUNTED = answer(200, {"counted": True})
NOT_COUNTED = answer(200, {"counted": False})
NO_KEY = refusal(401, "The key is missing, unknown or revoked.")


def no_experiment(name: str) -> Answer:
    """The answer for an experiment that is not there, or not for this key."""
    return refusal(404, f"There is no experiment {name!r}.")


def no_decision(id: str) -> Answer:
    """The answer for a decision that is not there, or not for this key."""
    return refusal(404, f"There is no decision {id!r}.")
