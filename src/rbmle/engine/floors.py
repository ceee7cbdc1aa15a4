"""Rules with floors: in a share of the rounds an arm is played whatever the policy thinks."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._numba.compile import Floats, defaults_of, record
from ..choosers import Chooser
from ..evidence import Evidence
from ..families import Family
from ..policies.base import Policy
from ..random import Draws
from .game import Game, Moment, Rules


class FlooredRules(NamedTuple):
    """As `Rules`. shares: the floor of each arm, by its place; 0 for one that may not be played.
    An arm that is no candidate has no floor either.

    Whether a round belongs to a floor is drawn by a number that no policy uses, so that the policy
    draws the same numbers with floors and without.
    """

    policy: Policy
    family: Family
    evidence: Evidence
    chooser: Chooser
    shares: Floats

    def choose(self, game: Game, now: Moment, rng: Draws) -> int:
        i = self.reserved(game, rng)
        if i < 0:
            return self.choose_by_policy(game, now, rng)  # type: ignore[attr-defined,no-any-return]
        features = game.features
        self.evidence.look(game.known, game.memory, features, now.t == 1 or features.moving())
        game.pending.note(self, game, i, now.number)
        return i

    def reserved(self, game: Game, rng: Draws) -> int:
        """The arm whose floor this round belongs to, or -1."""
        n_arms = self.shares.size
        left = rng.cell(n_arms).uniform(0)
        for i in range(n_arms):
            share = 0.0 if game.pending.hides(i) else self.shares[i]
            if left < share:
                return i
            left -= share
        return -1


record(FlooredRules, defaults_of(Rules) | {"choose_by_policy": Rules.choose})


def rules_of(
    policy: Policy, family: Family, evidence: Evidence, chooser: Chooser, shares: Floats | None
) -> Rules:
    """The rules of a game; shares: the floors of all arms, if there are any."""
    if shares is None:
        return Rules(policy, family, evidence, chooser)
    floored: Any = FlooredRules(policy, family, evidence, chooser, shares)
    rules: Rules = floored
    return rules
