"""The scan: the policy's own `choose`, which looks at every arm."""

from __future__ import annotations

from typing import NamedTuple

from .._numba.compile import Floats, record
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws


@record
class Scan(NamedTuple):
    """Calls the policy's own `choose`. Every other chooser must make the same choices."""

    n_arms: int

    def restart(self) -> None:
        """Nothing to do: a scan remembers nothing."""

    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        chosen: int = policy.choose(state, family, arms, clock, rng)
        return chosen

    def changed(self, i: int) -> None:
        """Nothing to do: the next scan sees the change."""

    def skips_absent(self) -> bool:
        return False

    def withdraw(self, i: int) -> None:
        """Nothing to do: a scan is given only the arms that are present."""

    def bring_back(self, i: int) -> None:
        """Nothing to do, as for `withdraw`."""
