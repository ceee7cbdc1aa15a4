"""The definition of an experiment: what a caller says when it is created; it never changes."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import asdict
from itertools import accumulate
from typing import Any, NamedTuple

import msgspec
import numpy as np

from ..choosers import chooser_for
from ..errors import ParameterError, Words, number, one_of
from ..evidence import EVIDENCE, without_features
from ..families import FAMILIES
from ..families.registry import mean_at
from ..inference.summary import summarise
from ..live.feature_game import FeatureGame, game_of
from ..live.fork import Fork, why_no_fork
from ..live.guardrails import as_guardrails
from ..live.input_checks import a_reward, support
from ..live.live_arm import LiveArm
from ..live.live_game import LiveGame
from ..live.propensities import Propensities
from ..live.settings import PATIENCE, Settings
from ..policies.base import has_index
from ..policies.fit import PLAYERS
from ..policies.floor import floors_of
from ..policies.priced import COSTS, NET, ledger_of, priced
from ..random import MAX_ARMS
from ..spec import from_spec, to_spec
from .messages import NewExperiment, NewGuardrail, a_label

# Numbers that evidence may remember: 8 MB, of which a snapshot is written in some 20 ms, now and
# then, while callers wait. Enough for a window of 249,000 rounds, or 100 arms with 70 features each
# and a theta of their own.
_MAX_EVIDENCE_NUMBERS = 1_000_000
# Of a policy, a family or an evidence as text or as JSON; a choice. The longest that are written by
# hand have some 100 characters and 3 levels; lists of numbers need more.
_MAX_SPEC_LENGTH, _MAX_SPEC_DEPTH = 10_000, 16
# Arms up to which probabilities are computed unless the caller says otherwise. Thompson sampling's
# take 3 us an arm, a decision over HTTP some 300 us.
_MOST_PROBABILITIES = 10
_MAX_REWARD_WAIT_SECONDS = 366 * 86_400.0  # seconds; a choice: a year is longer than anyone waits


class Definition(NamedTuple):
    """An experiment as it was created.

    wait: the seconds after which a reward is no longer waited for; None: for ever.
    default: the reward that counts then; None: the decision is withdrawn.
    probabilities: whether the probability of each decision is computed and stored.
    consistency: "serial", or "snapshot" (`snapshot.py`).
    """

    arms: tuple[str, ...]
    settings: Settings
    wait: float | None
    default: float | None
    probabilities: bool
    consistency: str = "serial"

    @property
    def uses_snapshots(self) -> bool:
        """Whether decisions are made from a snapshot of the state."""
        return self.consistency == "snapshot"

    @classmethod
    def of(cls, body: NewExperiment) -> Definition:
        """The definition that a body states; raises ParameterError, one sentence, if it cannot."""
        if not 2 <= len(body.arms) <= MAX_ARMS:
            raise ParameterError("experiment", "arms", "a list of at least two names", body.arms)
        for each in body.arms:
            a_label("arms", each)
        twice = next((name for name, n in Counter(body.arms).items() if n > 1), None)
        if twice is not None:
            raise ParameterError("experiment", "arms", "distinct names", twice)
        settings = _settings(body)
        check_room(settings.evidence, len(body.arms))
        longest = _MAX_EVIDENCE_NUMBERS // (1 + int(settings.evidence.reads()))
        if settings.patience > longest:  # pending pulls are part of a snapshot, with their features
            allowed = f"a whole number in [1, {longest}]"
            raise ParameterError("experiment", "patience", allowed, settings.patience)
        floors_of(settings.policy, body.arms)
        ledger_of(settings.policy, body.arms, settings.horizon)
        wait, default = body.reward_wait_s, body.default_reward
        if wait is not None:
            wait = number("experiment", "reward_wait_s", wait, f"(0, {_MAX_REWARD_WAIT_SECONDS:g}]")
        if default is not None:
            if wait is None:
                raise ParameterError(
                    "experiment", "default_reward", "left out where 'reward_wait_s' is", default
                )
            try:
                default = a_reward(default, support(settings.family), settings.family)
            except ParameterError as problem:
                raise problem.of("experiment", "default_reward") from None
        mode = one_of("experiment", "consistency", body.consistency, ("serial", "snapshot"))
        asked = True if mode == "snapshot" else body.probabilities
        probabilities = len(body.arms) <= _MOST_PROBABILITIES if asked is None else asked
        why = why_no_fork(settings) if mode == "snapshot" else ""
        if why:
            raise ParameterError("experiment", "consistency", f"'serial' {why}", mode)
        return cls(tuple(body.arms), settings, wait, default, probabilities, mode)

    @classmethod
    def read(cls, text: str) -> Definition:
        """The definition that `text` wrote."""
        return cls.of(msgspec.json.decode(text, type=NewExperiment))

    def plain(self) -> NewExperiment:
        """The body that states the definition; two equal ones give the same."""
        return NewExperiment(
            arms=list(self.arms),
            policy=to_spec(self.settings.policy),
            family=to_spec(self.settings.family),
            evidence=to_spec(self.settings.evidence),
            seed=self.settings.seed,
            horizon=self.settings.horizon,
            ties=self.settings.ties,
            patience=self.settings.patience,
            reward_wait_s=self.wait,
            default_reward=self.default,
            probabilities=self.probabilities,
            consistency=self.consistency,
            guardrails=[NewGuardrail(**asdict(each)) for each in self.settings.guardrails],
        )

    def text(self) -> str:
        """The definition as it is stored."""
        return msgspec.json.encode(self.plain()).decode()

    def prepare(self) -> None:
        """Compile what its decisions need, so that the first one need not wait.

        Compiled code depends on the number of arms, never on what is known of them: two arms that
        are pulled and rewarded are enough, and, for features, a reward that comes late.
        """
        live = self.game()
        features = live.some_rows() if isinstance(live, FeatureGame) else None
        with suppress(ParameterError):  # evidence of a user may refuse these very features
            for arm in [live.pull(features) for _ in range(2)]:
                live.learn(arm, self.default_value())
            live.pull(features)
            if self.probabilities:
                Propensities(live).decide_anyway(features)
            if has_index(self.settings.policy) and not self.reads:
                live.indices()
            if not self.reads:
                one = np.ones(2)
                summarise(("a", "b"), self.settings.family, one, self.default_value() * one)
            if self.uses_snapshots:
                Fork(live).choose(0)

    def kind(self) -> tuple[object, ...]:
        """What its compiled code depends on: the types of its records, not their numbers."""
        policy, family, evidence = self._records()
        chooser = chooser_for(policy, family, len(self.arms), evidence)
        return *_types((policy, family, evidence, chooser)), self.probabilities

    def kind_name(self) -> str:
        """The kind in words, such as "RBMLE for Bernoulli"."""
        policy, family, evidence = (type(each).__name__ for each in self._records())
        return f"{policy} for {family}{f' with {evidence}' if evidence != 'Counting' else ''}"

    def _records(self) -> tuple[Any, Any, Any]:
        settings = self.settings
        return settings.policy, settings.family, without_features(settings.evidence)

    @property
    def reads(self) -> int:
        """The dimension of the features that come with each decision; 0 if none do."""
        return int(self.settings.evidence.reads())

    def default_value(self) -> float:
        """Some reward that the family allows."""
        return mean_at(self.settings.family, 0.5)

    def game(self) -> LiveGame:
        """The game that decides, at its beginning. Its first pull compiles, if it must."""
        return game_of(self.settings, [LiveArm(each) for each in self.arms])


def _types(value: object) -> tuple[object, ...]:
    """The type of a value, and those of its parts if it has some."""
    parts = value if isinstance(value, tuple) else ()
    return type(value), *map(_types, parts)


def check_room(evidence: Any, n_arms: int) -> None:
    """Raise ParameterError if the evidence of so many arms is more than a snapshot should hold."""
    size = evidence.memory_size(n_arms)
    if size > _MAX_EVIDENCE_NUMBERS:
        allowed = f"one that remembers at most {_MAX_EVIDENCE_NUMBERS:,} numbers"
        given = f"{evidence}, which remembers {size:,} of {n_arms} arms"
        raise ParameterError("experiment", "evidence", allowed, Words(given))


def _read(spec: Any, known: Any, name: str) -> Any:
    return from_spec(spec, known, "experiment", name)


def _is_spec(cost: Any) -> bool:
    """Whether it is `Seen` by its fields, not a mapping of arms to costs."""
    return isinstance(cost, dict) and isinstance(cost.get("name"), str)


def _check_specs(body: NewExperiment) -> None:
    """Raise ParameterError if a policy, family or evidence is longer or deeper than any real one:
    reading it would take minutes, or end in a RecursionError."""
    allowed = f"of at most {_MAX_SPEC_LENGTH} characters, {_MAX_SPEC_DEPTH} levels deep"
    for name in ("policy", "family", "evidence", "cost"):
        spec = getattr(body, name)
        if name == "cost" and not _is_spec(spec):
            continue
        text = spec if isinstance(spec, str) else msgspec.json.encode(spec).decode()
        steps = ((each in "([{") - (each in ")]}") for each in text[: _MAX_SPEC_LENGTH + 1])
        if len(text) > _MAX_SPEC_LENGTH or max(accumulate(steps), default=0) > _MAX_SPEC_DEPTH:
            raise ParameterError("experiment", name, allowed, text)


def _settings(body: NewExperiment) -> Settings:
    _check_specs(body)
    patience = PATIENCE if body.patience is None else body.patience
    try:
        cost = _read(body.cost, COSTS, "cost") if _is_spec(body.cost) else body.cost
        policy = _read(body.policy, PLAYERS, "policy")
        policy = priced(policy, cost, body.objective or NET, body.price, body.budget)
        family = _read(body.family, FAMILIES, "family")
        evidence = None if body.evidence is None else _read(body.evidence, EVIDENCE, "evidence")
        settings = Settings.checked(
            policy, family, body.seed, body.horizon, body.ties, 0, patience, evidence
        )
        rails = as_guardrails([msgspec.structs.asdict(each) for each in body.guardrails])
        return settings._replace(guardrails=rails)
    except ParameterError as problem:
        raise problem.of("experiment", instead_of="Decider") from None
