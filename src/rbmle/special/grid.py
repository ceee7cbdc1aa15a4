"""Rounding to a grid, so that numbers which mathematics makes equal are equal, and a tolerance."""

from __future__ import annotations

from .._numba.compile import lean, njit

GRID = 2.0**-32  # 2.3e-10
_SHIFT = 1.5 * 2.0**20  # doubles of this size, from 2^20 to 2^21, are GRID apart


@njit
def on_grid(x: float) -> float:
    """The multiple of 2^-32 nearest to x; for |x| > 2^19 a coarser grid, as that of doubles is.

    For indices that two arms may have in common though each is rounded in its own way. Against 40
    digits, n D + log n of coins has errors of up to 7e-15 at n = 20, 2e-13 at 10,000 and 1.5e-12 at
    a million. So equal indices differ here only if they lie that close to the middle between two
    points of the grid, as one pair in 10,000 may where n is small, and one in 100 at a million;
    whole numbers and simple fractions do not. Other indices are as close as the grid by chance
    only, and then 2.3e-10 is no reason to prefer an arm.

    >>> on_grid(0.1 + 0.2) == on_grid(0.3), on_grid(31.000000000000004)
    (True, 31.0)
    """
    return (x + _SHIFT) - _SHIFT


@lean
def as_much(a: float, b: float, of: float = 0.0) -> bool:
    """Whether two sums of rewards are equal up to rounding of their terms, or of the sum `of` that
    contains one of them."""
    return abs(a - b) <= 1e-12 * (abs(a) + abs(b) + abs(of))
