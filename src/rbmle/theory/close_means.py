"""D, K* and differences of the natural parameter, accurate also for means that are close together.

Their plain formulas subtract nearly equal numbers. With natural' = 1/V, where V is the variance of
a reward with mean theta, they become integrals of positive functions instead:

    natural(theta + s) - natural(theta) = s   int_0^1 du       / V(theta + s u)
    D(theta + s, theta)                 = s^2 int_0^1 (1 - u) du / V(theta + s u)

The plain formula of D loses a factor of about (theta / s)^2 in accuracy: all digits at s = 1e-8.
"""

from __future__ import annotations

import math
from math import inf

import numpy as np

from ..families import Family, Gaussian

_NODES, _WEIGHTS = (x.tolist() for x in np.polynomial.legendre.leggauss(10))

# The integrals are used for steps up to this share of the distance to the ends of the range. There
# the ten-point rule is exact to rounding (V is analytic up to the ends). Beyond it the plain
# formula of D has a relative error of at most 1e-13.
_CLOSE = 0.05

# K* is taken from its expansion up to this share, where the relative error is about the square of
# the share; beyond it from bisection, where rounding costs 1e-16 / 1e-5.
_VERY_CLOSE = 1e-5


def natural_rise(family: Family, mean: float, step: float) -> float:
    """natural(mean + step) - natural(mean)."""
    if isinstance(family, Gaussian):
        return step / family.sigma / family.sigma
    if abs(step) > _CLOSE * room(family, mean):
        return family.natural(mean + step) - family.natural(mean)
    return step * math.fsum(
        0.5 * weight / family.variance(mean + 0.5 * (1.0 + node) * step)
        for node, weight in zip(_NODES, _WEIGHTS, strict=True)
    )


def kl_from(family: Family, mean: float, step: float) -> float:
    """D(mean + step, mean)."""
    if isinstance(family, Gaussian):
        return family.kl(step, 0.0)
    if abs(step) > _CLOSE * room(family, mean):
        return family.kl(mean + step, mean)
    integral = math.fsum(
        0.25 * weight * (1.0 - node) / family.variance(mean + 0.5 * (1.0 + node) * step)
        for node, weight in zip(_NODES, _WEIGHTS, strict=True)
    )
    return step * (step * integral)


def kl(family: Family, mean: float, other: float) -> float:
    """D(mean, other)."""
    step = mean - other
    close = abs(step) <= _CLOSE * room(family, other)
    return kl_from(family, other, step) if close else family.kl(mean, other)


def k_star(family: Family, mean: float, other: float) -> float:
    """K*(mean, other)."""
    close = 0.0 < mean - other <= _VERY_CLOSE * room(family, mean)
    return 1.0 / reach(family, mean, mean - other) if close else family.k_star(mean, other)


def reach(family: Family, mean: float, depth: float) -> float:
    """1 / K*(mean, mean - depth): the length of the interval from mean - depth upwards over which
    the natural parameter averages natural(mean).

    D(mean - depth + reach, mean) = D(mean - depth, mean), so reach is 2 depth for Gaussian rewards
    and 2 depth (1 - depth natural'' / (6 natural') + ...) for all families.
    """
    if depth <= 0.0:
        return 0.0
    if isinstance(family, Gaussian):
        return 2.0 * depth
    scale = room(family, mean)
    if not depth <= _VERY_CLOSE * scale:
        k = family.k_star(mean, mean - depth)
        return 1.0 / k if k > 0.0 else inf
    h = 1e-3 * scale
    rise, fall = natural_rise(family, mean, h), natural_rise(family, mean, -h)
    bend = 2.0 * (rise + fall) / (h * (rise - fall))  # natural'' / natural'
    return 2.0 * depth * (1.0 - bend * depth / 6.0)


def room(family: Family, mean: float) -> float:
    """The distance of the mean to the nearest end of its range.

    It is 0, so that the plain formulas are used, for a range without ends and for a family without
    a method `variance`.
    """
    low, high = family.mean_range()
    distance = min(mean - low, high - mean)
    return distance if distance < inf and hasattr(family, "variance") else 0.0
