"""Rules with costs: arms are ranked by what they are worth and what they cost, and only those that
the budget affords are candidates."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, defaults_of, record
from ..choosers import Chooser
from ..choosers.scan import Scan
from ..evidence import Evidence
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy, preferred_of_largest
from ..policies.ledger import Ledger
from ..random import Draws
from .game import Game, Moment, Pull, Rules
from .imputation import Imputed
from .late_rewards import Late


class PricedScan(NamedTuple):
    """As `Scan`, but costs are set against what arms are worth.

    places: the arms that may be played. order: where only some of them are shown, which they are
    (`Present.order`). values: room for what is maximised.
    """

    ledger: Ledger
    places: NDArray[np.int64]
    order: NDArray[np.int64]
    values: Floats

    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        """As `Policy.choose`."""
        unpulled = arms.unpulled() if policy.plays_each_first() else -1
        if unpulled >= 0:
            return unpulled
        level = policy.level(family, arms, clock)
        for k in range(arms.n_arms()):
            worth = policy.worth(state, family, arms, k, level, rng)
            self.values[k] = self.ledger.value(worth, self.place(arms, k), clock.t)
        return preferred_of_largest(policy, family, arms, level, self.values, rng)

    def place(self, arms: Arms, k: int) -> int:
        """The place of the arm that is shown as number k."""
        return int(self.places[self.order[k] if arms.n_arms() < self.places.size else k])


record(PricedScan, defaults_of(Scan))


class PricedRules(NamedTuple):
    """As `Rules`. marks: room for which arms are hidden because they cost too much."""

    policy: Policy
    family: Family
    evidence: Evidence
    chooser: Chooser
    ledger: Ledger
    marks: NDArray[np.bool_]

    def restart(self, game: Game) -> None:
        self.restart_game(game)  # type: ignore[attr-defined]
        self.ledger.restart()

    def choose(self, game: Game, now: Moment, rng: Draws) -> int:
        """The arm to pull now; -1 if no candidate is affordable."""
        hidden, places, count, cheapest = game.pending.hidden, game.pending.places, 0, inf
        for k in range(places.size):
            if hidden[places[k]] == 0.0:
                cheapest = min(cheapest, self.ledger.costs[places[k]])
        for k in range(places.size):
            i = places[k]
            self.marks[i] = hidden[i] == 0.0 and not self.ledger.affords(i, cheapest)
            if self.marks[i]:
                hidden[i] = 1.0
                hidden[-1] += 1.0
            elif hidden[i] == 0.0:
                count += 1
        chosen = self.choose_by_policy(game, now, rng) if count > 0 else -1  # type: ignore[attr-defined]
        for k in range(places.size):
            i = places[k]
            if self.marks[i]:
                hidden[i] = 0.0
                hidden[-1] -= 1.0
        if chosen >= 0:
            self.ledger.pulled(chosen)
        return int(chosen)

    def observe(self, game: Game, pull: Pull, reward: float) -> None:
        self.ledger.paid(reward)
        game.pending.learn(self, game, pull, reward)

    def charge(self, game: Game, replication: int, t: int, i: int) -> None:
        if self.ledger.seen:
            self.ledger.learn(i, game.features.cost(replication, t, i), True)


record(
    PricedRules,
    defaults_of(Rules) | {"choose_by_policy": Rules.choose, "restart_game": Rules.restart},
)


def priced_rules(
    policy: Policy, family: Family, evidence: Evidence, ledger: Ledger, pending: Late | Imputed
) -> Rules:
    """The rules of a game with costs. pending: its `Late` or `Imputed` pulls."""
    room = np.zeros(max(pending.places.size, 1))
    chooser: Any = PricedScan(ledger, pending.places, pending.present.order, room)
    priced: Any = PricedRules(
        policy, family, evidence, chooser, ledger, np.zeros(ledger.costs.size, np.bool_)
    )
    rules: Rules = priced
    return rules
