"""Facts about RBMLE: its index is convex in alpha, and 0 at alpha = 0.

It is a maximum over means of functions that are linear in alpha, alpha g - n D, whatever f. So the
index in units of alpha rises with alpha. For Gaussian rewards it has these units already.
"""

from __future__ import annotations

from math import inf, log
from typing import NamedTuple

from .._numba.compile import Floats
from ..families import Bernoulli, Binomial, Exponential, Family, Gamma, Gaussian, Poisson
from ..policies import RBMLE, ArmBias
from ..policies.arm_bias import ArmLevel, Rounds
from ..policies.arms import Arms, Clock, same_past
from ..policies.rbmle import BiasFunction, Boundary
from ..special.grid import GRID
from .facts import CONTEXT, facts_of

_KNOWN = (Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson)


@facts_of(RBMLE)
class RBMLEFacts(NamedTuple):
    """With an alpha(t) that depends on t alone: an adaptive one looks at every arm anyway."""

    policy: RBMLE

    def fits(self, family: Family) -> bool:
        return bool(self.policy.alpha.steady())

    def rises(self, family: Family) -> bool:
        """For the package's families: another's index may have other units."""
        return isinstance(family, _KNOWN)

    def tournament_from(self, family: Family) -> float:
        """48 arms if the mean is bounded above, else 64; with another f than the paper's 128.

        Measured with 100 arms, in ns a round by a tournament and by cached bounds: 187 and 207 on
        Gaussian, 275 and 402 on Exponential rewards."""
        if self.policy.f != BiasFunction.canonical:
            return 128.0
        return 48.0 if family.mean_range()[1] < inf else 64.0

    def scale(self, family: Family, level: float) -> float:
        return 1.0 / family.index_unit(level)

    def index_above(self, family: Family, arms: Arms, i: int, later: float, level: float) -> float:
        """The index at the later level, and what rounding may add; infinite where forms that are
        not "exact" have passed the mean's upper end, as they do not rise there."""
        if self.policy.boundary != Boundary.exact and later > self.end(family, arms, i):
            return inf
        index = self.policy.index_of(family, arms, i, later)
        if not abs(index) < inf:
            return index
        error = 4.0 * self.index_error(family, arms, i, index)
        return index * self.scale(family, later) + error * self.scale(family, level)

    def end(self, family: Family, arms: Arms, i: int) -> float:
        """The alpha at which the biased mean of arm i reaches the upper end of means."""
        return float(family.mean_range()[1] * arms.pulls[i] - arms.sums[i])

    def bends_one_way(self, family: Family, arms: Arms, i: int, low: float, high: float) -> bool:
        """False only if the mean's upper end is between the levels and the form is not "exact".

        The other forms of the index go on beyond that end, with another slope.
        """
        end = self.end(family, arms, i)
        return bool(self.policy.boundary == Boundary.exact or high <= end or low >= end)

    def same_index(self, family: Family, arms: Arms, i: int, j: int) -> bool:
        """The same past; or, with another f than the paper's, both means at the upper end, where
        the index is alpha g, whatever n."""
        high = family.mean_range()[1]
        at_end = high < inf and arms.sums[i] == high * arms.pulls[i]
        if self.policy.f != BiasFunction.canonical and at_end:
            return bool(arms.sums[j] == high * arms.pulls[j])
        return same_past(arms, i, j)

    def index_error(self, family: Family, arms: Arms, i: int, value: float) -> float:
        """1e-12 of the index; and 4e-15 of the terms of n (F*(q) - F*(nu)) or n D (18 units in the
        last place), or 1e-12 of the mean where the index is a mean plus a width; and the grid of
        Corollary 1's form.

        Measured against 45 digits in 80,000 random arms of Bernoulli, Binomial and Poisson with up
        to 10^8 pulls: at most 6e-16 of the terms; for other f in `test_indices_have_all_digits`.
        """
        low, high = family.mean_range()
        n, mean = arms.pulls[i], arms.mean(i)
        if low == -inf:
            return 1e-12 * (abs(value) + abs(mean))
        whole = max(high, 1.0) if high < inf else 1.0  # for Binomial: the errors of `trials` coins
        size = n * (whole + abs(mean) + abs(family.conjugate(mean)))
        error = 1e-12 * abs(value) + (4e-15 * size if size < inf else 0.0)
        return error + GRID if self.policy.boundary == Boundary.corollary else error


# Places in the memory of `CachedBounds`: the set of means up to which indices are maximised.
_HIGHEST = CONTEXT
# The stored set of means ends above the present one by this share / t. An arm that is pulled in
# most rounds has a mean that moves by about sqrt(k) / t in the next k rounds; so with 4 the bounds
# last some rounds to dozens.
_HIGHER = 4.0


@facts_of(RBMLE)
class ArmBiasFacts(NamedTuple):
    """With an alpha for each arm: it rises with L, and the index in units of alpha, a maximum over
    means of g - (n / alpha) D, rises with alpha and with the set of means."""

    policy: RBMLE

    def fits(self, family: Family) -> bool:
        """Only for f = "stable": the paper's f is multiplied by a standard deviation that moves."""
        biased = isinstance(self.policy.alpha, ArmBias)
        return biased and self.policy.f == BiasFunction.stable

    def expires(self, clock: Clock) -> bool:
        """Not if L is of the rounds to come: then it falls from round to round."""
        return not (self.policy.alpha.rounds == Rounds.left and clock.horizon > 0)

    def costly(self) -> bool:
        """With a guard, for which a root is searched."""
        return bool(self.policy.alpha.guards())

    def helps_devices(self) -> bool:
        return self.costly()

    def index_below(
        self, family: Family, arms: Arms, i: int, level: ArmLevel, enough: float
    ) -> float:
        """Without a guard the index; with one the larger of what it would be without, and of g at a
        lower bound of the mean that the guard asks for."""
        policy, n, total = self.policy, float(arms.pulls[i]), float(arms.sums[i])
        if not policy.alpha.guards():
            return policy.index_of(family, arms, i, level)
        alpha = policy.alpha.of_arm(n, level)
        value = policy.unit_index(family, n, total, alpha, policy.alpha.up_to(level))
        if value > enough:
            return value
        bound = policy.alpha.allowed(n, level) / n
        guarded = policy.g(family, family.kl_upper_below(family.mean_of(n, total), bound))
        return max(value, guarded - self.index_error(family, arms, i, guarded))

    def keep(
        self, memory: Floats, family: Family, arms: Arms, level: ArmLevel, clock: Clock
    ) -> None:
        memory[_HIGHEST] = level.highest + _HIGHER / clock.t * abs(level.highest)

    def holds(self, memory: Floats, level: ArmLevel, clock: Clock) -> bool:
        """Also not if the stored set of means is too large: then bounds are too high."""
        highest = level.highest
        most = highest + 3.0 * _HIGHER / clock.t * abs(highest)
        return bool(highest <= memory[_HIGHEST] <= most)

    def later(
        self, memory: Floats, family: Family, arms: Arms, level: ArmLevel, clock: Clock, rounds: int
    ) -> ArmLevel:
        longer = log((clock.t + rounds) / clock.t)
        highest = float(memory[_HIGHEST])
        return ArmLevel(level.length + longer, level.sd, highest, level.share + longer)

    def index_error(self, family: Family, arms: Arms, i: int, value: float) -> float:
        """1e-12 of 1 + the index + the mean.

        The terms of an index are of that size: g, the mean for Gaussian rewards, and (n / alpha) D,
        which is at most g(m) - g(p). They are computed with some 20 operations, so with errors of
        less than 1e-14 of it, among them that of alpha, 1e-15 of itself.
        """
        return 1e-12 * (1.0 + abs(value) + abs(arms.mean(i)))
