"""The choice of the quickest chooser for a policy; all of them choose the same arms."""

from __future__ import annotations

from typing import TypeAlias

from ..evidence import Evidence
from ..families import Family
from ..policies.base import Policy, bare
from . import knowledge_facts as _knowledge_facts  # noqa: F401  the facts about our policies
from . import rbmle_facts as _rbmle_facts  # noqa: F401
from . import solved_facts as _solved_facts  # noqa: F401
from . import ucb_facts as _ucb_facts  # noqa: F401
from .cached_bounds import CachedBounds
from .facts import facts_for
from .scan import Scan, scan_for
from .tournament import Tournament

Chooser: TypeAlias = Scan | CachedBounds | Tournament  # of the methods that `Scan` explains


def chooser_for(
    policy: Policy, family: Family, n_arms: int, evidence: Evidence | None = None
) -> Chooser:
    """The quickest chooser for the policy and this number of arms.

    evidence: if it changes the statistics of more than the pulled arm, no bound may be cached.
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
