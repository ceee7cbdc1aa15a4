"""Bounds on indices that are costly to compute: those of KL-UCB and Bayes-UCB.

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

from math import sqrt
from typing import Any, NamedTuple

from ..families.roots import kl_upper
from ..policies import KLUCB, BayesUCB
from ..policies.arms import Arms
from ..policies.klucb import Search
from . import family_bounds as _family_bounds  # noqa: F401  adds methods to families
from .promises import bounds_of

_LESS, _MORE = 1.0 - 1e-9, 1.0 + 1e-9
_SEARCH = 1.1e-6  # the published bisection stops less than 1e-6 below the root; and 10 % more


@bounds_of(KLUCB)
class KLUCBBounds(NamedTuple):
    """Bounds for KL-UCB: the index is below a value if the divergence at the value is too large."""

    policy: Any

    def fits(self, family: Any) -> bool:
        """Only families whose index is found by a root search: others need no bounds.

        The published search of KL-UCB+ is left out: as its level log(t / n) may be tiny, the error
        of that search may exceed the margin.
        """
        rough = self.policy.plus and self.policy.search == Search.published
        return type(family).kl_upper is kl_upper and not rough

    def index_below(self, family: Any, arms: Arms, i: int, level: float) -> float:
        """A lower bound of the index. The published search may also stop at its bracket's end."""
        mean, bound = arms.mean(i), self.policy.allowed(arms.pulls[i], level) / arms.pulls[i]
        index = float(family.kl_upper_below(mean, bound))
        if self.policy.search == Search.published:
            return max(min(index, mean + sqrt(2.0 * bound)) - _SEARCH, mean)
        return index

    def surely_below(self, family: Any, arms: Arms, i: int, level: float, value: float) -> bool:
        """Whether the divergence at the value certainly exceeds the level."""
        mean, other = arms.mean(i), value - 1e-14 * abs(value)
        if not other > mean:
            return False
        n = arms.pulls[i]
        return bool(n * family.kl_below(mean, other) > self.policy.allowed(n, level) * _MORE)


@bounds_of(BayesUCB)
class BayesUCBBounds(NamedTuple):
    """Bounds for Bayes-UCB: the quantile is below a value if the tail above it is too small."""

    policy: Any

    def fits(self, family: Any) -> bool:
        return hasattr(family, "posterior_tail_above")

    def index_below(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return float(family.posterior_quantile_below(arms.pulls[i], arms.sums[i], level * _MORE))

    def surely_below(self, family: Any, arms: Arms, i: int, level: float, value: float) -> bool:
        """Whether certainly less of the posterior than the level lies above the value."""
        other = value - 1e-14 * abs(value)
        tail = family.posterior_tail_above(arms.pulls[i], arms.sums[i], other)
        return bool(tail < level * _LESS)
