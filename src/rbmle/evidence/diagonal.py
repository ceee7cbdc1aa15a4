"""Linear and logistic evidence that stores only the diagonal of theta's covariance."""

from __future__ import annotations

from math import inf, sqrt
from typing import Annotated, Any, NamedTuple

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError
from ..families import Bernoulli, Family
from ..policies.arms import Arms
from ..random import Draws
from ..tables import as_features
from .interface import reads_features
from .logistic import logistic, surprise_of
from .matrices import FeatureRows, dot

_LEAST_VARIANCE = 1e-12  # as in `Logistic`
_LEAST_SQUARE = 1e-300  # as in `Linear`


@reads_features
class Diagonal(NamedTuple):
    """`Linear` or `Logistic` with one theta for all arms, of whose covariance P only the diagonal
    is kept: O(d) for a reward and O(K d) for a choice, instead of O(d^2) and O(K d^2).

    After each reward the diagonal is that of the exact update, and what is off it is dropped: with
    q = x'P x and the surprise a,

        theta += a P x,    P_jj -= w (P_jj x_j)^2 / (1 + w q),

    with a = (r - x'theta) / (1 + q) and w = 1; if `logistical`, a = r - m(x'(theta + a P x)) and
    w = m (1 - m). An arm is worth 1 / q pulls, or 1 / (m (1 - m) q). What is lost is the
    correlation of coefficients. Where features are correlated, such as an intercept and the values
    of a category, theta is learned more slowly, and an arm seems to be known better or worse than
    it is. docs/reference/evidence.md has what that costs.

    dimension: of the features, at most 1000. ridge: in [1e-12, 1e12]. logistical: Bernoulli rewards
    with logistic means; if False, means are linear. features: as for `Linear`.

    >>> import numpy as np
    >>> from rbmle import Arms
    >>> from rbmle.evidence import Features
    >>> evidence, arms = Diagonal(2), Arms.fresh(2)
    >>> memory, x = np.zeros(evidence.memory_size(2)), Features(np.eye(2))
    >>> evidence.begin(arms, memory)
    >>> evidence.learn(arms, memory, x, False, 1, 3.0)  # features without correlation: exact
    >>> arms.pulls.tolist(), (arms.sums / arms.pulls).tolist()
    ([1.0, 2.0], [0.0, 1.5])
    """

    dimension: Annotated[int, "[1, 1000]"] = 0  # by default that of `features`
    ridge: Annotated[float, "[1e-12, 1e12]"] = 1.0
    logistical: bool = False
    features: Annotated[Any, as_features] = False

    # The memory: theta, the diagonal of P, a vector to work with, the number of rewards and the sum
    # of their squared residuals.

    def memory_size(self, n_arms: int) -> int:
        return 3 * self.dimension + 2

    def check_family(self, family: Family) -> None:
        low, high = family.mean_range()
        if self.logistical != isinstance(family, Bernoulli) or (
            not self.logistical and (low > -inf or high < inf)
        ):
            words = "Bernoulli() if it is logistical, else one whose means are any numbers"
            raise ParameterError("Diagonal", "family", words, type(family).__name__)

    def begin(self, arms: Arms, memory: Floats) -> None:
        d = self.dimension
        for k in range(memory.size):
            memory[k] = 1.0 / self.ridge if d <= k < 2 * d else 0.0

    def square(self, memory: Floats, features: FeatureRows, i: int) -> float:
        """x'P x, x the features of arm i."""
        d, total = self.dimension, 0.0
        for r in range(d):
            x = features.feature(i, r)
            total += x * x * memory[d + r]
        return total

    def mean_of(self, memory: Floats, features: FeatureRows, i: int) -> float:
        z = dot(memory, 0, features, i, self.dimension)
        return logistic(z) if self.logistical else z

    def show(self, arms: Arms, memory: Floats, features: FeatureRows) -> None:
        tail = 3 * self.dimension
        residual = memory[tail + 1] / memory[tail] if memory[tail] > 0.0 else 0.0
        for i in range(arms.n_arms()):
            mean, q = self.mean_of(memory, features, i), self.square(memory, features, i)
            if self.logistical:
                q *= max(mean * (1.0 - mean), _LEAST_VARIANCE)
            pulls = 1.0 / max(q, _LEAST_SQUARE)
            arms.pulls[i], arms.sums[i] = pulls, mean * pulls
            arms.squares[i] = (mean if self.logistical else residual + mean * mean) * pulls

    def learn(
        self, arms: Arms, memory: Floats, features: FeatureRows, moving: bool, i: int, reward: float
    ) -> None:
        d, q = self.dimension, self.square(memory, features, i)
        z, weight = dot(memory, 0, features, i, d), 1.0
        a = (reward - z) / (1.0 + q)
        if self.logistical:
            a = surprise_of(reward, z, q)
            m = logistic(z + a * q)
            weight = m * (1.0 - m)
        self.move(memory, features, i, a)
        for r in range(d):
            along = memory[d + r] * features.feature(i, r)
            memory[d + r] -= weight * along * along / (1.0 + weight * q)
        memory[3 * d] += 1.0
        memory[3 * d + 1] += a * a * (1.0 + q)
        if not moving:
            self.show(arms, memory, features)

    def move(self, memory: Floats, features: FeatureRows, i: int, a: float) -> None:
        """theta += a P x."""
        d = self.dimension
        for r in range(d):
            memory[r] += a * memory[d + r] * features.feature(i, r)

    def draw(
        self, arms: Arms, memory: Floats, features: FeatureRows, rng: Draws, drawn: Floats
    ) -> None:
        """Draw theta - theta^ ~ N(0, P), and from it the error of each arm; see `LinTS`."""
        d, drawn[0] = self.dimension, 1.0
        for r in range(d):
            memory[2 * d + r] = rng.cell(0).normal(r) * sqrt(memory[d + r])
        for i in range(arms.n_arms()):
            mean, error = arms.mean(i), dot(memory, 2 * d, features, i, d)
            if self.logistical:
                error *= sqrt(max(mean * (1.0 - mean), _LEAST_VARIANCE))
            drawn[1 + i] = error

    def correct(
        self, arms: Arms, memory: Floats, features: FeatureRows, moving: bool, i: int,
        imputed: float, reward: float,
    ) -> None:  # fmt: skip
        self.move(memory, features, i, reward - imputed)
        away = reward - self.mean_of(memory, features, i)
        memory[3 * self.dimension + 1] += away * away
        if not moving:
            self.show(arms, memory, features)

    def estimate(self, memory: Floats, i: int) -> tuple[Floats, Floats]:
        d, rewards = self.dimension, float(memory[3 * self.dimension])
        known = rewards > 0.0 and not self.logistical
        noise = float(memory[3 * d + 1]) / rewards if known else 1.0
        return memory[:d].copy(), np.sqrt(noise * memory[d : 2 * d])
