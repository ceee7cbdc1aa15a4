"""Requests that change an experiment; those for decisions and rewards are in `messages.py`."""

from __future__ import annotations

from typing import NamedTuple

from .definition import Definition


class Create(NamedTuple):
    """Create an experiment."""

    experiment: str
    definition: Definition


class AddArm(NamedTuple):
    """Add an arm."""

    experiment: str
    arm: str


class SetState(NamedTuple):
    """Make an arm active, paused or retired."""

    experiment: str
    arm: str
    state: str


class End(NamedTuple):
    """End an experiment."""

    experiment: str
