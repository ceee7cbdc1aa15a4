"""A policy at work on arms that come and go: what it sees, what it chooses, what is still to come.

`LiveArms` is the whole of a decider but for its manners: it checks nothing and is for one thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np

from .._compile import Floats, kernel
from ..choosers import chooser_for
from ..policies.arms import Arms, Clock
from ..policies.base import fresh_state
from ..random import Draws, key

Name = str | int


@kernel
def decide(
    policy: Any,
    state: Floats,
    family: Any,
    chooser: Any,
    arms: Arms,
    t: int,
    draw: int,
    horizon: int,
    key0: int,
    key1: int,
    replication: int,
    random_ties: bool,
) -> int:
    """One choice, as in the simulator's loop: the arm of round t with the random numbers of `draw`.

    A known horizon that is past keeps the rule in its last round. Random numbers are those of a
    32-bit round, so they repeat after 2^32 rounds.
    """
    now = min(t, horizon) if horizon > 0 else t
    rng = Draws(key0, key1, replication, draw & 0xFFFFFFFF, random_ties)
    chosen: int = chooser.pick(policy, state, family, arms, Clock(now, horizon), rng)
    return chosen


@kernel
def rank(policy: Any, family: Any, arms: Arms, t: int, horizon: int, indices: Floats) -> None:
    """The index of each arm in round t."""
    now = min(t, horizon) if horizon > 0 else t
    level = policy.level(family, arms, Clock(now, horizon))
    for i in range(arms.n_arms()):
        indices[i] = policy.index_of(family, arms, i, level)


@dataclass(slots=True)
class LiveArm:
    """One arm of a decider: its rewards so far, and its pulls that wait for one."""

    name: Name
    pulls: int = 0
    total: float = 0.0
    squares: float = 0.0
    pending: int = 0
    enabled: bool = True
    slot: int = -1  # the place among the enabled arms

    @property
    def blind(self) -> bool:
        """Pulled, but without any reward yet: it can have no index."""
        return self.pending > 0 and self.pulls == 0

    @property
    def mean(self) -> float:
        return self.total / self.pulls if self.pulls else float("nan")

    def statistics(self) -> tuple[float, float, float]:
        """Pulls, sum and sum of squares, as if pending pulls had each paid the mean so far."""
        if not self.pending:
            return self.pulls, self.total, self.squares
        scale = self.pending / self.pulls
        return (
            self.pulls + self.pending,
            self.total + scale * self.total,
            self.squares + scale * self.squares,
        )


class LiveArms:
    """Arms, and the policy that chooses among those that are enabled."""

    def __init__(
        self,
        arms: list[LiveArm],
        policy: Any,
        family: Any,
        source: tuple[int, int],
        horizon: int,
        random_ties: bool,
        withdrawn: int = 0,
    ) -> None:
        """source: the seed and the replication; horizon: 0 unless the policy needs it;
        withdrawn: the pulls that were forgotten or are of removed arms. Their random numbers are
        used up, though they count for nothing else."""
        self.arms = {arm.name: arm for arm in arms}
        self.policy, self.family, self.horizon = policy, family, horizon
        self.withdrawn = withdrawn
        self.rounds = sum(arm.pulls + arm.pending for arm in arms)
        seed, replication = source
        self._constants = (horizon, *key(seed), replication, random_ties)
        self.arrange()

    def arrange(self) -> None:
        """Lay out what the policy sees: the enabled arms, side by side."""
        self.enabled = [arm for arm in self.arms.values() if arm.enabled]
        self._seen = Arms.fresh(len(self.enabled))
        self._state = fresh_state(self.policy, self.family, len(self.enabled))
        self._chooser = chooser_for(self.policy, self.family, len(self.enabled))
        self._decide = decide.specialised(
            self.policy, self._state, self.family, self._chooser, self._seen, 1, 1, *self._constants
        )
        self._blind: set[Name] = set()
        for arm in self.arms.values():
            arm.slot = -1
        for slot, arm in enumerate(self.enabled):
            arm.slot = slot
            self._show(arm)

    def _show(self, arm: LiveArm) -> None:
        """Let the policy see what the arm is now."""
        slot, blind, was_blind = arm.slot, arm.blind, arm.name in self._blind
        if slot < 0 or (blind and was_blind):
            return
        pulls, sums, squares = self._seen
        if blind:
            pulls[slot] = -1.0
            self._blind.add(arm.name)
            self._chooser.withdraw(slot)
            return
        pulls[slot], sums[slot], squares[slot] = arm.statistics()
        if was_blind:
            self._blind.discard(arm.name)
            self._chooser.bring_back(slot)
        else:
            self._chooser.changed(slot)

    def pull(self) -> Name:
        """Choose an arm and wait for its reward."""
        arms = self.enabled
        if len(self._blind) == len(arms):
            arms = [min(arms, key=lambda arm: arm.pending)]
        elif self._blind and not self._chooser.skips_absent():
            arms = [arm for arm in arms if not arm.blind]
        chosen = arms[self._choose(arms)] if len(arms) > 1 else arms[0]
        chosen.pending += 1
        self.rounds += 1
        self._show(chosen)
        return chosen.name

    def _choose(self, arms: list[LiveArm]) -> int:
        """The policy's choice among the arms: all that are enabled, or some of them."""
        seen, state = self._seen, self._state
        if len(arms) < len(self.enabled):  # those that are not blind
            seen = _side_by_side(arms)
            state = fresh_state(self.policy, self.family, len(arms))
        memory = self.memory
        t = self.rounds + 1
        draw = t + self.withdrawn
        chosen: int = self._decide(
            self.policy, state, self.family, self._chooser, seen, t, draw, *self._constants
        )
        if memory and any(arm.pending for arm in arms):
            self.memory = memory
        return chosen

    @property
    def memory(self) -> list[float]:
        """The numbers that the policy carries from round to round.

        What it concludes from rewards that are only supposed, those of pending pulls, is not kept.
        """
        kept: list[float] = self._state[: self.policy.remembers()].tolist()
        return kept

    @memory.setter
    def memory(self, values: list[float]) -> None:
        self._state[: len(values)] = values

    def learn(self, arm: LiveArm, reward: float) -> None:
        """Learn a reward: that of a pending pull if there is one, else of one more pull."""
        if arm.pending:
            arm.pending -= 1
        else:
            self.rounds += 1
        arm.pulls += 1
        arm.total += reward
        arm.squares += reward * reward
        self._show(arm)

    def forget(self, arm: LiveArm, n: int) -> None:
        """Withdraw n pending pulls of the arm."""
        arm.pending -= n
        self._withdraw(n)
        self._show(arm)

    def switch(self, arm: LiveArm, enabled: bool) -> None:
        """Enable or disable the arm."""
        if arm.enabled != enabled:
            arm.enabled = enabled
            self.arrange()

    def remove(self, arm: LiveArm) -> None:
        """Remove the arm and all that is known of it."""
        del self.arms[arm.name]
        self._withdraw(arm.pulls + arm.pending)
        self.arrange()

    def _withdraw(self, n: int) -> None:
        self.rounds -= n
        self.withdrawn += n

    def indices(self) -> dict[Name, float]:
        """The index of each enabled arm, if it has one: before the first pull inf, else NaN."""
        ranked = [arm for arm in self.enabled if arm.pulls]
        values = np.empty(len(ranked))
        if ranked:
            seen = _side_by_side(ranked)
            rank(self.policy, self.family, seen, self.rounds + 1, self.horizon, values)
        known = {arm.name: value for arm, value in zip(ranked, values.tolist(), strict=True)}
        unknown = {arm.name: nan if arm.pending else inf for arm in self.enabled}
        return {**unknown, **known}


def _side_by_side(arms: list[LiveArm]) -> Arms:
    """The statistics of arms none of which is blind."""
    rows = np.array([arm.statistics() for arm in arms], dtype=float)
    return Arms(*np.ascontiguousarray(rows.T))
