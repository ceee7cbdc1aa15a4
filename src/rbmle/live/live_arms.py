"""A policy at work on arms that come and go: what it sees, what it chooses, what is still to come.

`LiveArms` is the decider's engine: no validation, no locking.
"""

from __future__ import annotations

from collections import deque
from math import inf, nan
from typing import Any

import numpy as np

from .._compile import Floats, kernel
from ..choosers import chooser_for
from ..policies.arms import Arms, Clock, origin_of
from ..policies.base import fresh_state
from ..random import Draws, key
from .live_arm import LiveArm, Name


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


# A blind arm, one that was pulled but has no reward yet, is pulled again after so many rounds for
# each enabled arm: lost rewards cannot starve it, and blind arms take one round in so many at most.
ROUNDS_BLIND = 10


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
        patience: int,
        withdrawn: int = 0,
    ) -> None:
        """source: the seed and the replication; horizon: 0 unless the policy needs it;
        patience: the rounds after which a pending pull is given up;
        withdrawn: the pulls that were forgotten or are of removed arms. Their random numbers are
        used up, though they count for nothing else."""
        self.arms = {arm.name: arm for arm in arms}
        self.policy, self.family, self.horizon = policy, family, horizon
        self.withdrawn = withdrawn
        self.rounds = sum(arm.rounds for arm in arms)
        self.patience = patience
        waiting = [(number, arm) for arm in arms for number in arm.pending]
        self._waiting = deque(sorted(waiting, key=lambda each: each[0]))  # pulls, the oldest first
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
        self._blind: dict[Name, int] = {}  # and the number of their last pull, the oldest first
        for arm in self.arms.values():
            arm.slot = -1
        for slot, arm in enumerate(self.enabled):
            arm.slot = slot
            self._show(arm)
        self._blind = dict(sorted(self._blind.items(), key=lambda each: each[1]))

    def _show(self, arm: LiveArm) -> None:
        """Let the policy see what the arm is now."""
        slot, blind, was_blind = arm.slot, arm.blind, arm.name in self._blind
        if slot < 0 or (blind and was_blind):
            return
        pulls, sums, squares, origins = self._seen
        if blind:
            pulls[slot] = -1.0
            self._blind[arm.name] = arm.last
            self._chooser.withdraw(slot)
            return
        pulls[slot], sums[slot], squares[slot], origins[slot] = arm.statistics()
        if was_blind:
            del self._blind[arm.name]
            self._chooser.bring_back(slot)
        else:
            self._chooser.changed(slot)

    @property
    def number(self) -> int:
        """The number of the coming pull: no two pulls have the same, whatever is withdrawn."""
        return self.rounds + self.withdrawn + 1

    def pull(self) -> LiveArm:
        """Choose an arm and wait for its reward."""
        self._give_up()
        number, arms = self.number, self.enabled
        overdue = self._overdue()
        if overdue is not None:
            arms = [overdue]
        elif len(self._blind) == len(arms):
            arms = [min(arms, key=lambda arm: arm.rounds)]
        elif self._blind and not self._chooser.skips_absent():
            arms = [arm for arm in arms if not arm.blind]
        chosen = arms[self._choose(arms)] if len(arms) > 1 else arms[0]
        chosen.pending[number], chosen.last = None, number
        self._waiting.append((number, chosen))
        self.rounds += 1
        if self._blind.pop(chosen.name, None) is not None:
            self._blind[chosen.name] = number  # now it is the one that was pulled last
        else:
            self._show(chosen)
        return chosen

    def _give_up(self) -> None:
        """Give up pulls whose reward has not come for too long: they tell nothing of their arm."""
        too_old = self.number - self.patience
        while self._waiting and self._waiting[0][0] <= too_old:
            number, arm = self._waiting.popleft()
            if number in arm.pending:
                del arm.pending[number]
                arm.lost += 1
                self._show(arm)

    def _overdue(self) -> LiveArm | None:
        """A blind arm that was not pulled for long, if there is one."""
        name = next(iter(self._blind), None)
        if name is None:
            return None
        waited = self.number - self._blind[name]
        return self.arms[name] if waited > ROUNDS_BLIND * len(self.enabled) else None

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

    def learn(self, arm: LiveArm, reward: float, number: int | None = None) -> None:
        """Learn a reward: that of the pull of this number; or of the oldest that waits for one, or
        was given up; or else of one more pull."""
        if not arm.answered(number):
            self.rounds += 1
        if arm.pulls == 0:
            arm.origin = origin_of(reward)
        away = reward - arm.origin
        arm.pulls += 1
        arm.total += reward
        arm.squares += away * away
        self._show(arm)

    def forget(self, arm: LiveArm, numbers: list[int]) -> None:
        """Withdraw pending pulls of the arm."""
        for number in numbers:
            del arm.pending[number]
        self._withdraw(len(numbers))
        self._show(arm)

    def switch(self, arm: LiveArm, enabled: bool) -> None:
        """Enable or disable the arm."""
        if arm.enabled != enabled:
            arm.enabled = enabled
            self.arrange()

    def remove(self, arm: LiveArm) -> None:
        """Remove the arm and all that is known of it."""
        del self.arms[arm.name]
        self._withdraw(arm.rounds)
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
        unknown = {arm.name: nan if arm.blind else inf for arm in self.enabled}
        return {**unknown, **known}


def _side_by_side(arms: list[LiveArm]) -> Arms:
    """The statistics of arms none of which is blind."""
    rows = np.array([arm.statistics() for arm in arms], dtype=float)
    return Arms(*np.ascontiguousarray(rows.T))
