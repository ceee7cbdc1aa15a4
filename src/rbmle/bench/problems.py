"""The problems that are timed, ten arms each, with means of the paper's tables.

Those of `Gaussian_ID=16` serve for coins too; the exponential ones are `Exponential_ID=21`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..families import Bernoulli, Exponential, Gaussian
from ..rewards.problems import Problem

Floats = NDArray[np.float64]

SEED = 46
_MEANS = [0.41, 0.52, 0.66, 0.43, 0.58, 0.65, 0.48, 0.67, 0.59, 0.63]

COINS = Problem(Bernoulli(), _MEANS)
NORMALS = Problem(Gaussian(), _MEANS)
WAITS = Problem(Exponential(), [0.31, 0.1, 0.2, 0.32, 0.33, 0.29, 0.2, 0.3, 0.15, 0.08])
