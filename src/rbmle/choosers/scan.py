"""How the largest index is found: by a look at every arm, or, where that pays, by a tournament."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._compile import record
from ..policies.arms import Arms, Clock
from ..policies.base import ranks_only
from ..random import Draws
from .tournament import Tournament


@record
class Scan(NamedTuple):
    """The policy itself chooses, arm by arm."""

    n_arms: int

    def restart(self) -> None:
        """Nothing is remembered that could be forgotten."""

    def pick(
        self, policy: Any, state: Any, family: Any, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        chosen: int = policy.choose(state, family, arms, clock, rng)
        return chosen

    def changed(self, i: int) -> None:
        """The next look will see it."""

    def withdraw(self, i: int) -> None:
        """A scan knows no arms that are not to be played: it is given the others."""

    def bring_back(self, i: int) -> None:
        """As for `withdraw`."""


def chooser_for(policy: Any, family: Any, n_arms: int) -> Scan | Tournament:
    """Who chooses for the policy among so many arms: the choices are the same, to the last bit."""
    pays = ranks_only(policy) and n_arms >= policy.kinetic(family)
    return Tournament.of(n_arms) if pays else Scan(n_arms)
