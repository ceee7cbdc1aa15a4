"""Panels for quadrature over posteriors: where they lie, and where many arms ask for more.

A panel is at most 2.5 posterior standard deviations wide for every arm whose posterior reaches into
it. That is enough for each F_i, and for P = prod_i F_i of some ten arms; but the largest of K means
has a distribution of its own, which for wide posteriors is up to K times narrower than theirs. So
it is treated as one more posterior, with a span of its own, where a sum shows that it must be.
"""

from __future__ import annotations

from math import floor, frexp, inf, ldexp
from typing import NamedTuple

from .._compile import Floats, njit, record

WIDEST = 2.5  # a panel, in posterior standard deviations


@record
class Span(NamedTuple):
    """From where to where panels are at most so wide."""

    low: float
    high: float
    width: float


NOWHERE = Span(0.0, 0.0, inf)


@njit
def panel_width(sd: float) -> float:
    """The largest power of two that is at most `WIDEST` standard deviations."""
    _, exponent = frexp(WIDEST * sd)
    return ldexp(1.0, exponent - 1)


@njit
def lay_panels(
    low: Floats, high: Floats, width: Floats, largest: Span, left: Floats, size: Floats
) -> int:
    """Cover [max low, max high] with dyadic panels, none wider than the arms that it meets and the
    span of the largest mean ask for; or as much of it as there is room for panels."""
    x, end, coarsest = low.max(), high.max(), width.max()
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
