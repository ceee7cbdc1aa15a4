"""Which of several independent posteriors has the largest draw: p_a for every one, compiled.

For posteriors of density f and distribution function F

    p_a = integral of h_a P dy,   h = f / F,   P = prod_i F_i,

over panels of 12 Gauss-Legendre nodes. y is a coordinate in which every posterior is log-concave
and smooth: the mean of a normal posterior, the log-odds of a beta, the logarithm of a gamma or an
inverse gamma variable. In it the log density of each kind is A_i d + B_i v(d) + C_i, where d is the
distance from the first panel and v is common to all posteriors: so a node costs one v, and each
posterior an exponential. Nothing forces the p_a to add up to 1: their sum shows whether P, which is
steeper than any F where there are many posteriors, needs smaller panels. (`beliefs` has the same
integrals, and more of them, for arms that were pulled; here any proper posterior will do.)
"""

from __future__ import annotations

from math import exp, expm1, inf, log, log1p, sqrt
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats, kernel, lean, njit, record
from ..special.beta import beta_scale
from ..special.gamma import gamma_scale
from ..special.normal import INV_SQRT_2PI
from .quadrature_panels import CLOSE, LEAST, NODES, UP_TO, WIDEST, W, X, sum_of_products

NORMAL, BETA, GAMMA, INVERSE_GAMMA = 0, 1, 2, 3
_DROP = 25.0  # of the log density at the ends of a posterior: about 1e-11 of it is outside
_MOST_PARTS, _MAX_PANELS = 64.0, 4_096
_NEVER = 1e-18  # where P is less, the largest draw never is
_MANY = 100  # from so many on, panels are a third narrower at first: else sums are 1e-7 to 5e-6 off
_FAR = 300.0  # where the range of the largest draw is longer, exp(d) may overflow: v is not used


@njit
def log_density(kind: int, a: float, b: float, z: float) -> float:
    """The logarithm of f / f(mode) at the distance z from the mode."""
    if kind == NORMAL:
        return -0.5 * (z / b) * (z / b)
    if kind != BETA:
        z = min(-z if kind == INVERSE_GAMMA else z, 700.0)  # exp(710) overflows
        return a * (z - expm1(z))
    power, size = a if z < 0.0 else b, a + b
    z = -abs(z)  # on either side of the mode, the form that neither cancels nor overflows
    return power * z - size * log1p(power / size * expm1(z))


@njit
def mode_of(kind: int, a: float, b: float) -> float:
    """The mode of a posterior, in y."""
    if kind == NORMAL:
        return a
    return log(b) - log(a) if kind == INVERSE_GAMMA else log(a) - log(b)


@njit
def value_at(kind: int, y: float) -> float:
    """The variable whose coordinate is y."""
    if kind == NORMAL:
        return y
    return 1.0 / (1.0 + exp(-y)) if kind == BETA else exp(min(y, 700.0))


@njit
def sd_of(kind: int, a: float, b: float) -> float:
    """About the standard deviation of a posterior, in y."""
    if kind == NORMAL:
        return b
    return sqrt(1.0 / a + 1.0 / b) if kind == BETA else 1.0 / sqrt(a)


@njit
def mass_of(kind: int, a: float, b: float) -> float:
    """The integral of f / f(mode) over all y."""
    if kind == NORMAL:
        return b / INV_SQRT_2PI
    return 1.0 / (beta_scale(a, b) if kind == BETA else gamma_scale(a))


@njit
def reach(kind: int, a: float, b: float, sd: float) -> float:
    """How far a posterior reaches from its mode: to the right, or to the left if sd < 0."""
    far = 5.0 * sd
    while log_density(kind, a, b, far) > -_DROP:
        far *= 1.2
    return far


@record
class Posteriors(NamedTuple):
    """Posteriors of one kind: their parameters, their modes, and where they begin and end.

    All places in y are from `top`, the largest mode, so that they keep their digits.
    """

    kind: int
    a: Floats
    b: Floats
    mode: Floats
    low: Floats
    high: Floats
    top: float

    def density(self, i: int, y: float) -> float:
        return exp(log_density(self.kind, self.a[i], self.b[i], y - self.mode[i]))

    def panel_at(self, i: int, y: float) -> float:
        """How wide a panel may be that begins at y.

        A density turns from one exponential to another over a length of 1: that of a beta at log a
        and at -log b, or at 0 if a or b is below 1.
        """
        kind, a, b = self.kind, self.a[i], self.b[i]
        if kind == NORMAL:
            return float(WIDEST * b)
        y, least = y + self.top, a
        if kind == BETA:
            least = min(a, b)
            away = min(abs(y - log(max(a, 1.0))), abs(y + log(max(b, 1.0))))
        else:
            away = abs(y - log(b)) if kind == INVERSE_GAMMA else abs(y + log(b))
        unit = max(sd_of(kind, a, b), 1.0 / least)  # the latter where a tail falls slowly
        return float(min(WIDEST * unit, WIDEST + 0.2 * away))

    def lay(self, begin: float, end: float, parts: float, left: Floats, span: Floats) -> int:
        """Cover an interval with panels, of which each has so many parts; returns how many."""
        y, count = begin, 0
        while y < end and count < left.size:
            h = end - y
            for i in range(self.a.size):
                if self.high[i] > y:
                    h = min(h, self.panel_at(i, y) / parts)
            left[count], span[count] = y, h
            y += h
            count += 1
        return count

    def fill(self, i: int, begin: float, span: Floats, d: Floats, v: Floats, f: Floats) -> None:
        """Fill f with the density at the nodes, in units of their panels."""
        kind, a, b, z = self.kind, self.a[i], self.b[i], begin - self.mode[i]
        if v.size == 0:
            for k in range(f.size):
                f[k] = self.density(i, begin + d[k]) * span[k // NODES]
            return
        A, B = a, a + b
        if kind == NORMAL:
            A, B = -z / (b * b), 1.0 / (b * b)
        elif kind == GAMMA:
            B = a * exp(z)
        elif kind == INVERSE_GAMMA:
            A, B = -a, a * exp(-z)
        C = log_density(kind, a, b, z)
        for k in range(f.size):
            f[k] = exp(A * d[k] + B * v[k] + C) * span[k // NODES]


@lean
def accumulate(whole: float, f: Floats, below: Floats) -> float:
    """Fill `below` with the integral of a density up to each node, where f is the density at the
    nodes, up to its end, and `whole` its integral; returns that."""
    inside = 0.0
    for k in range(f.size):
        inside += W[k % NODES] * f[k]
    mass = max(whole - inside, 0.0)  # before the first node
    for first in range(0, f.size, NODES):
        for k in range(NODES):
            below[first + k] = mass
        for m in range(NODES):  # outside, so that the processor adds several nodes at once
            for k in range(NODES):
                below[first + k] += UP_TO[m, k] * f[first + m]
        for k in range(NODES):
            below[first + k] = max(below[first + k], LEAST)
        for m in range(NODES):
            mass += W[m] * f[first + m]
    return mass


@lean
def common(kind: int, begin: float, d: Floats, v: Floats) -> None:
    """Fill v with what the log densities have in common at the distances d from `begin`."""
    odds = 1.0 / (1.0 + exp(-begin)) if kind == BETA else 0.0
    for k in range(v.size):
        if kind == NORMAL:
            v[k] = -0.5 * d[k] * d[k]
        elif kind == BETA:
            v[k] = -log1p(odds * expm1(d[k]))
        else:
            v[k] = -expm1(d[k] if kind == GAMMA else -d[k])


@kernel
def largest_draw(kind: int, a: Floats, b: Floats, times: Floats, best: Floats) -> float:
    """Fill `best` with the p_a of posteriors of this kind; returns the mean of the largest draw.

    times: how many posteriors there are with these a and b; `best` is that of one of them.
    Posteriors that reach the range of the largest draw with a probability below 1e-11 get 0.
    """
    n = a.size
    mode, low, high = np.empty(n), np.empty(n), np.empty(n)
    for i in range(n):
        mode[i] = mode_of(kind, a[i], b[i])
    top, begin, end = mode.max(), -inf, -inf
    for i in range(n):
        mode[i] -= top
        sd = sd_of(kind, a[i], b[i])
        low[i] = mode[i] + reach(kind, a[i], b[i], -sd)
        high[i] = mode[i] + reach(kind, a[i], b[i], sd)
        begin, end = max(begin, low[i]), max(end, high[i])
    posteriors = Posteriors(kind, a, b, mode, low, high, top)
    left, span = np.empty(_MAX_PANELS), np.empty(_MAX_PANELS)
    parts = 1.0 if times.sum() < _MANY else 1.5
    while True:
        panels = posteriors.lay(begin, end, parts, left, span)
        nodes = panels * NODES
        d, P, below = np.empty(nodes), np.empty(nodes), np.empty(nodes)
        v = np.empty(nodes if end - begin < _FAR else 0)
        for k in range(nodes):
            p = k // NODES
            d[k], P[k] = left[p] + span[p] * X[k % NODES] - begin, W[k % NODES]
        common(kind, begin + top, d, v)
        hazard, dead = np.zeros((n, nodes)), 0
        for i in range(n):
            if high[i] > begin:
                reached = NODES * np.searchsorted(left[:panels], high[i])
                f, F = hazard[i, dead:reached], below[dead:reached]
                posteriors.fill(i, begin, span[dead // NODES :], d[dead:], v[dead:], f)
                mass = accumulate(mass_of(kind, a[i], b[i]), f, F)
                for k in range(f.size):
                    f[k] /= F[k]
                    F[k] /= mass
                    P[dead + k] *= F[k]
                if times[i] > 1.0:
                    for k in range(f.size):
                        P[dead + k] *= F[k] ** (times[i] - 1.0)
                while P[dead + NODES - 1] < _NEVER and dead + NODES < nodes:
                    P[dead : dead + NODES] = 0.0
                    dead += NODES
        total, mean = 0.0, 0.0
        for i in range(n):
            best[i] = sum_of_products(P, hazard[i])
            total += times[i] * best[i]
        if abs(total - 1.0) <= CLOSE or parts >= _MOST_PARTS:
            for k in range(nodes):
                below[k] = P[k] * value_at(kind, begin + top + d[k])
            for i in range(n):
                mean += times[i] * sum_of_products(below, hazard[i])
                best[i] /= total
            return mean / total
        parts *= 2.0
