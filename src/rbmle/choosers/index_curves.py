"""The shapes of the package's indices as functions of the level, for the tournament.

From how many arms on a tournament is used (`pays_from`) was measured by benchmarks/crossover.py: it
prints the time of a choice by the tournament in units of the other chooser's, for 4 to 192 arms.
One number serves several policies and families; the docstrings say where both cost the same.
"""

from __future__ import annotations

from math import inf, log
from typing import Any, NamedTuple

from ..families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from ..families.roots import kl_upper
from ..policies import GPUCB, KLUCB, MOSS, RBMLE, UCB, GPUCBTuned, UCBTuned
from ..policies.arms import Arms
from ..policies.klucb import Search
from ..policies.rbmle import BiasFunction, Boundary
from .promises import curve_of, same_past


def beside_lines(self: Any, family: Any) -> float:
    """`pays_from` of policies with `Lines` or `Chords`: 160 arms.

    Measured: these cost the same at 128 arms (UCB on Bernoulli rewards, where many arms tie), at
    150 to 180 for UCB-Tuned, MOSS and GP-UCB, and beyond 192 for UCB on Gaussian rewards.
    """
    return 160.0


@curve_of(UCB, pays_from=beside_lines)
class UCBCurve(NamedTuple):
    """Concave: a mean plus a width proportional to the root of the level."""

    policy: Any


@curve_of(GPUCB, GPUCBTuned, pays_from=beside_lines)
class GPUCBCurve(NamedTuple):
    """Linear: a mean plus a width proportional to the level."""

    policy: Any


@curve_of(UCBTuned, pays_from=beside_lines)
class UCBTunedCurve(NamedTuple):
    """Concave: the mean plus the root of a minimum of concave functions of the level."""

    policy: Any

    def bends(self) -> int:
        return -1

    def same_index(self, family: Any, arms: Arms, i: int, j: int) -> bool:
        """The same past and the same sum of squares, which the index also uses."""
        alike = arms.squares[i] == arms.squares[j] and arms.origin(i) == arms.origin(j)
        return same_past(arms, i, j) and bool(alike)


@curve_of(MOSS, pays_from=beside_lines)
class MOSSCurve(NamedTuple):
    """Constant up to the level N_i, then concave."""

    policy: Any

    def bends_one_way(self, family: Any, arms: Arms, i: int, low: float, high: float) -> bool:
        return bool(high <= arms.pulls[i] or low >= arms.pulls[i])


@curve_of(RBMLE)
class RBMLECurve(NamedTuple):
    """Convex in alpha, because it is a maximum of functions that are linear in alpha."""

    policy: Any

    def fits(self, family: Any) -> bool:
        """Only for a fixed alpha(t): an adaptive one looks at every arm in every round anyway.

        `BiasedCurve` is for other f than the paper's.
        """
        return bool(self.policy.alpha.steady() and self.policy.f == BiasFunction.canonical)

    def pays_from(self, family: Any) -> float:
        """48 arms if the mean is bounded above, else 160.

        Measured: chords cost the same at 50 to 80 arms for Bernoulli (four logarithms an index),
        at 125 for Poisson and at 220 for Exponential, and `Lines` at 160 to 180 for Gaussian.
        """
        return 48.0 if family.mean_range()[1] < inf else beside_lines(self, family)

    def bends(self) -> int:
        return 1

    def bends_one_way(self, family: Any, arms: Arms, i: int, low: float, high: float) -> bool:
        """False only if the mean's upper end is between the levels and the form is not "exact".

        The other forms of the index go on beyond that end, with another slope.
        """
        end = family.mean_range()[1] * arms.pulls[i] - arms.sums[i]
        return bool(self.policy.boundary == Boundary.exact or high <= end or low >= end)

    def index_error(self, family: Any, arms: Arms, i: int, value: float) -> float:
        """The error of n (F*(q) - F*(nu)): 4e-15 of the terms it is computed from (18 units in the
        last place), and 1e-12 of the index itself.

        Measured against 45 digits in 80,000 random arms of Bernoulli, Binomial and Poisson with up
        to 10^8 pulls: at most 6e-16 of the terms.
        """
        n, mean = arms.pulls[i], arms.mean(i)
        high = family.mean_range()[1]  # for Binomial: the errors of `trials` coins add up
        whole = max(high, 1.0) if high < inf else 1.0
        size = n * (whole + abs(mean) + abs(family.conjugate(mean)))
        return 1e-12 * abs(value) + 4e-15 * size if size < inf else 1e-12 * abs(value)


def solved_from(self: Any, family: Any) -> float:
    """`pays_from` of KL-UCB: 160 arms, but if indices are found by a root search 350, or 112 if the
    mean is bounded above.

    With few arms ceilings need hardly any root search. Measured: both cost the same at about 110
    arms for Bernoulli rewards, at 350 for exponential ones; for Gaussian rewards, whose index is a
    line, beyond 192.
    """
    if type(family).kl_upper is not kl_upper:
        return beside_lines(self, family)
    return 112.0 if family.mean_range()[1] < inf else 350.0


def root_error(self: Any, family: Any, arms: Arms, i: int, value: float) -> float:
    """`index_error` of KL-UCB: 1e-10 of 1 + the index + the mean.

    The root search is off by eight units in the last place up to 10^12 pulls, 2e-15, as tested by
    `test_kl_upper_is_right_to_some_units`. The margin above that is a choice: it costs little, as
    it only makes the tournament compute the indices of arms that are within it of each other.
    """
    return 1e-10 * (1.0 + abs(value) + abs(arms.mean(i)))


def beyond_the_pulls(self: Any, family: Any, arms: Arms, i: int, low: float, high: float) -> bool:
    """`bends_one_way` of KL-UCB: for KL-UCB+ only from the level log n on; below it the index is
    the mean itself."""
    return not self.policy.plus or low >= log(arms.pulls[i])


_SHARED: dict[str, Any] = {
    "pays_from": solved_from,
    "index_error": root_error,
    "bends_one_way": beyond_the_pulls,
}


@curve_of(KLUCB, **_SHARED)
class KLUCBCurve(NamedTuple):
    """Concave, as the inverse of D(p, .), which is convex in the mean."""

    policy: Any

    def fits(self, family: Any) -> bool:
        known = isinstance(family, (Bernoulli, Binomial, Gaussian, Poisson))
        return known and bool(self.policy.search == Search.exact)


@curve_of(KLUCB, **_SHARED)
class KLUCBLogCurve(NamedTuple):
    """Its logarithm is concave, because D(p, e^y) = p e^-y - 1 - log p + y is convex in y."""

    policy: Any

    def fits(self, family: Any) -> bool:
        known = isinstance(family, (Exponential, Gamma))
        return known and bool(self.policy.search == Search.exact)

    def straightened(self, family: Any, index: float) -> float:
        return log(index) if index > 0.0 else -inf
