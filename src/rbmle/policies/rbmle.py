"""RBMLE, reward-biased maximum likelihood estimation: the policy that this package is about, and
the form of it to use if nothing else is known (`recommended`)."""

from __future__ import annotations

from math import inf
from typing import Annotated, Any, NamedTuple

from .._numba.compile import Floats
from .._records.record import Choice, checked
from ..errors import ParameterError, Words, one_of
from ..families import Bernoulli, Binomial, Bounded, Exponential, Family, Gamma, Gaussian, Poisson
from ..families.protocols import require_by_sums
from ..random import Draws
from ..spec import stand_in
from ..special.grid import as_much, on_grid
from .alpha import BetaBias, as_bias
from .arm_bias import ArmBias
from .arms import Arms, Clock
from .base import mean_where, policy
from .fit import Assuming, HasLaw, as_family

_NO_BIAS = 1e-200  # an alpha so small that n D / alpha is 0 at the maximum


class Boundary(Choice):
    """The form of the index where nu + alpha/n is outside the range of the mean; see `RBMLE`."""

    exact = 0
    corollary = 1
    published = 2


class Risk(Choice):
    """What a recommended form keeps small: unlucky runs, or the mean; see `recommended`."""

    tails = 0
    mean = 1


class BiasFunction(Choice):
    """The function f by which the likelihood is biased, as f^alpha; see `RBMLE`."""

    canonical = 0
    mean = 1
    stable = 2


@policy
class RBMLE(NamedTuple):
    """Reward-biased maximum likelihood (Liu, Hsieh, Hung, Bhattacharya and Kumar 2020):
    N_i (F*(p_i + alpha(t) / N_i) - F*(p_i)).

    The arm with the largest max_eta {log-likelihood + alpha(t) eta_i} is played. It is an index
    policy (Proposition 1): with n = N_i, nu = S_i / N_i and F* the convex conjugate of the family's
    log-partition function,

        I(nu, n, alpha) = n (F*(nu + alpha/n) - F*(nu)),

    which is nu + alpha / (2 n) up to a common factor for Gaussian rewards (Corollary 2) and
    n log(S / (S + alpha)) for exponential ones (Corollary 3).

    alpha: the bias-growth rate: `BetaBias()`, (log t)^1.5, by default as in the paper's
    experiments; a number c for c log t; or one of the adaptive schemes, Algorithms 1 to 3.
    boundary: matters only for families whose mean is bounded above (Bernoulli, Binomial), where
    nu + alpha/n is at or beyond the bound. There the likelihood has no finite maximiser. "exact":
    the index is infinite, and arms with infinite indices are ranked by alpha - n (high - nu), then
    by fewer pulls. "corollary" is Corollary 1 as printed, and "published" is the code behind the
    tables; both can have linear regret (see docs/explanation/errata.md).
    f: the function of the mean theta by which the likelihood is biased, as f^alpha (Equation 2).
    With g = log f, the index is max over theta of {alpha g(theta) - n D(p, theta)}, and an arm is
    left alone after about alpha g'^2 V / (2 (g(theta_1) - g(theta_i))) pulls, V its variance.
    "canonical", the paper's: g is the canonical parameter, as above, with g' = 1 / V. "mean":
    g = theta; but g = log theta for Exponential and Gamma, where theta would make every index
    infinite. "stable": g' = V^-1/2, as in 2 arcsin sqrt theta; then the unit of rewards does not
    matter. With the last two, arms with equal indices, as where they are infinite (see
    docs/explanation/mathematics.md), are ranked by fewer pulls, then by the larger mean.

    >>> from rbmle import Arms, Gaussian
    >>> import numpy as np
    >>> arms = Arms(np.array([4.0]), np.array([2.0]), np.array([2.0]))
    >>> RBMLE().index_of(Gaussian(), arms, 0, 3.0)
    0.875
    """

    alpha: Annotated[Any, as_bias] = BetaBias()
    boundary: Boundary | str = "exact"
    f: BiasFunction | str = "canonical"

    def level(self, family: Family, arms: Arms, clock: Clock) -> Any:
        """alpha(t); for `ArmBias` a record, from which each arm's alpha is computed."""
        return self.alpha.alpha(family, arms, clock)

    def index_of(self, family: Family, arms: Arms, i: int, level: Any) -> float:
        n, total, known = float(arms.pulls[i]), float(arms.sums[i]), family.given(arms, i)
        alpha = self.alpha.of_arm(n, level)
        if self.f != BiasFunction.canonical:
            value = self.unit_index(known, n, total, alpha, self.alpha.up_to(level))
            if self.alpha.guards():
                bound = self.alpha.allowed(n, level) / n
                value = max(value, self.g(family, known.kl_upper(known.mean_of(n, total), bound)))
            return value * family.index_unit(alpha) if self.alpha.shared() else value
        if self.boundary != Boundary.exact:
            value = self.printed_index(family, n, total, alpha)
        else:
            alpha *= self.alpha.unit(level)
            value = known.bias_index(n, total, alpha)
        return value if self.alpha.shared() else value / family.index_unit(alpha)

    def unit_index(
        self, family: Family, pulls: float, total: float, alpha: float, largest: float
    ) -> float:
        """The index in units of alpha, for another f than the paper's."""
        if self.f == BiasFunction.mean:
            return family.mean_index(pulls, total, alpha)
        return family.bounded_index(pulls, total, alpha, largest)

    def worth(
        self, state: Floats, family: Family, arms: Arms, i: int, level: Any, rng: Draws
    ) -> float:
        """The mean m with g(m) = I / alpha.

        I / alpha is the maximum over theta of g(theta) - (n / alpha) D(p, theta). So an arm that is
        known for certain, with n infinite, has this index if its mean is m: m is what the arm is
        thought to pay. It is at least p, and orders arms as I does, because g rises.
        """
        mean, index = arms.mean(i), self.index_of(family, arms, i, level)
        if self.alpha.shared():
            unit = family.index_unit(self.alpha.of_arm(float(arms.pulls[i]), level))
            if not unit > 0.0:  # alpha(1) = 0: there is no bias yet
                return mean
            index /= unit
        return mean_where(self, family, mean, index)

    def g(self, family: Family, mean: float) -> float:
        """log f, in the units of the index: where alpha is next to 0, the index is g itself."""
        if self.f != BiasFunction.canonical:
            return self.unit_index(family, 1.0, mean, _NO_BIAS, inf)
        if family.index_unit(_NO_BIAS) == 1.0:  # Gaussian: the index has the units of the mean
            return mean
        return family.natural(family.nudged(mean))

    def printed_index(self, family: Family, pulls: float, total: float, alpha: float) -> float:
        """The index with nu + alpha/n clipped to the upper end of the means, as in Corollary 1, or
        beyond it, as in the code behind the tables. Without an upper end it is the exact index."""
        _, high = family.mean_range()
        if high == inf:
            return family.bias_index(pulls, total, alpha)
        mean = total / pulls
        biased = mean + alpha / pulls
        if self.boundary == Boundary.corollary:
            index = pulls * (family.conjugate(min(biased, high)) - family.conjugate(mean))
            return on_grid(index)  # it is the same for p and 1 - p where both are clipped
        return pulls * (family.unclipped_conjugate(biased) - family.unclipped_conjugate(mean))

    def settles(self) -> bool:
        """Only the exact form of the index has sublinear regret on every problem."""
        return self.boundary == Boundary.exact

    def uses_horizon(self) -> bool:
        """As its alpha does: `ArmBias(rounds="left")`."""
        return bool(self.alpha.uses_horizon())

    def prefer(self, family: Family, arms: Arms, i: int, j: int, level: Any) -> float:
        """Infinite indices: the larger alpha - n (high - nu) first, then fewer pulls.

        For another f than the paper's: fewer pulls first, then the larger mean.
        """
        if self.f != BiasFunction.canonical:
            fewer = arms.pulls[j] - arms.pulls[i]
            return float(fewer if fewer != 0.0 else arms.sums[i] - arms.sums[j])
        _, high = family.mean_range()
        alpha = self.alpha.of_arm(arms.pulls[i], level) * self.alpha.unit(level)
        if self.boundary != Boundary.exact or arms.mean(i) + alpha / arms.pulls[i] < high:
            return 0.0
        excess = arms.sums[i] + high * arms.pulls[j]  # both plus high (n_i + n_j)
        other = arms.sums[j] + high * arms.pulls[i]
        if not as_much(excess, other):
            return 1.0 if excess > other else -1.0
        return float(arms.pulls[j] - arms.pulls[i])

    def described(self) -> tuple[type, dict[str, object]]:
        """The class and parameters for its label; a recommended form is named by its family."""
        for risk, forms in _FORMS.items():
            for kind, form in forms.items():
                if self == form:
                    said = {"risk": Words(risk)} if risk != "tails" else {}
                    return Recommended, {"family": Words(kind.__name__), **said}
        return type(self), self._asdict()

    def check_family(self, family: Family) -> None:
        """Refuse a family whose index is not known for this f, and a boundary that f has not."""
        self.alpha.check_family(family, self.f == BiasFunction.stable)
        if self.f == BiasFunction.canonical:
            if not self.alpha.shared():  # then g is in units of the family's standard deviation
                require_by_sums("RBMLE(f='canonical', alpha=ArmBias())", family)
            return
        if self.boundary != Boundary.exact:
            raise ParameterError("RBMLE", "boundary", f"'exact' with f={self.f!r}", self.boundary)
        name = f"{self.f}_index"
        if getattr(type(family), name) is getattr(Family, name):
            given = Words(f"{self.f!r} for {type(family).__name__}")
            allowed = f"'canonical' for a family without a method {name}"
            raise ParameterError("RBMLE", "f", allowed, given)


# Chosen on the training sets of the atlas, and on no others; docs/reference/atlas_data.md says how.
# The numbers are power, c, spread, by_pulls, by_arms and least.
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
# The guards: the least of those tried that keeps the 99 % quantile within 2 times Thompson
# sampling's and the 99.9 % one within 3 times, on the training sets and on the hard problems of
# benchmarks/hard_problems.py.
_GUARDS = {_COINS: 1.15, _GAUSSIAN: 0.9, _SCALE: 1.35}
# Binomial rewards are sums of coins, Poisson ones their limit near 0, and Gamma ones, for a whole
# shape, sums of exponential ones. In units of the standard deviation they are alike, and alpha has
# these units, so the constants are the same. Nothing was chosen on these three;
# docs/reference/atlas_data.md says how they do.
_MEAN = {
    Bernoulli: _COINS,
    Binomial: _COINS,
    Bounded: _COINS,  # as coins that pay `low` or `high`: g has no unit
    Poisson: _COINS,
    Gaussian: _GAUSSIAN,
    Exponential: _SCALE,
    Gamma: _SCALE,
}
_TAILS = {
    kind: RBMLE(form.alpha._replace(guard=_GUARDS[form]), f="stable")
    for kind, form in _MEAN.items()
}
_FORMS = {"tails": _TAILS, "mean": _MEAN}


def recommended(family: object, risk: str = "tails") -> RBMLE:
    """The form of RBMLE to use for a family, given as such or by name; nothing is to be tuned.

    It has an alpha for each arm (`ArmBias`), and explores less as the rounds come to their end:
    simulations tell it their horizon, and so does `Decider(horizon=...)`. A decider without a
    horizon supposes in each round that as many are to come as have been played.
    risk: "tails", the default, keeps unlucky runs short: an arm is not left while the data allow
    that it is the best (the guard of `ArmBias`). "mean" has a smaller mean regret, but loses
    the best arm for good in some runs of a hundred on hard problems.
    Its regret is of the order (log T)^1.2, for Exponential and Gamma rewards (log T)^1.4, on every
    problem, which is proved (docs/explanation/mathematics.md). Its constants were chosen by
    simulation; docs/explanation/atlas.md says on which problems, and where other policies are
    better.

    >>> recommended("bernoulli").alpha.guard, recommended("bernoulli", risk="mean").alpha.guard
    (1.15, 0.0)
    """
    forms = _FORMS[one_of("recommended", "risk", risk, _FORMS)]
    model = as_family(family, "recommended")
    if type(model) not in forms:
        known = ", ".join(f"{kind.__name__}()" for kind in forms)
        raise ParameterError("recommended", "family", f"one of {known}", family)
    return forms[type(model)]


@stand_in
@checked
class Recommended(NamedTuple):
    """Stands for `recommended(family)` wherever a policy can be given, and so does its name.

    edition: which constants. A study keeps it in its file, so that its results stay the same if
    others should ever be better. Edition 1 has the forms of risk="mean" alone.
    risk: "tails" or "mean"; see `recommended`.

    >>> Recommended().on_family(Gaussian()) == recommended("gaussian")
    True
    """

    edition: Annotated[int, "[1, 2]"] = 2
    risk: Risk | str = "tails"

    def on_family(self, family: object) -> RBMLE:
        """The policy, where rewards are of this family."""
        return recommended(family, str(self.risk) if self.edition > 1 else "mean")

    def on(self, problem: HasLaw, family: object = None) -> RBMLE | Assuming:
        """The policy for this problem, in a study."""
        if family is not None:
            return Assuming(self.on_family(family), family)
        if problem.family is None:
            law = type(problem.law).__name__
            raise ParameterError("Recommended", "family", f"given for rewards of {law}", None)
        return self.on_family(problem.family)
