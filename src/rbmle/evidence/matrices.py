"""Linear algebra for compiled code: small matrices in an array of numbers, row by row.

A matrix A of d rows that begins at place a of `memory` has A[r, c] at a + d r + c. Nothing is
allocated.
"""

from __future__ import annotations

from math import sqrt
from typing import Protocol

from .._numba.compile import Floats, njit


class FeatureRows(Protocol):
    """The features of all arms in a round, as the evidence reads them."""

    def feature(self, i: int, a: int) -> float:
        """Feature a of arm i."""
        ...


# A pivot that is smaller than this part of its diagonal entry has lost twelve of sixteen digits.
_SMALLEST_PIVOT = 1e-12


def largest_feature(ridge: float) -> float:
    """The largest feature for this ridge.

    A reward makes R'x, some |x| / sqrt(ridge) before, about 1; the digits of |x| / sqrt(ridge) that
    are lost are 1e-16 of it, so that R'x keeps four digits up to 1e12.
    """
    return 1e12 * sqrt(ridge)


@njit
def invert_root(memory: Floats, v: int, root: int, work: int, d: int) -> None:
    """Fill the matrix at `root` with R such that R R' = V^-1, for a positive definite V.

    R is the inverse of L', where V = L L' is the Cholesky decomposition: upper triangular. If V is
    singular up to rounding, R stays as it is. work: where there is room for another matrix.
    """
    for r in range(d):  # L, into the lower triangle
        for c in range(r + 1):
            total = memory[v + d * r + c]
            for k in range(c):
                total -= memory[work + d * r + k] * memory[work + d * c + k]
            if r > c:
                memory[work + d * r + c] = total / memory[work + d * c + c]
            elif total > _SMALLEST_PIVOT * memory[v + d * r + r]:
                memory[work + d * r + r] = sqrt(total)
            else:
                return
    for c in range(d):  # R = (L^-1)': column c of L^-1 is row c of R
        memory[root + d * c + c] = 1.0 / memory[work + d * c + c]
        for r in range(c):
            memory[root + d * c + r] = 0.0
        for r in range(c + 1, d):
            total = 0.0
            for k in range(c, r):
                total += memory[work + d * r + k] * memory[root + d * c + k]
            memory[root + d * c + r] = -total / memory[work + d * r + r]


@njit
def solve(memory: Floats, root: int, features: FeatureRows, i: int, out: int, d: int) -> float:
    """Put R'x at `out` and R R'x at out + d, x the features of arm i; returns x'R R'x."""
    matrix, product = memory[root : root + d * d], memory[out : out + d]
    for c in range(d):
        product[c] = 0.0
    for r in range(d):
        x = features.feature(i, r)
        for c in range(d):
            product[c] += matrix[d * r + c] * x
    times(memory, root, out, out + d, d)
    square = 0.0
    for c in range(d):
        square += product[c] * product[c]
    return square


@njit
def square_of(memory: Floats, root: int, features: FeatureRows, i: int, d: int) -> float:
    """x'R R'x, x the features of arm i: what `solve` returns, to the bit, in a third of the time.

    Entries of R'x are added up in registers, four at a time, and none is stored. R is a view, whose
    places are never negative: the compiler need not ask each time.
    """
    square, matrix = 0.0, memory[root : root + d * d]
    for group in range(d // 4):
        c = 4 * group
        first = second = third = fourth = 0.0
        for r in range(d):
            x = features.feature(i, r)
            first += matrix[d * r + c] * x
            second += matrix[d * r + c + 1] * x
            third += matrix[d * r + c + 2] * x
            fourth += matrix[d * r + c + 3] * x
        square += first * first
        square += second * second
        square += third * third
        square += fourth * fourth
    for c in range(d - d % 4, d):
        total = 0.0
        for r in range(d):
            total += matrix[d * r + c] * features.feature(i, r)
        square += total * total
    return square


@njit
def times(memory: Floats, root: int, vector: int, out: int, d: int) -> None:
    """Put R u at `out`, u the vector at `vector`."""
    matrix, factor = memory[root : root + d * d], memory[vector : vector + d]
    product = memory[out : out + d]
    for r in range(d):
        total = 0.0
        for c in range(d):
            total += matrix[d * r + c] * factor[c]
        product[r] = total


@njit
def dot(memory: Floats, vector: int, features: FeatureRows, i: int, d: int) -> float:
    """The product of the vector at `vector` and the features of arm i."""
    total, weights = 0.0, memory[vector : vector + d]
    for r in range(d):
        total += weights[r] * features.feature(i, r)
    return total
