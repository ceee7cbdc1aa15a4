"""`legacy_table`: rewards from NumPy's legacy generator, as the published protocol draws them.

A whole table of (rounds, arms) is drawn in one call, row by row. A law of a user's own has a method
legacy_table(generator, means, shape) for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._numba.compile import Floats
from ..families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Law, Poisson
from ..rewards.laws import Beta, GaussianMixture, Laplace, TwoPoint, Uniform

Shape = tuple[int, int]


def _two_point(law: TwoPoint, rng: np.random.RandomState, means: Floats, shape: Shape) -> Floats:
    width = law.high - law.low
    hits: Floats = rng.binomial(1, (means - law.low) / width, shape).astype(float)
    return law.low + width * hits


def _mixture(
    law: GaussianMixture, rng: np.random.RandomState, means: Floats, shape: Shape
) -> Floats:
    side = law.spread * (2.0 * rng.binomial(1, 0.5, shape) - 1.0)
    return means + side + law.sigma * rng.standard_normal(shape)


_TABLES: dict[type, Callable[[Any, np.random.RandomState, Floats, Shape], Floats]] = {
    Bernoulli: lambda law, rng, means, shape: rng.binomial(1, means, shape).astype(float),
    Binomial: lambda law, rng, means, shape: rng.binomial(
        law.trials, means / law.trials, shape
    ).astype(float),
    Gaussian: lambda law, rng, means, shape: means + law.sigma * rng.standard_normal(shape),
    Exponential: lambda law, rng, means, shape: means * rng.standard_exponential(shape),
    Gamma: lambda law, rng, means, shape: rng.gamma(law.shape, means / law.shape, shape),
    Poisson: lambda law, rng, means, shape: rng.poisson(means, shape).astype(float),
    Uniform: lambda law, rng, means, shape: rng.uniform(
        means - 0.5 * law.width, means + 0.5 * law.width, shape
    ),
    Beta: lambda law, rng, means, shape: rng.beta(
        means * law.concentration, (1.0 - means) * law.concentration, shape
    ),
    TwoPoint: _two_point,
    GaussianMixture: _mixture,
    Laplace: lambda law, rng, means, shape: rng.laplace(means, law.scale, shape),
}


def has_legacy_table(law: Law) -> bool:
    """Whether the published protocol can draw rewards of this law."""
    return type(law) in _TABLES or hasattr(law, "legacy_table")


def legacy_table(law: Law, generator: np.random.RandomState, means: Floats, shape: Shape) -> Floats:
    """The next table of rewards: its numbers are the generator's, row by row."""
    own: Callable[[np.random.RandomState, Floats, Shape], Floats] | None
    own = getattr(law, "legacy_table", None)
    return own(generator, means, shape) if own else _TABLES[type(law)](law, generator, means, shape)
