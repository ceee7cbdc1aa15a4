"""Facts about KL-UCB and Bayes-UCB: cheap bounds on indices that are costly, roots and quantiles.

The margins for rounding errors:
- 1e-14: before a value is compared with an index, it is lowered by 1e-14 of itself, 45 units in its
  last place. The solvers' results are off by less: eight units for `kl_upper`
  (`test_kl_upper_is_right_to_some_units`).
- 1e-9: divergences and tails are compared with the level with this relative margin. The bounds
  themselves are accurate to about 1e-13. But the published search computes a divergence with an
  error of a few units in the last place of 1; times 10^6 pulls that is 1e-9 of a level of 1.
`test_bounds_of_divergences` and `test_bounds_of_tails` try both on random arms, up to 10^7 pulls.
"""

from __future__ import annotations

from math import inf, log, sqrt
from typing import NamedTuple, Protocol

from .._numba.compile import njit
from ..families import Bernoulli, Binomial, Conjugate, Exponential, Family, Gamma, Gaussian, Poisson
from ..families.protocols import TailBounds
from ..policies import KLUCB, BayesUCB
from ..policies.arms import Arms, Clock
from ..policies.klucb import Level, Search
from ..special import normal_quantile_upper
from .facts import Facts, Methods, facts_of, true

_LESS, _MORE = 1.0 - 1e-9, 1.0 + 1e-9
_SEARCH = 1.1e-6  # the published bisection stops less than 1e-6 below the root; and 10 % more
# An upper bound is above a lower bound of the index by this share of its distance from the mean, or
# by eight times as much, if the index is not surely below that; and so on.
_CLOSE = 1e-3


def index_above(
    self: Facts, family: Family, arms: Arms, i: int, later: float, level: float
) -> float:
    """A value close to a lower bound of the index, but surely above the index."""
    low = self.index_below(family, arms, i, later, inf)
    width, share = abs(low - arms.mean(i)), _CLOSE
    while not self.surely_below(family, arms, i, later, low + share * width):
        share *= 8.0
        if not share < 1.0:
            return inf
    return low + share * width


class AboutKLUCB(Protocol):
    """Any of the records about KL-UCB."""

    @property
    def policy(self) -> KLUCB: ...


def root_below(
    self: AboutKLUCB, family: Family, arms: Arms, i: int, level: float, enough: float
) -> float:
    """`index_below` of KL-UCB. The published search may also stop at its bracket's end."""
    n = float(arms.pulls[i])
    mean, bound = family.mean_of(n, arms.sums[i]), self.policy.allowed(n, level) / n
    index = family.kl_upper_below(mean, bound)
    if self.policy.search == Search.published:
        return max(min(index, mean + sqrt(2.0 * bound)) - _SEARCH, mean)
    return index


def diverges(
    self: AboutKLUCB, family: Family, arms: Arms, i: int, level: float, value: float
) -> bool:
    """`surely_below` of KL-UCB: whether the divergence at the value certainly exceeds the level."""
    mean, other = arms.mean(i), value - 1e-14 * abs(value)
    if not other > mean:
        return False
    n = arms.pulls[i]
    return bool(n * family.kl_below(mean, other) > self.policy.allowed(n, level) * _MORE)


def root_error(self: AboutKLUCB, family: Family, arms: Arms, i: int, value: float) -> float:
    """`index_error` of KL-UCB: 1e-10 of 1 + the index + the mean.

    The root search is off by eight units in the last place up to 10^12 pulls, 2e-15, as tested by
    `test_kl_upper_is_right_to_some_units`. The margin above that is a choice: it costs little, as
    it only makes choosers compute the indices of arms that are within it of each other.
    """
    return 1e-10 * (1.0 + abs(value) + abs(arms.mean(i)))


def beyond_the_pulls(
    self: AboutKLUCB, family: Family, arms: Arms, i: int, low: float, high: float
) -> bool:
    """`bends_one_way` of KL-UCB: for KL-UCB+ only from t = n on; below it the index is the mean
    itself."""
    return self.policy.upto == Level.t or self.policy.allowed(arms.pulls[i], low) > 0.0


def solved(policy: KLUCB, family: Family) -> bool:
    """Whether the index is found by a root search, which costs much more than its bounds.

    The published search of KL-UCB+ is left out: as its level log(t / n) may be tiny, the error of
    that search may exceed the margin.
    """
    rough = policy.upto != Level.t and policy.search == Search.published
    return type(family).kl_upper is Family.kl_upper and not rough


@njit
def bends(policy: KLUCB) -> bool:
    """Whether what is allowed is concave in the level, and the level never falls."""
    return bool(policy.upto != Level.left and policy.upto != Level.plus_plus)


def solved_from(self: AboutKLUCB, family: Family) -> float:
    """`tournament_from` of KL-UCB with a root search. Measured: both choosers cost the same at
    about 110 arms for Bernoulli rewards, at 350 for exponential ones."""
    known = isinstance(family, (Bernoulli, Binomial, Exponential, Gamma, Poisson))
    if not known or self.policy.search != Search.exact or not bends(self.policy):
        return inf
    return 112.0 if family.mean_range()[1] < inf else 350.0


def expires(self: AboutKLUCB, clock: Clock) -> bool:
    """Not with a horizon in the level: it stays as it is, or falls."""
    return clock.horizon == 0 or not self.policy.uses_horizon()


_SHAPE: Methods = {
    "index_error": root_error, "bends_one_way": beyond_the_pulls, "expires": expires,
}  # fmt: skip
_SOLVED: Methods = {
    "costly": true, "helps_devices": true, "index_above": index_above, "index_below": root_below,
    "surely_below": diverges, "tournament_from": solved_from,
}  # fmt: skip


@facts_of(KLUCB, **_SHAPE)
class KLUCBGaussianFacts(NamedTuple):
    """On Gaussian rewards: p_i + sigma sqrt(2 / N_i) sqrt(level), with log n less for KL-UCB+."""

    policy: KLUCB

    def fits(self, family: Family) -> bool:
        return isinstance(family, Gaussian) and self.policy.search == Search.exact

    def tournament_from(self, family: Family) -> float:
        return 96.0 if bends(self.policy) else inf

    def straight(self) -> bool:
        return bool(self.policy.upto == Level.t)

    def at(self, level: float) -> float:
        return sqrt(level)

    def line(self, family: Gaussian, arms: Arms, i: int) -> tuple[float, float]:
        return arms.mean(i), family.sigma * sqrt(2.0 / arms.pulls[i])


@facts_of(KLUCB, **_SHAPE, **_SOLVED)
class KLUCBLogFacts(NamedTuple):
    """The index's logarithm is concave, as D(p, e^y) = p e^-y - 1 - log p + y is convex in y."""

    policy: KLUCB

    def fits(self, family: Family) -> bool:
        return isinstance(family, (Exponential, Gamma)) and solved(self.policy, family)

    def straightened(self, family: Family, index: float) -> float:
        return log(index) if index > 0.0 else -inf


@facts_of(KLUCB, **_SHAPE, **_SOLVED)
class KLUCBFacts(NamedTuple):
    """Concave, as the inverse of D(p, .), which is convex in the mean for these families."""

    policy: KLUCB

    def fits(self, family: Family) -> bool:
        return solved(self.policy, family)


@facts_of(BayesUCB, costly=true, helps_devices=true, index_above=index_above)
class BayesUCBFacts(NamedTuple):
    """The level, the probability of a tail, falls from round to round, so that the quantile rises.

    The quantile is below a value if the tail above it is too small.
    """

    policy: BayesUCB

    def fits(self, family: Family) -> bool:
        return hasattr(family, "posterior_tail_above")

    def index_below(
        self, family: TailBounds, arms: Arms, i: int, level: float, enough: float
    ) -> float:
        return family.posterior_quantile_below(arms.pulls[i], arms.sums[i], level * _MORE)

    def surely_below(
        self, family: TailBounds, arms: Arms, i: int, level: float, value: float
    ) -> bool:
        """Whether certainly less of the posterior than the level lies above the value."""
        other = value - 1e-14 * abs(value)
        tail = family.posterior_tail_above(arms.pulls[i], arms.sums[i], other)
        return tail < level * _LESS


@facts_of(BayesUCB, straight=true)
class QuantileFacts(NamedTuple):
    """On Gaussian rewards: mu_i + sd_i x the normal quantile."""

    policy: BayesUCB

    def fits(self, family: Family) -> bool:
        return isinstance(family, Gaussian)

    def at(self, level: float) -> float:
        return normal_quantile_upper(level)

    def line(self, family: Conjugate, arms: Arms, i: int) -> tuple[float, float]:
        n, total = arms.pulls[i], arms.sums[i]
        return family.posterior_mean(n, total), family.posterior_sd(n, total)
