"""Every check by the kind of thing that it checks, for a test of each on each."""

from __future__ import annotations

from ..errors import one_of
from . import family_checks, law_checks, policy_checks
from .checking import Check

_KINDS = {
    "policy": policy_checks.CHECKS,
    "family": family_checks.CHECKS,
    "law": law_checks.CHECKS,
}


def checks(kind: str = "policy") -> list[Check]:
    """The checks of a policy (called with it and a family), of a family or of a law of rewards."""
    return list(_KINDS[one_of("checks", "kind", kind, _KINDS)].functions)
