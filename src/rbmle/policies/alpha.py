"""Bias-growth rates alpha(t) for RBMLE: fixed functions of t, and the paper's adaptive schemes.

The paper's experiments (Section 5) use alpha(t) = beta(t) log t with beta(t) = (log t)^power, power
1/2, which grows without bound. The adaptive schemes (Section 4.2) cap beta(t) at an estimate of the
smallest constant C_alpha that the regret bounds allow:

    alpha(t) = min(C_alpha(t), beta(t)) log t.
"""

from __future__ import annotations

from abc import abstractmethod
from math import inf, sqrt
from numbers import Real
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

from .._numba.compile import defaults_of, record
from .._records.record import Choice, register
from ..errors import ParameterError
from ..families import Family
from .arms import Arms, Clock

T = TypeVar("T")

BIASES: dict[str, type] = {}


class Adaptive(Protocol):
    """An adaptive scheme: what Algorithms 1 to 3 compute each in its own way."""

    @abstractmethod
    def width(self, n: float, n_arms: int, log_t: float) -> float:
        """The width of a confidence interval for the mean of n rewards."""

    @abstractmethod
    def c_alpha(self, family: Family, arms: Arms, clock: Clock, beta: float) -> float:
        """The estimate of C_alpha; infinity if it is larger than beta."""


class Bias(Adaptive, Protocol):
    """The methods of every bias-growth rate, with the defaults that a class gets.

    Only adaptive schemes have `power`, and the methods of `Adaptive`.
    """

    power: float

    def alpha(self, family: Family, arms: Arms, clock: Clock) -> float:
        """alpha(t) = min(C_alpha(t), beta(t)) log t: the last line of Algorithms 1, 2 and 3."""
        beta = self.beta_at(clock)
        return min(self.c_alpha(family, arms, clock, beta), beta) * clock.log_t()

    def beta_at(self, clock: Clock) -> float:
        """beta(t) = (log t)^power."""
        log_t = clock.log_t()
        return sqrt(log_t) if self.power == 0.5 else float(log_t**self.power)

    def gap_and_top(self, arms: Arms, clock: Clock, low: float, high: float) -> tuple[float, float]:
        """The estimated gap max_i max(0, L_i - max_{j != i} U_j), and the largest U_i.

        L_i and U_i are p_i -+ width, cut to [low, high]. Only the arm with the largest U_i can have
        a positive term: for any other arm, L_i <= U_i <= the largest.
        """
        log_t = clock.log_t()
        top, second, lower = -inf, -inf, low
        for i in range(arms.n_arms()):
            width = self.width(arms.pulls[i], arms.n_arms(), log_t)
            upper = min(arms.mean(i) + width, high)
            if upper > top:
                top, second, lower = upper, top, max(arms.mean(i) - width, low)
            else:
                second = max(second, upper)
        return max(0.0, lower - second), top

    def capped_ratio(self, family: Family, a: float, mean: float, low: float, beta: float) -> float:
        """a / K*(mean, low), or infinity if it is larger than beta.

        One evaluation of xi decides whether it is larger (line 9 of Algorithms 2 and 3), so that
        K*, a root, is only computed if it matters.
        """
        larger = family.xi(a / beta, low) < family.natural(mean)
        return inf if larger else a / family.k_star(mean, low)

    def steady(self) -> bool:
        """Whether alpha(t) depends on t alone and never falls."""
        return False

    def shared(self) -> bool:
        """Whether all arms have the same alpha(t)."""
        return True

    def of_arm(self, pulls: float, level: float) -> float:
        """The alpha of an arm by its pulls; level: what `alpha` returned."""
        return level

    def unit(self, level: float) -> float:
        """By what alpha is multiplied for the paper's f."""
        return 1.0

    def up_to(self, level: float) -> float:
        """The largest mean that the likelihood is maximised over; infinity for all means."""
        return inf

    def guards(self) -> bool:
        """Whether the index has a least value, by `allowed`."""
        return False

    def allowed(self, pulls: float, level: float) -> float:
        """What n D(p, u) may be at most for a mean u that the index must reach."""
        return 0.0

    def check_family(self, family: Family, stable: bool) -> None:
        """Raise ParameterError if the rate does not fit the family; stable: is f "stable"?"""

    def uses_horizon(self) -> bool:
        """Whether the horizon is used where it is known."""
        return False


def bias(cls: type[T]) -> type[T]:
    """Make a NamedTuple class a bias-growth rate that RBMLE can take as its `alpha`."""
    record(cls, defaults_of(Bias))
    register(BIASES, cls)
    return cls


@bias
class LogBias(NamedTuple):
    """alpha(t) = c log t with c in (0, inf) (Propositions 2 to 5).

    >>> from rbmle import Arms, Clock
    >>> round(LogBias(2.0).alpha(None, Arms.fresh(2), Clock(10, 0)), 6)
    4.60517
    """

    c: Annotated[float, "(0, inf)"] = 1.0

    def alpha(self, family: Family, arms: Arms, clock: Clock) -> float:
        return self.c * clock.log_t()

    def steady(self) -> bool:
        return True


@bias
class BetaBias(NamedTuple):
    """alpha(t) = c (log t)^power log t; power in (0, inf), 1/2 in the published tables; c in
    (0, inf), there 1.

    >>> from rbmle import Arms, Clock
    >>> round(BetaBias().alpha(None, Arms.fresh(2), Clock(10, 0)), 6)
    3.494005
    """

    power: Annotated[float, "(0, inf)"] = 0.5
    c: Annotated[float, "(0, inf)"] = 1.0

    def alpha(self: Any, family: Family, arms: Arms, clock: Clock) -> float:
        return float(self.c * (self.beta_at(clock) * clock.log_t()))

    def steady(self) -> bool:
        return True


@bias
class RootBias(NamedTuple):
    """alpha(t) = t^power; power in (0, inf), 1/2 in the script of linear RBMLE (Hung, Hsieh, Liu
    and Kumar 2021).

    >>> from rbmle import Arms, Clock
    >>> RootBias().alpha(None, Arms.fresh(2), Clock(9, 0))
    3.0
    """

    power: Annotated[float, "(0, inf)"] = 0.5

    def alpha(self, family: Family, arms: Arms, clock: Clock) -> float:
        return sqrt(clock.t) if self.power == 0.5 else float(clock.t) ** self.power

    def steady(self) -> bool:
        return True


class Constant(Choice):
    """The constant of Algorithm 1: as printed, as in Proposition 6's proof, or in the script."""

    text = 0
    proof = 1
    script = 2


@bias
class AdaptiveGaussian(NamedTuple):
    """Algorithm 1, for Gaussian and sigma-sub-Gaussian rewards: C_alpha = 256 sigma^2 / gap.

    The gap is estimated from p_i -+ sqrt(2 sigma^2 (N + 2) log t / N_i); N is the number of arms.
    sigma, power: in (0, inf).
    constant: "text" is Algorithm 1 as printed. "proof" is 256 sigma^2 (N + 2) / gap, as in the
    proof of Proposition 6. "script" is the authors' code: the width lacks the factor 2 sigma^2, and
    beta(t) is compared with C_alpha log t.

    >>> import numpy as np
    >>> from rbmle import Arms, Clock, Gaussian
    >>> arms = Arms(np.array([4e5, 1e5]), np.array([2e5, 1e4]), np.array([2e5, 1e4]))
    >>> round(AdaptiveGaussian(0.1).c_alpha(Gaussian(0.1), arms, Clock(500_000, 0), 3.6), 6)
    6.478718
    """

    sigma: Annotated[float, "(0, inf)"] = 1.0
    power: Annotated[float, "(0, inf)"] = 0.5
    constant: Constant | str = "text"

    def width(self, n: float, n_arms: int, log_t: float) -> float:
        factor = 1.0 if self.constant == Constant.script else 2.0 * self.sigma * self.sigma
        return sqrt(factor * (n_arms + 2) * log_t / n)

    def c_alpha(self: Any, family: Family, arms: Arms, clock: Clock, beta: float) -> float:
        gap, _ = self.gap_and_top(arms, clock, -inf, inf)
        if gap <= 0.0:
            return inf
        c = 256.0 * self.sigma * self.sigma / gap
        if self.constant == Constant.proof:
            c *= arms.n_arms() + 2
        return float(c * clock.log_t() if self.constant == Constant.script else c)


@bias
class AdaptiveBernoulli(NamedTuple):
    """Algorithm 2, for rewards in [0, 1]: C_alpha = (N + 2) / (2 (epsilon gap)^2 K*).

    K* = K*(U_max - epsilon gap / 2, 0). The gap and U_max are estimated from
    p_i -+ sqrt((N + 2) log t / N_i), cut to [0, 1]; N is the number of arms.
    epsilon: in (0, 1/2); the paper does not state the value that it used. power: in (0, inf).

    >>> import numpy as np
    >>> from rbmle import Arms, Bernoulli, Clock
    >>> arms = Arms(np.array([4e5, 1e5]), np.array([2e5, 1e4]), np.array([2e5, 1e4]))
    >>> round(AdaptiveBernoulli().c_alpha(Bernoulli(), arms, Clock(500_000, 0), 1e9), 6)
    232.290754
    """

    epsilon: Annotated[float, "(0, 0.5)"] = 0.25
    power: Annotated[float, "(0, inf)"] = 0.5

    def width(self, n: float, n_arms: int, log_t: float) -> float:
        return sqrt((n_arms + 2) * log_t / n)

    def c_alpha(self: Any, family: Family, arms: Arms, clock: Clock, beta: float) -> float:
        gap, top = self.gap_and_top(arms, clock, 0.0, 1.0)
        if gap <= 0.0:
            return inf
        shift = self.epsilon * gap
        numerator = (arms.n_arms() + 2) / (2.0 * shift * shift)
        return float(self.capped_ratio(family, numerator, top - 0.5 * shift, 0.0, beta))


class Width(Choice):
    """The width of Algorithm 3: from the correct tail bound, the appendix's, or as printed."""

    tail = 0
    appendix = 1
    text = 2


@bias
class AdaptiveExponential(NamedTuple):
    """Algorithm 3, for (rho, kappa)-sub-Exponential rewards.

    C_alpha = 16 (kappa e + 2 rho^2) / (e^2 K*(U_max - e / 2, lower)), e = epsilon gap.
    rho, kappa: of the rewards; rho in (0, inf), kappa in [0, inf); 10 in the paper's experiments.
    epsilon: in (0, 1/2). power: in (0, inf).
    lower: a known lower bound on the means, in [0, inf); 0 in the paper. For exponential rewards K*
    is 0 at lower = 0, so that C_alpha is infinite and alpha(t) is always beta(t) log t.
    bounds: the confidence width. With L = (N + 2) log t, "tail" is
    (kappa L + sqrt(kappa^2 L^2 + 2 n rho^2 L)) / n. "appendix" lacks the factor n of rho^2. "text"
    has the term 2 rho^2 L outside the root. See docs/explanation/errata.md.

    >>> AdaptiveExponential(lower=0.5).kappa
    10.0
    """

    rho: Annotated[float, "(0, inf)"] = 10.0
    kappa: Annotated[float, "[0, inf)"] = 10.0
    epsilon: Annotated[float, "(0, 0.5)"] = 0.25
    lower: Annotated[float, "[0, inf)"] = 0.0
    bounds: Width | str = "tail"
    power: Annotated[float, "(0, inf)"] = 0.5

    def width(self, n: float, n_arms: int, log_t: float) -> float:
        length = (n_arms + 2) * log_t
        first, second = self.kappa * length, 2.0 * self.rho * self.rho * length
        if self.bounds == Width.text:
            return (2.0 * first + second) / n
        if self.bounds == Width.tail:
            second *= n
        return (first + sqrt(first * first + second)) / n

    def c_alpha(self: Any, family: Family, arms: Arms, clock: Clock, beta: float) -> float:
        gap, top = self.gap_and_top(arms, clock, self.lower, inf)
        if gap <= 0.0:
            return inf
        shift = self.epsilon * gap
        numerator = 16.0 * (self.kappa * shift + 2.0 * self.rho * self.rho) / (shift * shift)
        return float(self.capped_ratio(family, numerator, top - 0.5 * shift, self.lower, beta))


def as_bias(given: Any) -> Any:
    """The bias-growth rate that a user means: one given as such, or c log t for a number c."""
    if type(given) in BIASES.values():
        return given
    numeric = isinstance(given, Real) and not isinstance(given, bool)
    if numeric:
        return LogBias(given)
    listing = ", ".join(f"{name}()" for name in BIASES)
    raise ParameterError("RBMLE", "alpha", f"a number c in (0, inf) or one of {listing}", given)
