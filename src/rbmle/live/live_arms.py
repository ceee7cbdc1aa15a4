"""`LiveArms`, the decider's engine: no validation, no locking.

It lays out for the policy the statistics of the enabled arms, asks it for a choice, and keeps track
of pulls whose rewards have not come.
"""

from __future__ import annotations

from collections import deque
from math import inf, nan
from typing import Any

import numpy as np

from .._numba.compile import Floats, kernel
from ..choosers import Chooser, chooser_for
from ..families import Family
from ..policies.arms import Arms, Clock, origin_of
from ..policies.base import Policy, fresh_state
from ..random import Counter, key
from ..rewards.delays import ROUNDS_BLIND
from .constants import Constants
from .live_arm import LiveArm, Name


@kernel
def decide(
    policy: Policy, state: Floats, family: Family, chooser: Chooser, arms: Arms,
    constants: Constants, t: int, draw: int,
) -> int:  # fmt: skip
    """One choice, as in the simulator's loop: the arm to play in round t.

    draw: the round whose random numbers are used.
    """
    clock, rng = constants.clock(t), constants.rng(draw)
    chosen: int = chooser.pick(policy, state, family, arms, clock, rng)
    return chosen


@kernel
def rank(policy: Policy, family: Family, arms: Arms, clock: Clock, indices: Floats) -> None:
    """Fill `indices` with the index of each arm in this round."""
    level = policy.level(family, arms, clock)
    for i in range(arms.n_arms()):
        indices[i] = policy.index_of(family, arms, i, level)


class LiveArms:
    """All arms of a decider, and the policy that chooses among those that are enabled."""

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
        """source: the seed and the replication. horizon: 0 unless the policy needs it.
        patience: the number of rounds after which a pending pull is given up.
        withdrawn: how many pulls were forgotten or belonged to arms that are removed. They no
        longer count as rounds, but their random numbers are not used again."""
        self.arms = {arm.name: arm for arm in arms}
        self.policy, self.family, self.horizon = policy, family, horizon
        self.withdrawn = withdrawn
        self.rounds = sum(arm.rounds for arm in arms)
        self.patience = patience
        waiting = [(number, arm) for arm in arms for number in arm.pending]
        self._waiting = deque(sorted(waiting, key=lambda each: each[0]))  # oldest pull first
        seed, replication = source
        self._constants = Constants(horizon, Counter(*key(seed), random_ties), replication)
        self.arrange()

    def arrange(self) -> None:
        """Lay out anew the statistics that the policy sees: those of the enabled arms."""
        self.enabled = [arm for arm in self.arms.values() if arm.enabled]
        self._seen = Arms.fresh(len(self.enabled))
        self._state = fresh_state(self.policy, self.family, len(self.enabled))
        self._chooser = chooser_for(self.policy, self.family, len(self.enabled))
        self._decide = decide.specialised(
            self.policy, self._state, self.family, self._chooser, self._seen, self._constants, 1, 1
        )
        self._blind: dict[Name, int] = {}  # blind arm -> number of its last pull, oldest first
        for arm in self.arms.values():
            arm.slot = -1
        for slot, arm in enumerate(self.enabled):
            arm.slot = slot
            self._show(arm)
        self._blind = dict(sorted(self._blind.items(), key=lambda each: each[1]))

    def _show(self, arm: LiveArm) -> None:
        """Copy the arm's present statistics to the place where the policy sees them."""
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
        """The number of the coming pull; no number is ever used twice, even after a withdrawal."""
        return self.rounds + self.withdrawn + 1

    def pull(self) -> LiveArm:
        """Choose an arm, and note that its reward is pending."""
        self._give_up()
        return self._note(self._next())

    def play(self, arm: LiveArm) -> None:
        """Note a pull of the arm, which `pull` has chosen in another process.

        What is known afterwards is the same as after `pull`, except for the `memory` of a policy
        that remembers: only its own choice changes that.
        """
        self._give_up()
        self._note(arm)

    def _next(self) -> LiveArm:
        """The arm to play now."""
        arms, overdue = self.enabled, self._overdue()
        if overdue is not None:
            return overdue
        if len(self._blind) == len(arms):
            return min(arms, key=lambda arm: arm.rounds)
        if self._blind and not self._chooser.skips_absent():
            arms = [arm for arm in arms if not arm.blind]
        return arms[self._choose(arms)] if len(arms) > 1 else arms[0]

    def _note(self, chosen: LiveArm) -> LiveArm:
        """Note that the arm was pulled and that its reward is pending."""
        number = self.number
        chosen.pending[number], chosen.last = None, number
        self._waiting.append((number, chosen))
        self.rounds += 1
        if self._blind.pop(chosen.name, None) is not None:
            self._blind[chosen.name] = number  # moves it to the end: it was pulled last
        else:
            self._show(chosen)
        return chosen

    def _give_up(self) -> None:
        """Give up pulls that have waited longer than `patience`: the policy no longer sees them."""
        too_old = self.number - self.patience
        while self._waiting and self._waiting[0][0] <= too_old:
            number, arm = self._waiting.popleft()
            if number in arm.pending:
                del arm.pending[number]
                arm.lost += 1
                self._show(arm)

    def _overdue(self) -> LiveArm | None:
        """The blind arm that is due to be pulled again (see ROUNDS_BLIND), or None."""
        name = next(iter(self._blind), None)
        if name is None:
            return None
        waited = self.number - self._blind[name]
        return self.arms[name] if waited > ROUNDS_BLIND * len(self.enabled) else None

    def _choose(self, arms: list[LiveArm]) -> int:
        """The place in `arms` of the policy's choice. arms: all enabled arms, or some of them."""
        seen, state = self._seen, self._state
        if len(arms) < len(self.enabled):  # the blind ones are left out
            seen = _side_by_side(arms)
            state = fresh_state(self.policy, self.family, len(arms))
        memory = self.memory
        t = self.rounds + 1
        draw = t + self.withdrawn
        chosen: int = self._decide(
            self.policy, state, self.family, self._chooser, seen, self._constants, t, draw
        )
        if memory and any(arm.pending for arm in arms):
            self.memory = memory
        return chosen

    @property
    def memory(self) -> list[float]:
        """The numbers that the policy carries from round to round.

        They change only in rounds in which no pull of an enabled arm is pending: a conclusion from
        rewards that are only assumed (those of pending pulls) must not last.
        """
        kept: list[float] = self._state[: self.policy.remembers()].tolist()
        return kept

    @memory.setter
    def memory(self, values: list[float]) -> None:
        self._state[: len(values)] = values

    def learn(self, arm: LiveArm, reward: float, number: int | None = None) -> None:
        """Learn a reward of the arm.

        number: that of the pull it belongs to. If it is None, the reward belongs to the oldest
        pending pull, or else to one that was given up, or else it counts as one more pull.
        """
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
        """Withdraw the arm's pending pulls of these numbers."""
        for number in numbers:
            del arm.pending[number]
        self._withdraw(len(numbers))
        self._show(arm)

    def withdraw(self, arm: LiveArm, number: int) -> None:
        """Withdraw the arm's pull of this number, whether it is pending or was given up."""
        if number in arm.pending:
            self.forget(arm, [number])
        else:
            arm.lost -= 1
            self._withdraw(1)
            self._show(arm)

    def add(self, arm: LiveArm) -> None:
        """Add an arm."""
        self.arms[arm.name] = arm
        self.arrange()

    def switch(self, arm: LiveArm, enabled: bool) -> None:
        """Enable or disable the arm."""
        if arm.enabled != enabled:
            arm.enabled = enabled
            self.arrange()

    def remove(self, arm: LiveArm) -> None:
        """Remove the arm and all that was learned about it."""
        del self.arms[arm.name]
        self._withdraw(arm.rounds)
        self.arrange()

    def _withdraw(self, n: int) -> None:
        self.rounds -= n
        self.withdrawn += n

    def mean_of(self, arm: LiveArm) -> float:
        """The mean of the arm's rewards; NaN before the first."""
        return arm.mean

    def indices(self) -> dict[Name, float]:
        """The index of each enabled arm: inf if it was never pulled, NaN if it is blind."""
        ranked = [arm for arm in self.enabled if arm.pulls]
        values = np.empty(len(ranked))
        if ranked:
            seen = _side_by_side(ranked)
            clock = self._constants.clock(self.rounds + 1)
            rank(self.policy, self.family, seen, clock, values)
        known = {arm.name: value for arm, value in zip(ranked, values.tolist(), strict=True)}
        unknown = {arm.name: nan if arm.blind else inf for arm in self.enabled}
        return {**unknown, **known}


def _side_by_side(arms: list[LiveArm]) -> Arms:
    """The statistics of the arms, as policies read them; each arm must have a reward."""
    rows = np.array([arm.statistics() for arm in arms], dtype=float)
    return Arms(*np.ascontiguousarray(rows.T))
