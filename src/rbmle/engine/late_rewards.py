"""Pulls whose rewards have not come: none where rewards come at once, and `Late` ones.

`imputation.py` is for evidence that reads features.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..choosers import Chooser
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws
from ..rewards.delays import ROUNDS_BLIND
from .game import LOST, PENDING, Game, Moment, Pull, Rules, pending_pulls
from .present import Present, clear

BLIND, WAITING = 0, 1  # places in `Late.totals`


@pending_pulls
class Prompt(NamedTuple):
    """Every reward is learned in its round: no pull is ever pending."""

    none: int = 0

    def pick(self, rules: Rules, game: Game, clock: Clock, now: Moment, rng: Draws) -> int:
        return rules.chooser.pick(rules.policy, game.state, rules.family, game.arms, clock, rng)

    def learn(self, rules: Rules, game: Game, pull: Pull, reward: float) -> None:
        features = game.features
        rules.evidence.learn(game.arms, game.memory, features, features.moving(), pull.arm, reward)
        rules.chooser.changed(pull.arm)


@pending_pulls
class Late(NamedTuple):
    """Rewards come late. The policy sees a pending pull as if it had paid the arm's mean so far
    (Desautels, Krause and Burdick 2014).

    counts: False if pending pulls are ignored. fills: False if they are not imputed: an arm without
    a reward is still blind, and the statistics of others are of real rewards only.
    waits, lost, last: for each arm, the number of its pending pulls, of those that expired, and the
    number of its last pull.
    hidden: for each arm 1 if it is no candidate of the present choice, and last their number among
    the playable arms.
    places: the arms that may be played, which the policy sees in this order. slots: for each arm
    its place among them, or -1.
    present: room for the candidates that are not blind. totals: the numbers of blind arms among
    those that may be played, and of pending pulls of all arms.

    An arm is blind if it was pulled but has no reward yet: it has no mean, and so no index. It is
    left out for ROUNDS_BLIND rounds times the number of arms and is then pulled again, so that
    lost rewards starve no arm. If every candidate is blind, the one with the fewest pulls is next.
    """

    counts: bool
    fills: bool
    waits: Floats
    lost: Floats
    last: Floats
    hidden: Floats
    places: NDArray[np.int64]
    slots: NDArray[np.int64]
    present: Present
    totals: Floats

    @classmethod
    def of(
        cls, n_arms: int, policy: Policy, places: list[int] | None = None, counts: bool = True
    ) -> Late:
        """places: the arms that may be played; by default all."""
        playable = np.arange(n_arms) if places is None else np.array(places, np.int64)
        slots = np.full(n_arms, -1)
        slots[playable] = np.arange(playable.size)
        return cls(
            counts, counts and policy.takes_imputed(), np.zeros(n_arms), np.zeros(n_arms),
            np.zeros(n_arms), np.zeros(n_arms + 1), playable, slots,
            Present.of(playable.size, policy), np.zeros(2),
        )  # fmt: skip

    def restart(self) -> None:
        self.totals[BLIND] = self.totals[WAITING] = 0.0
        for i in range(self.waits.size):
            self.waits[i] = self.lost[i] = self.last[i] = 0.0
        clear(self.hidden)

    def pick(self, rules: Rules, game: Game, clock: Clock, now: Moment, rng: Draws) -> int:
        policy, chooser, arms, state = rules.policy, rules.chooser, game.arms, game.state
        changes_all = rules.evidence.changes_all()
        if changes_all:
            for slot in range(self.places.size):
                self.show(chooser, game.known, arms, slot)
        i = self.starved(game.known, arms, now.number)
        if i < 0:
            if changes_all and self.counts:  # its round counts only real rewards
                clock = clock.after(int(self.totals[WAITING]), now.t)
            blind = self.totals[BLIND] > 0.0 and not chooser.skips_absent()
            some = blind or self.hidden[-1] > 0.0
            visible, shared = arms, policy.remembers(0)
            if some:
                visible = self.gather(arms)
                self.present.lend(policy, state, visible.n_arms())
            else:
                for k in range(shared):
                    self.present.kept[k] = state[k]
            slot = 0
            if visible.n_arms() > 1:
                slot = chooser.pick(policy, state, rules.family, visible, clock, rng)
            # Discard state computed from imputed rewards or from a subset of arms, except each
            # arm's own numbers.
            if some:
                self.present.take_back(policy, state, visible.n_arms())
                slot = int(self.present.order[slot])
            elif shared > 0 and self.imputed(changes_all):
                for k in range(shared):
                    state[k] = self.present.kept[k]
            i = int(self.places[slot])
        self.noted(i, now.number)
        if self.counts:
            self.show(chooser, game.known, arms, self.slots[i])
        return i

    def starved(self, known: Arms, arms: Arms, number: int) -> int:
        """A blind candidate that must be pulled now, or the one with the fewest pulls if all are
        blind; else -1."""
        if self.totals[BLIND] > 0.0:
            oldest, others = self.oldest_blind(arms)
            if oldest >= 0 and number - self.last[oldest] > ROUNDS_BLIND * arms.n_arms():
                return oldest
            if others == 0:
                return self.least_pulled(known)
        return -1

    def imputed(self, changes_all: bool) -> bool:
        """Whether the policy saw imputed rewards."""
        waiting = 0.0
        if self.fills and changes_all:
            waiting = self.totals[WAITING]
        elif self.fills:
            for k in range(self.places.size):
                waiting += self.waits[self.places[k]]
        return waiting > 0.0

    def note(self, rules: Rules, game: Game, i: int, number: int) -> None:
        self.noted(i, number)
        self.show(rules.chooser, game.known, game.arms, self.slots[i])

    def noted(self, i: int, number: int) -> None:
        """Arm i was pulled, and its reward is pending."""
        self.waits[i] += 1.0
        self.last[i] = number
        self.totals[WAITING] += 1.0

    def learn(self, rules: Rules, game: Game, pull: Pull, reward: float) -> None:
        rules.evidence.learn(game.known, game.memory, game.features, False, pull.arm, reward)
        self.withdraw(rules, game, pull.arm, pull.status)

    def expire(self, rules: Rules, game: Game, i: int) -> None:
        self.lost[i] += 1.0
        self.withdraw(rules, game, i, PENDING)

    def withdraw(self, rules: Rules, game: Game, i: int, status: int) -> None:
        if status == PENDING:
            self.waits[i] -= 1.0
            self.totals[WAITING] -= 1.0
        elif status == LOST:
            self.lost[i] -= 1.0
        self.show(rules.chooser, game.known, game.arms, self.slots[i])

    def hides(self, i: int) -> bool:
        return bool(self.hidden[i] > 0.0)

    def show(self, chooser: Chooser, known: Arms, arms: Arms, slot: int) -> None:
        """Update the statistics that the policy sees of the arm at this slot."""
        if slot < 0:
            return
        i = self.places[slot]
        rewards, waiting = known.pulls[i], self.waits[i] if self.fills else 0.0
        was_blind = arms.pulls[slot] < 0.0
        if self.counts and rewards == 0.0 and self.waits[i] + self.lost[i] > 0.0:
            if not was_blind:
                arms.pulls[slot] = -1.0
                self.totals[BLIND] += 1.0
                chooser.withdraw(slot)
            return
        sums, squares = known.sums[i], known.squares[i]
        if waiting > 0.0:
            scale = waiting / rewards
            sums, squares = sums + scale * sums, squares + scale * squares
        arms.pulls[slot], arms.sums[slot], arms.squares[slot] = rewards + waiting, sums, squares
        arms.origins[slot] = known.origins[i]
        if was_blind:
            self.totals[BLIND] -= 1.0
            chooser.bring_back(slot)
        else:
            chooser.changed(slot)

    def gather(self, arms: Arms) -> Arms:
        """The candidates that are not blind, side by side."""
        count = 0
        for slot in range(arms.n_arms()):
            if arms.pulls[slot] >= 0.0 and not self.hides(self.places[slot]):
                self.present.put(count, slot, arms, slot)
                count += 1
        return self.present.first(count)

    def oldest_blind(self, arms: Arms) -> tuple[int, int]:
        """The blind candidate whose last pull is the oldest, or -1; and how many are not blind."""
        found, others = -1, 0
        for slot in range(arms.n_arms()):
            i = int(self.places[slot])
            if self.hides(i):
                continue
            if arms.pulls[slot] >= 0.0:
                others += 1
            elif found < 0 or self.last[i] < self.last[found]:
                found = i
        return found, others

    def least_pulled(self, known: Arms) -> int:
        """The candidate with the fewest pulls, with or without a reward; the first of them."""
        found, fewest = -1, 0.0
        for k in range(self.places.size):
            i = int(self.places[k])
            pulls = known.pulls[i] + self.waits[i] + self.lost[i]
            if not self.hides(i) and (found < 0 or pulls < fewest):
                found, fewest = i, pulls
        return found
