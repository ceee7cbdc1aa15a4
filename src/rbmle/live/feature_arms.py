"""`FeatureArms`, the decider's engine where arms have features, which come with each pull.

It treats late rewards as the simulator's `Imputed` does (engine/imputation.py); a test compares
them, choice by choice. There, a reward that comes before the next choice is learned as such, and a
pull whose reward comes later is supposed to have paid the mean so far. Which of the two it is, is
known at the next pull. So rewards wait until then, and are learned in the order of their pulls.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError
from ..policies.arms import Arms
from . import evidence_kernels as kernels
from .evidence_arms import EvidenceArms
from .live_arm import LiveArm, Name

_MANY = 1_000  # rewards of pulls made elsewhere that wait for the next pull: a choice


@dataclass(slots=True, eq=False)
class Pull:
    """A pull whose reward is not learned yet.

    number: that of the pull; None if it was made elsewhere, or given up.
    supposed: the reward that is supposed; None if the pull is not counted yet, NaN if that was
    forgotten because the pull was given up.
    reward: None until it has come.
    """

    number: int | None
    arm: LiveArm
    context: Floats
    supposed: float | None = None
    reward: float | None = None


class FeatureArms(EvidenceArms):
    """All arms of a decider, where a pull comes with the features of the arms."""

    def __init__(self, evidence: Any, *given: Any) -> None:
        self._supposes = hasattr(evidence, "correct")  # if not, pending pulls do not count
        self.pulls: dict[int, Pull] = {}  # pending pulls by number, oldest first
        self.came: list[Pull] = []  # those whose rewards came since the last pull
        super().__init__(evidence, *given)

    def _next(self) -> LiveArm:
        """The arm to play now: no arm is blind, because the ridge is worth something."""
        arms = self.enabled
        chosen = self._choose(arms) if len(arms) > 1 else 0
        if chosen < 0:
            raise self._refused()
        return arms[chosen]

    def pull(self, features: Floats | None = None) -> LiveArm:
        """Choose an arm. features: a row for each arm, as `contexts.the_features` makes them."""
        if features is None:
            kind = type(self.evidence).__name__
            raise ParameterError(
                "Decider", "context", f"given with {kind}, which reads features", None
            )
        self.settle()
        self.features.values[:] = features
        number, chosen = self.number, super().pull()
        self.pulls[number] = Pull(number, chosen, features[chosen.slot].copy())
        return chosen

    def _refused(self) -> ParameterError:
        told = "features for which means are finite numbers"
        return ParameterError("Decider", "context", told, self.features.values.tolist())

    def _wait(self) -> int:
        """No pending pull is counted apart: the evidence has supposed its reward."""
        return 0

    def _give_up(self) -> None:
        """Give up pulls that have waited too long: what was supposed stays, the context goes."""
        super()._give_up()
        too_old = self.number - self.patience
        while self.pulls and next(iter(self.pulls)) <= too_old:
            del self.pulls[next(iter(self.pulls))]

    def find(
        self, arm: LiveArm, number: int | None, context: Floats | None, taken: set[int]
    ) -> Pull:
        """The pull that a reward belongs to.

        number: that of the pull, if it is known. Else it is the oldest pending pull of the arm with
        this context, or with any if None; or one that was given up, or was made elsewhere.
        taken: pulls that are out of question, because other rewards belong to them.
        """
        pull = None
        if number is not None:
            pull = self.pulls.get(number)
            if pull and context is not None and not np.array_equal(pull.context, context):
                told = "that of the named pull, or left out"
                raise ParameterError("Decider", "context", told, context.tolist())
        else:
            for each in (self.pulls[n] for n in arm.pending if n not in taken):
                if context is None or np.array_equal(each.context, context):
                    pull = each
                    break
        if pull is not None:
            return pull
        if context is None:
            told = f"given for a reward of {arm.name!r} without a pending pull"
            raise ParameterError("Decider", "context", told, None)
        return Pull(None, arm, context, nan if arm.lost and self._supposes else None)

    def learn_from(self, pull: Pull, reward: float) -> None:
        """Learn the reward of a pull that `find` has found."""
        arm = pull.arm
        if pull.number is None:
            if arm.lost:
                arm.lost -= 1
            else:
                self.rounds += 1
        else:
            del arm.pending[pull.number], self.pulls[pull.number]
        arm.pulls += 1
        arm.total += reward
        arm.squares += reward * reward
        pull.reward = reward
        self.came.append(pull)
        if pull.number is None and len(self.came) % _MANY == 0:
            self.settle()  # those of own pulls are never more than `patience`

    def learn_all(self, pairs: list[tuple[LiveArm, float]], contexts: list[Floats | None]) -> None:
        """Learn several rewards, or none of them if one has no context."""
        found: list[Pull] = []
        taken: set[int] = set()
        for (arm, _), context in zip(pairs, contexts, strict=True):
            found.append(self.find(arm, None, context, taken))
            if found[-1].number is not None:
                taken.add(found[-1].number)
        for pull, (_, reward) in zip(found, pairs, strict=True):
            self.learn_from(pull, reward)

    def settle(self) -> None:
        """Count the last pull if its reward has not come, and learn the rewards that have."""
        last = self._newest()
        supposed = self._settle(self.known, self.remembered)
        if last is not None:
            last.supposed = supposed
        self.came.clear()

    def _newest(self) -> Pull | None:
        """The pull that is not counted yet; there is at most one, the newest."""
        number = next(reversed(self.pulls), None)
        if number is None or not self._supposes or self.pulls[number].supposed is not None:
            return None
        return self.pulls[number]

    def _settle(self, known: Arms, remembered: Floats) -> float | None:
        """Do so with these statistics; returns what is supposed of the newest pull."""
        supposed, newest, values = None, self._newest(), self.features.values
        evidence, features = self.evidence, self.features
        if newest is not None:
            slot = newest.arm.slot
            values[slot] = newest.context
            supposed = kernels.suppose(evidence, known, remembered, features, slot)
        for pull in sorted(self.came, key=_order):
            slot, before, reward = pull.arm.slot, pull.supposed, pull.reward
            values[slot] = pull.context
            if before is None:
                self._teach(evidence, known, remembered, features, True, slot, reward)
                continue
            if np.isnan(before):  # forgotten: the mean now stands in for it
                before = self._mean(known, remembered, slot)
            kernels.amend(evidence, known, remembered, features, slot, before, reward)
        return supposed

    def _mean(self, known: Arms, remembered: Floats, slot: int) -> float:
        """The mean of the arm with its present features."""
        return float(self._glance(known, remembered, np.array([slot], dtype=np.int64)).mean(0))

    def _glance(self, known: Arms, remembered: Floats, places: Any) -> Arms:
        """What is known of the arms at these places, with their present features."""
        seen, waits = Arms.fresh(len(places)), np.zeros(len(self.arms))
        kernels.glance(self.evidence, known, seen, remembered, self.features, waits, places)
        return seen

    def lay_out(self, names: list[Name]) -> None:
        """Give each of these arms its place. Rewards of arms that go are learned before."""
        if self._laid_out and names != self._laid_out:
            self.settle()
        super().lay_out(names)

    def forget(self, arm: LiveArm, numbers: list[int]) -> None:
        """Withdraw pending pulls: what was supposed of them stays, unless it was not yet."""
        for number in numbers:
            del self.pulls[number]
        super().forget(arm, numbers)

    def remove(self, arm: LiveArm) -> None:
        """Remove the arm and what was learned about it alone."""
        super().remove(arm)
        self.pulls = {number: each for number, each in self.pulls.items() if each.arm is not arm}

    def mean_of(self, arm: LiveArm) -> float:
        """The mean of the arm's rewards, whatever its features were."""
        return arm.mean

    def indices(self, features: Floats | None = None) -> dict[Name, float]:
        """The index of each enabled arm with these features; nothing is learned by it."""
        if features is None:
            raise ParameterError("Decider", "context", "given: indices depend on it", None)
        known, remembered = Arms(*(each.copy() for each in self.known)), self.remembered.copy()
        self._settle(known, remembered)
        self.features.values[:] = features
        return self._ranked(known, remembered, 0)


def _order(pull: Pull) -> float:
    """Rewards are learned in the order of their pulls; those of pulls made elsewhere come last."""
    return inf if pull.number is None else pull.number
