"""Evidence in which every reward counts for ever, or in which the past fades."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from .._numba.compile import Floats
from ..policies.arms import Arms, Clock
from .interface import evidence

# An arm with fewer discounted pulls than this counts as unpulled. Its sums could still be divided
# by it, but not for much longer: the smallest float with all its digits is 2e-308.
_NEGLIGIBLE_PULLS = 1e-100


@evidence
class Counting(NamedTuple):
    """Every reward counts once: pulls are numbers of pulls, sums are sums of rewards.

    It is the evidence of the plain bandit, and the default everywhere.

    >>> Counting().memory_size(10)
    0
    """

    def changes_all(self) -> bool:
        return False


@evidence
class Discounted(NamedTuple):
    """Every past reward is multiplied by gamma each round (Garivier and Moulines 2011; Kocsis and
    Szepesvari 2006).

    After rounds 1, ..., t - 1 with arms I_s and rewards x_s an arm has

        N_i = sum_{s < t, I_s = i} gamma^(t-1-s),    S_i = sum_{s < t, I_s = i} gamma^(t-1-s) x_s,

    and the round that a policy sees is the discounted one, 1 + sum_i N_i, rounded down. It tends to
    1 / (1 - gamma). The rounds to come are not discounted: a policy that needs the horizon sees it
    as far ahead of its round as the real one is.

    gamma: in (0, 1]; 1 forgets nothing. A round takes one pass over the arms, three products each:
    policies read an arm's pulls and sums as they are, so that all of them must be up to date.

    >>> import numpy as np
    >>> from rbmle import Arms
    >>> arms, memory, evidence = Arms.fresh(2), np.zeros(1), Discounted(0.5)
    >>> for i, reward in ((0, 1.0), (1, 3.0), (0, 2.0)):
    ...     evidence.learn(arms, memory, 0, False, i, reward)
    >>> arms.pulls.tolist(), arms.sums.tolist(), evidence.clock(memory, 4, 0).t
    ([1.25, 0.5], [2.25, 1.5], 2)
    """

    gamma: Annotated[float, "(0, 1]"]

    def memory_size(self, n_arms: int) -> int:
        return 1

    def begin(self, arms: Arms, memory: Floats) -> None:
        memory[0] = 0.0

    def clock(self, memory: Floats, t: int, horizon: int) -> Clock:
        now = 1 + int(memory[0])
        return Clock(now, horizon - t + now if horizon > 0 else 0)

    def learn(
        self, arms: Arms, memory: Floats, features: object, moving: bool, i: int, reward: float
    ) -> None:
        for j in range(arms.n_arms()):
            arms.pulls[j] *= self.gamma
            arms.sums[j] *= self.gamma
            arms.squares[j] *= self.gamma
            if arms.pulls[j] < _NEGLIGIBLE_PULLS:
                arms.pulls[j] = arms.sums[j] = arms.squares[j] = 0.0
        arms.learn(i, reward)
        memory[0] = self.gamma * memory[0] + 1.0

    def relayout(
        self, arms: Arms, memory: Floats, places: Sequence[int], new: Arms, after: Floats
    ) -> None:
        """The discounted number of rounds, less that of removed arms."""
        gone = set(range(arms.n_arms())).difference(places)
        after[0] = max(memory[0] - sum(arms.pulls[sorted(gone)].tolist()), 0.0)
