"""Random numbers: Philox, a pure function of where a number is used; and NumPy's legacy stream."""

from .philox import (
    CHOICES,
    MAX_ARMS,
    MAX_NUMBERS,
    MAX_REPLICATIONS,
    MAX_ROUNDS,
    MAX_SEED,
    REWARDS,
    SAMPLES,
    STREAM,
    TIES,
    Cell,
    Counter,
    Draws,
    key,
    philox,
    unit,
)

__all__ = [
    "CHOICES",
    "MAX_ARMS",
    "MAX_NUMBERS",
    "MAX_REPLICATIONS",
    "MAX_ROUNDS",
    "MAX_SEED",
    "REWARDS",
    "SAMPLES",
    "STREAM",
    "TIES",
    "Cell",
    "Counter",
    "Draws",
    "key",
    "philox",
    "unit",
]
