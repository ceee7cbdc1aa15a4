"""Which chooser finds the largest index soonest: the choice is the same with each of them."""

from __future__ import annotations

from typing import Any, Protocol

from .._compile import Floats
from ..policies.arms import Arms, Clock
from ..policies.base import Policy, ranks_only
from ..random import Draws
from . import index_bounds as _index_bounds  # noqa: F401  the promises about the package's policies
from . import index_curves as _index_curves  # noqa: F401
from .champion import Champion
from .promises import bounds_for, curve_for
from .scan import Scan
from .tournament import Tournament


class Chooser(Protocol):
    """Finds the arm to play.

    restart: a new replication begins. changed: arm i was pulled, or is otherwise not what it was.
    skips_absent: whether an arm with a negative number of pulls is passed over; `withdraw` and
    `bring_back` say so of an arm. A chooser that does not is given the arms that are present.
    """

    _fields: Any

    def restart(self) -> None: ...
    def pick(
        self, policy: Any, state: Floats, family: Any, arms: Arms, clock: Clock, rng: Draws
    ) -> int: ...
    def changed(self, i: int) -> None: ...
    def skips_absent(self) -> bool: ...
    def withdraw(self, i: int) -> None: ...
    def bring_back(self, i: int) -> None: ...


def chooser_for(policy: Policy, family: Any, n_arms: int) -> Chooser:
    """The quickest chooser for the policy among so many arms."""
    if not ranks_only(policy):
        return Scan(n_arms)
    curve = curve_for(policy, family)
    if curve is not None and n_arms >= curve.pays_from(family):
        return Tournament.of(curve, n_arms)
    bounds = bounds_for(policy, family)
    return Scan(n_arms) if bounds is None else Champion.of(bounds)
