"""Checks of the laws that policies, families and laws of rewards obey, also for your own classes.

from rbmle.testing import check_policy, check_family, check_law
check_policy(MyPolicy(), Bernoulli())
check_family(MyFamily())
check_law(MyLaw())
"""

from ..families.registry import mean_at
from .checking import BrokenLawError, Check, NotApplicable, Outcome
from .kinds import check_family, check_law, check_policy, checks
from .policy_checks import easy_problem

__all__ = [
    "BrokenLawError",
    "Check",
    "NotApplicable",
    "Outcome",
    "check_family",
    "check_law",
    "check_policy",
    "checks",
    "easy_problem",
    "mean_at",
]
