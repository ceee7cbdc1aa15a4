"""Two policies on the same rewards: who has less regret, by how much, and how sure that is."""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import number
from .special import beta_quantile_upper


class Comparison(NamedTuple):
    """The final regret of `a` minus that of `b`, replication by replication.

    difference: its mean; a negative one says that `a` has less regret.
    low, high: the confidence interval of that mean.
    won, tied: the shares of replications where `a` has less regret, and where both have the same.
    """

    a: str
    b: str
    difference: float
    low: float
    high: float
    won: float
    tied: float

    @property
    def clear(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0.0 or self.high < 0.0


def t_quantile(level: float, freedom: float) -> float:
    """The t that Student's variable exceeds in absolute value with probability 1 - level.

    1 - level is I_x(freedom/2, 1/2) at x = freedom / (freedom + t^2).

    >>> round(t_quantile(0.95, 10.0), 9)
    2.228138852
    """
    x = beta_quantile_upper(level, 0.5 * freedom, 0.5)
    return sqrt(freedom * (1.0 - x) / x)


def paired_comparison(
    a: str, b: str, first: NDArray[np.float64], second: NDArray[np.float64], level: float = 0.95
) -> Comparison:
    """Compare the final regrets of a and b in the same replications.

    The interval is Student's for the mean of the paired differences. One replication says nothing
    of the spread, so its interval is the whole line.
    """
    level = number("paired", "level", level, "(0, 1)")
    differences = first - second
    n, mean = differences.size, float(differences.mean())
    margin = inf
    if n > 1:
        margin = t_quantile(level, n - 1.0) * float(differences.std(ddof=1)) / sqrt(n)
    won, tied = float((differences < 0.0).mean()), float((differences == 0.0).mean())
    return Comparison(a, b, mean, mean - margin, mean + margin, won, tied)
