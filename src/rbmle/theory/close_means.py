"""D, natural and K* of means that are close together, where the plain formulas cancel.

With natural' = 1/V, V the variance of a reward with mean theta, differences become integrals of
positive functions, which do not cancel:

    natural(theta + s) - natural(theta) = s   int_0^1 du       / V(theta + s u)
    D(theta + s, theta)                 = s^2 int_0^1 (1 - u) du / V(theta + s u)

The plain formula of D loses about (theta / s)^2 units in the last place: all of them at s = 1e-8.
"""

from __future__ import annotations

import math
from math import inf
from typing import Any

import numpy as np

from ..families import Gaussian

_PLACES, _WEIGHTS = (x.tolist() for x in np.polynomial.legendre.leggauss(10))

# Up to this share of the distance from the ends of the range the ten-point rule is exact to
# rounding (V is analytic up to the ends), and the plain D has lost 1e-13 at most beyond it.
_CLOSE = 0.05

# K* by its expansion up to this share, where it is right to its square; by bisection beyond, where
# rounding costs 1e-16 / 1e-5.
_VERY_CLOSE = 1e-5


def natural_rise(family: Any, mean: float, step: float) -> float:
    """natural(mean + step) - natural(mean)."""
    if isinstance(family, Gaussian):
        return step / family.sigma / family.sigma
    if abs(step) > _CLOSE * room(family, mean):
        return float(family.natural(mean + step) - family.natural(mean))
    return step * math.fsum(
        0.5 * weight / family.variance(mean + 0.5 * (1.0 + place) * step)
        for place, weight in zip(_PLACES, _WEIGHTS, strict=True)
    )


def kl_from(family: Any, mean: float, step: float) -> float:
    """D(mean + step, mean)."""
    if isinstance(family, Gaussian):
        return family.kl(step, 0.0)
    if abs(step) > _CLOSE * room(family, mean):
        return float(family.kl(mean + step, mean))
    integral = math.fsum(
        0.25 * weight * (1.0 - place) / family.variance(mean + 0.5 * (1.0 + place) * step)
        for place, weight in zip(_PLACES, _WEIGHTS, strict=True)
    )
    return float(step * (step * integral))


def kl(family: Any, mean: float, other: float) -> float:
    """D(mean, other)."""
    step = mean - other
    close = abs(step) <= _CLOSE * room(family, other)
    return kl_from(family, other, step) if close else float(family.kl(mean, other))


def k_star(family: Any, mean: float, other: float) -> float:
    """K*(mean, other)."""
    close = 0.0 < mean - other <= _VERY_CLOSE * room(family, mean)
    return 1.0 / reach(family, mean, mean - other) if close else float(family.k_star(mean, other))


def reach(family: Any, mean: float, depth: float) -> float:
    """1 / K*(mean, mean - depth): how far above mean - depth the mean must be biased, so that the
    natural parameter averages natural(mean) in between.

    D(mean - depth + reach, mean) = D(mean - depth, mean), so reach = 2 depth for Gaussian rewards
    and 2 depth (1 - depth natural'' / (6 natural') + ...) for any.
    """
    if depth <= 0.0:
        return 0.0
    if isinstance(family, Gaussian):
        return 2.0 * depth
    scale = room(family, mean)
    if not depth <= _VERY_CLOSE * scale:
        k = float(family.k_star(mean, mean - depth))
        return 1.0 / k if k > 0.0 else inf
    h = 1e-3 * scale
    rise, fall = natural_rise(family, mean, h), natural_rise(family, mean, -h)
    bend = 2.0 * (rise + fall) / (h * (rise - fall))  # natural'' / natural'
    return 2.0 * depth * (1.0 - bend * depth / 6.0)


def room(family: Any, mean: float) -> float:
    """How far the mean is from the ends of the range; 0, so that the plain formulas are used, where
    there are no ends or the family does not say its variance."""
    low, high = family.mean_range()
    distance = min(mean - low, high - mean)
    return float(distance) if distance < inf and hasattr(family, "variance") else 0.0
