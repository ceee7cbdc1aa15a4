"""The sharp C_alpha of Proposition 5: a supremum over empirical means, by branch and bound.

With x = theta' - nu > 0 it is the supremum over 0 < x <= theta' - (least reward) of

    v(x) = 4 w(x) / d(s + x),   w(x) = 1 / K*(theta', theta' - x),   s = theta_1 - theta',

where d(y) = y^2 / (2 (kappa y + rho^2)). v has a peak near x = s, however small s is, and for some
families another one at the least reward. A grid could miss them; branch and bound cannot, because
it has proved upper bounds of v on each interval:

- w and d increase, so v <= 4 w(x_2) / d(s + x_1) on [x_1, x_2];
- the average of natural over [nu, b], b = nu + w, is natural(theta'). Differentiated, this is
  w' = 1 + (natural(theta') - natural(nu)) / (natural(b) - natural(theta')), of which numerator and
  denominator increase with x (the second term is 0 where b is the upper end of the means); and
  d'/d = 1/y + rho^2 / (y (kappa y + rho^2)) decreases. So (log v)' = w'/w - d'/d lies between two
  known slopes, and log v lies below the lines with these slopes through its values at x_1 and x_2.

The error of the second bound is of the order of the square of the interval's width, so 20 to 100
evaluations of v are enough.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import exp, inf, log, sqrt
from typing import NamedTuple

from .close_means import natural_rise, reach
from .setting import Setting

_PRECISION = 1e-9  # relative width of the bracket at which to stop; w is known to about 1e-10
_MOST_INTERVALS = 20_000  # 200 times what any tested problem took. If reached, the result is
# a larger upper bound, which is still safe.


class _Point(NamedTuple):
    """A point x with log v(x), and what the bounds need there.

    w: w(x). below, above: the rise of natural from nu to theta' and from theta' to nu + w.
    log_d, d_slope: log d and d'/d.
    """

    x: float
    log_v: float
    w: float
    below: float
    above: float
    log_d: float
    d_slope: float


def supremum(given: Setting) -> float:
    """The supremum of v, at most a relative 1e-9 too large; infinite if K* is 0 at the least
    reward."""
    shift = 0.5 * given.epsilon * given.gap
    target = given.best - shift
    depth = target - given.law.reward_interval().low
    if reach(given.family, target, depth) == inf:
        return inf
    first = _point(given, target, shift, shift / 64.0)
    last = _point(given, target, shift, depth)  # depth >= shift: rewards reach the second mean
    best = max(first.log_v, last.log_v)
    # Below `first` the first bound alone prunes: v <= 4 w(s/64) / d(s) < 4 w(s) / d(2 s) = v(s).
    rest = log(4.0 * first.w) - log(given.exponent(shift))
    heap: list[tuple[float, _Point, _Point]] = []
    heappush(heap, (-_upper(first, last), first, last))
    for _ in range(_MOST_INTERVALS):
        upper = -heap[0][0]
        if upper <= best + _PRECISION:
            break
        _, left, right = heappop(heap)
        wide = right.x > 4.0 * left.x
        x = sqrt(left.x) * sqrt(right.x) if wide else 0.5 * (left.x + right.x)
        if not left.x < x < right.x:  # adjacent floats: there is no number in between
            upper = max(left.log_v, right.log_v)
            heappush(heap, (-upper, left, right))
            break
        middle = _point(given, target, shift, x)
        best = max(best, middle.log_v)
        heappush(heap, (-_upper(left, middle), left, middle))
        heappush(heap, (-_upper(middle, right), middle, right))
    return exp(max(best, -heap[0][0], rest))


def _point(given: Setting, target: float, shift: float, x: float) -> _Point:
    family, y = given.family, shift + x
    w = reach(family, target, x)
    low, high = family.mean_range()
    below = -natural_rise(family, target, -x) if target - x > low else inf
    above = natural_rise(family, target, w - x) if target + (w - x) < high else inf
    log_d = log(given.exponent(y))
    square = given.rho * given.rho
    slope = (1.0 + square / (given.kappa * y + square)) / y
    return _Point(x, log(4.0 * w) - log_d, w, below, above, log_d, slope)


def _upper(left: _Point, right: _Point) -> float:
    """An upper bound of log v between two points."""
    plain = log(4.0 * right.w) - left.log_d
    most = _w_slope(right.below, left.above) / left.w - right.d_slope
    least = _w_slope(left.below, right.above) / right.w - left.d_slope
    if least >= 0.0:
        return right.log_v
    if most <= 0.0:
        return left.log_v
    if most == inf:
        return plain
    width = right.x - left.x
    where = (right.log_v - left.log_v - least * width) / (most - least)
    return min(plain, left.log_v + most * where)


def _w_slope(below: float, above: float) -> float:
    if above == inf:
        return 1.0 if below < inf else inf
    return 1.0 + below / above if above > 0.0 else inf
