"""The list of all checks by the kind of thing they check, for tests by parametrisation."""

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
    """All checks of one kind.

    kind: "policy", whose checks are called with a policy and a family; "family"; or "law", a law of
    rewards.
    """
    return list(_KINDS[one_of("checks", "kind", kind, _KINDS)].functions)
