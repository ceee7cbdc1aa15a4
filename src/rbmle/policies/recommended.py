"""`recommended`: the form of RBMLE to use if nothing else is known."""

from __future__ import annotations

from typing import Any

from ..errors import ParameterError
from .alpha import ArmBias
from .fit import as_family, check_fit
from .rbmle import RBMLE

# Chosen on the training sets of the atlas, and on no other; docs/atlas.md has the table. With
# f = "stable" rewards of every family have the unit variance, so that one choice can do for all.
RECOMMENDED = ArmBias(power=0.1, c=1.9, spread=0.5, by_pulls=1.0, by_arms=0.5, least=0.1)


def recommended(family: Any) -> RBMLE:
    """The form of RBMLE to use for a family, given as such or by name; nothing is to be tuned.

    It is biased by the variance-stabilised mean, with an alpha for each arm (`ArmBias`). Its regret
    is of the order (log T)^1.2 on every problem, which is proved (docs/mathematics.md); its
    constants were chosen by simulation (docs/atlas.md says on which problems, and what it costs).

    >>> recommended("bernoulli").f
    'stable'
    """
    model = as_family(family, "recommended")
    if model is None:
        raise ParameterError.of("recommended", "family", "a family, as in Bernoulli()", family)
    policy = RBMLE(RECOMMENDED, f="stable")
    check_fit(policy, model)
    return policy
