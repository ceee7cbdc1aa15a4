"""Confidence sequences: intervals of an arm's mean, and of the difference of two arms' means, that
hold at every look at once, for data that any policy collected."""

from __future__ import annotations

from math import inf, log, sqrt
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .._numba.compile import Floats, kernel, njit
from ..errors import ParameterError, Words, number
from ..families import Bounded
from ..special import gamma_cdf, log_gamma
from .mixtures import SIZE, intervals, joint_wealth, log_wealth, mixture_of, prior_size

T = TypeVar("T", float, Floats)


def interval(
    family: object, pulls: ArrayLike, total: ArrayLike, level: float = 0.95, best_at: float = 250.0
) -> tuple[Floats, Floats]:
    """The confidence sequence of arms' means after `pulls` rewards that add up to `total`.

    Each interval contains its mean at all times at once with probability `level`.
    family: what is assumed of rewards; with Bernoulli, only that they are in [0, 1].
    best_at: the number of pulls at which intervals are narrowest, chosen before data is seen.

    >>> from rbmle import Bernoulli
    >>> low, high = interval(Bernoulli(), [100, 1_000], [50, 500])
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.347, 0.451], [0.653, 0.549])
    """
    kind, worth, unit = _mixture(family)
    n, sums = np.broadcast_arrays(np.asarray(pulls, float), np.asarray(total, float))
    sums = _from_the_end(family, n, sums)
    n, sums = np.atleast_1d(n * worth), np.atleast_1d(sums * (worth / unit))
    ends = np.empty((2, n.size))
    bound = log(1.0 / (1.0 - number("interval", "level", level, "(0, 1)")))
    intervals(kind, prior_size(best_at), n.ravel(), sums.ravel(), bound, ends)
    low, high = unit * ends + (family.low if isinstance(family, Bounded) else 0.0)
    return low.reshape(n.shape), high.reshape(n.shape)


def difference(
    family: object, a: tuple[float, float], b: tuple[float, float], level: float = 0.95
) -> tuple[float, float]:
    """The confidence sequence of the mean of arm a minus that of arm b, each (pulls, total).

    >>> from rbmle import Gaussian
    >>> low, high = difference(Gaussian(), (1_000, 500.0), (1_000, 300.0))
    >>> round(low, 3), round(high, 3)
    (0.036, 0.364)
    """
    kind, worth, unit = _mixture(family)
    if not (a[0] > 0 and b[0] > 0):
        return -inf, inf
    first, second = ((n * worth, _from_the_end(family, n, s) * worth / unit) for n, s in (a, b))
    bound = log(1.0 / (1.0 - number("difference", "level", level, "(0, 1)")))
    ends = (_apart(kind, SIZE, first, second, bound, side) for side in (-1.0, 1.0))
    low, high = (unit * float(each) for each in ends)
    return low, high


def beats(
    family: object, leader: tuple[float, float], rivals: tuple[Floats, Floats], alpha: float
) -> bool:
    """Whether the leader's mean is above that of each rival: for each, at all times at once, this
    is false with probability at most alpha. Rivals: their pulls and totals."""
    kind, worth, unit = _mixture(family)
    pulls, totals = worth * rivals[0], (worth / unit) * _from_the_end(family, *rivals)
    known = leader[0] * worth, _from_the_end(family, *leader) * worth / unit
    order = np.argsort(-totals / pulls)  # the closest first, as one that is not beaten is enough
    return bool(_beats_all(kind, SIZE, known, pulls[order], totals[order], log(1.0 / alpha)))


def _mixture(family: object) -> tuple[int, float, float]:
    found = mixture_of(family)
    if found is None:
        allowed = "one of the package's, for a confidence sequence"
        raise ParameterError("interval", "family", allowed, Words(type(family).__name__))
    return found


def _from_the_end(family: object, pulls: T, total: T) -> T:
    """The sums of rewards, counted from the lower end of `Bounded`."""
    if not isinstance(family, Bounded):
        return total
    counted: T = np.clip(total - family.low * pulls, 0.0, family.width() * pulls)
    return counted


@kernel
def _beats_all(
    kind: int, size: float, leader: tuple[float, float], pulls: Floats, totals: Floats, bound: float
) -> bool:
    n, total = leader
    own = total / n
    top = log_wealth(kind, size, n, total, own)
    for i in range(pulls.size):
        rival = pulls[i], totals[i]
        mean = totals[i] / pulls[i]
        if not mean < own:
            return False
        # Quick: at x between the two means one of the wealths is at least what it is at `mid`,
        # and the other at least what it is at its arm's own mean.
        weight = sqrt(n) / (sqrt(n) + sqrt(pulls[i]))
        mid = weight * own + (1.0 - weight) * mean
        least = log_wealth(kind, size, pulls[i], totals[i], mean)
        up = log_wealth(kind, size, n, total, mid) + least
        down = log_wealth(kind, size, pulls[i], totals[i], mid) + top
        if up >= bound and down >= bound:
            continue
        if not joint_wealth(kind, size, leader, rival, 0.0) >= bound:
            return False
    return True


@kernel
def _apart(
    kind: int,
    size: float,
    a: tuple[float, float],
    b: tuple[float, float],
    bound: float,
    side: float,
) -> float:
    """The end on this side of the differences that the joint wealth does not rule out."""
    near = a[1] / a[0] - b[1] / b[0]
    step, far = 1.0 / sqrt(min(a[0], b[0])), near
    while True:
        far = near + side * step
        if kind == 1 and far * side >= 1.0:
            far = side
        if joint_wealth(kind, size, a, b, far) >= bound:
            break
        if far * side >= 1.0 and kind == 1:
            return side
        if step > 1e290:
            return side * inf
        near = far
        step *= 2.0
    for _ in range(60):
        mid = 0.5 * (near + far)
        if joint_wealth(kind, size, a, b, mid) >= bound:
            far = mid
        else:
            near = mid
        if abs(far - near) <= 1e-12 * max(abs(far), 1e-6):
            break
    return far


def gamma_exponential_bound(
    variance: ArrayLike, alpha: float, best_at: float, scale: float
) -> Floats:
    """How far above its mean a sum of sub-exponential steps of this scale ever is, but with
    probability alpha: the gamma-exponential mixture of Howard et al., Proposition 9."""
    wanted = np.atleast_1d(np.asarray(variance, float))
    found = np.empty(wanted.size)
    rho = best_at * prior_size(1.0, 2.0 * 0.05)  # the alpha of one side
    _gamma_exponential(wanted.ravel(), log(1.0 / alpha), rho, scale, found)
    return found.reshape(wanted.shape)


def empirical_bernstein(
    rewards: ArrayLike,
    level: float = 0.95,
    low: float = 0.0,
    high: float = 1.0,
    best_at: float = 25.0,
) -> tuple[Floats, Floats]:
    """The confidence sequence of the mean of rewards in [low, high], of any law, after each one.

    It knows no variance: that is the sum of squared distances of each reward from the mean of those
    before it (Howard et al., Theorem 4). best_at: the sum at which it is tightest, in units of
    (high - low)^2.
    """
    x = np.asarray(rewards, float)
    if x.size and not (low <= x.min() and x.max() <= high):
        out = x[(x < low) | (x > high)][0]
        raise ParameterError("interval", "rewards", f"numbers in [{low:g}, {high:g}]", float(out))
    n, width = np.arange(1, x.size + 1), high - low
    means = x.cumsum() / n
    before = np.concatenate([[0.5 * (low + high)], means[:-1]])
    variance = np.square(x - before).cumsum()
    alpha = 0.5 * (1.0 - number("interval", "level", level, "(0, 1)"))
    radius = gamma_exponential_bound(variance, alpha, best_at * width * width, width) / n
    return np.maximum(means - radius, low), np.minimum(means + radius, high)


@kernel
def _gamma_exponential(
    variances: Floats, bound: float, rho: float, scale: float, found: Floats
) -> None:
    a = rho / (scale * scale)
    prior = a * log(a) - log_gamma(a) - log(gamma_cdf(a, a))
    for i in range(variances.size):
        v = variances[i] / (scale * scale)
        near, far = 0.0, max(v, 1.0)
        while _excess(v, a, prior, far) < bound:
            near, far = far, 2.0 * far
        for _ in range(50):
            mid = 0.5 * (near + far)
            if _excess(v, a, prior, mid) < bound:
                near = mid
            else:
                far = mid
        found[i] = scale * near


@njit
def _excess(v: float, a: float, prior: float, s: float) -> float:
    """The logarithm of the gamma-exponential mixture at the sum s, in units of the scale."""
    x = s + v + a
    mixed = log_gamma(v + a) + log(gamma_cdf(x, v + a)) - (v + a) * log(x)
    return prior + mixed + s + v
