"""IDS and VIDS as in research code: NumPy and posterior samples (Russo and Van Roy 2018).

They are for coins with a uniform prior. Each arm keeps its samples until it is pulled again. The
odds of two arms are searched on a grid of 1,000. Two forms compute the same: `pairwise` has a NumPy
expression for every pair of arms, as public code does; the other has one for all pairs.
"""

from __future__ import annotations

import numpy as np

from .timed_problems import Floats

SAMPLES = 10_000  # per decision, as in the paper
_GRID = np.linspace(0.0, 1.0, 1_000)


def coin_divergence(p: Floats, q: Floats) -> Floats:
    """KL(p, q) of coins, with 0 log 0 = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        heads = np.where(p > 0.0, p * np.log(p / q), 0.0)
        tails = np.where(p < 1.0, (1.0 - p) * np.log((1.0 - p) / (1.0 - q)), 0.0)
    return np.asarray(heads + tails)


class SampledIDS:
    """One run: call `choose`, then `learn` with the arm's reward.

    variance: VIDS instead of IDS. pairwise: the form that goes pair by pair.
    """

    def __init__(self, n_arms: int, variance: bool, pairwise: bool, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.variance, self.pairwise = variance, pairwise
        self.heads, self.tails = np.ones(n_arms), np.ones(n_arms)
        self.samples = self.rng.beta(1.0, 1.0, (n_arms, SAMPLES))

    def learn(self, arm: int, reward: float) -> None:
        """Update the arm's posterior, and draw its samples anew."""
        self.heads[arm] += reward
        self.tails[arm] += 1.0 - reward
        self.samples[arm] = self.rng.beta(self.heads[arm], self.tails[arm], SAMPLES)

    def conditional_means(self) -> tuple[Floats, Floats]:
        """The probability p_a that arm a is the best, and E[theta_j | a is the best] in row a; 0 if
        a is the best in no sample."""
        n_arms, best = len(self.samples), self.samples.argmax(axis=0)
        chances, given = np.zeros(n_arms), np.zeros((n_arms, n_arms))
        for a in range(n_arms):
            here = best == a
            chances[a] = here.mean()
            if chances[a] == 0.0:
                continue
            if self.pairwise:
                for j in range(n_arms):
                    given[a, j] = self.samples[j][best == a].mean()
            else:
                given[a] = self.samples[:, here].mean(axis=1)
        return chances, given

    def regret_and_information(self) -> tuple[Floats, Floats]:
        """The expected regret and the information of each arm."""
        chances, given = self.conditional_means()
        means = self.samples.mean(axis=1)
        regret = chances @ np.diag(given) - means
        tells = (given - means) ** 2 if self.variance else coin_divergence(given, means[None, :])
        return regret, chances @ tells

    def choose(self) -> int:
        """Draw one of the two arms that minimise the information ratio, with their odds."""
        i, j, odds, _ = least_ratio_on_grid(*self.regret_and_information(), self.pairwise)
        return i if self.rng.random() < odds else j


def least_ratio_on_grid(
    regret: Floats, information: Floats, pairwise: bool = False
) -> tuple[int, int, float, float]:
    """The two arms with the least information ratio on the grid of odds, the probability of the
    first, and the ratio."""
    first, second = np.triu_indices(len(regret), 1)
    if pairwise:
        found = [_ratios(regret, information, i, j) for i, j in zip(first, second, strict=True)]
        at = np.array([each.argmin() for each in found])
        least = np.array([each[k] for each, k in zip(found, at, strict=True)])
    else:
        ratios = _ratios(regret[:, None], information[:, None], first, second)
        at, least = ratios.argmin(axis=1), ratios.min(axis=1)
    pair = int(least.argmin())
    return int(first[pair]), int(second[pair]), float(_GRID[at[pair]]), float(least[pair])


def _ratios(regret: Floats, information: Floats, i: object, j: object) -> Floats:
    """The information ratio of a mixture of arms i and j, for every odds on the grid."""
    cost = _GRID * regret[i] + (1.0 - _GRID) * regret[j]  # type: ignore[call-overload]
    gain = _GRID * information[i] + (1.0 - _GRID) * information[j]  # type: ignore[call-overload]
    return np.asarray(cost * cost / np.maximum(gain, 1e-300))
