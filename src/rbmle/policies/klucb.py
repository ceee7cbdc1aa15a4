"""KL-UCB: the index is the largest mean that the data do not rule out."""

from __future__ import annotations

from math import inf, log, sqrt
from typing import Annotated, NamedTuple

from .._records.record import Choice
from ..families import Family
from ..families.divergences import log_ratio
from .arms import Arms, Clock
from .base import policy


class Search(Choice):
    """How the index is computed: to full precision, or as the code behind the tables does."""

    exact = 0
    published = 1


@policy
class KLUCB(NamedTuple):
    """KL-UCB (Cappe et al. 2013): max {theta : N_i D(p_i, theta) <= log t + c log log t}.

    c: in [0, inf); 0 in the paper ("following the suggestion in the original papers"), 3 in the
    theory.
    search: "exact" solves to full precision; "published" bisects as the code behind the tables
    does.
    plus: KL-UCB+, with log(t / N_i) in place of log t (Garivier and Cappe 2011, in their
    experiments; asymptotically optimal with c = 0: Honda 2019, and with a larger rate
    log(t (log t)^c / N_i), which is this one with c > 0: Kaufmann 2018).

    >>> import numpy as np
    >>> from rbmle import Arms, Bernoulli
    >>> arms = Arms(np.array([10.0]), np.array([5.0]), np.array([5.0]))
    >>> round(KLUCB().index_of(Bernoulli(), arms, 0, 2.0), 6)
    0.787089
    """

    c: Annotated[float, "[0, inf)"] = 0.0
    search: Search | str = "exact"
    plus: bool = False

    def level(self, family: Family, arms: Arms, clock: Clock) -> float:
        """What `allowed` is computed from: t for KL-UCB+ with c = 0, log t or more for others."""
        if self.plus and self.c == 0.0:
            return float(clock.t)
        log_t = clock.log_t()
        return log_t + self.c * log(log_t) if self.c > 0.0 and log_t > 1.0 else log_t

    def allowed(self, n: float, level: float) -> float:
        """What n D(p, theta) may be at most. For KL-UCB+ it is at least 0: t is larger than n, but
        a chooser also asks for lower levels. log(t / n) is computed from t - n, because
        log t - log n would lose its digits where n is close to t."""
        if not self.plus:
            return level
        return max(log_ratio(level, n, level - n) if self.c == 0.0 else level - log(n), 0.0)

    def index_of(self, family: Family, arms: Arms, i: int, level: float) -> float:
        n, mean = float(arms.pulls[i]), arms.mean(i)
        bound = self.allowed(n, level) / n
        if self.search == Search.published:
            return self.bisected(family, mean, bound)
        return family.kl_upper(mean, bound)

    def bisected(self, family: Family, mean: float, bound: float) -> float:
        """The index of the code behind the tables: the bracket [p, p + sqrt(2 bound)] is halved
        until it is 1e-6 wide, at most 100 times; the index is its lower end.

        The bracket is not clipped to the range of the mean. Where it may not contain the root
        (Exponential), it is doubled first until it does.
        """
        low, high = mean, mean + sqrt(2.0 * bound)
        _, end = family.mean_range()
        while end == inf and family.clipped_kl(mean, high) <= bound:
            step = high - mean if high > mean else 1e-15 * abs(mean)  # 0 if it was lost to rounding
            high = mean + 2.0 * step
        for _ in range(100):
            if high - low <= 1e-6:
                break
            middle = 0.5 * (low + high)
            if family.clipped_kl(mean, middle) > bound:
                high = middle
            else:
                low = middle
        return low
