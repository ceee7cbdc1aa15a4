"""KL-UCB: the largest mean that the data do not rule out."""

from __future__ import annotations

from math import inf, log, sqrt
from typing import Annotated, Any, NamedTuple

from .._record import Choice
from ..choosers.champion import front_runner, last_leader
from .arms import Arms, Clock
from .base import UNKNOWN, policy


class Search(Choice):
    """How the index is found: to full precision, or as the code behind the tables does."""

    exact = 0
    published = 1


@policy(start=last_leader, front_runner=front_runner)
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

    def kinetic(self, family: Any) -> float:
        """Where D(p, .) is convex on the scale of `kl_scale`, its inverse is concave. A tournament
        solves indices, of which a scan needs few."""
        if self.search == Search.published or not hasattr(family, "kl_scale"):
            return inf
        return 24.0 if family.kl_upper_is_closed() else 100.0

    def straightened(self, family: Any, index: float) -> float:
        return float(family.kl_scale(index))

    def index_error(self, family: Any, arms: Arms, i: int, value: float) -> float:
        """Wide: near p, where D is flat, its rounding errors move the root the most."""
        return 1e-10 * (1.0 + abs(value) + abs(arms.mean(i)))

    def promising(self, state: Any, family: Any, arms: Arms, level: float) -> tuple[int, int]:
        if family.kl_upper_is_closed():
            return -1, UNKNOWN
        leader, rivals = self.front_runner(state, family, arms, level)  # type: ignore[attr-defined]
        return leader, rivals

    def index_below(self, family: Any, arms: Arms, i: int, level: float) -> float:
        """The published search ends less than 1e-6 below the root, or the end of its bracket."""
        mean, bound = arms.mean(i), level / arms.pulls[i]
        index = float(family.kl_upper_below(mean, bound))
        if self.search == Search.published:
            return max(min(index, mean + sqrt(2.0 * bound)) - 1.1e-6, mean)
        return index

    def surely_below(self, family: Any, arms: Arms, i: int, level: float, value: float) -> bool:
        """At the value the divergence exceeds the level, both by more than rounding errors."""
        mean, other = arms.mean(i), value - 1e-14 * abs(value)
        if not other > mean:
            return False
        return bool(arms.pulls[i] * family.kl_below(mean, other) > level * (1.0 + 1e-9))
