"""The scan: the policy itself looks at every arm."""

from __future__ import annotations

from typing import NamedTuple

from .._compile import Floats, record
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws


@record
class Scan(NamedTuple):
    """The policy's own `choose`: what every other chooser must agree with."""

    n_arms: int

    def restart(self) -> None:
        """It remembers nothing."""

    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        chosen: int = policy.choose(state, family, arms, clock, rng)
        return chosen

    def changed(self, i: int) -> None:
        """The next look will see it."""

    def skips_absent(self) -> bool:
        return False

    def withdraw(self, i: int) -> None:
        """It is given the arms that are present."""

    def bring_back(self, i: int) -> None:
        """As for `withdraw`."""
