"""The nodes and panels (intervals) over which `beliefs` and `largest_draw` integrate posteriors."""

from __future__ import annotations

from math import frexp, inf, ldexp
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats, lean, njit, record

WIDEST = 2.5  # posterior standard deviations; with 12 nodes the error is about 1e-12, see `beliefs`
# The largest accepted |sum of p_a - 1|. In 4,000 random histories of 5 arms it was at most 1e-10.
CLOSE = 1e-9
LEAST = 1e-300  # in place of an F that rounds to 0: h = f / F stays finite, and h F is still f

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
class Stretch(NamedTuple):
    """An interval, and the largest width of panels in it."""

    low: float
    high: float
    width: float


NOWHERE = Stretch(0.0, 0.0, inf)


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
def sum_of_products(a: Floats, b: Floats) -> float:
    """The sum of a_k b_k over the nodes of b; four sums, so that no addition waits for the last."""
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for k in range(0, b.size, 4):
        s0 += a[k] * b[k]
        s1 += a[k + 1] * b[k + 1]
        s2 += a[k + 2] * b[k + 2]
        s3 += a[k + 3] * b[k + 3]
    return (s0 + s1) + (s2 + s3)
