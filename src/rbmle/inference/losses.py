"""Who is probably the best arm, and what playing each loses, under conjugate posteriors.

As `policies.posteriors` computes the probabilities, with the density of the largest mean besides.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError, Words
from ..policies.quadrature_panels import UP_TO, W, X

CLOSE = 1e-8  # no probability changes by more when panels are halved
_DROP = 25.0  # of the log density at the ends of a posterior: about 1e-11 of it is outside
_RISE = 8.0  # of the log density within one of the first panels; in tails, half the drop more
_MAX_HALVINGS, _MAX_PANELS = 6, 4_096


def best_and_loss(family: Any, pulls: Floats, sums: Floats) -> tuple[Floats, Floats]:
    """`probability_best`, and what is lost for each round, by expectation under the posterior, if
    the arm is played from now on: the largest mean less its own."""
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
        best[able], largest = _Posteriors(kind, a[able], b[able]).converged()
        means = posteriors.mean()
        unit = family.posterior_mean(float(pulls[0]), float(sums[0])) / means[0]
        unit = unit if unit > 0.0 else 1.0  # it is NaN where both are 0 or infinite
        return best, np.maximum(unit * (largest - means), 0.0)


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
        self.shift = float(top.max())
        self.mode, self.turn = top - self.shift, self.turn - self.shift
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

    def mean_at(self, y: Floats) -> Floats:
        """The variable whose coordinate is y."""
        if self.kind == "normal":
            return np.asarray(y + self.shift)
        if self.kind == "beta":
            return np.asarray(1.0 / (1.0 + np.exp(-y - self.shift)))
        return np.asarray(np.exp(y + self.shift))

    def mean(self) -> Floats:
        """The mean of each variable; infinite for inverse gamma variables of shapes up to 1."""
        a, b = self.a[:, 0], self.b[:, 0]
        if self.kind == "inverse gamma":
            return np.asarray(np.where(a > 1.0, b / (a - 1.0), inf))
        return {"normal": a, "beta": a / (a + b), "gamma": a / b}[self.kind]

    def best(self, left: Floats, widths: Floats) -> tuple[Floats, float]:
        """p_a by these panels; they add up to 1 but for the error of the quadrature. And the
        expectation of the largest variable."""
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
        f /= total
        of_largest = f.sum(axis=0)  # its density
        return np.asarray(f.sum(axis=(1, 2))), float((of_largest * self.mean_at(y)).sum())

    def converged(self) -> tuple[Floats, float]:
        """The same by panels that are halved until p_a no longer changes."""
        panels, change = self.panels(), 1.0
        found, largest = self.best(*panels)
        for _ in range(_MAX_HALVINGS):
            if change <= CLOSE:
                break
            panels = _halved(*panels)
            before, (found, largest) = found, self.best(*panels)
            change = np.abs(found - before).max()
        return np.asarray(found / found.sum()), largest / float(found.sum())


def _halved(left: Floats, widths: Floats) -> tuple[Floats, Floats]:
    half = 0.5 * widths
    return np.stack([left, left + half], axis=1).ravel(), np.repeat(half, 2)
