"""The choice of the quickest chooser for a policy; all of them choose the same arms."""

from __future__ import annotations

from typing import Protocol

from .._numba.compile import Floats
from ..evidence import Evidence
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy, bare
from ..random import Draws
from . import knowledge_facts as _knowledge_facts  # noqa: F401  the facts about our policies
from . import rbmle_facts as _rbmle_facts  # noqa: F401
from . import solved_facts as _solved_facts  # noqa: F401
from . import ucb_facts as _ucb_facts  # noqa: F401
from .cached_bounds import CachedBounds
from .facts import facts_for
from .scan import Scan, scan_for
from .tournament import Tournament


class Chooser(Protocol):
    """The interface of a chooser, which finds the arm to play.

    restart: a new replication begins.
    pick: the arm to play. It may be given only some of the arms, side by side.
    changed: the statistics of arm i have changed.
    skips_absent: whether the chooser passes over absent arms, which have a negative number of
    pulls. If it does, `withdraw` and `bring_back` tell it that an arm is absent or back. If not, it
    is given only the arms that are present.
    """

    def restart(self) -> None: ...
    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int: ...
    def changed(self, i: int) -> None: ...
    def skips_absent(self) -> bool: ...
    def withdraw(self, i: int) -> None: ...
    def bring_back(self, i: int) -> None: ...


def chooser_for(
    policy: Policy, family: Family, n_arms: int, evidence: Evidence | None = None
) -> Chooser:
    """The quickest chooser for the policy and this number of arms.

    evidence: if it changes the statistics of more than the pulled arm, no bound may be kept.
    """
    policy = bare(policy)
    facts = facts_for(policy, family)
    scan: Chooser = scan_for(policy, n_arms)
    if facts is None:
        return scan
    if evidence is not None and evidence.changes_all():
        return CachedBounds.of(facts, n_arms, keeps=False) if facts.costly() else scan
    if n_arms >= facts.tournament_from(family):
        return Tournament.of(facts, n_arms)
    return CachedBounds.of(facts, n_arms) if facts.rises(family) else scan


def chooser_on_device(
    policy: Policy, family: Family, n_arms: int, evidence: Evidence | None = None
) -> Chooser:
    """The quickest chooser on a GPU."""
    facts = facts_for(bare(policy), family)
    changes_all = evidence is not None and evidence.changes_all()
    if facts is None or changes_all or not facts.helps_devices():
        return Scan(n_arms)
    return CachedBounds.of(facts, n_arms)
