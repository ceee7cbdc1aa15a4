"""`check_policy`, `check_family` and `check_law`, for users' own classes, and lists of the checks,
by which the package's own policies, families and laws are tested too."""

from __future__ import annotations

from ..errors import one_of
from ..policies.fit import as_family, as_policy, check_fit, on_family
from .checking import Check, Outcome
from .family_checks import FAMILY_CHECKS
from .policy_checks import POLICY_CHECKS
from .reward_checks import LAW_CHECKS

_KINDS = {"policy": POLICY_CHECKS, "family": FAMILY_CHECKS, "law": LAW_CHECKS}


def checks(kind: str = "policy") -> list[Check]:
    """All checks of one kind, for tests by parametrisation.

    kind: "policy", whose checks are called with a policy and a family; "family"; or "law".
    """
    return list(_KINDS[one_of("checks", "kind", kind, _KINDS)])


def check_policy(policy: object, family: object) -> list[Outcome]:
    """Check a policy on a family by every law; returns whether each law holds, or why it does not
    apply. The first broken law raises BrokenLawError.

    >>> import rbmle
    >>> outcomes = check_policy(rbmle.ThompsonSampling(), rbmle.Bernoulli())
    >>> outcomes[1]
    Outcome(check='every_chooser_equals_the_scan', outcome='does not apply: ThompsonSampling is \
always played by a scan')
    """
    assumed = as_family(family, "check_policy")
    policy = on_family(as_policy(policy, "check_policy"), assumed, "check_policy")
    check_fit(policy, assumed)
    return POLICY_CHECKS.run(policy, assumed)


def check_family(family: object) -> list[Outcome]:
    """Check a family by every law; returns whether each law holds, or why it does not apply. The
    first broken law raises BrokenLawError.

    >>> import rbmle
    >>> [each.check for each in check_family(rbmle.Bernoulli())][:2]
    ['the_natural_parameter_rises_with_the_mean', 'the_mean_is_the_slope_of_the_log_partition']
    """
    return FAMILY_CHECKS.run(family)


def check_law(law: object) -> list[Outcome]:
    """Check a law of rewards; returns whether each check holds, or why it does not apply. The first
    that does not hold raises BrokenLawError.

    >>> import rbmle
    >>> check_law(rbmle.Uniform())[0]
    Outcome(check='rewards_have_their_mean', outcome='holds')
    """
    return LAW_CHECKS.run(law)
