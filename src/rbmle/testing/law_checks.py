"""The laws that every distribution of rewards obeys, whether or not it is a family.

from rbmle.testing import check_law
check_law(MyLaw())
"""

from __future__ import annotations

from typing import Any

from .checking import Checks, Outcome
from .compiled_checks import samples_compiled_equal_interpreted
from .reward_checks import REWARD_CHECKS

CHECKS = Checks()


def check_law(law: Any) -> list[Outcome]:
    """Check a law of rewards; returns whether each check holds, or why it does not apply.

    The first that does not hold raises BrokenLawError.

    >>> import rbmle
    >>> check_law(rbmle.Uniform())[0]
    Outcome(check='rewards_have_their_mean', outcome='holds')
    """
    return CHECKS.run(law)


for each in REWARD_CHECKS.functions:
    CHECKS(each)
CHECKS(samples_compiled_equal_interpreted)
