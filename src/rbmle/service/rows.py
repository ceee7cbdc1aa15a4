"""The rows of the log, which is the truth: everything else is computed from them."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, NamedTuple

import msgspec

from .contexts import features_of_arm


class Kind(IntEnum):
    """What a row says; the numbers are stored and never change."""

    CREATED = 0  # the experiment: `text` is its definition
    DECISION = 1  # with features, `text` is the context
    REWARD = 2
    EXPIRED = 3  # the reward did not come in time: `value` is the default, None if withdrawn
    ADDED = 4  # an arm was added: `text` is its name
    STATE = 5  # an arm's state changed: `text` is "active", "paused" or "retired"
    ENDED = 6  # no decision is made after it
    GUARDED = 7  # a guardrail has disabled an arm, which is paused now: `text` says why


class Row(NamedTuple):
    """One row. What does not apply to its kind is None.

    seq: its place in the log of its experiment: 1, 2, 3, ... without gaps.
    at: the time, in seconds since 1970. In an experiment it never goes back.
    id: the name that the caller gave the decision.
    arm: the arm's place in the list of all arms ever added, from 0.
    t: the round of a decision, as the policy counts them. number: how many decisions there were,
    this one included. (They differ if decisions were withdrawn.)
    of: the `seq` of the decision whose reward this is, or is not.
    value: the reward; of a decision that was made from a snapshot, the seed of its random numbers.
    text: what its kind says; of a decision and of its outcome, the context, if there is one.
    key: the number of the key that it was written with; None if there was none.
    probability: of the arm, when a decision was made. basis: the `seq` of the last row that the
    decision was made from, if that is not the row before. among: the places of the arms that a
    decision was made among, as a list of JSON; None: among all that were active.
    told: what came with a reward, if something did: its cost and its metrics, an object of JSON.
    """

    experiment: int
    seq: int
    kind: int
    at: float
    id: str | None = None
    arm: int | None = None
    t: int | None = None
    number: int | None = None
    of: int | None = None
    value: float | None = None
    text: str | None = None
    key: int | None = None
    probability: float | None = None
    basis: int | None = None
    among: str | None = None
    told: str | None = None

    def name(self) -> str:
        """The decision's id: the caller's, or one that is made of its place in the log."""
        return self.id if self.id is not None else f"d-{self.experiment}-{self.seq}"

    @property
    def context(self) -> str | None:
        """The features that a decision was made with; of a reward, those of its arm if the policy
        had given the decision up. `contexts.py` has the form."""
        return self.text if self.kind in (Kind.DECISION, Kind.REWARD, Kind.EXPIRED) else None

    def event(self) -> dict[str, Any]:
        """The row as the service shows it: without empty fields, its kind as a word."""
        known = {key: value for key, value in self._asdict().items() if value is not None}
        del known["experiment"]
        known["kind"] = Kind(self.kind).name.lower()
        if self.kind == Kind.DECISION:
            known["id"] = self.name()
            if self.value is not None:
                known["seed"] = int(known.pop("value"))
        if self.context is not None:
            known["context"] = msgspec.Raw(known.pop("text").encode())
        if self.among is not None:
            known["among"] = msgspec.json.decode(self.among)
        if self.told is not None:
            known |= msgspec.json.decode(known.pop("told"))
        return known


class Open(NamedTuple):
    """A decision whose reward may still come: the arm's place, the number and the time.

    context: the features of the arm, if it was read from the log of decisions with features.
    """

    arm: int
    number: int
    at: float
    context: tuple[float, ...] | None = None

    @classmethod
    def of(cls, row: Row) -> Open:
        """The decision of this row."""
        arm = row.arm or 0
        if row.text is None:
            return cls(arm, row.number or 0, row.at)
        return cls(arm, row.number or 0, row.at, features_of_arm(row.text, arm))
