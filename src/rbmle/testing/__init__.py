"""The laws that every policy obeys, to check policies of your own:

from rbmle.testing import check_policy
check_policy(MyPolicy(), Bernoulli())
"""

from .policy_checks import check_policy, checks, easy_problem

__all__ = ["check_policy", "checks", "easy_problem"]
