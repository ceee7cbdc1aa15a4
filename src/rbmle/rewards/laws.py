"""Laws of rewards that are not exponential families: the paper's non-parametric part.

A law is how rewards are really distributed; a policy still assumes a family. Each law states its
sub-Gaussian sigma (Definition 1; infinite if there is none) and its sub-Exponential (rho, kappa)
(Definition 2), which Propositions 4 and 5 use. kappa = 0 means that the bound holds for every
lambda.
"""

from __future__ import annotations

from math import inf, log, sqrt
from typing import Annotated, NamedTuple, TypeVar

from .._numba.compile import defaults_of, record
from .._records.record import register
from ..errors import Interval, ParameterError
from ..families import Law
from ..random import Cell
from ..special import normal_cdf, normal_density

T = TypeVar("T")

LAWS: dict[str, type] = {}


def law(cls: type[T]) -> type[T]:
    """Make a NamedTuple class a law of rewards: its fields are checked, its methods compiled.

    It is known by its name from now on.

        @rbmle.law
        class Jump(NamedTuple):  # the mean plus or minus `size`
            size: Annotated[float, "(0, inf)"] = 0.5

            def mean_range(self):
                return -inf, inf

            def sample(self, mean, cell):
                return mean + (self.size if cell.uniform(0) < 0.5 else -self.size)

        jumps = rbmle.Problem(Jump(), [0.4, 0.6])
        rbmle.simulate(jumps, ["ts"], 1_000, 10, family="gaussian(sigma=0.5)")
    """
    record(cls, defaults_of(Law))
    register(LAWS, cls)
    return cls


@law
class Uniform(NamedTuple):
    """The uniform law on [theta - width/2, theta + width/2], inside [0, 1]; width in (0, 1].

    It is sub-Gaussian with sigma = width / sqrt(12), its standard deviation (Arbel, Marchal and
    Nguyen 2020: the uniform law is strictly sub-Gaussian).

    >>> round(Uniform(0.2).sub_gaussian(0.5), 6)
    0.057735
    """

    width: Annotated[float, "(0, 1]"] = 0.2

    def mean_range(self) -> tuple[float, float]:
        return 0.5 * self.width, 1.0 - 0.5 * self.width

    def mean_interval(self) -> Interval:
        return Interval(*self.mean_range(), closed_low=True, closed_high=True)

    def reward_interval(self) -> Interval:
        return Interval(0.0, 1.0, closed_low=True, closed_high=True)

    def variance(self, mean: float) -> float:
        return self.width * self.width / 12.0

    def sample(self, mean: float, cell: Cell) -> float:
        return mean + self.width * (cell.uniform(0) - 0.5)

    def sub_gaussian(self, mean: float) -> float:
        return self.width / sqrt(12.0)


@law
class Beta(NamedTuple):
    """The law Beta(theta c, (1 - theta) c) on [0, 1], with concentration c in [1e-300, 1e300].

    It is sub-Gaussian with sigma^2 = 1 / (4 (c + 1)) (Marchal and Arbel 2017, Theorem 2.1).

    >>> Beta(3.0).sub_gaussian(0.5)
    0.25
    """

    concentration: Annotated[float, "[1e-300, 1e300]"] = 4.0

    def mean_range(self) -> tuple[float, float]:
        return 0.0, 1.0

    def variance(self, mean: float) -> float:
        return mean * (1.0 - mean) / (self.concentration + 1.0)

    def sample(self, mean: float, cell: Cell) -> float:
        return cell.beta(mean * self.concentration, (1.0 - mean) * self.concentration, 0)

    def sub_gaussian(self, mean: float) -> float:
        return 0.5 / sqrt(self.concentration + 1.0)


@law
class TwoPoint(NamedTuple):
    """Two rewards, low < high: `high` with probability (theta - low) / (high - low), else `low`.

    It is sub-Gaussian with sigma = (high - low) / 2 (Hoeffding's lemma).

    >>> TwoPoint(-1.0, 1.0).sub_gaussian(0.0)
    1.0
    """

    low: Annotated[float, "(-inf, inf)"] = 0.0
    high: Annotated[float, "(-inf, inf)"] = 1.0

    def mean_range(self) -> tuple[float, float]:
        return self.low, self.high

    def mean_interval(self) -> Interval:
        if not self.low < self.high:
            raise ParameterError("TwoPoint", "high", f"above 'low' ({self.low:g})", self.high)
        if self.high - self.low == inf:
            raise ParameterError("TwoPoint", "high", "less than 1.8e308 above 'low'", self.high)
        return Interval(self.low, self.high, closed_low=True, closed_high=True)

    def variance(self, mean: float) -> float:
        return (mean - self.low) * (self.high - mean)

    def sample(self, mean: float, cell: Cell) -> float:
        p = (mean - self.low) / (self.high - self.low)
        return self.high if cell.uniform(0) < p else self.low

    def sub_gaussian(self, mean: float) -> float:
        return 0.5 * (self.high - self.low)


@law
class GaussianMixture(NamedTuple):
    """An even mixture of N(theta - spread, sigma^2) and N(theta + spread, sigma^2).

    It is theta plus a fair sign times `spread` plus Gaussian noise, and so sub-Gaussian with
    sqrt(spread^2 + sigma^2).

    >>> GaussianMixture(3.0, 4.0).sub_gaussian(0.0)
    5.0
    """

    spread: Annotated[float, "[0, 1e150]"] = 1.0  # up to 1e150 squares do not overflow
    sigma: Annotated[float, "[1e-150, 1e150]"] = 1.0

    def mean_range(self) -> tuple[float, float]:
        return -inf, inf

    def variance(self, mean: float) -> float:
        return self.spread * self.spread + self.sigma * self.sigma

    def sample(self, mean: float, cell: Cell) -> float:
        side = self.spread if cell.uniform(1) < 0.5 else -self.spread
        return mean + side + self.sigma * cell.normal(0)

    def sub_gaussian(self, mean: float) -> float:
        return sqrt(self.variance(mean))


@law
class Laplace(NamedTuple):
    """The double exponential law, with density e^(-|x - theta|/scale) / (2 scale).

    Its moment generating function is 1 / (1 - u^2), u = lambda scale, and -log(1 - u^2) <= 2 u^2
    for u^2 <= 1/2. So it is sub-Exponential with rho = 2 scale and kappa = sqrt(2) scale. It is not
    sub-Gaussian.

    >>> Laplace().sub_exponential(0.0), Laplace().sub_gaussian(0.0)
    ((2.0, 1.4142135623730951), inf)
    """

    scale: Annotated[float, "[1e-150, 1e150]"] = 1.0  # its square neither overflows nor underflows

    def mean_range(self) -> tuple[float, float]:
        return -inf, inf

    def variance(self, mean: float) -> float:
        return 2.0 * self.scale * self.scale

    def sample(self, mean: float, cell: Cell) -> float:
        u = cell.uniform(0)
        return mean + self.scale * (log(2.0 * u) if u < 0.5 else -log(2.0 * (1.0 - u)))

    def sub_gaussian(self, mean: float) -> float:
        return inf

    def sub_exponential(self, mean: float) -> tuple[float, float]:
        return 2.0 * self.scale, sqrt(2.0) * self.scale


@law
class ClippedGaussian(NamedTuple):
    """Gaussian numbers N(mu, sigma^2) clipped to [0, 1], where mu is such that their mean is theta.

    sigma: in [1e-3, 1e3]. Any law on [0, 1] is sub-Gaussian with 1/2 (Hoeffding's lemma).

    >>> round(ClippedGaussian(1.0).location(0.5), 12)
    0.5
    """

    sigma: Annotated[float, "[1e-3, 1e3]"] = 1.0

    def mean_range(self) -> tuple[float, float]:
        return 0.0, 1.0

    def parts(self, mu: float) -> tuple[float, float, float]:
        """The probability of (0, 1), the mean, and the mean of squares."""
        low, high = -mu / self.sigma, (1.0 - mu) / self.sigma
        inside, one = normal_cdf(high) - normal_cdf(low), normal_cdf(-high)
        at_low, at_high = self.sigma * normal_density(low), self.sigma * normal_density(high)
        mean = mu * inside + at_low - at_high + one
        square = (mu * mu + self.sigma * self.sigma) * inside + mu * at_low
        return inside, mean, square - (1.0 + mu) * at_high + one

    def location(self, mean: float) -> float:
        """The mu of this mean. The mean of mu is convex up to 1/2 and concave beyond, so that
        Newton's steps from 1/2 go towards the root and never beyond it."""
        mu = 0.5
        for _ in range(100):
            inside, value, _ = self.parts(mu)
            step = (mean - value) / inside if inside > 0.0 else 0.0
            mu += step
            if abs(step) <= 1e-12 * (1.0 + abs(mu)):
                break
        return mu

    def variance(self, mean: float) -> float:
        _, value, square = self.parts(self.location(mean))
        return square - value * value

    def sample(self, mean: float, cell: Cell) -> float:
        return min(max(self.location(mean) + self.sigma * cell.normal(0), 0.0), 1.0)

    def sub_gaussian(self, mean: float) -> float:
        return 0.5
