"""Facts about the indices of the form mean + width: UCB, UCB-Tuned, MOSS, GP-UCB, GP-UCB-Tuned.

From how many arms on a tournament is used (`tournament_from`) was measured by
benchmarks/crossover.py: it prints the time of a choice by the tournament in units of that by cached
bounds, for 4 to 384 arms.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

from ..families import Conjugate, Family
from ..policies import GPUCB, MOSS, UCB, UCBV, GPUCBTuned, UCBTuned
from ..policies.arms import Arms, Clock, same_past
from .facts import Facts, facts_of, true


def from_many(self: Facts, family: Family) -> float:
    """`tournament_from` of these policies: 96 arms. Measured with 100 arms, in ns a round by a
    tournament and by cached bounds: UCB 191 and 244 on Bernoulli, 197 and 164 on Gaussian rewards;
    GP-UCB 188 and 220."""
    return 96.0


@facts_of(UCB, tournament_from=from_many, straight=true)
class UCBFacts(NamedTuple):
    """Concave: p_i + sqrt(alpha / N_i) sqrt(log t)."""

    policy: UCB

    def at(self, level: float) -> float:
        return sqrt(level)

    def line(self, family: Family, arms: Arms, i: int) -> tuple[float, float]:
        return arms.mean(i), sqrt(self.policy.alpha / arms.pulls[i])


@facts_of(GPUCB, GPUCBTuned, tournament_from=from_many, straight=true)
class GPUCBFacts(NamedTuple):
    """Linear: the posterior mean plus the posterior standard deviation times the level."""

    policy: GPUCB | GPUCBTuned

    def at(self, level: float) -> float:
        return level

    def line(self, family: Conjugate, arms: Arms, i: int) -> tuple[float, float]:
        n, total = arms.pulls[i], arms.sums[i]
        return family.posterior_mean(n, total), family.posterior_sd(n, total)


@facts_of(UCBTuned, UCBV, tournament_from=from_many)
class VarianceFacts(NamedTuple):
    """Concave: the mean plus the root of a minimum of concave functions of the level (UCB-Tuned),
    or plus a root and a multiple of the level (UCB-V)."""

    policy: UCBTuned | UCBV

    def same_index(self, family: Family, arms: Arms, i: int, j: int) -> bool:
        """The same past and the same sum of squares, which the index also uses."""
        alike = arms.squares[i] == arms.squares[j] and arms.origin(i) == arms.origin(j)
        return same_past(arms, i, j) and bool(alike)


@facts_of(MOSS, tournament_from=from_many)
class MOSSFacts(NamedTuple):
    """Constant up to the level N_i, then concave; with a known horizon the level is constant."""

    policy: MOSS

    def expires(self, clock: Clock) -> bool:
        return self.policy.anytime

    def bends_one_way(self, family: Family, arms: Arms, i: int, low: float, high: float) -> bool:
        return bool(high <= arms.pulls[i] or low >= arms.pulls[i])
