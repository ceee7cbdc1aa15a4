"""`Fork`: a copy of a game that goes on choosing, while the game itself stays as it is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..policies.base import Policy, bare, ranks_only
from ..policies.priced import Priced
from ..random import Counter, key
from .kernels import with_arrays
from .live_game import LiveGame
from .propensities import Propensities
from .settings import Settings


class Choice(NamedTuple):
    """The place of the arm that was chosen, the round, and the probability of that arm."""

    arm: int
    t: int
    probability: float


def why_no_fork(settings: Settings) -> str:
    """Why the game of such a decider has no forks, in a few words; "" if it has."""
    policy, evidence = bare(settings.policy), settings.evidence
    if isinstance(settings.policy, Priced):
        return "with costs, which all decisions share"
    if settings.guardrails:
        return "with guardrails, after which no decision is for a disabled arm"
    if not ranks_only(policy) and type(policy).propensities is Policy.propensities:
        return f"for {type(policy).__name__}, which does not tell its probabilities"
    if policy.remembers(1) > 0:
        return f"for {type(policy).__name__}, whose choices depend on earlier ones"
    return f"with {type(evidence).__name__}, which reads features" if evidence.reads() else ""


class Fork(LiveGame):
    """A snapshot of the game, with arrays of its own: the game does not see its pulls, nor does the
    fork see what the game learns later."""

    def __init__(self, live: LiveGame) -> None:
        if not live.compiled:
            live.compile()
        vars(self).update(vars(live))
        given = live.rules, live.game, live._constants
        self.rules, self.game, self._constants = with_arrays(given, np.copy)
        self._propensities = Propensities(self)

    def choose(self, seed: int) -> Choice:
        """Choose an arm as `pull` does, but by the random numbers of this seed, and say how
        probable that arm was. The pull is pending from now on."""
        t, propensities = self.rounds + 1, self._propensities
        p = None if propensities.follow_ties else propensities.of_next()
        constants = self._constants._replace(randomness=Counter(*key(seed), self.by_lot))
        place = int(self._choose(self.rules, self.game, constants, t, self.number))
        self.rounds += 1
        chance = 1.0 / self.ties if p is None else p[self.game.pending.slots[place]]
        return Choice(place, t, float(chance))
