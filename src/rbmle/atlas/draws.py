"""How the means of random problems are drawn: each function returns a rule that draws rows.

A rule takes a generator and (problems, arms), and returns one row of means for each problem.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .._compile import Floats

Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]


def uniform(low: float, high: float) -> Draw:
    """Uniform in [low, high]."""
    return lambda rng, size: rng.uniform(low, high, size)


def normal(sd: float) -> Draw:
    """Normal with mean 0."""
    return lambda rng, size: rng.normal(0.0, sd, size)


def beta(a: float, b: float) -> Draw:
    """From the Beta(a, b) distribution."""
    return lambda rng, size: rng.beta(a, b, size)


def lognormal(median: float, sd: float) -> Draw:
    """Log-normal; sd is the standard deviation of the logarithm."""
    return lambda rng, size: median * np.exp(rng.normal(0.0, sd, size))


def one_good(low: float, least: float, most: float) -> Draw:
    """All arms have the mean `low`, except the first, whose mean is uniform in [least, most]."""

    def draw(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
        means = np.full(size, low)
        means[:, 0] = rng.uniform(least, most, size[0])
        return means

    return draw


def ladder(top: float, least: float, most: float) -> Draw:
    """Means top, top - gap, top - 2 gap, ...; the gap is uniform in [least, most]."""

    def draw(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
        gaps = rng.uniform(least, most, (size[0], 1))
        steps: Floats = top - gaps * np.arange(size[1])
        return steps

    return draw
