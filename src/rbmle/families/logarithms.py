"""Accurate logarithms of ratios near 1, for divergences."""

from __future__ import annotations

from math import log, log1p

from .._numba.compile import njit


@njit
def log_ratio(a: float, b: float, gap: float) -> float:
    """log(a / b); the caller gives gap = a - b, which it may know more exactly than a - b rounds.

    For a near b it is log1p(gap / b): in log(a / b) the rounding of a / b, 1e-16, would be a large
    relative error, as the logarithm is near 0.
    """
    return log1p(gap / b) if abs(gap) <= 0.5 * b else log(a / b)
