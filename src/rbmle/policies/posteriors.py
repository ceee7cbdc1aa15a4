"""What conjugate posteriors say of the arms: intervals of means, and which mean is the largest.

`probability_best` computes, as `beliefs` does for independent posteriors of density f and
distribution function F,

    p_a = integral of h_a P dy,   h = f / F,   P = prod_i F_i,

over panels of 12 Gauss-Legendre nodes. IDS must be quick for arms that were pulled; here any proper
posterior must do, also that of an arm without rewards, under any prior that a family allows. So y
is a coordinate in which every posterior is log-concave and smooth: the mean of a normal posterior,
the log-odds of a beta, the logarithm of a gamma or an inverse gamma variable.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError, Words
from .quadrature_panels import UP_TO, W, X

LEVEL = 0.95  # of `central_interval`
# Panels are halved until no probability changes by more than this. What is returned is that of the
# smaller panels, whose error is about the square of the change.
CLOSE = 1e-8
_DROP = 25.0  # of the log density at the ends of a posterior: about 1e-11 of it is outside
_RISE = 8.0  # of the log density within one of the first panels; in tails, half the drop more
_MAX_HALVINGS, _MAX_PANELS = 6, 4_096


class _Posteriors:
    """Posteriors of one kind, see `Conjugate.posterior_law`; a row for each.

    mode: in y, from the largest mode. low, high: beyond these is 1e-11 of the posterior.
    turn: where a beta or gamma density turns from one exponential to another, over a length of 1.
    """

    def __init__(self, kind: str, a: Floats, b: Floats) -> None:
        self.kind, self.a, self.b = kind, a[:, None], b[:, None]
        self.sign = -1.0 if kind == "inverse gamma" else 1.0
        if kind == "normal":
            top, self.turn, scale = self.a, self.a, self.b
        else:
            top = self.sign * (np.log(self.a) - np.log(self.b))
            self.turn = 0.0 * top if kind == "beta" else -self.sign * np.log(self.b)
            scale = 1.0 / np.sqrt(self.a)
            if kind == "beta":
                scale = np.hypot(scale, 1.0 / np.sqrt(self.b))
        self.mode, self.turn = top - top.max(), self.turn - top.max()
        self.low, self.high = self.mode - self._reach(scale, -1), self.mode + self._reach(scale, 1)

    def _reach(self, scale: Floats, side: int) -> Floats:
        far = scale.copy()
        while (near := self.log_density(self.mode + side * far) > -_DROP).any():
            far[near] *= 1.3
        return far

    def log_density(self, y: Floats) -> Floats:
        """The logarithm of f(y) / f(mode), for each posterior and each y."""
        z = self.sign * (y - self.mode)
        if self.kind == "normal":
            return np.asarray(-0.5 * np.square(z / self.b))
        if self.kind != "beta":
            z = np.minimum(z, 700.0)  # exp(710) overflows
            return np.asarray(self.a * (z - np.expm1(z)))
        power, size = np.where(z < 0.0, self.a, self.b), self.a + self.b
        z = -np.abs(z)  # on either side of the mode, the form that neither cancels nor overflows
        return np.asarray(power * z - size * np.log1p(power / size * np.expm1(z)))

    def panels(self) -> tuple[Floats, Floats]:
        """Where the first panels begin, in order, and their widths."""
        made: list[tuple[Floats, Floats]] = []
        left = self.low.min(keepdims=True)[0]
        widths = self.high.max(keepdims=True)[0] - left
        while left.size:
            fits = self._fits(left, widths) | (len(made) * left.size > _MAX_PANELS)
            made.append((left[fits], widths[fits]))
            left, widths = _halved(left[~fits], widths[~fits])
        starts, lengths = (np.concatenate(each) for each in zip(*made, strict=True))
        order = starts.argsort()
        return starts[order], lengths[order]

    def _fits(self, left: Floats, widths: Floats) -> Floats:
        """Whether every posterior is smooth enough in a panel, or does not reach it."""
        right = left + widths
        first, last = self.log_density(left), self.log_density(right)
        inside = (left < self.mode) & (self.mode < right)
        most = np.where(inside, 0.0, np.maximum(first, last))
        fits = most - np.minimum(first, last) <= _RISE - 0.5 * most
        if self.kind != "normal":
            away = np.maximum(np.maximum(left - self.turn, self.turn - right), 0.0)
            fits &= widths <= 2.5 + 0.25 * away
        return np.asarray((fits | (right <= self.low) | (left >= self.high)).all(axis=0))

    def best(self, left: Floats, widths: Floats) -> Floats:
        """p_a by these panels; they add up to 1 but for the error of the quadrature."""
        y = left[:, None] + widths[:, None] * X
        f = np.exp(self.log_density(y.ravel())).reshape(-1, *y.shape) * widths[:, None]
        masses = f @ W
        total = masses.sum(axis=1)[:, None, None]
        below = f @ UP_TO
        below += (masses.cumsum(axis=1) - masses)[:, :, None]
        below /= total
        np.maximum(below, 1e-300, out=below)  # where F rounds to 0, h stays finite
        P = np.exp(np.log(below).sum(axis=0))
        f /= below
        f *= P * W
        return np.asarray((f / total).sum(axis=(1, 2)))

    def converged(self) -> Floats:
        """p_a by panels that are halved until it no longer changes."""
        panels, change = self.panels(), 1.0
        found = self.best(*panels)
        for _ in range(_MAX_HALVINGS):
            if change <= CLOSE:
                break
            panels = _halved(*panels)
            before, found = found, self.best(*panels)
            change = np.abs(found - before).max()
        return np.asarray(found / found.sum())


def _halved(left: Floats, widths: Floats) -> tuple[Floats, Floats]:
    half = 0.5 * widths
    return np.stack([left, left + half], axis=1).ravel(), np.repeat(half, 2)


def probability_best(family: Any, pulls: Floats, sums: Floats) -> Floats:
    """The probability that each arm has the largest mean, to 1e-6, under the family's prior.

    pulls, sums: what is known of each arm, plain or effective.

    Coins that paid 0 of 0 and 1 of 1: the integral of 2 x^2 is 2/3.

    >>> from rbmle import Bernoulli
    >>> probability_best(Bernoulli(), np.array([0.0, 1.0]), np.array([0.0, 1.0])).round(6)
    array([0.333333, 0.666667])
    """
    if not hasattr(type(family), "posterior_law"):
        told = "one with a conjugate posterior, for probability_best"
        raise ParameterError("Decider", "family", told, Words(type(family).__name__))
    laws = list(map(family.posterior_law, pulls.tolist(), sums.tolist()))
    kind, (a, b) = laws[0][0], np.array([each[1:] for each in laws]).T
    if not (np.isfinite(a).all() and 0.0 < b.min() <= b.max() < np.inf):
        told = "one with a proper prior, for probability_best before every arm has a reward"
        raise ParameterError("Decider", "family", told, family)
    with np.errstate(all="ignore"):  # a density may underflow, and its logarithm overflow
        posteriors = _Posteriors(kind, a, b)
        (able,) = np.nonzero(posteriors.high[:, 0] > posteriors.low.max())
        best = np.zeros(a.size)  # that of other arms is below 1e-11
        best[able] = _Posteriors(kind, a[able], b[able]).converged()
    return best


def central_interval(family: Any, pulls: float, total: float) -> tuple[float, float] | None:
    """The central 95 % interval of the posterior of an arm's mean.

    None if the family has no posterior, or if that is so wide that an end is no finite number.
    """
    if not hasattr(type(family), "posterior_quantile"):
        return None
    tails = 0.5 + 0.5 * LEVEL, 0.5 - 0.5 * LEVEL
    try:
        low, high = (float(family.posterior_quantile(pulls, total, each)) for each in tails)
    except ArithmeticError:  # a division by a quantile that rounds to 0
        return None
    return (low, high) if isfinite(low) and isfinite(high) else None
