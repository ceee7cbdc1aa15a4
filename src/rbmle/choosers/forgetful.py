"""The champion test for evidence that forgets: statistics of all arms change in every round."""

from __future__ import annotations

from typing import NamedTuple

from .._numba.compile import Floats, record
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws
from .champion import Champion

# Bounds are promised, and tested, for arms of at least one pull. With much less an index may be
# beyond all floats, and arms tie that bounds tell apart.
_LEAST = 1.0


@record
class ForgetfulChampion(NamedTuple):
    """The champion test while every arm is worth a pull or more, and the scan otherwise.

    The test looks at the statistics as they are now and remembers nothing but the last leader, so
    that it may be used with any evidence. Lines, chords, ceilings and tournaments may not: they
    remember what an arm's index was.
    """

    champion: Champion

    def restart(self) -> None:
        self.champion.restart()

    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        """The arm to play: the one that a scan finds."""
        for i in range(arms.n_arms()):
            if arms.pulls[i] < _LEAST:
                return int(policy.choose(state, family, arms, clock, rng))
        return self.champion.pick(policy, state, family, arms, clock, rng)

    def changed(self, i: int) -> None:
        """Nothing to do: the next test sees the change."""

    def skips_absent(self) -> bool:
        return False

    def withdraw(self, i: int) -> None:
        """Nothing to do: the test is given only the arms that are present."""

    def bring_back(self, i: int) -> None:
        """Nothing to do, as for `withdraw`."""
