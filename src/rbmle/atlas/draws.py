"""How the means of random problems are drawn: records that can be called, and sent to processes.

Each takes a generator and (problems, arms), and returns one row of means for each problem.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.random import Generator

from .._numba.compile import Floats

Size = tuple[int, int]


class Draw(Protocol):
    """A rule that draws means."""

    def __call__(self, rng: Generator, size: Size) -> Floats: ...


class Uniform(NamedTuple):
    """Uniform in [low, high]."""

    low: float
    high: float

    def __call__(self, rng: Generator, size: Size) -> Floats:
        return rng.uniform(self.low, self.high, size)


class Normal(NamedTuple):
    """Normal with mean 0."""

    sd: float

    def __call__(self, rng: Generator, size: Size) -> Floats:
        return rng.normal(0.0, self.sd, size)


class Beta(NamedTuple):
    """From the Beta(a, b) distribution."""

    a: float
    b: float

    def __call__(self, rng: Generator, size: Size) -> Floats:
        return rng.beta(self.a, self.b, size)


class LogNormal(NamedTuple):
    """Log-normal; sd is the standard deviation of the logarithm."""

    median: float
    sd: float

    def __call__(self, rng: Generator, size: Size) -> Floats:
        return np.multiply(self.median, np.exp(rng.normal(0.0, self.sd, size)))


class OneGood(NamedTuple):
    """All arms have the mean `low`, except the first, whose mean is uniform in [least, most]."""

    low: float
    least: float
    most: float

    def __call__(self, rng: Generator, size: Size) -> Floats:
        means = np.full(size, self.low)
        means[:, 0] = rng.uniform(self.least, self.most, size[0])
        return means


class Ladder(NamedTuple):
    """Means top, top - gap, top - 2 gap, ...; the gap is uniform in [least, most]."""

    top: float
    least: float
    most: float

    def __call__(self, rng: Generator, size: Size) -> Floats:
        gaps = rng.uniform(self.least, self.most, (size[0], 1))
        return np.subtract(self.top, gaps * np.arange(size[1]))
