"""Maillard sampling: each arm's probability is a closed form of its divergence from the leader."""

from __future__ import annotations

from math import exp
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats, kernel
from ..families import Family
from ..random import Draws
from .arms import Arms, Clock
from .base import policy


@policy
class MaillardSampling(NamedTuple):
    """Maillard sampling (Maillard 2013; Bian and Jun 2022; Qin, Jun and Zhang 2023): arm i with a
    probability proportional to exp(-N_i D(p_i, max_j p_j)).

    D is the divergence of the assumed family. For Gaussian rewards that is Bian and Jun's MS,
    exp(-N_i gap_i^2 / (2 sigma^2)); for Bernoulli rewards Qin, Jun and Zhang's KL-MS, which they
    prove for any rewards in [0, 1]. It is the form of one-parameter exponential families for the
    others. It looks neither at t nor at the horizon.

    Where D is infinite, the arm is not played while that lasts: of coins, while another arm has
    paid at every pull.

    >>> MaillardSampling().probabilities("gaussian", pulls=[8, 2], sums=[8, 0]).round(6)
    array([0.731059, 0.268941])
    """

    def choose(self, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
        unpulled = arms.unpulled()
        if unpulled >= 0:
            return unpulled
        best, total, chosen = arms.largest_mean(), 0.0, 0
        for i in range(arms.n_arms()):
            total += self.weight(family, arms, i, best)
        left = rng.cell(0).uniform(0) * total
        for i in range(arms.n_arms()):
            weight = self.weight(family, arms, i, best)
            if weight > 0.0 and left >= 0.0:
                chosen = i
            left -= weight
        return chosen

    def weight(self, family: Family, arms: Arms, i: int, best: float) -> float:
        """What the probability of arm i is proportional to: 1 for the arm with the largest mean."""
        mean, known = arms.mean(i), family.given(arms, i)
        return exp(-arms.pulls[i] * known.kl(mean, best)) if mean < best else 1.0

    def propensities(
        self, state: Floats, family: Family, arms: Arms, clock: Clock, ties: bool
    ) -> Floats:
        """The weights, scaled to add up to 1."""
        p = np.empty(arms.pulls.size)
        weigh(self, family, arms, p)
        return np.asarray(p / p.sum())


@kernel
def weigh(policy: MaillardSampling, family: Family, arms: Arms, p: Floats) -> None:
    """Fill p with the weight of each arm."""
    best = arms.largest_mean()
    for i in range(arms.n_arms()):
        p[i] = policy.weight(family, arms, i, best)
