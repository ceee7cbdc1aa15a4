"""Policies that compare divergences: KL-UCB, the largest mean that the data do not rule out, and
IMED, how unlikely it is that an arm is the best."""

from __future__ import annotations

from math import inf, log, sqrt
from typing import Annotated, NamedTuple

from .._records.record import Choice
from ..families import Family
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
        log_t = clock.log_t()
        return log_t + self.c * log(log_t) if self.c > 0.0 and log_t > 1.0 else log_t

    def allowed(self, n: float, level: float) -> float:
        """What n D(p, theta) may be at most. For KL-UCB+ it is at least 0: t is larger than n, but
        a chooser also asks for lower levels."""
        return max(level - log(n), 0.0) if self.plus else level

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


@policy
class IMED(NamedTuple):
    """IMED (Honda and Takemura 2015): -(N_i D(p_i, max_j p_j) + log N_i).

    Honda and Takemura play the arm with the smallest N_i D(p_i, mu*) + log N_i, where mu* is the
    largest empirical mean; here it is negated, because the largest index is played. It looks
    neither at t nor at the horizon. Equal indices are drawn by lot.

    Deviation: for rewards in (-inf, 1] their D is the smallest divergence of any law with mean mu*.
    Here it is that of the assumed family, which for Bernoulli rewards is the same.

    Where D is infinite, so is the index, and the arm is not played while that lasts. For Bernoulli
    rewards that is so while an arm has paid at every pull (mu* = 1): it is played until it fails,
    and of several such arms the one with the fewest pulls. For Exponential and Gamma rewards an arm
    with mean 0, which has probability 0, is not played again once another arm has paid.

    >>> import numpy as np
    >>> from rbmle import Arms, Bernoulli
    >>> arms = Arms(np.array([10.0, 4.0]), np.array([5.0, 3.0]), np.array([5.0, 3.0]))
    >>> round(IMED().index_of(Bernoulli(), arms, 0, 0.75), 6)  # the level is the largest mean
    -3.740995
    """

    def level(self, family: Family, arms: Arms, clock: Clock) -> float:
        best = -inf
        for i in range(arms.n_arms()):
            best = max(best, arms.mean(i))
        return best

    def index_of(self, family: Family, arms: Arms, i: int, level: float) -> float:
        n = float(arms.pulls[i])
        return -(n * family.kl(arms.mean(i), level) + log(n))
