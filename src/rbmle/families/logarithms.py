"""Logarithms of ratios near 1, as divergences need them."""

from __future__ import annotations

from math import log, log1p

from .._compile import njit


@njit
def log_ratio(a: float, b: float, gap: float) -> float:
    """log(a / b), where gap = a - b is known better than a - b says.

    Near 1 the rounding of a / b alone would be an error of 1e-16 in a logarithm near 0.
    """
    return log1p(gap / b) if abs(gap) <= 0.5 * b else log(a / b)
