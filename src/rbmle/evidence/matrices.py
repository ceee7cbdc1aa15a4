"""Linear algebra for compiled code: small matrices in an array of numbers, row by row.

A matrix A of d rows at place a of `memory` has A[r, c] at a + d r + c. Nothing is allocated.
"""

from __future__ import annotations

from math import sqrt
from typing import Protocol

import numpy as np

from .._numba.compile import Floats, njit


class FeatureRows(Protocol):
    """The features of all arms in a round, as the evidence reads them."""

    def feature(self, i: int, a: int) -> float:
        """Feature a of arm i."""
        ...


def largest_feature(ridge: float) -> float:
    """The largest feature for this ridge.

    A reward makes R'x, some |x| / sqrt(ridge) before, about 1; the digits of |x| / sqrt(ridge) that
    are lost are 1e-16 of it, so that R'x keeps seven digits up to 1e9. For the same reason no arm
    seems to be worth more than about ridge / (2e-15 |x|)^2 pulls: 2e11 at that end.
    """
    return 1e9 * sqrt(ridge)


@njit
def begin_factor(memory: Floats, factor: int, d: int, ridge: float) -> None:
    """V = ridge I as the factors of `add_outer`: U = I, above the diagonal, and D, on it."""
    for k in range(d * d):
        memory[factor + k] = 0.0
    for r in range(d):
        memory[factor + d * r + r] = ridge


@njit
def add_outer(
    memory: Floats, factor: int, z: int, work: int, d: int, weight: float, reward: float
) -> None:
    """Add weight x x' to V = U'D U, U unit upper triangular and D diagonal; x is the vector at
    `work`, which becomes U'^-1 x. At z is U theta^, which learns the reward of x; z < 0: nothing.

    P. E. Gill, G. H. Golub, W. Murray and M. A. Saunders, Math. Comp. 28 (1974) 505-535, method C1.
    D only grows, so V stays positive definite even where the sum of all x x' is singular up to
    rounding. Where an entry of D grows by much, U is computed in the order that does not cancel.
    """
    x = memory[work : work + d]
    for j in range(d):
        row = memory[factor + d * j : factor + d * (j + 1)]
        p, before = x[j], row[j]
        row[j] = before + weight * p * p
        share = 1.0 / row[j]
        faded, gain = before * share, weight * p * share
        weight *= faded
        if faded > 0.25:
            for r in range(j + 1, d):
                x[r] -= p * row[r]
                row[r] += gain * x[r]
        else:
            for r in range(j + 1, d):
                old = x[r]
                x[r] -= p * row[r]
                row[r] = faded * row[r] + gain * old
        if z >= 0:
            old, before = reward, memory[z + j]
            reward -= p * before
            memory[z + j] = before + gain * reward if faded > 0.25 else faded * before + gain * old


@njit
def invert_factor(memory: Floats, factor: int, root: int, d: int) -> None:
    """Fill the matrix at `root` with R = U^-1 D^-1/2, so that R R' = V^-1, V as in `add_outer`."""
    for c in range(d - 1, -1, -1):
        row = root + d * c
        for r in range(d):
            memory[row + r] = 0.0
        memory[row + c] = 1.0 / sqrt(memory[factor + d * c + c])
        for k in range(c + 1, d):
            u = memory[factor + d * c + k]
            for r in range(k, d):
                memory[row + r] -= u * memory[root + d * k + r]


@njit
def solve(memory: Floats, root: int, features: FeatureRows, i: int, out: int, d: int) -> float:
    """Put R'x at `out` and R R'x at out + d, x the features of arm i; returns x'R R'x."""
    square = square_of(memory, root, features, i, out, d)
    times(memory, root, out, out + d, d)
    return square


@njit
def square_of(memory: Floats, root: int, features: FeatureRows, i: int, out: int, d: int) -> float:
    """x'R R'x, x the features of arm i. R'x is put at `out`, unless that is negative.

    Entries of R'x are added up in registers, four at a time. R is a view, whose places are never
    negative: the compiler need not ask each time.
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
        if out >= 0:
            memory[out + c], memory[out + c + 1] = first, second
            memory[out + c + 2], memory[out + c + 3] = third, fourth
        square += first * first
        square += second * second
        square += third * third
        square += fourth * fourth
    for c in range(d - d % 4, d):
        total = 0.0
        for r in range(d):
            total += matrix[d * r + c] * features.feature(i, r)
        if out >= 0:
            memory[out + c] = total
        square += total * total
    return square


@njit
def times(memory: Floats, root: int, vector: int, out: int, d: int) -> None:
    """Put R u at `out`, u the vector at `vector`."""
    matrix, factor = memory[root : root + d * d], memory[vector : vector + d]
    for group in range(d // 4):  # four rows at a time, as one sum waits for itself at each step
        r = 4 * group
        first = second = third = fourth = 0.0
        for c in range(d):
            x = factor[c]
            first += matrix[d * r + c] * x
            second += matrix[d * (r + 1) + c] * x
            third += matrix[d * (r + 2) + c] * x
            fourth += matrix[d * (r + 3) + c] * x
        memory[out + r], memory[out + r + 1] = first, second
        memory[out + r + 2], memory[out + r + 3] = third, fourth
    for r in range(d - d % 4, d):
        total = 0.0
        for c in range(d):
            total += matrix[d * r + c] * factor[c]
        memory[out + r] = total


@njit
def dot(memory: Floats, vector: int, features: FeatureRows, i: int, d: int) -> float:
    """The product of the vector at `vector` and the features of arm i."""
    total, weights = 0.0, memory[vector : vector + d]
    for r in range(d):
        total += weights[r] * features.feature(i, r)
    return total


def estimated(memory: Floats, theta: int, root: int, d: int, noise: float) -> tuple[Floats, Floats]:
    """The vector at `theta`, and the roots of noise times the diagonal of R R'; not compiled."""
    matrix = memory[root : root + d * d].reshape(d, d)
    return memory[theta : theta + d].copy(), np.sqrt(noise * np.square(matrix).sum(axis=1))
