"""The Stirling error and the deviance, from which accurate probabilities are built.

C. Loader, "Fast and accurate computation of binomial probabilities" (2000): a Poisson or binomial
probability is a smooth factor, given by Stirling errors, times exp(-deviance). The deviance
x log(x / m) + m - x cancels near x = m; here it is computed without that cancellation.
"""

from __future__ import annotations

import math

from .._numba.compile import njit

# From n = 10 on eight terms of Stirling's series suffice: the ninth, B_18 / (306 n^17) with
# B_18 = 54.97, bounds the error, and is at most 1.8e-18.
_LARGE = 10.0


@njit
def _stirling_series(n: float) -> float:
    """Sum of B_2k / (2k (2k - 1) n^(2k - 1)), k = 1..8 (Stirling; DLMF 5.11.1)."""
    r = 1.0 / (n * n)
    s = 1.0 / 156.0 - r * (3617.0 / 122400.0)
    s = 1.0 / 1188.0 - r * (691.0 / 360360.0 - r * s)
    s = 1.0 / 1260.0 - r * (1.0 / 1680.0 - r * s)
    s = 1.0 / 12.0 - r * (1.0 / 360.0 - r * s)
    return s / n


@njit
def stirling_error(n: float) -> float:
    """The Stirling error log Gamma(n + 1) - (n + 1/2) log n + n - log(2 pi) / 2 for real n > 0.

    Below n = 10 it is computed at n + k >= 10 and carried back by
    Gamma(n + k + 1) = Gamma(n + 1) (n + 1)...(n + k).

    >>> round(stirling_error(1.0), 12)
    0.081061466795
    """
    if n >= _LARGE:
        return _stirling_series(n)
    if n <= 0.0:
        return math.inf
    steps = math.ceil(_LARGE - n)
    top = n + steps
    ratio = 1.0
    for i in range(1, steps):
        ratio *= top / (n + i)
    shifted = (n + 0.5) * math.log1p(steps / n) - steps
    return _stirling_series(top) + (shifted + math.log(ratio))


@njit
def deviance(x: float, m: float) -> float:
    """The deviance x log(x / m) + m - x for x, m >= 0, without cancellation (Loader's bd0).

    Near x = m, with v = (x - m) / (x + m), it is (x - m) v + 2 x (v^3 / 3 + v^5 / 5 + ...).

    >>> round(deviance(100.0, 99.0) * 1e6, 6)
    5033.58535
    """
    gap = x - m
    if math.fabs(gap) < 0.1 * (x + m):
        v = gap / (x + m)
        square = v * v
        total = gap * v
        power = 2.0 * x * v
        odd = 1.0
        while True:
            power *= square
            odd += 2.0
            longer = total + power / odd
            if longer == total:
                return total
            total = longer
    if x <= 0.0:
        return m
    if m <= 0.0:
        return math.inf
    if m < 1e-290 * x:  # the ratio would overflow
        return x * (math.log(x) - math.log(m)) - gap
    return x * math.log(x / m) - gap


@njit
def poisson_probability(x: float, mean: float) -> float:
    """The probability that a Poisson number of this mean is x.

    >>> round(poisson_probability(2.0, 1.0), 12)
    0.183939720586
    """
    if x == 0.0:
        return math.exp(-mean)
    return math.exp(-stirling_error(x) - deviance(x, mean)) / math.sqrt(2.0 * math.pi * x)


@njit
def binomial_probability(x: float, trials: float, p: float) -> float:
    """The probability of x successes in `trials` trials, each of probability p in (0, 1).

    >>> round(binomial_probability(1.0, 4.0, 0.5), 12)
    0.25
    """
    if x == 0.0:
        return math.exp(trials * math.log1p(-p))
    if x == trials:
        return math.exp(trials * math.log(p))
    exponent = (
        stirling_error(trials)
        - stirling_error(x)
        - stirling_error(trials - x)
        - deviance(x, trials * p)
        - deviance(trials - x, trials * (1.0 - p))
    )
    return math.exp(exponent) * math.sqrt(trials / (2.0 * math.pi * x * (trials - x)))
