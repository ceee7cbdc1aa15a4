"""The shape of RBMLE's index over alpha for other f than the paper's, for the tournament."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

from ..policies import RBMLE
from ..policies.arms import Arms
from ..policies.rbmle import BiasFunction
from .promises import curve_of, same_past


@curve_of(RBMLE)
class BiasedCurve(NamedTuple):
    """Convex in alpha, because it is a maximum of functions that are linear in alpha, whatever f.

    For Exponential, Gamma and Poisson it may be infinite from some alpha on. For Gaussian rewards
    it is divided by alpha, and then linear.
    """

    policy: Any

    def fits(self, family: Any) -> bool:
        """Only for a fixed alpha(t), as for the paper's f."""
        return bool(self.policy.alpha.steady() and self.policy.f != BiasFunction.canonical)

    def pays_from(self, family: Any) -> float:
        """128 arms. Measured: chords cost the same at 128 to 180 arms for Bernoulli and Poisson
        rewards, at 60 to 100 for Exponential ones.
        """
        return 128.0

    def bends(self) -> int:
        return 1

    def same_index(self, family: Any, arms: Arms, i: int, j: int) -> bool:
        """The same past; or both means at the upper end, where the index is alpha g, whatever n."""
        high = family.mean_range()[1]
        if high < inf and arms.sums[i] == high * arms.pulls[i]:
            return bool(arms.sums[j] == high * arms.pulls[j])
        return same_past(arms, i, j)

    def index_error(self, family: Any, arms: Arms, i: int, value: float) -> float:
        """1e-12 of the index; and 4e-15 of the terms of n D (18 units in the last place), or 1e-12
        of the mean where the index is a mean plus a width.

        Measured against 40 digits in `test_indices_have_all_digits`: less than 1e-15 of both.
        """
        low, high = family.mean_range()
        mean = arms.mean(i)
        if low == -inf:
            return 1e-12 * (abs(value) + abs(mean))
        whole = max(high, 1.0) if high < inf else 1.0  # for Binomial: `trials` coins
        size = arms.pulls[i] * (whole + abs(family.conjugate(mean)))
        return 1e-12 * abs(value) + 4e-15 * size if size < inf else 1e-12 * abs(value)
