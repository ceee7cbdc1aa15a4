"""The method `legacy_table` of families and laws: a table of rewards from NumPy's legacy generator.

The published protocol draws its rewards this way. legacy_table(generator, means, (rounds, arms))
draws a whole table in one call, row by row.
"""

from __future__ import annotations

from typing import Any

from .._numba.compile import Floats, extend
from ..families import Bernoulli, Binomial, Exponential, Gamma, Gaussian, Poisson
from ..rewards.laws import Beta, GaussianMixture, Laplace, TwoPoint, Uniform

Shape = tuple[int, int]


@extend(Bernoulli, name="legacy_table")
def bernoulli_table(self: Bernoulli, generator: Any, means: Floats, shape: Shape) -> Floats:
    return generator.binomial(1, means, shape).astype(float)  # type: ignore[no-any-return]


@extend(Binomial, name="legacy_table")
def binomial_table(self: Binomial, generator: Any, means: Floats, shape: Shape) -> Floats:
    p = means / self.trials
    return generator.binomial(self.trials, p, shape).astype(float)  # type: ignore[no-any-return]


@extend(Gaussian, name="legacy_table")
def gaussian_table(self: Gaussian, generator: Any, means: Floats, shape: Shape) -> Floats:
    return means + self.sigma * generator.standard_normal(shape)  # type: ignore[no-any-return]


@extend(Exponential, name="legacy_table")
def exponential_table(self: Exponential, generator: Any, means: Floats, shape: Shape) -> Floats:
    return means * generator.standard_exponential(shape)  # type: ignore[no-any-return]


@extend(Gamma, name="legacy_table")
def gamma_table(self: Gamma, generator: Any, means: Floats, shape: Shape) -> Floats:
    return generator.gamma(self.shape, means / self.shape, shape)  # type: ignore[no-any-return]


@extend(Poisson, name="legacy_table")
def poisson_table(self: Poisson, generator: Any, means: Floats, shape: Shape) -> Floats:
    return generator.poisson(means, shape).astype(float)  # type: ignore[no-any-return]


@extend(Uniform, name="legacy_table")
def uniform_table(self: Uniform, generator: Any, means: Floats, shape: Shape) -> Floats:
    half = 0.5 * self.width
    return generator.uniform(means - half, means + half, shape)  # type: ignore[no-any-return]


@extend(Beta, name="legacy_table")
def beta_table(self: Beta, generator: Any, means: Floats, shape: Shape) -> Floats:
    a, b = means * self.concentration, (1.0 - means) * self.concentration
    return generator.beta(a, b, shape)  # type: ignore[no-any-return]


@extend(TwoPoint, name="legacy_table")
def two_point_table(self: TwoPoint, generator: Any, means: Floats, shape: Shape) -> Floats:
    width = self.high - self.low
    hits = generator.binomial(1, (means - self.low) / width, shape)
    return self.low + width * hits  # type: ignore[no-any-return]


@extend(GaussianMixture, name="legacy_table")
def mixture_table(self: GaussianMixture, generator: Any, means: Floats, shape: Shape) -> Floats:
    side = self.spread * (2.0 * generator.binomial(1, 0.5, shape) - 1.0)
    noise = self.sigma * generator.standard_normal(shape)
    return means + side + noise  # type: ignore[no-any-return]


@extend(Laplace, name="legacy_table")
def laplace_table(self: Laplace, generator: Any, means: Floats, shape: Shape) -> Floats:
    return generator.laplace(means, self.scale, shape)  # type: ignore[no-any-return]
