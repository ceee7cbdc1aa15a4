"""What a decider concludes from its rewards, `summary` and `probability_best`; and `learn`, the old
data that it starts from."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Generic, TypeVar

import numpy as np

from ..errors import ParameterError, number
from ..evidence import Evidence
from ..families import Family
from ..inference.summary import Summary, summarise, why_no_intervals
from ..policies.posteriors import probability_best
from .feature_game import FeatureGame
from .live_arm import Name
from .live_game import LiveGame
from .warm_start import old_rewards

N = TypeVar("N", bound=Name)


class Concludes(Generic[N]):
    """The methods of a `Decider` that say what may be concluded now, or learn from a log."""

    family: Family
    evidence: Evidence
    _live: LiveGame
    _lock: threading.Lock

    update: Callable[..., None]

    def learn(self, log: object, discount: float = 1.0) -> int:
        """Start warm: learn the rewards of old data; returns how many were learned.

        log: as for `rbmle.evaluate`. If it has probabilities, rewards are weighted by their
        inverses, for data whose policy chose arms by what it knew of each case.
        discount: what an old reward is worth, in [0, 1]. See docs/explanation/inference.md.

        As with `update`, nothing is learned if something is refused, and what is learned takes no
        rounds from the horizon. Features are not read: give those to `update`.
        """
        share = number("learn", "discount", discount, "[0, 1]")
        if self.evidence.reads():
            allowed = "one without features; update(arms, rewards, context) takes those"
            raise ParameterError("learn", "evidence", allowed, self.evidence)
        arms, rewards = old_rewards(log, share, self.family.reward_interval())
        if arms:
            self.update(arms, rewards)
        return len(arms)

    def probability_best(self) -> dict[N, float]:
        """The posterior probability of each enabled arm that its mean is the largest, to 1e-6.

        Refused: features, families without posterior, improper priors of arms without rewards.
        """
        with self._lock:
            names, *known = self._live.of_enabled()
        return dict(zip(names, probability_best(self.family, *known).tolist(), strict=True))

    def summary(self, level: float = 0.95) -> Summary:
        """What may be concluded now; docs/explanation/inference.md says what it assumes.

        level: the probability with which the intervals of all arms hold, at every look at once, and
        with which whoever stops when `safe_to_stop` first is true has found the best arm. Look as
        often as you like.

        Rewards that were learned from elsewhere count as this decider's own. With evidence that
        forgets, and with features, there are no intervals; with an `Encode` there are the
        coefficients of the features, with their standard deviations.
        """
        with self._lock:
            arms = list(self._live.arms.values())
            reads = self.evidence.reads()
            worth = [(arm.pulls, arm.total) if reads else self._live.worth(arm)[:2] for arm in arms]
            enabled, made = np.array([arm.enabled for arm in arms]), self._live.rounds
        note = why_no_intervals(self.evidence)
        pulls, totals = np.array(worth, float).T
        family = None if reads else self.family
        found = summarise([arm.name for arm in arms], family, pulls, totals, level, enabled, note)
        with self._lock:
            found = replace(found, disabled={a.name: a.reason for a in arms if a.reason})
            if isinstance(self._live, FeatureGame):
                found = replace(found, coefficients=self._live.coefficients())
            return self._looked(found, made)

    def _looked(self, found: Summary, made: int) -> Summary:
        """The summary with the look since which it is safe to stop; `looks` has that look for each
        level: the leader, and how many decisions had been made."""
        looks = self._live.looks
        leader, since = looks.pop(found.level, (None, made))
        if not found.safe_to_stop or found.leader is None:
            return found
        since = since if leader == found.leader else made
        looks[found.level] = found.leader, since
        return replace(found, since=since)
