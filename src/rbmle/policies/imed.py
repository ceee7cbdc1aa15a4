"""IMED, the indexed minimum empirical divergence: how unlikely it is that an arm is the best."""

from __future__ import annotations

from math import log
from typing import NamedTuple

from ..families import Family
from ..special.grid import on_grid
from .arms import Arms, Clock
from .base import policy


@policy
class IMED(NamedTuple):
    """IMED (Honda and Takemura 2015): -(N_i D(p_i, max_j p_j) + log N_i).

    Honda and Takemura play the arm with the smallest N_i D(p_i, mu*) + log N_i, where mu* is the
    largest empirical mean; here it is negated, because the largest index is played. It looks
    neither at t nor at the horizon. Equal indices are drawn by lot; they are rounded to multiples
    of 2.3e-10 (`on_grid`), so that rounding errors do not decide between them.

    Deviation: for rewards in (-inf, 1] their D is the smallest divergence of any law with mean mu*.
    Here it is that of the assumed family, which for Bernoulli rewards is the same.

    Where D is infinite, so is the index, and the arm is not played while that lasts. For Bernoulli
    rewards that is so while an arm has paid at every pull (mu* = 1): it is played until it fails,
    and of several such arms the one with the fewest pulls. For Exponential and Gamma rewards an arm
    with mean 0, which has probability 0, is not played again once another arm has paid.

    >>> import numpy as np
    >>> from rbmle import Arms, Bernoulli
    >>> arms = Arms(np.array([10.0, 4.0]), np.array([5.0, 3.0]), np.array([5.0, 3.0]))
    >>> round(IMED().index_of(Bernoulli(), arms, 0, 0.75), 6)  # the level is the largest mean
    -3.740995
    """

    def level(self, family: Family, arms: Arms, clock: Clock) -> float:
        return arms.largest_mean()

    def index_of(self, family: Family, arms: Arms, i: int, level: float) -> float:
        n = float(arms.pulls[i])
        return -on_grid(n * family.given(arms, i).kl(arms.mean(i), level) + log(n))
