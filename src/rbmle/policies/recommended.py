"""`recommended`: the form of RBMLE to use if nothing else is known."""

from __future__ import annotations

from typing import Any

from ..errors import ParameterError
from ..families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from .arm_bias import ArmBias
from .fit import as_family, check_fit
from .rbmle import RBMLE

# Chosen on the training sets of the atlas, and on no others; docs/atlas.md has the tables.
_COINS = RBMLE(ArmBias(0.1, 2.1, 0.5, 1.0, 0.5, 1.0), f="stable")
_GAUSSIAN = RBMLE(ArmBias(0.1, 1.8, 0.5, 1.0, 0.5, 0.1), f="stable")
# With f = "stable" indices would be infinite up to n = alpha: every arm would get some 30 pulls.
_SCALE = RBMLE(ArmBias(0.1, 1.7, 0.5, 1.0, 0.5, 0.5), f="canonical")
# Binomial rewards are sums of coins, Poisson ones their limit near 0, and Gamma ones, for a whole
# shape, sums of exponential ones. In units of the standard deviation they are alike, and alpha has
# these units, so the constants are the same. These three were not played.
_FORMS = {
    Bernoulli: _COINS,
    Binomial: _COINS,
    Poisson: _COINS,
    Gaussian: _GAUSSIAN,
    Exponential: _SCALE,
    Gamma: _SCALE,
}


def recommended(family: Any) -> RBMLE:
    """The form of RBMLE to use for a family, given as such or by name; nothing is to be tuned.

    It has an alpha for each arm (`ArmBias`). Its regret is of the order (log T)^1.2 on every
    problem, which is proved (docs/mathematics.md). Its constants were chosen by simulation;
    docs/atlas.md says on which problems, and where other policies are better.

    >>> recommended("bernoulli").alpha.c
    2.1
    """
    model = as_family(family, "recommended")
    if type(model) not in _FORMS:
        known = ", ".join(f"{kind.__name__}()" for kind in _FORMS)
        raise ParameterError.of("recommended", "family", f"one of {known}", family)
    policy = _FORMS[type(model)]
    check_fit(policy, model)
    return policy
