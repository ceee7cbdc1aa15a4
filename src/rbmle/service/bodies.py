"""The bodies of requests: their fields and types. Unknown fields and wrong types are refused."""

from __future__ import annotations

from typing import Any

import msgspec

from ..errors import ParameterError

LONGEST_NAME = 200  # characters of an experiment's, an arm's or a decision's name; a choice
MOST_ITEMS = 1_000  # of a batch: more would keep other callers waiting; a choice


class Created(msgspec.Struct, forbid_unknown_fields=True):
    """PUT /v1/experiments/{name}; `docs/service.md` explains each field."""

    arms: list[str]
    policy: dict[str, Any] | str
    family: dict[str, Any] | str
    evidence: dict[str, Any] | str | None = None
    seed: int = 0
    horizon: int | None = None
    ties: str = "random"
    patience: int | None = None
    reward_wait_s: float | None = None
    default_reward: float | None = None


class Asked(msgspec.Struct, forbid_unknown_fields=True):
    """POST /v1/experiments/{name}/decisions."""

    id: str | None = None
    context: dict[str, list[float]] | list[float] | None = None


class Told(msgspec.Struct, forbid_unknown_fields=True):
    """PUT /v1/decisions/{id}/reward."""

    value: float


class AskedOf(msgspec.Struct, forbid_unknown_fields=True):
    """A decision in a batch."""

    experiment: str
    id: str | None = None
    context: dict[str, list[float]] | list[float] | None = None


class ToldOf(msgspec.Struct, forbid_unknown_fields=True):
    """A reward in a batch; `experiment` is needed only if two experiments use the same id."""

    id: str
    value: float
    experiment: str | None = None


class Item(msgspec.Struct, forbid_unknown_fields=True):
    """One item of a batch: a decision or a reward."""

    decision: AskedOf | None = None
    reward: ToldOf | None = None


class Several(msgspec.Struct, forbid_unknown_fields=True):
    """POST /v1/batch."""

    items: list[Item]


class NewArm(msgspec.Struct, forbid_unknown_fields=True):
    """POST /v1/experiments/{name}/arms."""

    name: str


class NewState(msgspec.Struct, forbid_unknown_fields=True):
    """PATCH /v1/experiments/{name}/arms/{arm}."""

    state: str


def a_label(parameter: str, given: str) -> str:
    """A name of an experiment, an arm or a decision: 1 to 200 characters that can be printed."""
    if not 1 <= len(given) <= LONGEST_NAME or not given.isprintable():
        raise ParameterError(
            "service", parameter, f"1 to {LONGEST_NAME} characters that can be printed", given
        )
    return given


def check_id(id: str | None) -> str | None:
    """The id of a decision that is asked for, if it is allowed."""
    return id if id is None else a_label("id", id)
