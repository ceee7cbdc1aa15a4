"""RBMLE: reward-biased maximum likelihood estimation, the policy this package is about."""

from __future__ import annotations

from math import inf
from typing import Annotated, Any, NamedTuple

from .._record import Choice
from .alpha import BetaBias, as_bias
from .arms import Arms, Clock
from .base import policy


class Boundary(Choice):
    """What the index is where nu + alpha/n leaves the range of the mean."""

    exact = 0
    corollary = 1
    published = 2


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
    boundary: matters where the mean is bounded above (Bernoulli, Binomial). "exact": from
    nu + alpha/n = 1 on the likelihood has no finite maximiser, the index is infinite, and such
    arms rank by alpha - n (1 - nu), then by fewer pulls. "corollary" clips nu + alpha/n to 1
    everywhere, as Corollary 1 is printed; "published" keeps (q log q) unclipped and drops
    (1 - q) log(1 - q), as the code behind the tables. Both can have linear regret: docs/errata.md.

    >>> from rbmle.families import Gaussian
    >>> from rbmle.policies.arms import Arms
    >>> import numpy as np
    >>> arms = Arms(np.array([4.0]), np.array([2.0]), np.array([2.0]))
    >>> RBMLE().index_of(Gaussian(), arms, 0, 3.0)
    0.875
    """

    alpha: Annotated[Any, as_bias] = BetaBias()
    boundary: Boundary | str = "exact"

    def level(self, family: Any, arms: Arms, clock: Clock) -> float:
        return float(self.alpha.alpha(family, arms, clock))

    def index_of(self, family: Any, arms: Arms, i: int, level: float) -> float:
        n, mean = arms.pulls[i], arms.mean(i)
        _, high = family.mean_range()
        if self.boundary == Boundary.exact or high == inf:
            return float(family.bias_index(n, arms.sums[i], level))
        biased = mean + level / n
        if self.boundary == Boundary.corollary:
            biased = min(biased, high)
        return float(n * (family.conjugate(biased) - family.conjugate(mean)))

    def kinetic(self, family: Any) -> float:
        """As a maximum of functions that are linear in alpha, the index is convex in alpha. It is
        costly where the mean is bounded; an adaptive alpha looks at every arm anyway."""
        few = 12.0 if family.mean_range()[1] < inf else 32.0
        return few if self.alpha.steady() else inf

    def bends_one_way(self, family: Any, arms: Arms, i: int, low: float, high: float) -> bool:
        """Except across the end of the range, where the other forms go on with another slope."""
        end = family.mean_range()[1] * arms.pulls[i] - arms.sums[i]
        return bool(self.boundary == Boundary.exact or high <= end or low >= end)

    def index_error(self, family: Any, arms: Arms, i: int, value: float) -> float:
        """Of n (F*(q) - F*(nu)): some units in the last place of n F*(nu), and of the index."""
        n, mean = arms.pulls[i], arms.mean(i)
        size = n * (1.0 + abs(mean) + abs(family.conjugate(mean)))
        return 1e-12 * abs(value) + 4e-15 * size if size < inf else 1e-12 * abs(value)

    def settles(self) -> bool:
        """Only the exact index has sublinear regret on every problem."""
        return self.boundary == Boundary.exact

    def prefer(self, family: Any, arms: Arms, i: int, j: int, level: float) -> float:
        """Among infinite indices: the larger alpha - n (high - nu), then fewer pulls."""
        _, high = family.mean_range()
        if self.boundary != Boundary.exact or arms.mean(i) + level / arms.pulls[i] < high:
            return 0.0
        excess = arms.sums[i] - high * arms.pulls[i]
        other = arms.sums[j] - high * arms.pulls[j]
        if excess != other:
            return 1.0 if excess > other else -1.0
        return float(arms.pulls[j] - arms.pulls[i])
