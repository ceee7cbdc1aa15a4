"""Bounds on indices that are costly to solve: KL-UCB's and Bayes-UCB's.

Margins. A value is lowered by 1e-14 of itself before anything is compared with it, 45 units in its
last place: more than the solvers' results are off where an index is not at an end of the range.
Divergences and tails are compared with 1e-9 to spare: the bounds themselves are right to about
1e-13, and what the published search takes for the divergence is off by a few units in the last
place of 1, that is by 1e-9 of a level of 1 after 10^6 pulls; `test_bounds_of_divergences` tries
them to 10^7.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from ..families.roots import kl_upper
from ..policies import KLUCB, BayesUCB
from ..policies.arms import Arms
from ..policies.klucb import Search
from . import family_bounds as _family_bounds  # noqa: F401  gives families what is used here
from .promises import bounds_of

_LESS, _MORE = 1.0 - 1e-9, 1.0 + 1e-9
_SEARCH = 1.1e-6  # the published search ends less than 1e-6 below the root


@bounds_of(KLUCB)
class KLUCBBounds(NamedTuple):
    """KL-UCB: the divergence at a value tells whether the root is below it, without solving."""

    policy: Any

    def fits(self, family: Any) -> bool:
        """A family with a formula for the root has no need of bounds."""
        return type(family).kl_upper is kl_upper

    def index_below(self, family: Any, arms: Arms, i: int, level: float) -> float:
        """The published search may also end at the upper end of its bracket."""
        mean, bound = arms.mean(i), level / arms.pulls[i]
        index = float(family.kl_upper_below(mean, bound))
        if self.policy.search == Search.published:
            return max(min(index, mean + sqrt(2.0 * bound)) - _SEARCH, mean)
        return index

    def surely_below(self, family: Any, arms: Arms, i: int, level: float, value: float) -> bool:
        """At the value the divergence exceeds the level."""
        mean, other = arms.mean(i), value - 1e-14 * abs(value)
        if not other > mean:
            return False
        return bool(arms.pulls[i] * family.kl_below(mean, other) > level * _MORE)


@bounds_of(BayesUCB)
class BayesUCBBounds(NamedTuple):
    """Bayes-UCB: a bound on the tail above a value tells whether the quantile is below it."""

    policy: Any

    def fits(self, family: Any) -> bool:
        return hasattr(family, "posterior_tail_above")

    def index_below(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return float(family.posterior_quantile_below(arms.pulls[i], arms.sums[i], level * _MORE))

    def surely_below(self, family: Any, arms: Arms, i: int, level: float, value: float) -> bool:
        """Less of the posterior than the level lies above the value."""
        other = value - 1e-14 * abs(value)
        tail = family.posterior_tail_above(arms.pulls[i], arms.sums[i], other)
        return bool(tail < level * _LESS)
