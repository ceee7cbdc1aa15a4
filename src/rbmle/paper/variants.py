"""Formulas as the code behind the tables ran them, where that is not what the text says.

Policies offer them by name: `RBMLE(boundary="published")`, `KLUCB(search="published")`,
`KG(form="published")`, `KGStar(form="published")`. docs/errata.md has what each gets wrong.
"""

from __future__ import annotations

from math import ceil, inf, log, sqrt
from typing import Any

from .._compile import extend, njit
from ..families import Bernoulli, Binomial, Exponential, Gaussian, every_family
from ..policies.knowledge import Learns, LooksAhead, expected_excess


@every_family
def corollary_index(self: Any, pulls: float, total: float, alpha: float) -> float:
    """RBMLE's index with nu + alpha/n clipped to the end of the range, as Corollary 1 is printed.

    Where the mean has no upper end there is nothing to clip.
    """
    _, high = self.mean_range()
    if high == inf:
        return float(self.bias_index(pulls, total, alpha))
    mean = total / pulls
    biased = min(mean + alpha / pulls, high)
    return float(pulls * (self.conjugate(biased) - self.conjugate(mean)))


@every_family
def published_index(self: Any, pulls: float, total: float, alpha: float) -> float:
    """RBMLE's index with nu + alpha/n let past the end of the range, as the tables ran it."""
    _, high = self.mean_range()
    if high == inf:
        return float(self.bias_index(pulls, total, alpha))
    mean = total / pulls
    past = self.unclipped_conjugate(mean + alpha / pulls)
    return float(pulls * (past - self.unclipped_conjugate(mean)))


@extend(Bernoulli, name="unclipped_conjugate")
def bernoulli_unclipped_conjugate(self: Bernoulli, mean: float) -> float:
    return unclipped_entropy(mean)


@extend(Binomial, name="unclipped_conjugate")
def binomial_unclipped_conjugate(self: Binomial, mean: float) -> float:
    return self.trials * unclipped_entropy(mean / self.trials)


@every_family
def unclipped_conjugate(self: Any, mean: float) -> float:
    """F* as the code behind the tables has it past the end of the range."""
    return float(self.conjugate(mean))


@njit
def unclipped_entropy(p: float) -> float:
    """p log p + (1 - p) log(1 - p), of which the second term is dropped from p = 1 on."""
    value = p * log(p) if p > 0.0 else 0.0
    return value + (1.0 - p) * log(1.0 - p) if p < 1.0 else value


@extend(Bernoulli, name="clipped_kl")
def bernoulli_clipped_kl(self: Bernoulli, mean: float, other: float) -> float:
    """Both means within [1e-15, 1 - 1e-15]."""
    p = min(max(mean, 1e-15), 1.0 - 1e-15)
    q = min(max(other, 1e-15), 1.0 - 1e-15)
    return p * log(p / q) + (1.0 - p) * log((1.0 - p) / (1.0 - q))


@extend(Exponential, name="clipped_kl")
def exponential_clipped_kl(self: Exponential, mean: float, other: float) -> float:
    """`kl` as it rounds in the code behind the tables."""
    ratio = mean / other
    return ratio - 1.0 - log(ratio)


@every_family
def clipped_kl(self: Any, mean: float, other: float) -> float:
    """D with its arguments kept off the ends of the range."""
    return float(self.kl(mean, other))


@every_family
def published_kl_upper(self: Any, mean: float, bound: float) -> float:
    """KL-UCB's index: the bracket [p, p + sqrt(2 bound)] halved until it is 1e-6 wide, at most 100
    times; then its lower end.

    The bracket is not clipped to the range of the mean. Where it does not hold the root
    (Exponential) it is doubled first.
    """
    low, high = mean, mean + sqrt(2.0 * bound)
    _, end = self.mean_range()
    while end == inf and self.clipped_kl(mean, high) <= bound:
        step = high - mean if high > mean else 1e-15 * abs(mean)  # it may be lost beside the mean
        high = mean + 2.0 * step
    for _ in range(100):
        if high - low <= 1e-6:
            break
        middle = 0.5 * (low + high)
        if self.clipped_kl(mean, middle) > bound:
            high = middle
        else:
            low = middle
    return low


@extend(Bernoulli, name="published_gain")
def bernoulli_published_gain(
    self: Learns, pulls: float, total: float, rival: float, leads: bool
) -> float:
    """KG's gain without what the leading arm may lose."""
    mean = self.posterior_mean(pulls, total)
    return self.knowledge_gain(pulls, total, rival) if mean <= rival else 0.0


@extend(Exponential, name="published_gain")
def exponential_published_gain(
    self: Exponential, pulls: float, total: float, rival: float, leads: bool
) -> float:
    """KG's gain in powers, which underflow to 0, inf and NaN after some hundred pulls."""
    a, b = self.prior_shape + pulls, self.prior_rate + total
    excess = underflowing_excess(a, b, rival)
    if not leads:
        return excess
    return excess - (b / (a - 1.0) - rival) if rival >= b / a else 0.0


@every_family
def published_gain(self: Any, pulls: float, total: float, rival: float, leads: bool) -> float:
    """KG's gain as it is."""
    return float(self.knowledge_gain(pulls, total, rival))


@njit
def underflowing_excess(a: float, b: float, rival: float) -> float:
    """1 / (rival^(a-1) (a-1)) (b/a)^a in this order; compiled, so that 1/0 is inf, not an error."""
    return float(1.0 / (rival ** (a - 1.0) * (a - 1.0)) * (b / a) ** a)


@extend(Gaussian)
def published_star_gain(self: LooksAhead, pulls: float, gap: float, left: float) -> float:
    """KG*'s term (T - t) max_m v(m) / m: m in the middle of its bounds, s for m + 1 pulls and with
    1e-8 added, not divided by m."""
    low, high = self.look_ahead_bounds(pulls, gap)
    if left <= low:
        m = left
    elif gap == 0.0 or high <= 1.0:
        m = 1.0
    else:
        m = float(ceil(0.5 * (low + high)))
    s = self.look_ahead_sd(pulls, m + 1.0)
    return left * s * expected_excess(-abs(gap / (s + 1e-8)))
