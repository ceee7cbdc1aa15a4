"""What callers ask of the ledger, once their bodies are read and their keys known."""

from __future__ import annotations

from dataclasses import dataclass

from .contexts import Context
from .definition import Definition
from .keys import Key


@dataclass(slots=True, frozen=True)
class Create:
    """Create an experiment."""

    key: Key
    experiment: str
    definition: Definition


@dataclass(slots=True, frozen=True)
class Decide:
    """Choose an arm. id: the caller's name for the decision. context: the features of the arms."""

    key: Key
    experiment: str
    id: str | None
    context: Context | None = None


@dataclass(slots=True, frozen=True)
class Reward:
    """Learn the reward of a decision. experiment: None if the id alone says which."""

    key: Key
    experiment: str | None
    id: str
    value: float


@dataclass(slots=True, frozen=True)
class AddArm:
    """Add an arm."""

    key: Key
    experiment: str
    arm: str


@dataclass(slots=True, frozen=True)
class SetState:
    """Make an arm active, paused or retired."""

    key: Key
    experiment: str
    arm: str
    state: str


Request = Create | Decide | Reward | AddArm | SetState
