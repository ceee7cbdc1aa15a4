"""The three functions in which the analysis is written: D, xi and K* (Sections 3.2 and 4).

Their plain formulas subtract nearly equal numbers. For means that are close together they are
computed from integrals of positive functions instead. With natural' = 1/V, where V is the variance
of a reward with mean theta,

    natural(theta + s) - natural(theta) = s   int_0^1 du       / V(theta + s u)
    D(theta + s, theta)                 = s^2 int_0^1 (1 - u) du / V(theta + s u)

The plain formula of D loses a factor of about (theta / s)^2 in accuracy: all digits at s = 1e-8.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, inf

import numpy as np

from ..errors import Interval, ParameterError, number
from ..families import FAMILIES, Family, Gaussian
from ..families.protocols import require_by_sums
from ..policies.fit import as_family

# Gauss-Legendre nodes u in [0, 1], and the weights of du and of (1 - u) du.
_x, _w = np.polynomial.legendre.leggauss(10)
_NODES, _DU, _REST_DU = (
    each.tolist() for each in (0.5 * (1.0 + _x), 0.5 * _w, 0.25 * _w * (1.0 - _x))
)

# The integrals are used for steps up to this share of the distance to the ends of the range. There
# the ten-point rule is exact to rounding (V is analytic up to the ends). Beyond it the plain
# formula of D has a relative error of at most 1e-13.
_CLOSE = 0.05

# K* is taken from its expansion up to this share, where the relative error is about the square of
# the share; beyond it from bisection, where rounding costs 1e-16 / 1e-5.
_VERY_CLOSE = 1e-5


def divergence(family: object, m1: float, m2: float) -> float:
    """D(theta', theta'') of Section 4: the KL divergence between two rewards with these means.

    It is infinite where rewards that have mean m1 are impossible with mean m2.

    >>> from rbmle import Bernoulli
    >>> round(divergence(Bernoulli(), 0.2, 0.5), 6), divergence(Bernoulli(), 0.2, 1.0)
    (0.192745, inf)
    """
    return kl(*_checked("divergence", family, m1, m2))


def xi(family: object, k: float, nu: float) -> float:
    """xi(k; nu) = k (F*(nu + 1/k) - F*(nu)) of Section 3.2, with its limits.

    It is the average of the natural parameter over the means from nu to nu + 1/k. Times alpha, it
    is the index of an arm pulled k alpha times: I(nu, k alpha, alpha) = alpha xi(k; nu). It
    decreases in k, from the supremum of the natural parameter at k = 0 (0 for exponential and gamma
    rewards, infinity for the others) to natural(nu) at k = infinity. It is infinite while nu + 1/k
    is beyond the upper end of the means; for Bernoulli rewards it jumps there.

    >>> from rbmle import Exponential, Gaussian
    >>> xi(Gaussian(), 2.0, 0.5), xi(Gaussian(), inf, 0.5), xi(Exponential(), 0.0, 0.5)
    (0.75, 0.5, 0.0)
    """
    model = family_of("xi", family)
    k = number("xi", "k", k, "[0, inf]")
    low, high = model.mean_range()
    nu = number("xi", "nu", nu, _closed_range(model))
    if k == 0.0 or 1.0 / k == inf:
        return inf if high < inf else _highest_natural(model)
    if nu == high:
        return inf
    if k == inf:
        return model.natural(nu) if nu > low else -inf
    return model.xi(k, nu)


def k_star(family: object, m1: float, m2: float) -> float:
    """K*(theta', theta'') = inf {k : natural(theta') > xi(k; theta'')} of Section 3.2.

    An arm with empirical mean theta'' loses against one with theta' once it has been pulled more
    than K* alpha(t) times (Lemma 2). Special cases, which `explain_k_star` names:
    infinity unless theta' > theta'', because no k satisfies the definition;
    0 where every k does, as for exponential rewards at theta'' = 0;
    1/(high - theta'') where xi jumps past natural(theta'), as for Bernoulli rewards with
    theta' > 1/2 and theta'' = 0.

    >>> from rbmle import Bernoulli, Exponential, Gaussian
    >>> round(k_star(Gaussian(), 1.0, 0.5), 12), k_star(Gaussian(), 0.5, 1.0)
    (1.0, inf)
    >>> round(k_star(Bernoulli(), 0.9, 0.0), 12), k_star(Exponential(), 1.0, 0.0)
    (1.0, 0.0)
    """
    model, m1, m2 = _checked("k_star", family, m1, m2)
    _, high = model.mean_range()
    if m1 > m2 and m1 == high:  # natural(theta') is infinite: every k with a finite xi will do
        return 1.0 / (high - m2)
    return k_star_of(model, m1, m2)


def explain_k_star(family: object, m1: float, m2: float) -> str:
    """K*(m1, m2) in one sentence: its value, and whether the paper's conditions for it hold.

    >>> from rbmle import Bernoulli, Exponential
    >>> explain_k_star(Exponential(), 1.0, 0.0)
    "K* = 0: F* is infinite at theta'' = 0, so every k satisfies the definition."
    >>> explain_k_star(Bernoulli(), 0.3, 0.4)
    "K* is infinite: Lemma 2 needs theta' > theta''. Got 0.3 and 0.4."
    """
    value = k_star(family, m1, m2)
    if value == inf:
        return f"K* is infinite: Lemma 2 needs theta' > theta''. Got {m1:g} and {m2:g}."
    if value == 0.0:
        return f"K* = 0: F* is infinite at theta'' = {m2:g}, so every k satisfies the definition."
    _, high = family_of("k_star", family).mean_range()
    end = 1.0 / (high - m2)
    if abs(value - end) <= 1e-12 * end:
        return (
            f"K* = {value:g}: theta'' + 1/k reaches the upper end {high:g} of the means, where xi "
            f"jumps to infinity; natural(theta') = xi(k; theta'') has no solution."
        )
    return f"K* = {value:g} solves natural(theta') = xi(k; theta'')."


def family_of(owner: str, family: object) -> Family:
    """The given family, or the one of the given name; anything else is refused."""
    model: Family = as_family(family, owner)
    if not isinstance(model, tuple(FAMILIES.values())):
        raise ParameterError(owner, "family", "a reward family, as in Bernoulli()", family)
    require_by_sums(owner, model)
    return model


def _checked(owner: str, family: object, m1: float, m2: float) -> tuple[Family, float, float]:
    model = family_of(owner, family)
    means = _closed_range(model)
    return model, number(owner, "m1", m1, means), number(owner, "m2", m2, means)


def _closed_range(family: Family) -> Interval:
    """The range of the means, including its finite ends."""
    low, high = family.mean_range()
    return Interval(low, high, closed_low=low > -inf, closed_high=high < inf)


def _highest_natural(family: Family) -> float:
    """The limit of natural(theta) for large theta, judged from its values at 1e150 and 1e300."""
    large, larger = family.natural(1e150), family.natural(1e300)
    if larger - large > 1e-9 * max(1.0, abs(larger)):
        return inf
    return 0.0 if abs(larger) < 1e-100 else larger


def natural_rise(family: Family, mean: float, step: float) -> float:
    """natural(mean + step) - natural(mean)."""
    if isinstance(family, Gaussian):
        return step / family.sigma / family.sigma
    if abs(step) > _CLOSE * _room(family, mean):
        return family.natural(mean + step) - family.natural(mean)
    return step * _over_variance(family, mean, step, _DU)


def kl_from(family: Family, mean: float, step: float) -> float:
    """D(mean + step, mean)."""
    if isinstance(family, Gaussian):
        return family.kl(step, 0.0)
    if abs(step) > _CLOSE * _room(family, mean):
        return family.kl(mean + step, mean)
    return step * (step * _over_variance(family, mean, step, _REST_DU))


def _over_variance(family: Family, mean: float, step: float, weights: Sequence[float]) -> float:
    """The integral over u of the weight / V(mean + step u)."""
    variances = (family.variance(mean + u * step) for u in _NODES)
    return fsum(weight / each for weight, each in zip(weights, variances, strict=True))


def kl(family: Family, mean: float, other: float) -> float:
    """D(mean, other)."""
    step = mean - other
    close = abs(step) <= _CLOSE * _room(family, other)
    return kl_from(family, other, step) if close else family.kl(mean, other)


def k_star_of(family: Family, mean: float, other: float) -> float:
    """K*(mean, other)."""
    close = 0.0 < mean - other <= _VERY_CLOSE * _room(family, mean)
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
    scale = _room(family, mean)
    if not depth <= _VERY_CLOSE * scale:
        k = family.k_star(mean, mean - depth)
        return 1.0 / k if k > 0.0 else inf
    h = 1e-3 * scale
    rise, fall = natural_rise(family, mean, h), natural_rise(family, mean, -h)
    bend = 2.0 * (rise + fall) / (h * (rise - fall))  # natural'' / natural'
    return 2.0 * depth * (1.0 - bend * depth / 6.0)


def _room(family: Family, mean: float) -> float:
    """The distance of the mean to the nearest end of its range.

    It is 0, so that the plain formulas are used, for a range without ends and for a family without
    a method `variance`.
    """
    low, high = family.mean_range()
    distance = min(mean - low, high - mean)
    return distance if distance < inf and hasattr(family, "variance") else 0.0
