"""KL-UCB: the index is the largest mean that the data do not rule out."""

from __future__ import annotations

from math import log
from typing import Annotated, NamedTuple

from .._record import Choice
from ..families import Family
from .arms import Arms, Clock
from .base import policy
from .published_forms import PublishedSearch


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
    does (see `rbmle.paper.variants`).

    >>> import numpy as np
    >>> from rbmle import Arms, Bernoulli
    >>> arms = Arms(np.array([10.0]), np.array([5.0]), np.array([5.0]))
    >>> round(KLUCB().index_of(Bernoulli(), arms, 0, 2.0), 6)
    0.787089
    """

    c: Annotated[float, "[0, inf)"] = 0.0
    search: Search | str = "exact"

    def level(self, family: Family, arms: Arms, clock: Clock) -> float:
        log_t = clock.log_t()
        return log_t + self.c * log(log_t) if self.c > 0.0 and log_t > 1.0 else log_t

    def index_of(self, family: PublishedSearch, arms: Arms, i: int, level: float) -> float:
        n, mean = arms.pulls[i], arms.mean(i)
        if self.search == Search.published:
            return float(family.published_kl_upper(mean, level / n))
        return float(family.kl_upper(mean, level / n))
