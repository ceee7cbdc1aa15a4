"""What is known of a draw from a posterior before it is drawn: the promise about Thompson sampling.

A draw is a function of an arm's statistics and of random words. Its score, a rising function of
it, is computed roughly from the same words, by `quantile_near`: a normal draw is mean + sd z. A
gamma number is d v^3 with v = 1 + c z, unless it is rejected (`Cell.unboosted`). Then, and where
its shape is below 1, nothing is known.
`test_what_is_foreseen_of_a_draw_holds` tries the bounds on random arms.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from .._numba.compile import extend, njit
from ..families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from ..policies import ThompsonSampling
from ..policies.arms import Arms
from ..policies.bayes import Prior
from ..random import Cell
from ..random.philox import unit
from ..special.near_normal import ERROR, quantile_near
from .promises import draw_of

Numbers = tuple[float, float, float]
Score = tuple[float, float]

# A margin for rounding errors, of scores and draws: each is computed by some ten operations.
_NEAR = 1e-12
_LARGEST = 1e300
_NEVER = 1e3  # as c it leaves every number unknown, as 0.01 c^2 is above 1: see `gamma_root`
_CUBED = 3.1 * ERROR  # v^3 differs by 3 v^2 times as much as v, and a little more
_GRID, _ALMOST = np.float32(2.0**-12), np.float32(1.0 - 1e-6)
_FIXED, _RISING = np.float32(0.76 / 9.0), np.float32(1.05 / 9.0)
_MARGIN, _HALF = np.float32(0.01), np.float32(0.49)


@njit
def gamma_numbers(shape: float) -> tuple[float, float]:
    """d and c of a gamma number of this shape, or `_NEVER` for c if it cannot be foreseen."""
    if not 1.0 <= shape < _LARGEST:
        return 1.0, _NEVER
    d = shape - 1.0 / 3.0
    return d, 1.0 / (3.0 * sqrt(d))


@njit
def gamma_root(c: float, cell: Cell, side: int, high: int, low: int) -> tuple[float, bool]:
    """About v = 1 + c z of a gamma number of the cell; and whether that is known, with v above 1/2
    and an error of c `ERROR` at most.

    It is certainly accepted if w <= 1 - d h(y), and h(y) <= (0.76 + 1.05 |y|) y^4 for |y| <= 1/2.
    For that the first 12 bits of w nearly always tell; if not, the others are drawn, as the number
    would. d y^4 is c^2 z^4 / 9, as d c^2 = 1/9; 0.01 c^2 is more than the error of z may change,
    1e-6 more than single precision.
    """
    z, known = quantile_near(high)
    small, first = np.float32(c), low & 0xFFF
    size, square = abs(small * z), z * z
    most = small * small * (square * square * (_FIXED + _RISING * size) + _MARGIN)
    sure = np.float32(np.int32(first + 1)) * _GRID + most <= _ALMOST
    if not sure:
        a, b, _, _ = cell.words(0, 1 + side)
        sure = (first + unit(a, b)) * 0.000244140625 + most <= _ALMOST  # 2^-12
    return 1.0 + c * z, bool(known and sure and size < _HALF)


@njit
def gamma_score(size: float, c: float, cell: Cell) -> Score:
    """About size v^3, a multiple of the cell's gamma number, and by how much it may differ."""
    high, low, _, _ = cell.words(0, 0)
    v, known = gamma_root(c, cell, 0, high, low)
    square = size * (v * v)
    return square * v, square * (_CUBED * c + _NEAR) if known else inf


@extend(Gaussian, name="draw_numbers")
def gaussian_numbers(self: Gaussian, pulls: float, total: float) -> Numbers:
    return self.posterior_mean(pulls, total), self.posterior_sd(pulls, total), 0.0


@extend(Gaussian, name="draw_score")
def gaussian_score(self: Gaussian, mean: float, sd: float, third: float, cell: Cell) -> Score:
    """The draw itself."""
    word, _, _, _ = cell.words(0, 0)
    z, known = quantile_near(word)
    return mean + sd * z, sd * ERROR + _NEAR * abs(mean) if known else inf


@extend(Poisson, name="draw_numbers")
def poisson_numbers(self: Poisson, pulls: float, total: float) -> Numbers:
    d, c = gamma_numbers(self.prior_shape + total)
    return d / (self.prior_rate + pulls), c, 0.0


@extend(Poisson, name="draw_score")
def poisson_score(self: Poisson, size: float, c: float, third: float, cell: Cell) -> Score:
    """The draw itself."""
    return gamma_score(size, c, cell)


@extend(Exponential, name="draw_numbers")
def exponential_numbers(self: Exponential, pulls: float, total: float) -> Numbers:
    d, c = gamma_numbers(self.prior_shape + pulls)
    return d / (self.prior_rate + total), c, 0.0


@extend(Exponential, name="draw_score")
def exponential_score(self: Exponential, size: float, c: float, third: float, cell: Cell) -> Score:
    """-1 / draw."""
    value, doubt = gamma_score(size, c, cell)
    return -value, doubt


@extend(Gamma, name="draw_numbers")
def gamma_family_numbers(self: Any, pulls: float, total: float) -> Numbers:
    return self.unit().draw_numbers(self.shape * pulls, total)  # type: ignore[no-any-return]


@extend(Gamma, name="draw_score")
def gamma_family_score(self: Any, size: float, c: float, third: float, cell: Cell) -> Score:
    return self.unit().draw_score(size, c, third, cell)  # type: ignore[no-any-return]


@extend(Bernoulli, name="draw_numbers")
def bernoulli_numbers(self: Bernoulli, pulls: float, total: float) -> Numbers:
    d, c = gamma_numbers(total + self.prior_a)
    other, other_c = gamma_numbers(pulls - total + self.prior_b)
    return other / d, c, other_c


@extend(Bernoulli, name="draw_score")
def bernoulli_score(self: Bernoulli, ratio: float, c: float, other_c: float, cell: Cell) -> Score:
    """1 - 1 / draw, of x / (x + y): -y / x = -ratio (v_y / v_x)^3; each v is above 1/2.

    The draw is rounded, by an error that changes 1 / draw by 1e-16 of 1 + y / x.
    """
    first, second, third, fourth = cell.words(0, 0)
    v, known = gamma_root(c, cell, 0, first, second)
    w, too = gamma_root(other_c, cell, 1, third, fourth)
    root = w / v
    cube = ratio * (root * root * root)
    doubt = 2.0 * _CUBED * cube * (c + other_c) + _NEAR * (1.0 + cube)
    return -cube, doubt if known and too else inf


@extend(Binomial, name="draw_numbers")
def binomial_numbers(self: Any, pulls: float, total: float) -> Numbers:
    return self.coin().draw_numbers(self.trials * pulls, total)  # type: ignore[no-any-return]


@extend(Binomial, name="draw_score")
def binomial_score(self: Any, ratio: float, c: float, other_c: float, cell: Cell) -> Score:
    return self.coin().draw_score(ratio, c, other_c, cell)  # type: ignore[no-any-return]


@draw_of(ThompsonSampling)
class ThompsonDraws(NamedTuple):
    """The promise about Thompson sampling: draws from the posterior."""

    policy: Any

    def fits(self, family: Any) -> bool:
        return hasattr(family, "draw_score")

    def numbers(self, family: Any, arms: Arms, i: int) -> Numbers:
        n, total = arms.pulls[i], arms.sums[i]
        if self.policy.prior == Prior.flat:
            flat: Numbers = family.flat().draw_numbers(n, total)
            return flat
        given: Numbers = family.draw_numbers(n, total)
        return given

    def score(self, family: Any, one: float, two: float, three: float, cell: Cell) -> Score:
        value, doubt = family.draw_score(one, two, three, cell)
        return value, doubt
