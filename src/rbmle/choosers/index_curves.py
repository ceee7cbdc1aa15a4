"""The shapes of indices as functions of the level, for the tournament.

How many arms a tournament needs to pay (`pays_from`) was measured by benchmarks/crossover.py, which
prints where the two ways cost the same; the figures below are rounded to what holds for a family
of policies, on the side of the scan.
"""

from __future__ import annotations

from math import inf, log
from typing import Any, NamedTuple

from ..families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from ..families.roots import kl_upper
from ..policies import GPUCB, KLUCB, MOSS, RBMLE, UCB, GPUCBTuned, UCBTuned
from ..policies.arms import Arms
from ..policies.klucb import Search
from ..policies.rbmle import Boundary
from .promises import curve_of, same_past


@curve_of(UCB, GPUCB, GPUCBTuned)
class RootCurve(NamedTuple):
    """A mean plus a width that grows as the root of the level, or as the level: concave."""

    policy: Any


@curve_of(UCBTuned)
class UCBTunedCurve(NamedTuple):
    """Concave: the root of a minimum of concave functions times the level."""

    policy: Any

    def same_index(self, arms: Arms, i: int, j: int) -> bool:
        """The index also reads the sum of squares."""
        alike = arms.squares[i] == arms.squares[j] and arms.origin(i) == arms.origin(j)
        return same_past(arms, i, j) and bool(alike)


@curve_of(MOSS)
class MOSSCurve(NamedTuple):
    """Flat up to the level N_i, then concave."""

    policy: Any

    def bends_one_way(self, family: Any, arms: Arms, i: int, low: float, high: float) -> bool:
        return bool(high <= arms.pulls[i] or low >= arms.pulls[i])


@curve_of(RBMLE)
class RBMLECurve(NamedTuple):
    """Convex in alpha, as a maximum of functions that are linear in alpha."""

    policy: Any

    def fits(self, family: Any) -> bool:
        """An adaptive alpha looks at every arm anyway."""
        return bool(self.policy.alpha.steady())

    def pays_from(self, family: Any) -> float:
        """Where the mean is bounded an index takes four logarithms: the crossing is at 6 arms. It
        is at 20 for exponential rewards, at 33 for Gaussian ones, whose index is two divisions."""
        return 12.0 if family.mean_range()[1] < inf else 32.0

    def bends_one_way(self, family: Any, arms: Arms, i: int, low: float, high: float) -> bool:
        """Except across the end of the range, where the other forms go on with another slope."""
        end = family.mean_range()[1] * arms.pulls[i] - arms.sums[i]
        return bool(self.policy.boundary == Boundary.exact or high <= end or low >= end)

    def index_error(self, family: Any, arms: Arms, i: int, value: float) -> float:
        """Of n (F*(q) - F*(nu)): 18 units in the last place of n F*(nu) and of the terms it is
        computed from, 4e-15, and some of the index itself."""
        n, mean = arms.pulls[i], arms.mean(i)
        high = family.mean_range()[1]  # a sum of `high` coins has their errors
        whole = max(high, 1.0) if high < inf else 1.0
        size = n * (whole + abs(mean) + abs(family.conjugate(mean)))
        return 1e-12 * abs(value) + 4e-15 * size if size < inf else 1e-12 * abs(value)


def solved_from(self: Any, family: Any) -> float:
    """`pays_from` of KL-UCB: a tournament solves indices, of which the champion test needs few. The
    crossing is at 48 arms for Bernoulli rewards, at 93 for exponential ones."""
    return 100.0 if type(family).kl_upper is kl_upper else 24.0


def root_error(self: Any, family: Any, arms: Arms, i: int, value: float) -> float:
    """`index_error` of KL-UCB. Near p, where D is flat, its rounding errors move the root the most:
    an error e of D by sqrt(e), 1e-8, at p itself, by e / D' where D is a level over the pulls."""
    return 1e-10 * (1.0 + abs(value) + abs(arms.mean(i)))


@curve_of(KLUCB, pays_from=solved_from, index_error=root_error)
class KLUCBCurve(NamedTuple):
    """Concave: the inverse of D(p, .), which is convex in the mean."""

    policy: Any

    def fits(self, family: Any) -> bool:
        known = isinstance(family, (Bernoulli, Binomial, Gaussian, Poisson))
        return known and bool(self.policy.search == Search.exact)


@curve_of(KLUCB, pays_from=solved_from, index_error=root_error)
class KLUCBLogCurve(NamedTuple):
    """The logarithm is concave: D(p, e^y) = p e^-y - 1 - log p + y is convex in y."""

    policy: Any

    def fits(self, family: Any) -> bool:
        known = isinstance(family, (Exponential, Gamma))
        return known and bool(self.policy.search == Search.exact)

    def straightened(self, family: Any, index: float) -> float:
        return log(index) if index > 0.0 else -inf
