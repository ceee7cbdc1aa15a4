"""The scan: the policy's own `choose`, which looks at every arm."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._numba.compile import Floats, defaults_of, record
from .._numba.guards import an_arm
from .._records.record import is_package
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws


@record
class Scan(NamedTuple):
    """Calls the policy's own `choose`. Every other chooser has the same methods, and must make the
    same choices. A scan remembers nothing, so most of them do nothing here."""

    n_arms: int

    def restart(self) -> None:
        """A new replication begins."""

    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        """The arm to play. It may be given only some of the arms, side by side."""
        chosen: int = policy.choose(state, family, arms, clock, rng)
        return chosen

    def changed(self, i: int) -> None:
        """The statistics of arm i have changed."""

    def skips_absent(self) -> bool:
        """Whether it passes over absent arms, which have a negative number of pulls. If not, it is
        given only the arms that are present."""
        return False

    def withdraw(self, i: int) -> None:
        """Arm i is absent."""

    def bring_back(self, i: int) -> None:
        """Arm i is present again."""


class GuardedScan(NamedTuple):
    """The scan for a user's policy: it may read the arms' statistics, but not change them."""

    n_arms: int

    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        return an_arm(policy.choose(state, family, arms.shown(), clock, rng))


record(GuardedScan, defaults_of(Scan))


def scan_for(policy: Policy, n_arms: int) -> Any:
    """The scan that plays the policy on a CPU."""
    return Scan(n_arms) if is_package(type(policy)) else GuardedScan(n_arms)
