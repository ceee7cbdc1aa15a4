"""Constants and a bound for `gain_stays_below`: whether the index of KG or KG* is below a value.

With f(-x) = phi(x) - x Phi(-x) and x >= 0:

    f(-x) <= phi(x) (y + 3) / (y^2 + 6 y + 3),  y = x^2,

because Phi(-x) / phi(x) is at least the fourth convergent of Laplace's fraction,
(x^3 + 5 x) / (x^4 + 6 x^2 + 3) (see `special.tail_bounds`). The right-hand side falls in x. And

    e^q >= (1 + u + u^2/2 + u^3/6 + u^4/24)^8,  u = q / 8 >= 0.
"""

from __future__ import annotations

from .._numba.compile import njit

# Margins for rounding errors, explained in `choosers.knowledge_facts`.
NEAR, MORE, TINY = 1e-13, 1.0 + 1e-9, 1e-300
LEAST = 1e-150  # a smaller lead over an arm may be one of those tiny numbers
PEAK = 0.3989422804014328  # phi(0), rounded up
STEEPEST = 0.2935254  # phi(0) times 2 / e, the maximum of d e^(-d/2), rounded up
HUGE = 1e150
FAR = 50.0  # exponents beyond this are not needed: e^-50 is less than any gain that matters


@njit
def exp_below(q: float) -> float:
    """A lower bound of e^q for q >= 0; 5 % below it at q = 9."""
    u = 0.125 * min(q, FAR)
    root = 1.0 + u * (1.0 + u * (0.5 + u * (1.0 / 6.0 + u * (1.0 / 24.0))))
    root *= root
    root *= root
    return root * root
