"""`EvidenceArms`, the decider's engine where the past is worth something else than its count.

It treats late rewards as the simulator's `Late` does (engine/late_rewards.py); a test compares
them, choice by choice.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np

from .._io.memory import machine_memory, size_text
from .._numba.compile import Floats
from ..choosers import Scan
from ..errors import ParameterError
from ..evidence import Features
from ..policies.arms import Arms
from ..policies.base import fresh_state
from ..rewards.delays import ROUNDS_BLIND
from . import evidence_kernels as kernels
from .live_arm import LiveArm, Name
from .live_arms import LiveArms, rank


class EvidenceArms(LiveArms):
    """All arms of a decider, their evidence, and the policy that chooses among the enabled ones.

    The statistics of all arms stand side by side, in the order of the arms, with what the evidence
    remembers: `known` and `remembered`. An arm's `slot` is its place there, enabled or not.
    """

    def __init__(self, evidence: Any, *given: Any) -> None:
        """given: what `LiveArms` is made of."""
        self.evidence = evidence
        self.known, self.remembered = Arms.fresh(0), np.zeros(0)
        self._laid_out: list[Name] = []
        super().__init__(*given)

    def lay_out(self, names: list[Name]) -> None:
        """Give each of these arms its place; what is known of those that had one goes with it."""
        if names == self._laid_out:
            return
        old = {name: place for place, name in enumerate(self._laid_out)}
        places = [old.get(name, -1) for name in names]
        known, remembered = Arms.fresh(len(names)), _room(self.evidence, len(names))
        self.evidence.begin(known, remembered)
        for new, place in enumerate(places):
            if place >= 0:
                for after, before in zip(known, self.known, strict=True):
                    after[new] = before[place]
        if old:
            self.evidence.relayout(self.known, self.remembered, places, known, remembered)
        self.known, self.remembered, self._laid_out = known, remembered, names

    def arrange(self) -> None:
        """Lay out anew what the policy sees: the enabled arms."""
        self.lay_out(list(self.arms))
        self.enabled = [arm for arm in self.arms.values() if arm.enabled]
        self._blind = {}  # blind arms are looked for before each choice
        for slot, arm in enumerate(self.arms.values()):
            arm.slot = slot
        n_arms, enabled = len(self.arms), len(self.enabled)
        self.features = Features(np.zeros((n_arms, self.evidence.reads())))
        self._state = fresh_state(self.policy, self.family, enabled)
        self._seen, self._drawn = Arms.fresh(enabled), np.zeros(1 + n_arms)
        self._scan, self._waits = Scan(enabled), np.zeros(n_arms)
        self._places = _slots(self.enabled)
        self._select = kernels.choose.specialised(*self._choice(self._state, self._places, 0))
        self._teach = kernels.teach.specialised(*self._taught(False, 0, 0.0))

    def _choice(self, state: Floats, places: Any, pending: int) -> tuple[Any, ...]:
        """The arguments of a choice among the arms at these places."""
        t = self.rounds + 1
        return (
            self.policy, state, self.family, self.evidence, self._scan, self.known, self._seen,
            self.remembered, self.features, self._drawn, self._waits, places,
            self._constants, t, t + self.withdrawn, pending,
        )  # fmt: skip

    def _taught(self, moving: bool, slot: int, reward: float) -> tuple[Any, ...]:
        """The arguments of learning a reward."""
        return self.evidence, self.known, self.remembered, self.features, moving, slot, reward

    def _show(self, arm: LiveArm) -> None:
        """Nothing to do: statistics are shown when the policy chooses."""

    def is_blind(self, arm: LiveArm) -> bool:
        """Whether nothing of the arm's rewards is left, but some of its pulls have no reward."""
        unknown = self.known.pulls[arm.slot] == 0.0
        return bool(unknown and (arm.pending or arm.lost))

    def _next(self) -> LiveArm:
        """The arm to play now."""
        arms = self.enabled
        blind = [arm for arm in arms if self.is_blind(arm)]
        if blind:
            oldest = min(blind, key=lambda arm: arm.last)
            if self.number - oldest.last > ROUNDS_BLIND * len(arms):
                return oldest
            if len(blind) == len(arms):
                return min(arms, key=lambda arm: len(arm.pending) + arm.lost)
            arms = [arm for arm in arms if arm not in blind]
        return arms[self._choose(arms)] if len(arms) > 1 else arms[0]

    def _choose(self, arms: list[LiveArm]) -> int:
        """The place in `arms` of the policy's choice. arms: all enabled arms, or some of them."""
        some, memory = len(arms) < len(self.enabled), self.memory
        state = fresh_state(self.policy, self.family, len(arms)) if some else self._state
        pending = self._wait()
        chosen: int = self._select(
            *self._choice(state, _slots(arms) if some else self._places, pending)
        )
        if pending:  # conclusions from rewards that are only supposed must not last
            self.memory = memory
        return chosen

    def _wait(self) -> int:
        """Write down how many pulls of each arm are pending; the number of all."""
        counts = [len(arm.pending) for arm in self.arms.values()]
        self._waits[:] = counts
        return sum(counts)

    def learn(self, arm: LiveArm, reward: float, number: int | None = None) -> None:
        """Learn a reward of the arm; see `LiveArms.learn`."""
        super().learn(arm, reward, number)
        self._teach(*self._taught(False, arm.slot, reward))

    def add(self, arm: LiveArm) -> None:
        """Add an arm."""
        self.lay_out([*self.arms, arm.name])
        super().add(arm)

    def remove(self, arm: LiveArm) -> None:
        """Remove the arm and what was learned about it alone."""
        self.lay_out([each for each in self.arms if each != arm.name])
        super().remove(arm)

    def mean_of(self, arm: LiveArm) -> float:
        """The mean of the arm's rewards as the evidence weighs them; NaN if nothing is left."""
        pulls = self.known.pulls[arm.slot]
        return float(self.known.sums[arm.slot] / pulls) if pulls > 0.0 else nan

    def indices(self) -> dict[Name, float]:
        """The index of each enabled arm: inf if nothing is known of it, NaN if it is blind."""
        return self._ranked(self.known, self.remembered, self._wait())

    def _ranked(self, known: Arms, remembered: Floats, pending: int) -> dict[Name, float]:
        """The indices that follow from these statistics and what is remembered with them."""
        plain = self.evidence.reads() == 0
        blind = [arm for arm in self.enabled if plain and self.is_blind(arm)]
        seen, places = Arms.fresh(len(self.enabled)), _slots(self.enabled)
        waits = self._waits * (known.pulls > 0.0)
        kernels.glance(self.evidence, known, seen, remembered, self.features, waits, places)
        ranked = np.flatnonzero(seen.pulls > 0.0)
        values = np.full(len(self.enabled), inf)
        if ranked.size:
            now = self._constants.clock(self.rounds + 1)
            clock = self.evidence.clock(remembered, now.t, now.horizon)
            if plain and self.evidence.changes_all():
                clock = clock.after(pending, now.t)
            found = np.empty(ranked.size)
            shown = Arms(*(each[ranked] for each in seen))
            rank(self.policy, self.family, shown, clock, found)
            values[ranked] = found
        named = {arm.name: float(each) for arm, each in zip(self.enabled, values, strict=True)}
        return {**named, **{arm.name: nan for arm in blind}}


def _slots(arms: list[LiveArm]) -> Any:
    return np.array([arm.slot for arm in arms], dtype=np.int64)


def _room(evidence: Any, n_arms: int) -> Floats:
    """Room for what the evidence remembers of so many arms."""
    size, most = evidence.memory_size(n_arms), machine_memory()
    if most is not None and 8 * size > most:
        fits = f"one whose memory fits in {size_text(most)} with {n_arms} arms"
        raise ParameterError("Decider", "evidence", fits, evidence)
    return np.zeros(size)
