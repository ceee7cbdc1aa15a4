"""EXP3, for rewards that may be anything: it draws from round 1 on, by weights it remembers."""

from __future__ import annotations

from math import exp
from typing import Annotated, NamedTuple

import numpy as np

from .._numba.compile import Floats, kernel
from ..families import Family
from ..random import Draws
from .arms import Arms, Clock
from .base import policy

# What is remembered of each arm: log w_i, the sum of its rewards so far, and the probability with
# which it was last drawn.
_WEIGHT, _SEEN, _DRAWN, _EACH = 0, 1, 2, 3


@policy
class EXP3(NamedTuple):
    """EXP3 (Auer, Cesa-Bianchi, Freund and Schapire 2002, Figure 1), for rewards in [0, 1]: arm i
    with the probability p_i = (1 - gamma) w_i / (w_1 + ... + w_K) + gamma / K.

    The weight w_i of the arm that was drawn is multiplied by exp(gamma x / (p_i K)), where x is its
    reward: how much the arm's sum has grown since the last round, and p_i is that of its last pull.
    Weights are divided by the largest, which changes no probability.
    gamma: in (0, 1]. sqrt(K log K / ((e - 1) T)) gives a regret below 2.63 sqrt(T K log K)
    (Corollary 3.2), against the best arm for the rewards that there were, even those of an
    adversary. In a world of laws others have far less.

    >>> import numpy as np
    >>> from rbmle import Arms
    >>> arms = Arms(np.zeros(2), np.zeros(2), np.zeros(2))
    >>> state = np.array([np.log(3.0), 0.0, 0.0, 0.0, 0.0, 0.0])  # the weights are 3 and 1
    >>> round(EXP3(gamma=0.2).probability(state, arms, 0, 4.0), 6)
    0.7
    """

    gamma: Annotated[float, "(0, 1]"] = 0.1

    def choose(self, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
        self.learn(state, arms)
        total, left, chosen = self.total(state, arms), rng.cell(0).uniform(0), arms.n_arms() - 1
        for i in range(arms.n_arms()):
            left -= self.probability(state, arms, i, total)
            if left < 0.0:
                chosen = i
                break
        state[_EACH * chosen + _DRAWN] = self.probability(state, arms, chosen, total)
        return chosen

    def learn(self, state: Floats, arms: Arms) -> None:
        """Raise the weights of arms by the rewards that came."""
        largest = -1e300
        for i in range(arms.n_arms()):
            drawn = state[_EACH * i + _DRAWN]
            estimate = (arms.sums[i] - state[_EACH * i + _SEEN]) / drawn if drawn > 0.0 else 0.0
            state[_EACH * i + _WEIGHT] += self.gamma * estimate / arms.n_arms()
            state[_EACH * i + _SEEN] = arms.sums[i]
            largest = max(largest, state[_EACH * i + _WEIGHT])
        for i in range(arms.n_arms()):
            state[_EACH * i + _WEIGHT] -= largest

    def total(self, state: Floats, arms: Arms) -> float:
        """The sum of the weights."""
        total = 0.0
        for i in range(arms.n_arms()):
            total += exp(state[_EACH * i + _WEIGHT])
        return total

    def probability(self, state: Floats, arms: Arms, i: int, total: float) -> float:
        weight = exp(state[_EACH * i + _WEIGHT]) / total
        return (1.0 - self.gamma) * weight + self.gamma / arms.n_arms()

    def propensities(
        self, state: Floats, family: Family, arms: Arms, clock: Clock, ties: bool
    ) -> Floats:
        p = np.empty(arms.n_arms())
        share_out(self, state, arms, p)
        return p

    def remembers(self, n_arms: int) -> int:
        return _EACH * n_arms

    def keeps_rewards(self) -> bool:
        return True

    def plays_each_first(self) -> bool:
        return False

    def settles(self) -> bool:
        return False


@kernel
def share_out(policy: EXP3, state: Floats, arms: Arms, p: Floats) -> None:
    """Fill p with the probabilities of the coming round."""
    policy.learn(state, arms)
    total = policy.total(state, arms)
    for i in range(arms.n_arms()):
        p[i] = policy.probability(state, arms, i, total)
