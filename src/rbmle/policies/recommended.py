"""`recommended`: the form of RBMLE to use if nothing else is known."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from .._records.record import checked
from ..errors import ParameterError
from ..families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from ..spec import stand_in
from .arm_bias import ArmBias
from .fit import Assuming, HasLaw, as_family, check_fit
from .rbmle import RBMLE

# Chosen on the training sets of the atlas, and on no others; docs/atlas.md has the tables. The
# numbers are power, c, spread, by_pulls, by_arms and least.
# For Gaussian rewards the width at the spread 1/2 is c L^0.6 / (2 sqrt n), with c = 1.7 at L = 5
# that of MOSS, sqrt(L / n), but L = log(1 + (T - t + 1) / (n K)) in place of log(T / (n K)). A
# smaller c has longer tails at T = 100,000, a larger one more regret than MOSS up to T = 10,000.
_COINS = RBMLE(ArmBias(0.1, 2.1, 0.5, 1.0, 0.5, 1.0, rounds="left"), f="stable")
_GAUSSIAN = RBMLE(ArmBias(0.1, 2.0, 0.5, 1.0, 1.0, 0.1, rounds="left"), f="stable")
# Without a bound on means every arm would get some 30 pulls, its alpha. `least`: an arm whose only
# reward is tiny, e^-L times the largest mean, has n D = L, and is pulled again if alpha g exceeds
# it, so if alpha log(1 + reach) > L; at n = 1 alpha is c least^1/2 L^1.2. The power 0.2 in place
# of 0.1 shortens tails at T = 100,000.
_SCALE = RBMLE(ArmBias(0.2, 1.8, 0.5, 1.0, 1.0, 1.0, rounds="left", reach=0.5), f="stable")
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


def recommended(family: object) -> RBMLE:
    """The form of RBMLE to use for a family, given as such or by name; nothing is to be tuned.

    It has an alpha for each arm (`ArmBias`), and explores less as the rounds come to their end:
    simulations tell it their horizon, and so does `Decider(horizon=...)`. A decider without a
    horizon supposes in each round that as many are to come as have been played; that was hardly
    measured, and for Gaussian rewards docs/atlas.md names a form that is better then.
    Its regret is of the order (log T)^1.2, for Exponential and Gamma rewards (log T)^1.4, on every
    problem, which is proved (docs/mathematics.md). Its constants were chosen by simulation;
    docs/atlas.md says on which problems, and where other policies are better.

    >>> recommended("bernoulli").alpha.c
    2.1
    """
    model = as_family(family, "recommended")
    if type(model) not in _FORMS:
        known = ", ".join(f"{kind.__name__}()" for kind in _FORMS)
        raise ParameterError("recommended", "family", f"one of {known}", family)
    policy = _FORMS[type(model)]
    check_fit(policy, model)
    return policy


@stand_in
@checked
class Recommended(NamedTuple):
    """Stands for `recommended(family)` wherever a policy can be given, and so does its name.

    edition: which constants; there is one edition so far. A study keeps it in its file, so that its
    results stay the same if others should ever be better.

    >>> Recommended().on_family(Gaussian()) == recommended("gaussian")
    True
    """

    edition: Annotated[int, "[1, 1]"] = 1

    def on_family(self, family: object) -> RBMLE:
        """The policy, where rewards are of this family."""
        return recommended(family)

    def on(self, problem: HasLaw, family: object = None) -> RBMLE | Assuming:
        """The policy for this problem, in a study."""
        if family is None and problem.family is None:
            law = type(problem.law).__name__
            raise ParameterError("Recommended", "family", f"given for rewards of {law}", None)
        if family is None:
            return self.on_family(problem.family)
        return Assuming(self.on_family(family), family)
