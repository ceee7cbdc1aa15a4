"""Random numbers: Philox, a pure function of where a number is used; and NumPy's legacy stream."""

from .philox import (
    COST_LANE,
    MAX_ARMS,
    MAX_REPLICATIONS,
    MAX_ROUNDS,
    MAX_SEED,
    SLEEP_LANE,
    STREAM,
    Cell,
    Counter,
    Draws,
    delay_cell,
    feature_cell,
    key,
    path_uniforms,
    philox,
    unit,
)

__all__ = [
    "COST_LANE",
    "MAX_ARMS",
    "MAX_REPLICATIONS",
    "MAX_ROUNDS",
    "MAX_SEED",
    "SLEEP_LANE",
    "STREAM",
    "Cell",
    "Counter",
    "Draws",
    "delay_cell",
    "feature_cell",
    "key",
    "path_uniforms",
    "philox",
    "unit",
]
