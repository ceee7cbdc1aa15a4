"""Formulas that the code behind the tables computed differently from the paper's text.

Policies offer them by name: `RBMLE(boundary="published")`, `KLUCB(search="published")`,
`KG(form="published")`, `KGStar(form="published")`. docs/errata.md says what each gets wrong.
"""

from __future__ import annotations

from math import ceil, inf, log, sqrt
from typing import Any

from .._numba.compile import extend, njit
from ..families import Bernoulli, Binomial, Exponential, Gaussian, every_family
from ..policies.knowledge import Learns, LooksAhead, expected_excess


@every_family
def corollary_index(self: Any, pulls: float, total: float, alpha: float) -> float:
    """RBMLE's index with nu + alpha/n clipped to the upper end of the means, as in Corollary 1.

    For families whose means have no upper end it is the exact index.
    """
    _, high = self.mean_range()
    if high == inf:
        return float(self.bias_index(pulls, total, alpha))
    mean = total / pulls
    biased = min(mean + alpha / pulls, high)
    return float(pulls * (self.conjugate(biased) - self.conjugate(mean)))


@every_family
def published_index(self: Any, pulls: float, total: float, alpha: float) -> float:
    """RBMLE's index as the code behind the tables has it: nu + alpha/n may pass the upper end."""
    _, high = self.mean_range()
    if high == inf:
        return float(self.bias_index(pulls, total, alpha))
    mean = total / pulls
    past = self.unclipped_conjugate(mean + alpha / pulls)
    return float(pulls * (past - self.unclipped_conjugate(mean)))


@extend(Bernoulli, name="unclipped_conjugate")
def bernoulli_unclipped_conjugate(self: Bernoulli, mean: float) -> float:
    """F* of Bernoulli rewards as the code behind the tables has it."""
    return unclipped_entropy(mean)


@extend(Binomial, name="unclipped_conjugate")
def binomial_unclipped_conjugate(self: Binomial, mean: float) -> float:
    """F* of binomial rewards by the same formula as for Bernoulli rewards."""
    return self.trials * unclipped_entropy(mean / self.trials)


@every_family
def unclipped_conjugate(self: Any, mean: float) -> float:
    """F*, with the value of the code behind the tables beyond the upper end of the means."""
    return float(self.conjugate(mean))


@njit
def unclipped_entropy(p: float) -> float:
    """p log p + (1 - p) log(1 - p) for p < 1; p log p alone from p = 1 on."""
    value = p * log(p) if p > 0.0 else 0.0
    return value + (1.0 - p) * log(1.0 - p) if p < 1.0 else value


@extend(Bernoulli, name="clipped_kl")
def bernoulli_clipped_kl(self: Bernoulli, mean: float, other: float) -> float:
    """D with both means clipped to [1e-15, 1 - 1e-15]."""
    p = min(max(mean, 1e-15), 1.0 - 1e-15)
    q = min(max(other, 1e-15), 1.0 - 1e-15)
    return p * log(p / q) + (1.0 - p) * log((1.0 - p) / (1.0 - q))


@extend(Exponential, name="clipped_kl")
def exponential_clipped_kl(self: Exponential, mean: float, other: float) -> float:
    """D by the formula of the code behind the tables, so that it rounds alike."""
    ratio = mean / other if other > 0.0 else inf
    return ratio - 1.0 - log(ratio) if 0.0 < ratio < inf else inf


@every_family
def clipped_kl(self: Any, mean: float, other: float) -> float:
    """D as the code behind the tables computes it; where that is not special, the family's D."""
    return float(self.kl(mean, other))


@every_family
def published_kl_upper(self: Any, mean: float, bound: float) -> float:
    """KL-UCB's index by bisection: the bracket [p, p + sqrt(2 bound)] is halved until it is 1e-6
    wide, at most 100 times; the index is its lower end.

    The bracket is not clipped to the range of the mean. Where it may not contain the root
    (Exponential), it is doubled first until it does.
    """
    low, high = mean, mean + sqrt(2.0 * bound)
    _, end = self.mean_range()
    while end == inf and self.clipped_kl(mean, high) <= bound:
        step = high - mean if high > mean else 1e-15 * abs(mean)  # 0 if it was lost to rounding
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
    """KG's gain, but 0 for the leading arm: the code leaves out that its mean may fall."""
    mean = self.posterior_mean(pulls, total)
    return self.knowledge_gain(pulls, total, rival) if mean <= rival else 0.0


@extend(Exponential, name="published_gain")
def exponential_published_gain(
    self: Exponential, pulls: float, total: float, rival: float, leads: bool
) -> float:
    """KG's gain by plain powers, which turn into 0, inf and NaN after some hundred pulls."""
    a, b = self.prior_shape + pulls, self.prior_rate + total
    excess = underflowing_excess(a, b, rival)
    if not leads:
        return excess
    return excess - (b / (a - 1.0) - rival) if rival >= b / a else 0.0


@every_family
def published_gain(self: Any, pulls: float, total: float, rival: float, leads: bool) -> float:
    """KG's gain as in the text, for families in which the code has no other formula."""
    return float(self.knowledge_gain(pulls, total, rival))


@njit
def underflowing_excess(a: float, b: float, rival: float) -> float:
    """1 / (rival^(a-1) (a-1)) (b/a)^a, evaluated in this order.

    It is compiled because compiled code gives inf for 1/0, where the interpreter raises an error.
    """
    return float(1.0 / (rival ** (a - 1.0) * (a - 1.0)) * (b / a) ** a)


@extend(Gaussian)
def published_star_gain(self: LooksAhead, pulls: float, gap: float, left: float) -> float:
    """KG*'s term (T - t) max_m v(m) / m as the code behind the tables has it.

    It takes m from the middle of its bounds instead of the maximiser, the standard deviation s of
    m + 1 pulls instead of m, adds 1e-8 to s, and does not divide by m.
    """
    low, high = self.look_ahead_bounds(pulls, gap)
    if left <= low:
        m = left
    elif gap == 0.0 or high <= 1.0:
        m = 1.0
    else:
        m = float(ceil(0.5 * (low + high)))
    s = self.look_ahead_sd(pulls, m + 1.0)
    return left * s * expected_excess(-abs(gap / (s + 1e-8)))
