"""Bandit loops as they are usually written: compiled by Numba, in NumPy, and in plain Python.

Each plays coins and returns the final pseudo-regret of each replication. Their rewards come from
the generators of NumPy and Python, so results agree with ours only in distribution. The loops
repeat lines of each other on purpose: each is what a researcher would write for one policy.
"""

from __future__ import annotations

import math
import random

import numpy as np

from rbmle._numba.compile import njit

from .timed_problems import Floats


@njit
def ucb_in_numba(means: Floats, horizon: int, replications: int, seed: int) -> Floats:
    """UCB1 as a compiled loop."""
    np.random.seed(seed)
    n_arms = means.size
    regret = np.zeros(replications)
    for r in range(replications):
        pulls, sums = np.zeros(n_arms), np.zeros(n_arms)
        for t in range(1, horizon + 1):
            chosen = t - 1
            if t > n_arms:
                chosen, best = 0, -np.inf
                for i in range(n_arms):
                    index = sums[i] / pulls[i] + math.sqrt(2.0 * math.log(t) / pulls[i])
                    if index > best:
                        best, chosen = index, i
            pulls[chosen] += 1.0
            sums[chosen] += 1.0 if np.random.random() < means[chosen] else 0.0
        regret[r] = np.sum(pulls * (means.max() - means))
    return regret


@njit
def thompson_in_numba(means: Floats, horizon: int, replications: int, seed: int) -> Floats:
    """Thompson sampling with a uniform prior as a compiled loop."""
    np.random.seed(seed)
    n_arms = means.size
    regret = np.zeros(replications)
    for r in range(replications):
        pulls, sums = np.zeros(n_arms), np.zeros(n_arms)
        for _ in range(horizon):
            chosen, best = 0, -1.0
            for i in range(n_arms):
                drawn = np.random.beta(1.0 + sums[i], 1.0 + pulls[i] - sums[i])
                if drawn > best:
                    best, chosen = drawn, i
            pulls[chosen] += 1.0
            sums[chosen] += 1.0 if np.random.random() < means[chosen] else 0.0
        regret[r] = np.sum(pulls * (means.max() - means))
    return regret


@njit
def clipped_divergence(p: float, q: float) -> float:
    """KL(p, q) of coins, both clipped to [1e-15, 1 - 1e-15]."""
    p, q = min(max(p, 1e-15), 1.0 - 1e-15), min(max(q, 1e-15), 1.0 - 1e-15)
    return p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / (1.0 - q))


@njit
def bisected_index(mean: float, bound: float) -> float:
    """The largest q with KL(mean, q) <= bound, to 1e-9."""
    low, high = mean, 1.0
    while high - low > 1e-9:
        middle = 0.5 * (low + high)
        if clipped_divergence(mean, middle) > bound:
            high = middle
        else:
            low = middle
    return 0.5 * (low + high)


@njit
def klucb_in_numba(means: Floats, horizon: int, replications: int, seed: int) -> Floats:
    """KL-UCB as a compiled loop that finds every arm's index by bisection."""
    np.random.seed(seed)
    n_arms = means.size
    regret = np.zeros(replications)
    for r in range(replications):
        pulls, sums = np.zeros(n_arms), np.zeros(n_arms)
        for t in range(1, horizon + 1):
            chosen = t - 1
            if t > n_arms:
                chosen, best = 0, -np.inf
                for i in range(n_arms):
                    index = bisected_index(sums[i] / pulls[i], math.log(t) / pulls[i])
                    if index > best:
                        best, chosen = index, i
            pulls[chosen] += 1.0
            sums[chosen] += 1.0 if np.random.random() < means[chosen] else 0.0
        regret[r] = np.sum(pulls * (means.max() - means))
    return regret


def ucb_in_numpy(means: Floats, horizon: int, replications: int, seed: int) -> Floats:
    """UCB1 in NumPy, all replications in one array."""
    rng = np.random.default_rng(seed)
    n_arms, rows = means.size, np.arange(replications)
    pulls, sums = np.zeros((replications, n_arms)), np.zeros((replications, n_arms))
    for t in range(1, horizon + 1):
        if t <= n_arms:
            chosen = np.full(replications, t - 1)
        else:
            chosen = (sums / pulls + np.sqrt(2.0 * math.log(t) / pulls)).argmax(axis=1)
        pulls[rows, chosen] += 1.0
        sums[rows, chosen] += rng.random(replications) < means[chosen]
    return np.asarray(pulls @ (means.max() - means))


def ucb_in_python(means: Floats, horizon: int, replications: int, seed: int) -> Floats:
    """UCB1 in plain Python."""
    rng, pay = random.Random(seed), means.tolist()
    regret = []
    for _ in range(replications):
        pulls, sums = [0] * len(pay), [0.0] * len(pay)
        for t in range(1, horizon + 1):
            if t <= len(pay):
                chosen = t - 1
            else:
                width = 2.0 * math.log(t)
                indices = [s / n + math.sqrt(width / n) for s, n in zip(sums, pulls, strict=True)]
                chosen = indices.index(max(indices))
            pulls[chosen] += 1
            sums[chosen] += rng.random() < pay[chosen]
        regret.append(sum(n * (max(pay) - mean) for n, mean in zip(pulls, pay, strict=True)))
    return np.array(regret)
