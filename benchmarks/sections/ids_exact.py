"""The information ratio of coins by an independent method, to measure the accuracy of ours.

For whole numbers a and b, the distribution function of Beta(a, b) is a sum of binomial terms, and
theta times the density of Beta(a, b) is a / (a + b) times the density of Beta(a + 1, b). So the
integrals need no code of the package: only a fixed, fine Gauss-Legendre rule on [0, 1].
"""

from __future__ import annotations

from math import lgamma

import numpy as np

from .ids_reference import coin_divergence
from .timed_problems import Floats

_PANELS, _NODES = 160, 24  # a panel is 1/160 wide: half a standard deviation after 1,500 pulls
_GOLDEN = (5.0**0.5 - 1.0) / 2.0
_STEPS = 80  # golden sections: 0.618^80 < 1e-16

_x, _w = np.polynomial.legendre.leggauss(_NODES)
X: Floats = ((np.arange(_PANELS)[:, None] + 0.5 * (_x + 1.0)) / _PANELS).ravel()
W: Floats = np.tile(0.5 * _w / _PANELS, _PANELS)


def density(a: int, b: int) -> Floats:
    """The density of Beta(a, b) at the nodes."""
    scale = lgamma(a + b) - lgamma(a) - lgamma(b)
    return np.asarray(np.exp(scale + (a - 1) * np.log(X) + (b - 1) * np.log1p(-X)))


def below(a: int, b: int) -> Floats:
    """The distribution function of Beta(a, b) at the nodes: the probability of at least a successes
    in a + b - 1 trials."""
    n = a + b - 1
    total = np.zeros_like(X)
    for k in range(a, n + 1):
        scale = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
        total += np.exp(scale + k * np.log(X) + (n - k) * np.log1p(-X))
    return total


def regret_and_information(pulls: Floats, heads: Floats, variance: bool) -> tuple[Floats, Floats]:
    """The expected regret and the information of each coin, from uniform priors."""
    n_arms = pulls.size
    a, b = (heads + 1).astype(int), (pulls - heads + 1).astype(int)
    f = [density(a[i], b[i]) for i in range(n_arms)]
    F = [below(a[i], b[i]) for i in range(n_arms)]
    means = a / (a + b)
    partial = [means[i] * below(a[i] + 1, b[i]) for i in range(n_arms)]  # E[theta; theta < x]
    best, given = np.zeros(n_arms), np.zeros((n_arms, n_arms))
    for i in range(n_arms):
        others = [j for j in range(n_arms) if j != i]
        weight = W * f[i]
        best[i] = weight @ np.prod([F[j] for j in others], axis=0)
        given[i, i] = (weight * X) @ np.prod([F[j] for j in others], axis=0)
        for j in others:
            rest = [F[k] for k in others if k != j] or [np.ones_like(X)]
            given[i, j] = (weight * partial[j]) @ np.prod(rest, axis=0)
    given /= best[:, None]
    tells = (given - means) ** 2 if variance else coin_divergence(given, means[None, :])
    return best @ np.diag(given) - means, best @ tells


def exact_least_ratio(regret: Floats, information: Floats) -> float:
    """The least information ratio of two arms, by golden sections: it is convex in the odds."""
    first, second = np.triu_indices(regret.size, 1)

    def ratio(q: Floats) -> Floats:
        cost = q * regret[first] + (1.0 - q) * regret[second]
        gain = q * information[first] + (1.0 - q) * information[second]
        return np.asarray(cost * cost / gain)

    low, high = np.zeros(first.size), np.ones(first.size)
    for _ in range(_STEPS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        falls = ratio(left) > ratio(right)
        low, high = np.where(falls, left, low), np.where(falls, high, right)
    return float(min(ratio(low).min(), ratio(high).min()))
