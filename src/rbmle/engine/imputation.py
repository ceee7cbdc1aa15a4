"""Late rewards for evidence that reads features: a pull counts at once, its reward when it comes.

Until then the mean so far is imputed. So the evidence becomes more certain where an arm was
pulled, and its means stay as they are (Desautels, Krause and Burdick 2014).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..errors import ParameterError, Words
from ..evidence import Evidence, can_impute
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws
from ..rewards.delays import Delay, Pending
from .game import LOST, NOTHING, Game, Moment, Pull, Rules, pending_pulls
from .late_rewards import Late, Prompt
from .present import Present, clear

_FAR = 1e305  # a statistic beyond this, or NaN, is no number that a policy could use


@pending_pulls
class Imputed(NamedTuple):
    """The evidence learns a pending pull as if it had paid the mean so far, and corrects that when
    the reward comes.

    counts: False if the evidence does not count pending pulls.
    places, hidden: as in `Late`. If some arms are disabled or no candidates, the policy sees copies
    of the others' statistics, in `present`. drawn: the errors of all arms' means, if they are drawn
    jointly while arms are left out. checks: whether features may be so large that means overflow.
    """

    counts: bool
    places: NDArray[np.int64]
    hidden: Floats
    present: Present
    drawn: Floats
    checks: bool

    @classmethod
    def of(
        cls, n_arms: int, policy: Policy, counts: bool, places: list[int] | None = None
    ) -> Imputed:
        """places: the arms that may be played live; by default all, in a simulation."""
        listed = np.arange(n_arms) if places is None else np.array(places, np.int64)
        hidden, present = np.zeros(1 + n_arms), Present.of(listed.size, policy)
        return cls(counts, listed, hidden, present, np.zeros(1 + n_arms), places is not None)

    def restart(self) -> None:
        clear(self.hidden)

    def hides(self, i: int) -> bool:
        return bool(self.hidden[i] > 0.0)

    def everyone(self) -> bool:
        """Whether all arms are candidates."""
        return self.places.size + 1 == self.drawn.size and self.hidden[-1] == 0.0

    def draw(self, rules: Rules, game: Game, rng: Draws) -> None:
        known, memory, features = game.known, game.memory, game.features
        if self.everyone():
            rules.evidence.draw(known, memory, features, rng, game.state)
        else:
            rules.evidence.draw(known, memory, features, rng, self.drawn)

    def pick(self, rules: Rules, game: Game, clock: Clock, now: Moment, rng: Draws) -> int:
        """The arm to pull; -1 if features are so large that a mean overflows.

        No arm is blind, as the ridge is worth something.
        """
        policy, state, visible, places = rules.policy, game.state, game.known, self.places
        everyone, some = self.everyone(), self.hidden[-1] > 0.0
        if not everyone:
            visible = self.gather(game.known)
        if self.checks:
            for k in range(visible.n_arms()):
                if not abs(visible.sums[k]) <= _FAR or not visible.pulls[k] <= _FAR:
                    return -1
        if some:
            self.present.lend(policy, state, visible.n_arms())
        if not everyone and policy.draws_jointly() and rules.evidence.draws():
            state[0] = self.drawn[0]
            for k in range(visible.n_arms()):
                state[1 + k] = self.drawn[1 + places[self.present.order[k]]]
        slot = 0
        if visible.n_arms() > 1:
            slot = rules.chooser.pick(policy, state, rules.family, visible, clock, rng)
        if some:
            self.present.take_back(policy, state, visible.n_arms())
        return int(places[slot] if everyone else places[self.present.order[slot]])

    def gather(self, known: Arms) -> Arms:
        """The candidates, side by side."""
        count = 0
        for slot in range(self.places.size):
            i = self.places[slot]
            if not self.hides(i):
                self.present.put(count, slot, known, i)
                count += 1
        return self.present.first(count)

    def learn(self, rules: Rules, game: Game, pull: Pull, reward: float) -> None:
        """Learn the reward of a pull, whose features are the present ones."""
        evidence, features, moving = rules.evidence, game.features, game.features.moving()
        known, memory, i, imputed = game.known, game.memory, pull.arm, pull.imputed
        if self.counts and pull.status == LOST:  # what was imputed is forgotten: the mean stands in
            evidence.look(known, memory, features, True)
            imputed = known.mean(i)
        if self.counts and imputed != NOTHING:
            evidence.correct(known, memory, features, moving, i, imputed, reward)
        else:
            evidence.learn(known, memory, features, moving, i, reward)

    def imputes(self) -> bool:
        return self.counts

    def impute(self, rules: Rules, game: Game, i: int) -> float:
        features = game.features
        return rules.evidence.expect(game.known, game.memory, features, features.moving(), i)


def pending_for(
    policy: Policy, evidence: Evidence, n_arms: int, delay: Delay | None, hides: bool = False
) -> Any:
    """The pending pulls of a simulated game, none yet.

    delay: None if rewards come at once. hides: whether arms may be no candidates.
    """
    if delay is None and not hides:
        return Prompt()
    counts = delay is None or delay.pending == Pending.counted
    if evidence.reads() == 0:
        return Late.of(n_arms, policy, counts=counts)
    if delay is not None and counts and not can_impute(evidence):
        raise ParameterError(
            type(delay).__name__,
            "pending",
            "'ignored' with evidence that cannot impute a reward",
            Words(type(evidence).__name__),
        )
    return Imputed.of(n_arms, policy, counts)
