"""Gaussian rewards whose mean and variance are both unknown, and differ between arms."""

from __future__ import annotations

from math import expm1, inf, log1p, sqrt
from typing import Annotated, NamedTuple

from ..random import Cell
from ..special import beta_cdf, beta_quantile, beta_quantile_upper
from .protocols import Statistics
from .registry import family

# Before so many rewards of an arm its variance counts as unknown, and its index is infinite. With
# our prior Honda and Takemura (2014) ask for 4 of them, Cowan, Honda and Katehakis (2018) for 3.
FIRST = 4.0
_LARGEST = 700.0  # exp(710) overflows


@family
class GaussianUnknown(NamedTuple):
    """Gaussian rewards N(theta, sigma^2), both unknown; each arm has a sigma of its own.

    With the n rewards of an arm, of mean p and variance v = s^2, maximise the likelihood over sigma
    for each mean theta; of its logarithm, up to a constant, -n D(p, theta) remains, with

        D(p, theta) = (1/2) log(1 + (p - theta)^2 / v).

    KL-UCB's index is p + s sqrt(e^(2 L / (n - 2)) - 1), where L is the level (Cowan, Honda and
    Katehakis 2018): D counts for n - 2 rewards, without which regret would not be logarithmic.
    The posterior of theta is Student's with n - 2 degrees of freedom about p, of scale
    s / sqrt(n - 2): the prior is flat in theta and sigma. Honda and Takemura (2014) prove that
    Thompson sampling is optimal under it, and that it is not under Jeffreys' prior.
    An arm is pulled four times first. An arm whose rewards are all equal is known for certain.

    sigma: the standard deviation of rewards where a problem draws them, in [0, 1e300]. No policy
    reads it: `given` puts an arm's own s in its place. pulls: how many rewards that is an estimate
    from; infinite if it is none.

    >>> arm = GaussianUnknown(2.0, pulls=6.0)  # s = 2 in 6 rewards
    >>> arm.kl_upper(1.0, 0.0), round(arm.kl_upper(1.0, 0.5), 6), arm.posterior_variance(6.0, 6.0)
    (1.0, 4.731857, 2.0)
    """

    sigma: Annotated[float, "[0, 1e300]"] = 1.0
    pulls: Annotated[float, "[0, inf]"] = inf

    def given(self, arms: Statistics, i: int) -> GaussianUnknown:
        if not arms.pulls[i] > 0.0:
            return GaussianUnknown(self.sigma, 0.0)
        return GaussianUnknown(min(sqrt(arms.variance(i)), 1e300), arms.pulls[i])

    def natural(self, mean: float) -> float:
        return mean / (self.sigma * self.sigma)

    def log_partition(self, eta: float) -> float:
        return 0.5 * (self.sigma * eta) * (self.sigma * eta)

    def mean_range(self) -> tuple[float, float]:
        return -inf, inf

    def variance(self, mean: float) -> float:
        return self.sigma * self.sigma

    def sample(self, mean: float, cell: Cell) -> float:
        return mean + self.sigma * cell.normal(0)

    def sub_gaussian(self, mean: float) -> float:
        return self.sigma

    def share(self) -> float:
        """The share of an arm's rewards that D counts for, (n - 2) / n."""
        return 1.0 - 2.0 / self.pulls

    def kl(self, mean: float, other: float) -> float:
        if mean == other or self.pulls < FIRST:
            return 0.0
        if self.sigma == 0.0:
            return inf
        gap = (mean - other) / self.sigma
        return 0.5 * self.share() * log1p(gap * gap)

    def kl_upper(self, mean: float, bound: float) -> float:
        if self.pulls < FIRST:
            return inf
        double = 2.0 * max(bound, 0.0) / self.share()
        return mean + self.sigma * sqrt(expm1(double)) if double < _LARGEST else inf

    def bias_index(self, pulls: float, total: float, alpha: float) -> float:
        """As `stable_index`: the canonical parameter theta / sigma^2 is no function of the mean."""
        return self.stable_index(pulls, total, alpha)

    def mean_index(self, pulls: float, total: float, alpha: float) -> float:
        return self.stable_index(pulls, total, alpha * self.sigma)

    def stable_index(self, pulls: float, total: float, alpha: float) -> float:
        """p + s max {x - log(1 + x^2) / (2 r) : 0 <= x <= 1}, r = alpha / n < 1/2, else infinite.

        x = (theta - p) / s is the lead over the mean. Up to x = 1 the biased likelihood is concave;
        beyond, it rises again, to infinity, because D grows as log x. Its local maximum is where
        x = r (1 + x^2), and for r >= 1/2 there is none. docs/explanation/mathematics.md says what
        follows.
        """
        mean, r = total / pulls, alpha / pulls
        if not r < 0.5 or self.pulls < FIRST:
            return inf
        x = 2.0 * r / (1.0 + sqrt(1.0 - 4.0 * r * r))
        return mean + self.sigma * (x - log1p(x * x) / (2.0 * r)) if r > 0.0 else mean

    def index_unit(self, alpha: float) -> float:
        return 1.0

    def posterior_mean(self, pulls: float, total: float) -> float:
        return total / max(pulls, 1.0)

    def posterior_variance(self, pulls: float, total: float) -> float:
        """v / (n - 4): infinite for the first four rewards."""
        return self.sigma * self.sigma / (pulls - 4.0) if pulls > 4.0 else inf

    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float:
        """From w, a beta number with both shapes (n - 2) / 2: (w - 1/2) / sqrt(w (1 - w)) is
        Student's number over the root of its degrees of freedom."""
        if pulls < FIRST:
            return inf
        w = cell.beta(0.5 * pulls - 1.0, 0.5 * pulls - 1.0, k)
        spread = w * (1.0 - w)
        if not spread > 0.0:
            return inf if w > 0.5 else -inf
        return total / pulls + self.sigma * ((w - 0.5) / sqrt(spread))

    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        ahead = value - total / max(pulls, 1.0)
        if pulls < FIRST or self.sigma == 0.0:
            return 1.0 if pulls < FIRST or ahead < 0.0 else 0.0
        x = ahead / self.sigma
        tail = 0.5 * beta_cdf(1.0 / (1.0 + x * x), 0.5 * pulls - 1.0, 0.5)
        return tail if x > 0.0 else 1.0 - tail

    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float:
        if pulls < FIRST:
            return inf
        both, half = 2.0 * min(tail, 1.0 - tail), 0.5 * pulls - 1.0
        w = beta_quantile_upper(both, 0.5, half)  # x^2 / (1 + x^2)
        rest = 1.0 - w if w < 0.5 else beta_quantile(both, half, 0.5)
        x = sqrt(max(w if w < 0.5 else 1.0 - rest, 0.0) / rest) if rest > 0.0 else inf
        away = self.sigma * x if self.sigma > 0.0 else 0.0
        return total / pulls + (away if tail < 0.5 else -away)
