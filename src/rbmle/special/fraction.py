"""Continued fractions for the incomplete gamma and beta integrals.

Each gives integral / h as a fraction 1 / (b_0 + a_1 / (b_1 + a_2 / (b_2 + ...))), where h is the
density in the logarithm of x (gamma) or of the odds x / (1 - x) (beta). Each is used only on the
side of the mean where all its terms are positive, so that nothing cancels. The lower gamma and the
beta fractions are the even part of DLMF 8.17.22, in the form of A. R. DiDonato and A. H. Morris,
ACM TOMS 18 (1992) 360-373, equation 9; the upper gamma fraction is the even part of DLMF 8.9.2.

The convergents A_n / B_n are computed by the forward recurrence, in which no step has to wait for a
division. It is written out three times: sharing it made the distribution functions 8 % slower.
"""

from __future__ import annotations

from .._numba.compile import njit

_TOLERANCE = 4e-16  # the relative change of a convergent at which to stop: two units of rounding
_MOST = 1000000  # terms after which to stop: x = a = 1e10, the worst place, takes 12,063
_BIG = 1e100  # above this A and B are scaled down, so that no product of two of them overflows
_SCALE = 1e-100


@njit
def lower_gamma_ratio(x: float, a: float) -> float:
    """P(a, x) / h for 0 <= x < a + 1, where h = x^a exp(-x) / Gamma(a)."""
    slack = a - x + 1.0
    below = 1.0 / (a + 1.0)
    a0, a1 = 0.0, 1.0
    b0, b1 = 1.0, a * slack * below
    n = 0.0
    for _ in range(_MOST):
        n += 1.0
        part = x * below
        above = 1.0 / (a + 2.0 * n + 1.0)
        alpha = n * (a + n - 1.0) * part * part
        beta = n + n * part + (a + n) * above * (slack + 2.0 * n)
        below = above
        a0, a1 = a1, beta * a1 + alpha * a0
        b0, b1 = b1, beta * b1 + alpha * b0
        cross = a1 * b0
        if not abs(cross - a0 * b1) > _TOLERANCE * abs(cross):  # ends on a NaN too
            break
        if abs(b1) > _BIG:
            a0, a1, b0, b1 = a0 * _SCALE, a1 * _SCALE, b0 * _SCALE, b1 * _SCALE
    return a1 / b1


@njit
def upper_gamma_ratio(x: float, a: float) -> float:
    """Q(a, x) / h for x > max(a - 1, 0), where h = x^a exp(-x) / Gamma(a)."""
    beta = x - a + 1.0
    a0, a1 = 0.0, 1.0
    b0, b1 = 1.0, beta
    n = 0.0
    for _ in range(_MOST):
        n += 1.0
        beta += 2.0
        alpha = n * (a - n)
        a0, a1 = a1, beta * a1 + alpha * a0
        b0, b1 = b1, beta * b1 + alpha * b0
        cross = a1 * b0
        if not abs(cross - a0 * b1) > _TOLERANCE * abs(cross):  # ends on a NaN too
            break
        if abs(b1) > _BIG:
            a0, a1, b0, b1 = a0 * _SCALE, a1 * _SCALE, b0 * _SCALE, b1 * _SCALE
    return a1 / b1


@njit
def beta_ratio(x: float, y: float, a: float, b: float) -> float:
    """I_x(a, b) / h for x <= (a + 1) / (a + b + 2), y = 1 - x, where h = x^a y^b / B(a, b)."""
    slack = a * y - b * x + 1.0
    below = 1.0 / (a + 1.0)
    a0, a1 = 0.0, 1.0
    b0, b1 = 1.0, a * slack * below
    total = a + b - 1.0
    n = 0.0
    for _ in range(_MOST):
        n += 1.0
        part = x * below
        above = 1.0 / (a + 2.0 * n + 1.0)
        step = n * (b - n) * part
        alpha = (a + n - 1.0) * (total + n) * part * step
        beta = n + step + (a + n) * above * (slack + n * (1.0 + y))
        below = above
        a0, a1 = a1, beta * a1 + alpha * a0
        b0, b1 = b1, beta * b1 + alpha * b0
        cross = a1 * b0
        if not abs(cross - a0 * b1) > _TOLERANCE * abs(cross):  # ends on a NaN too
            break
        if abs(b1) > _BIG:
            a0, a1, b0, b1 = a0 * _SCALE, a1 * _SCALE, b0 * _SCALE, b1 * _SCALE
    return a1 / b1


@njit
def probability(part: float, direct: bool) -> float:
    """A tail's probability from what was computed: itself, or the other tail's."""
    return min(part, 1.0) if direct else max(1.0 - part, 0.0)
