"""Facts about the knowledge-gradient policies KG and KG*.

Their gains take an exponential and an erfc or two logarithms, and for KG* a search. In most rounds
the arm with the largest posterior mean is played, and of the others it is enough to know that
their gains are small. The index of an arm behind, mu_i + (T - t) v_i, falls with the rounds that
are left, and if the largest mean rises: then less is to be gained.

The margins for rounding errors: 1e-13 of the terms of a sum, 1e-9 of a gain. Means and deviations
are computed by about ten operations; z Phi(z) + phi(z) loses the digits of x^3, at most 5e4 of
1e16. Numbers below 1e-300 have fewer digits, and are not trusted. If a mean is beyond 1e150, gains
may be NaN; then the bounds say nothing.
`test_bounds_of_knowledge_gradients` tries them on random arms.
"""

from __future__ import annotations

from math import floor, inf
from typing import NamedTuple, Protocol

from .._numba.compile import Floats, njit
from ..families import Conjugate, Exponential, Family, Gaussian, Learns
from ..families.protocols import Gains
from ..policies import KG, KGStar
from ..policies.arms import Arms, Clock
from ..policies.kg import Form, Race
from .facts import CONTEXT, Facts, Methods, facts_of, true

_NEAR, _LESS, _MORE, _TINY, _HUGE = 1e-13, 1.0 - 1e-9, 1.0 + 1e-9, 1e-300, 1e150
# Bounds hold while the same arm leads and its mean falls by less than `_DOWN` standard deviations
# of its posterior; they are computed again, to be closer, if it rises by more than `_UP` of them.
_DOWN, _UP = 0.1, 0.2
LEADER, LEAST, MOST = CONTEXT, CONTEXT + 1, CONTEXT + 2  # places in the memory of `CachedBounds`


class KnowledgeFacts(Facts, Protocol):
    """Any of the records below."""

    def behind_above(self, family: Conjugate, arms: Arms, i: int, level: Race) -> float:
        """An upper bound of the index of an arm that does not lead."""


@njit
def moderate(level: Race) -> bool:
    """Whether no gain of the two leading arms can be NaN."""
    return bool(level.best < _HUGE and level.second > -_HUGE)


def squared(family: Family) -> bool:
    """Whether rewards are Gaussian, and the squares of the family's parameters can be used."""
    return isinstance(family, Gaussian) and bool(family.has_squares())


def expires(self: KnowledgeFacts, clock: Clock) -> bool:
    """No: ever fewer rounds are left."""
    return False


def keep(
    self: KnowledgeFacts, memory: Floats, family: Conjugate, arms: Arms, level: Race, clock: Clock
) -> None:
    i = level.leader
    sd = family.posterior_sd(arms.pulls[i], arms.sums[i])
    memory[LEADER] = i
    memory[LEAST], memory[MOST] = level.best - _DOWN * sd, level.best + _UP * sd


def holds(self: KnowledgeFacts, memory: Floats, level: Race, clock: Clock) -> bool:
    leads = level.leader == memory[LEADER]
    return bool(leads and memory[LEAST] <= level.best <= memory[MOST])


def later(
    self: KnowledgeFacts, memory: Floats, family: Family, arms: Arms, level: Race, clock: Clock,
    rounds: int,
) -> Race:  # fmt: skip
    return Race(level.left, level.leader, float(memory[LEAST]), level.second)


def index_above(
    self: KnowledgeFacts, family: Conjugate, arms: Arms, i: int, later: Race, level: Race
) -> float:
    """An upper bound of the index while the largest mean is not below that of the later level.

    Of the leader nothing is known: its index rises with the second mean.
    """
    mean = family.posterior_mean(arms.pulls[i], arms.sums[i])
    if i == later.leader or not (mean < later.best and moderate(later)):
        return inf
    return max(later.best, self.behind_above(family, arms, i, later))


_SHARED: Methods = {
    "costly": true, "expires": expires, "keep": keep, "holds": holds, "later": later,
    "index_above": index_above,
}  # fmt: skip


@facts_of(KG, **_SHARED)
class KGFacts(NamedTuple):
    """KG: the posterior mean is below the index, as gains are not negative."""

    policy: KG

    def fits(self, family: Family) -> bool:
        known = isinstance(family, Exponential) or squared(family)
        return known and self.policy.form == Form.exact

    def index_below(self, family: Learns, arms: Arms, i: int, level: Race, enough: float) -> float:
        """The mean, or the index itself."""
        mean = family.posterior_mean(arms.pulls[i], arms.sums[i])
        if mean - _TINY > enough and moderate(level):
            return mean - _TINY
        return self.policy.index_of(family, arms, i, level)

    def behind_above(self, family: Learns, arms: Arms, i: int, level: Race) -> float:
        """The index, and what rounding may add: of a gain 1e-9, and 1e-12 for each pull where
        logarithms are multiplied with them."""
        n, mean = arms.pulls[i], family.posterior_mean(arms.pulls[i], arms.sums[i])
        index = self.policy.index_of(family, arms, i, level)
        error = (index - mean) * (_MORE - 1.0 + 2e-12 * n)
        return float(index + error + _NEAR * (abs(index) + abs(mean)) + _TINY)


@facts_of(KGStar, **_SHARED)
class KGStarFacts(NamedTuple):
    """KG*: the gain of one number of pulls, and a tangent to the gain at that number."""

    policy: KGStar

    def fits(self, family: Family) -> bool:
        return self.policy.form == Form.exact and squared(family)

    def index_below(self, family: Gains, arms: Arms, i: int, level: Race, enough: float) -> float:
        """The mean, as gains are not negative; or the value of a whole number of pulls."""
        n, mean = arms.pulls[i], family.posterior_mean(arms.pulls[i], arms.sums[i])
        if mean - _TINY > enough and moderate(level):
            return mean - _TINY
        gap = mean - level.rival(i)
        m, _, _ = family.look_ahead_near(n, gap, level.left)
        rate = self.policy.rate(family, n, gap, floor(m + 0.5))
        return mean + level.left * rate * _LESS - _TINY if moderate(level) else -inf

    def behind_above(self, family: Gains, arms: Arms, i: int, level: Race) -> float:
        n, mean = arms.pulls[i], family.posterior_mean(arms.pulls[i], arms.sums[i])
        rate = family.look_ahead_rate_above(n, mean - level.rival(i), level.left)
        most = mean + level.left * rate * _MORE
        return float(most + _TINY + _NEAR * (abs(most) + abs(mean)))

    def surely_below(self, family: Gains, arms: Arms, i: int, level: Race, value: float) -> bool:
        return self.behind_above(family, arms, i, level) < value - _NEAR * abs(value)
