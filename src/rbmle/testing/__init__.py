"""The laws of this package, to check policies, families and laws of rewards of your own:

from rbmle.testing import check_policy, check_family, check_law
check_policy(MyPolicy(), Bernoulli())
check_family(MyFamily())
check_law(MyLaw())
"""

from ..families.base import mean_at
from .checking import BrokenLawError, Check, NotApplicable, Outcome
from .family_checks import check_family
from .law_checks import check_law
from .listing import checks
from .policy_checks import check_policy
from .problems import easy_problem

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
