"""The problems that are timed, with ten arms each and means from the paper's tables.

Coins and Gaussian rewards have the means of `Gaussian_ID=16`, exponential ones those of
`Exponential_ID=21`.
"""

from __future__ import annotations

from rbmle._numba.compile import Floats
from rbmle.families import Bernoulli, Exponential, Gaussian
from rbmle.rewards.problems import Problem

__all__ = ["COINS", "NORMALS", "SEED", "WAITS", "Floats"]

SEED = 46  # as in the paper
_MEANS = [0.41, 0.52, 0.66, 0.43, 0.58, 0.65, 0.48, 0.67, 0.59, 0.63]

COINS = Problem(Bernoulli(), _MEANS)
NORMALS = Problem(Gaussian(), _MEANS)
WAITS = Problem(Exponential(), [0.31, 0.1, 0.2, 0.32, 0.33, 0.29, 0.2, 0.3, 0.15, 0.08])
