"""Random numbers for whole arrays at once: the same as those of cells, without compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._numba.compile import Floats, plain
from .philox import PATHS, PURPOSE_SHIFT, key, philox, unit


def path_uniforms(seed: int, rounds: Sequence[int], n_arms: int) -> Floats:
    """Uniform numbers in (0, 1) for paths of means: a row for each of the rounds.

    They are `Cell.uniform(0)` of replication 0. The lines of Philox are taken as they are: on
    arrays of 64-bit integers they do what they do on one.
    """
    scramble: Any = plain(philox)
    uniform: Any = plain(unit)
    t = np.asarray(rounds, np.int64)[:, None]
    lanes = np.arange(n_arms, dtype=np.int64) + (PATHS << PURPOSE_SHIFT)
    none = np.zeros((len(rounds), n_arms), np.int64)
    high, low, _, _ = scramble(none + t, none + lanes, none, none, *key(seed))
    numbers: Floats = uniform(high, low)
    return numbers
