"""Methods of families for IDS and VIDS: where posteriors lie, and how to integrate over them.

Integrals are taken over a coordinate y in which posteriors have light tails; the mean at y is
`chart(y)`.
"""

from __future__ import annotations

from math import exp, inf, log, sqrt
from typing import Any, Protocol

from .._numba.compile import extend, njit
from ..families import Bernoulli, Conjugate, Exponential, Gaussian, every_family

TAIL = 34.538776394910684  # -log(1e-15); 1e-15 of a posterior is left out at each end


class Shaped(Conjugate, Protocol):
    """A family whose posteriors can be integrated over.

    posterior_size: how many rewards the posterior mean is an average of, including those that the
    conjugate prior is worth.
    posterior_span: an interval of y that leaves out at most 1e-15 of the posterior at each side,
    and the standard deviation of y.
    chart, chart_slope: the mean at y, and its derivative.
    density_kl: `kl` with an absolute error of some units in the last place of 1.
    """

    def posterior_size(self, pulls: float) -> float: ...
    def posterior_span(self, pulls: float, total: float) -> tuple[float, float, float]: ...
    def chart(self, y: float) -> float: ...
    def chart_slope(self, y: float) -> float: ...
    def density_kl(self, mean: float, other: float) -> float: ...


class Tells(Shaped, Protocol):
    """A family that also knows how much a reward tells, for IDS."""

    def outcome_kl(self, mean: float, other: float) -> float: ...


@extend(Bernoulli, name="posterior_size")
def bernoulli_posterior_size(self: Bernoulli, pulls: float) -> float:
    return pulls + (self.prior_a + self.prior_b)


@extend(Bernoulli, name="posterior_span")
def bernoulli_posterior_span(
    self: Bernoulli, pulls: float, total: float
) -> tuple[float, float, float]:
    a, b = total + self.prior_a, pulls - total + self.prior_b
    size = a + b
    mean, variance = a / size, (a / size) * (b / size) / (size + 1.0)
    skew = 2.0 * (b - a) / (size * (size + 2.0))
    low = mean - bernstein_radius(variance, -skew)
    high = mean + bernstein_radius(variance, skew)
    return max(low, 0.0), min(high, 1.0), sqrt(variance)


@njit
def bernstein_radius(variance: float, skew: float) -> float:
    """The t by which a beta variable exceeds its mean with probability at most 1e-15.

    That probability is at most exp(-t^2 / (2 (v + c t / 3))), where v is the variance and c is
    `skew`, or 0 if that is negative (Skorski 2023, "Bernstein-type bounds for beta distribution").
    """
    c = max(skew, 0.0) * TAIL / 3.0
    return c + sqrt(c * c + 2.0 * variance * TAIL)


@extend(Bernoulli)
def outcome_kl(self: Bernoulli, mean: float, other: float) -> float:
    """The KL divergence of the next reward's distribution between these two means.

    For close means it is computed without cancellation, with s = p - q, as

        q g(s / q) + (1 - q) g(-s / (1 - q)),    g(u) = (1 + u) log(1 + u) - u.

    Eleven terms of g(u) = u^2 / 2 - u^3 / 6 + u^4 / 12 - ... are accurate to 1e-11 for |u| <= 1/10.
    """
    p, q = mean, other
    s = p - q
    if not abs(s) <= 0.1 * min(q, 1.0 - q):
        return plain_coin_kl(p, q)
    u, v = s / q, s / (q - 1.0)
    return s * (u * entropy_series(u) - v * entropy_series(v))


@extend(Bernoulli, name="density_kl")
def bernoulli_density_kl(self: Bernoulli, mean: float, other: float) -> float:
    return plain_coin_kl(mean, other)


@njit
def plain_coin_kl(p: float, q: float) -> float:
    """`kl` of two coins from two plain logarithms, error: some units in 1's last place."""
    if p == q:
        return 0.0
    if q <= 0.0 or q >= 1.0:
        return inf
    value = p * log(p / q) if p > 0.0 else 0.0
    return value + (1.0 - p) * log((1.0 - p) / (1.0 - q)) if p < 1.0 else value


@njit
def entropy_series(u: float) -> float:
    """((1 + u) log(1 + u) - u) / u^2 for |u| <= 1/10, from its power series."""
    r = 1.0 / 110.0 - u / 132.0
    r = 1.0 / 56.0 - u * (1.0 / 72.0 - u * (1.0 / 90.0 - u * r))
    r = 0.05 - u * (1.0 / 30.0 - u * (1.0 / 42.0 - u * r))
    return 0.5 - u * (1.0 / 6.0 - u * (1.0 / 12.0 - u * r))


@extend(Gaussian, name="posterior_size")
def gaussian_posterior_size(self: Gaussian, pulls: float) -> float:
    if not self.has_squares():
        return self.prior_weight() + pulls
    return self.sigma * self.sigma * self.posterior_precision(pulls)


@extend(Gaussian, name="posterior_span")
def gaussian_posterior_span(self: Any, pulls: float, total: float) -> tuple[float, float, float]:
    mean, sd = self.posterior_mean(pulls, total), self.posterior_sd(pulls, total)
    return mean - 8.0 * sd, mean + 8.0 * sd, sd  # Phi(-8) = 6e-16


@extend(Exponential, name="chart")
def exponential_chart(self: Exponential, y: float) -> float:
    """theta = e^y, because the posterior of theta itself has heavy tails."""
    return exp(y)


@extend(Exponential, name="chart_slope")
def exponential_chart_slope(self: Exponential, y: float) -> float:
    return exp(y)


@extend(Exponential, name="posterior_size")
def exponential_posterior_size(self: Exponential, pulls: float) -> float:
    return self.prior_shape + pulls - 1.0


@extend(Exponential, name="posterior_span")
def exponential_posterior_span(
    self: Exponential, pulls: float, total: float
) -> tuple[float, float, float]:
    """The interval from Chernoff's bounds, for the rate, a gamma variable of shape a.

    It is below a e^-u (u > 0), or above it (u < 0), with probability at most
    exp(-a (e^-u - 1 + u)). The upper end is chosen for the integral of the mean instead, of which
    1e-15 is left out; that is the bound for a gamma variable of shape a - 1.
    """
    a, b = self.prior_shape + pulls, self.prior_rate + total
    k = TAIL / a
    low = log(b / a) - log(1.0 + sqrt(2.0 * k) + k)
    k = TAIL / (a - 1.0)
    u = sqrt(2.0 * k) + k  # above the root of e^-u - 1 + u - k; Newton's step stays above (convex)
    u -= (exp(-u) - 1.0 + u - k) / (1.0 - exp(-u))
    return low, log(b / (a - 1.0)) + u, 1.0 / sqrt(a)


@extend(Exponential, name="density_kl")
def exponential_density_kl(self: Exponential, mean: float, other: float) -> float:
    if mean == other:
        return 0.0
    ratio = mean / other
    return ratio - 1.0 - log(ratio)


@every_family
def density_kl(self: Any, mean: float, other: float) -> float:
    """`kl`, with an absolute error of some units in the last place of 1: enough for a density."""
    return float(self.kl(mean, other))


@every_family
def chart(self: Any, y: float) -> float:
    """The mean at the coordinate y; by default y is the mean itself."""
    return y


@every_family
def chart_slope(self: Any, y: float) -> float:
    """The derivative of `chart`."""
    return 1.0
