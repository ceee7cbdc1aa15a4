"""What is shown of an experiment over HTTP: the bodies of answers to those who only look."""

from __future__ import annotations

from typing import Annotated

from .messages import (
    Body,
    Consistency,
    Count,
    Label,
    NewGuardrail,
    Positive,
    Seconds,
    Spec,
    State,
    Ties,
    described,
)


class Overview(Body):
    name: Label
    policy: Spec
    family: Spec
    evidence: Spec
    n_arms: Count
    decisions: Count
    rewards: Count
    expired: Count
    pending: Count
    last_seq: Count
    updated: float
    ended: bool


class Overviews(Body):
    experiments: list[Overview]


class ArmStatistics(Body):
    name: Label
    state: State
    pulls: Count
    effective_pulls: float | None
    mean: float | None
    pending: Count
    given_up: Count
    index: float | None
    share: float
    probability_best: float | None
    expected_loss: float | None
    interval: list[float] | None
    reason: str | None


class Traffic(Body):
    """The share of each arm in some decisions, and when the first of them was made."""

    at: float
    shares: list[float]


class OverTime(Body):
    """What happened in each stretch of so many seconds, in columns: when it begins, decisions,
    rewards, and their sum. Stretches without any are left out."""

    seconds: Positive
    at: list[Count]
    decisions: list[Count]
    rewards: list[Count]
    paid: list[float]


class LastDecision(Body):
    """A decision, and what became of it. features: of its arm, if it was made with features."""

    id: Label
    arm: Label
    t: Positive
    at: float
    state: Annotated[str, described(enum=["pending", "rewarded", "expired"])]
    reward: float | None
    features: list[float] | None


class Details(Overview):
    seed: Count
    horizon: Positive | None
    ties: Ties
    patience: Positive
    reward_wait_s: Seconds | None
    default_reward: float | None
    probabilities: bool
    consistency: Consistency
    guardrails: list[NewGuardrail]
    t: Count
    spent: float
    left: float | None
    paid: float
    gain: float | None
    warning: str | None
    leader: Label | None
    safe_to_stop: bool
    verdict: str
    arms: list[ArmStatistics]
    traffic: list[Traffic]
    over_time: list[OverTime]
    last: list[LastDecision]
