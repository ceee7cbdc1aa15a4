"""The panels (intervals) over which posteriors are integrated numerically.

A panel is at most 2.5 posterior standard deviations wide, for every arm whose posterior reaches
into it. That is accurate for each distribution function F_i, and for the product P = prod_i F_i of
about ten arms. But P, the distribution function of the largest mean, may be much steeper: up to K
times for K wide posteriors. If a check of the integrals shows that panels are too wide for P, it is
treated as one more posterior, with an interval and a panel width of its own.
"""

from __future__ import annotations

from math import floor, frexp, inf, ldexp
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats, lean, njit, record

WIDEST = 2.5  # posterior standard deviations; with 12 nodes the error is about 1e-12, see `beliefs`

# Measured: random histories of up to 100 arms with up to 10^8 pulls need at most 122 panels before
# any are halved (Bernoulli; Gaussian 38, Exponential 72). The rest is room for halving.
MAX_PANELS = 320

# Gauss-Legendre nodes of a panel. 12 is a multiple of 4, because sums run four nodes at a time.
NODES = 12
_x, _w = np.polynomial.legendre.leggauss(NODES)
X: Floats = 0.5 * (_x + 1.0)  # the nodes in [0, 1]
W: Floats = 0.5 * _w  # their weights
# UP_TO[m, k]: the integral over [0, X_k] of the polynomial that is 1 at X_m and 0 at other nodes.
_basis = np.linalg.inv(np.polynomial.legendre.legvander(_x, NODES - 1))
_integrals = np.polynomial.legendre.legint(_basis, lbnd=-1)
UP_TO: Floats = np.ascontiguousarray(0.5 * np.polynomial.legendre.legval(_x, _integrals))


@record
class Span(NamedTuple):
    """An interval, and the largest width of panels in it."""

    low: float
    high: float
    width: float


NOWHERE = Span(0.0, 0.0, inf)


@njit
def panel_width(sd: float) -> float:
    """The largest power of two that is at most `WIDEST` standard deviations."""
    _, exponent = frexp(WIDEST * sd)
    return ldexp(1.0, exponent - 1)


@lean
def largest_of(values: Floats) -> float:
    """The largest of some numbers, as a plain loop that every processor can run."""
    most = values[0]
    for i in range(1, values.size):
        most = max(most, values[i])
    return float(most)


@lean
def lay_panels(
    low: Floats, high: Floats, width: Floats, largest: Span, left: Floats, size: Floats
) -> int:
    """Cover [max low, max high] with panels whose ends are dyadic; returns how many there are.

    low, high, width: the interval of each arm's posterior and the largest width of a panel in it.
    largest: the same for P. left, size: filled with the left end and the width of each panel; if
    there is not enough room in them, the right end of the interval is not covered.
    """
    x, end, coarsest = largest_of(low), largest_of(high), largest_of(width)
    count = 0
    while x < end and count < left.size:
        h = coarsest
        fits = False
        while not fits:
            fits = floor(x / h) == x / h
            if largest.width < h and largest.low < x + h and largest.high > x:
                fits = False
            for i in range(low.size):
                if width[i] < h and low[i] < x + h and high[i] > x:
                    fits = False
            if not fits:
                h *= 0.5
        left[count], size[count] = x, h
        x += h
        count += 1
    return count
