"""Methods of families for the knowledge-gradient policies: how far more pulls may move the mean.

In the formulas mu is the posterior mean of an arm after `pulls` pulls that paid `total`, and
`rival` is the posterior mean of another arm.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import Protocol

from .._numba.compile import extend, njit
from ..families import Bernoulli, Conjugate, Exponential, Gaussian
from ..special import normal_cdf, normal_density


class Learns(Conjugate, Protocol):
    """A family that knows what one more pull is worth."""

    def knowledge_gain(self, pulls: float, total: float, rival: float) -> float: ...


class LooksAhead(Conjugate, Protocol):
    """A family that knows what m pulls in a row are worth."""

    def look_ahead_sd(self, pulls: float, m: float) -> float: ...
    def look_ahead_bounds(self, pulls: float, gap: float) -> tuple[float, float]: ...


class Crosses(Conjugate, Protocol):
    """A family that knows how many equal outcomes move its posterior mean to a rival's."""

    def pulls_to_cross(self, pulls: float, total: float, rival: float) -> tuple[float, float]: ...


@njit
def expected_excess(z: float) -> float:
    """E[max(X + z, 0)] of a standard normal X: z Phi(z) + phi(z)."""
    return z * normal_cdf(z) + normal_density(z)


@extend(Bernoulli, name="knowledge_gain")
def bernoulli_knowledge_gain(self: Bernoulli, pulls: float, total: float, rival: float) -> float:
    """E[max(mu', rival)] - max(mu, rival), mu' the posterior mean after one more pull."""
    size = pulls + (self.prior_a + self.prior_b)
    mean = (total + self.prior_a) / size
    up, down = (total + self.prior_a + 1.0) / (size + 1.0), (total + self.prior_a) / (size + 1.0)
    if mean <= rival < up:
        return mean * (up - rival)
    if down < rival < mean:
        return (1.0 - mean) * (rival - down)
    return 0.0


@extend(Gaussian, name="knowledge_gain")
def gaussian_knowledge_gain(self: LooksAhead, pulls: float, total: float, rival: float) -> float:
    """E[max(mu', rival)] - max(mu, rival), mu' the posterior mean after one more pull."""
    s = self.look_ahead_sd(pulls, 1.0)
    if s == 0.0:  # underflow, for sigma above 1e150
        return 0.0
    return s * expected_excess(-abs(self.posterior_mean(pulls, total) - rival) / s)


@extend(Exponential, name="knowledge_gain")
def exponential_knowledge_gain(
    self: Exponential, pulls: float, total: float, rival: float
) -> float:
    """E[max(mu', rival)] - max(mu, rival), mu' the posterior mean after one more pull.

    With posterior shape a and rate b, the next reward exceeds y with probability (b / (b + y))^a,
    and then mu' = (b + y) / a. So for rival >= b/a

        E[max(mu' - rival, 0)] = (b/a)^a rival^(1-a) / (a - 1),

    which is computed by logarithms, because the powers themselves underflow.
    """
    a, b = self.prior_shape + pulls, self.prior_rate + total
    if rival <= b / a:  # no single reward can bring the mean below the rival
        return 0.0
    exponent = a * log(b / a) - (a - 1.0) * log(rival)
    excess = exp(exponent) / (a - 1.0)
    lead = b / (a - 1.0) - rival
    return max(excess - lead, 0.0) if lead > 0.0 else excess


@extend(Gaussian)
def look_ahead_sd(self: Gaussian, pulls: float, m: float) -> float:
    """The standard deviation of the change that m more pulls bring to the posterior mean."""
    sd = self.posterior_sd(pulls, 0.0)
    if not self.has_squares():
        ratio = sd / self.sigma
        if ratio > 1.0:
            return sd * sqrt(m / (m + 1.0 / ratio / ratio))
        return sd * (ratio * sqrt(m / (1.0 + m * ratio * ratio)))
    variance = sd * sd
    return sqrt(m * variance / (self.sigma * self.sigma / variance + m))


@extend(Gaussian)
def look_ahead_bounds(self: Gaussian, pulls: float, gap: float) -> tuple[float, float]:
    """Two numbers between which the best number of pulls in a row lies: see `KGStar`."""
    sd = self.posterior_sd(pulls, 0.0)
    r = (gap / sd) * (gap / sd)
    if self.has_squares():
        unit = 4.0 * (sd * sd) / (self.sigma * self.sigma)
    else:
        unit = max(4.0 * (sd / self.sigma) * (sd / self.sigma), 1e-300)
    low = (-1.0 + r + sqrt(1.0 + 6.0 * r + r * r)) / unit
    return low, (1.0 + r + sqrt(1.0 + 10.0 * r + r * r)) / unit


@extend(Bernoulli)
def pulls_to_cross(
    self: Bernoulli, pulls: float, total: float, rival: float
) -> tuple[float, float]:
    """How many equal outcomes in a row move the posterior mean to the rival, and the probability
    of one such outcome: successes if the mean is below the rival, failures if it is above."""
    size, mean = pulls + (self.prior_a + self.prior_b), self.posterior_mean(pulls, total)
    if mean <= rival:
        return size * (rival - mean) / (1.0 - rival), mean
    return size * (mean - rival) / rival, 1.0 - mean
