"""KL-UCB: the largest mean that the data do not rule out."""

from __future__ import annotations

from math import log
from typing import Annotated, Any, NamedTuple

from .._record import Choice
from ..arms import Arms, Clock
from .base import largest_mean, policy


class Search(Choice):
    """How the index is found: to full precision, or as the code behind the tables does."""

    exact = 0
    published = 1


@policy(promising=largest_mean)
class KLUCB(NamedTuple):
    """KL-UCB (Cappe et al. 2013): max {theta : N_i D(p_i, theta) <= log t + c log log t}.

    c: 0 in the paper ("following the suggestion in the original papers"); 3 in the theory.
    search: "exact" solves to full precision. "published" bisects from the bracket
    [p, p + sqrt(2 d)], d = level / N, at most 100 steps until it is 1e-6 wide, and takes its lower
    end. That bracket is not clipped: Bernoulli divergences are taken at means within 1e-15 of 0
    and 1. Where it does not hold the root (Exponential) it is doubled first.
    """

    c: Annotated[float, "[0, inf)"] = 0.0
    search: Search | str = "exact"

    def level(self, family: Any, arms: Arms, clock: Clock) -> float:
        log_t = clock.log_t()
        return log_t + self.c * log(log_t) if self.c > 0.0 and log_t > 1.0 else log_t

    def index_of(self, family: Any, arms: Arms, i: int, level: float) -> float:
        n, mean = arms.pulls[i], arms.mean(i)
        if self.search == Search.published:
            return float(family.published_kl_upper(mean, level / n))
        return float(family.kl_upper(mean, level / n))

    def surely_below(self, family: Any, arms: Arms, i: int, level: float, value: float) -> bool:
        """One divergence: at the value it exceeds the level, by more than rounding errors."""
        mean = arms.mean(i)
        if value <= mean:
            return False
        return bool(arms.pulls[i] * family.clipped_kl(mean, value) > level * (1.0 + 1e-9))
