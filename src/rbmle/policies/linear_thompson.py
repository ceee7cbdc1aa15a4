"""Thompson sampling of a parameter that all arms have in common."""

from __future__ import annotations

from math import inf, sqrt
from typing import Annotated, NamedTuple

from .._numba.compile import Floats
from ..families import Family
from ..random import Draws
from .arms import Arms, Clock
from .base import policy


@policy(needs=("unbounded_means",))
class LinTS(NamedTuple):
    """Linear Thompson sampling (Agrawal and Goyal 2013): draw theta ~ N(theta^, v^2 sigma^2 V^-1)
    once, and play the arm with the largest x'theta.

    With evidence `Linear` all arms' means come from the one draw of theta; `ThompsonSampling` draws
    each arm's mean alone, which is something else. With `Logistic` theta ~ N(theta^, v^2 H^-1)
    (Chapelle and Li 2011). With evidence that has no theta, means are drawn one by one from
    N(mean, v^2 sigma^2 / N_i), which is the same for one-hot features as the ridge goes to 0.

    v: in (0, inf), the factor of the standard deviation. 1 is the posterior under a prior of
    variance sigma^2 / ridge; the paper's proof needs v of order sqrt(d log t).
    """

    v: Annotated[float, "(0, inf)"] = 1.0

    def choose(self, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
        unpulled = arms.unpulled()
        if unpulled >= 0:
            return unpulled
        together = state[0] == 1.0  # the evidence has drawn the errors of all means
        best, chosen = -inf, 0
        for i in range(arms.n_arms()):
            mean = arms.mean(i)
            error = state[1 + i] if together else rng.cell(i).normal(0) / sqrt(arms.pulls[i])
            value = family.natural(mean) + self.v * error / sqrt(family.variance(mean))
            if value > best:
                best, chosen = value, i
        return chosen

    def scratch(self, family: Family, n_arms: int) -> int:
        """Whether errors are drawn together, and the error of each mean over that of one reward."""
        return 1 + n_arms

    def draws_jointly(self) -> bool:
        return True

    def samples_posteriors(self) -> bool:
        return True
