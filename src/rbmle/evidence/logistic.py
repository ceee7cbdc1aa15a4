"""Logistic evidence: arms have features, and Bernoulli rewards a logistic mean."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, sqrt
from typing import Annotated, Any, NamedTuple

from .._numba.compile import Floats, njit
from ..errors import ParameterError
from ..families import Bernoulli, Family
from ..policies.arms import Arms
from ..random import Draws
from ..tables import as_features
from .interface import reads_features
from .matrices import (
    FeatureRows,
    add_outer,
    begin_factor,
    dot,
    estimated,
    invert_factor,
    solve,
    square_of,
    times,
)

_RECOMPUTE_EVERY = 64  # rewards: then the root of the inverse is recomputed, as in `Linear`
_LEAST_VARIANCE = 1e-12  # pulls stay finite where a mean is 0 or 1 up to rounding
# Newton steps after a reward. One reward moves the estimate little, and steps converge
# quadratically: one or two are enough from the tenth round on.
_MOST_NEWTON_STEPS = 20
_LAST_STEP = 1e-7  # standard deviations: after a shorter step the error is about its square


@njit
def logistic(z: float) -> float:
    """1 / (1 + e^-z), without overflow."""
    return 1.0 / (1.0 + exp(-z)) if z > -700.0 else 0.0


@njit
def surprise_of(reward: float, z: float, q: float) -> float:
    """The a with a = reward - logistic(z + a q): how far a reward moves the estimate along H^-1 x.

    The right side falls in a, and a is between reward - 1 and reward: Newton's method, with
    bisection where it would leave the bracket or steps do not shrink.
    """
    low, high, a, before = reward - 1.0, reward, reward - logistic(z), 2.0
    for _ in range(60):
        mean = logistic(z + a * q)
        off = a - reward + mean
        if off > 0.0:
            high = a
        else:
            low = a
        step = off / (1.0 + q * mean * (1.0 - mean))
        if low <= a - step <= high and abs(step) <= 0.5 * before:
            a, before = a - step, abs(step)
        else:
            a, before = 0.5 * (low + high), high - low
        if before < 1e-14:
            break
    return a


@reads_features
class Logistic(NamedTuple):
    """Bernoulli rewards with mean m(x) = 1 / (1 + exp(-x'theta)) (Filippi, Cappe, Garivier and
    Szepesvari 2010), by Laplace's approximation.

    With theta^ the maximum of the posterior under theta ~ N(0, I / ridge), and
    H = ridge I + sum_s m(x_s) (1 - m(x_s)) x_s x_s' at theta^, an arm with features x has

        mean = m(x),    pulls = 1 / (m(x) (1 - m(x)) x'H^-1 x).

    There m(x) (1 - m(x)) counts as at least 1e-12, so that pulls stay finite where the mean is 0 or
    1 up to rounding; an arm beyond |x'theta^| = 27.6 is then worth fewer pulls than the formula.

    dimension: of the features, at most 1000. ridge: in [1e-12, 1e12]. features: as for `Linear`.

    Memory is bounded. If features stay the same, it counts each arm's rewards and successes, and
    theta^ and H are exact: Newton's method after each reward, O(K d^2 + d^3). If they are drawn
    anew each round, past features are not kept. Then a reward changes theta^ to the maximum of its
    own likelihood times the Gaussian approximation of all before it, O(d^2 + K d^2); each x x' in
    H keeps the weight of its round. docs/reference/evidence.md says how far that is from the exact
    maximum.

    >>> import numpy as np
    >>> from rbmle import Arms
    >>> from rbmle.evidence import Features
    >>> evidence, arms = Logistic(1), Arms.fresh(2)
    >>> memory, x = np.zeros(evidence.memory_size(2)), Features(np.array([[1.0], [-1.0]]))
    >>> evidence.begin(arms, memory)
    >>> evidence.look(arms, memory, x, True)
    >>> evidence.learn(arms, memory, x, False, 0, 1.0)
    >>> (arms.sums / arms.pulls).round(6).tolist()
    [0.598942, 0.401058]
    """

    dimension: Annotated[int, "[1, 1000]"] = 0  # by default that of `features`
    ridge: Annotated[float, "[1e-12, 1e12]"] = 1.0
    features: Annotated[Any, as_features] = False

    # The memory: D and U of H = U'D U; R, R R' = H^-1; theta^; two vectors to work with; the number
    # of rewards; the rewards and successes of each arm; one more vector.

    def memory_size(self, n_arms: int) -> int:
        d = self.dimension
        return 2 * d * d + 4 * d + 1 + 2 * n_arms

    def check_family(self, family: Family) -> None:
        if not isinstance(family, Bernoulli):
            words = "Bernoulli(); Linear is for Gaussian rewards"
            raise ParameterError("Logistic", "family", words, type(family).__name__)

    def begin(self, arms: Arms, memory: Floats) -> None:
        for k in range(memory.size):
            memory[k] = 0.0
        begin_factor(memory, 0, self.dimension, self.ridge)
        invert_factor(memory, 0, self.dimension * self.dimension, self.dimension)

    def mean_of(self, memory: Floats, features: FeatureRows, i: int) -> float:
        d = self.dimension
        return logistic(dot(memory, 2 * d * d, features, i, d))

    def show(self, arms: Arms, memory: Floats, features: FeatureRows) -> None:
        d = self.dimension
        for i in range(arms.n_arms()):
            mean = self.mean_of(memory, features, i)
            q = square_of(memory, d * d, features, i, -1, d)
            pulls = 1.0 / max(max(mean * (1.0 - mean), _LEAST_VARIANCE) * q, 1e-300)
            arms.pulls[i] = pulls
            arms.sums[i] = arms.squares[i] = mean * pulls  # rewards are their own squares

    def learn(
        self, arms: Arms, memory: Floats, features: FeatureRows, moving: bool, i: int, reward: float
    ) -> None:
        d, counts = self.dimension, 2 * self.dimension * self.dimension + 3 * self.dimension
        self.move(memory, features, i, reward)
        memory[counts] += 1.0
        if not moving:
            memory[counts + 1 + 2 * i] += 1.0
            memory[counts + 2 + 2 * i] += reward
            self.maximise(arms, memory, features)
            self.show(arms, memory, features)
        elif int(memory[counts]) % _RECOMPUTE_EVERY == 0:
            invert_factor(memory, 0, d * d, d)

    def move(self, memory: Floats, features: FeatureRows, i: int, reward: float) -> None:
        """Change theta^, H and its root by one reward, with the Gaussian approximation so far."""
        d = self.dimension
        theta, v, w = 2 * d * d, 2 * d * d + d, 2 * d * d + 2 * d
        q = solve(memory, d * d, features, i, v, d)
        z = dot(memory, theta, features, i, d)
        a = surprise_of(reward, z, q)
        mean = logistic(z + a * q)
        weight = mean * (1.0 - mean)
        root = sqrt(1.0 + weight * q)
        shrink = weight / (root * (1.0 + root))
        for r in range(d):
            memory[theta + r] += a * memory[w + r]
            memory[memory.size - d + r] = features.feature(i, r)
            for c in range(d):
                memory[d * d + d * r + c] -= shrink * memory[w + r] * memory[v + c]
        add_outer(memory, 0, -1, memory.size - d, d, weight, 0.0)

    def maximise(self, arms: Arms, memory: Floats, features: FeatureRows) -> None:
        """Newton's method for theta^ from the counts of all arms, and H there."""
        d = self.dimension
        theta, v, w = 2 * d * d, 2 * d * d + d, 2 * d * d + 2 * d
        for _ in range(_MOST_NEWTON_STEPS):
            self.weigh(arms, memory, features)
            invert_factor(memory, 0, d * d, d)
            length = 0.0  # of the step, in the norm of H; it is R R' times the slope at w
            for c in range(d):
                total = 0.0
                for r in range(d):
                    total += memory[d * d + d * r + c] * memory[w + r]
                memory[v + c] = total
                length += total * total
            length = sqrt(length)
            times(memory, d * d, v, w, d)
            scale = 1.0 if length < 0.25 else 1.0 / (1.0 + length)  # far away, steps are damped
            for r in range(d):
                memory[theta + r] += scale * memory[w + r]
            if length < _LAST_STEP:
                break

    def weigh(self, arms: Arms, memory: Floats, features: FeatureRows) -> None:
        """The factors of H at theta^, and at w the slope of the logarithm of the posterior."""
        d = self.dimension
        theta, w, counts = 2 * d * d, 2 * d * d + 2 * d, 2 * d * d + 3 * d
        for r in range(d):
            memory[w + r] = -self.ridge * memory[theta + r]
        begin_factor(memory, 0, d, self.ridge)
        for i in range(arms.n_arms()):
            rewards = memory[counts + 1 + 2 * i]
            if rewards > 0.0:
                mean = self.mean_of(memory, features, i)
                weight = rewards * mean * (1.0 - mean)
                slope = memory[counts + 2 + 2 * i] - rewards * mean
                for r in range(d):
                    x = features.feature(i, r)
                    memory[w + r] += slope * x
                    memory[memory.size - d + r] = x
                add_outer(memory, 0, -1, memory.size - d, d, weight, 0.0)

    def draw(
        self, arms: Arms, memory: Floats, features: FeatureRows, rng: Draws, drawn: Floats
    ) -> None:
        """Draw theta - theta^ ~ N(0, H^-1), and from it the error of each arm; see `LinTS`."""
        d = self.dimension
        v, w = 2 * d * d + d, 2 * d * d + 2 * d
        drawn[0] = 1.0
        for c in range(d):
            memory[v + c] = rng.cell(0).normal(c)
        times(memory, d * d, v, w, d)
        for i in range(arms.n_arms()):
            mean = arms.mean(i)
            variance = max(mean * (1.0 - mean), _LEAST_VARIANCE)
            drawn[1 + i] = dot(memory, w, features, i, d) * sqrt(variance)

    def correct(
        self, arms: Arms, memory: Floats, features: FeatureRows, moving: bool, i: int,
        imputed: float, reward: float,
    ) -> None:  # fmt: skip
        """Replace an imputed reward by the real one. If features stay, theta^ is exact again.

        If not, it makes one step of Newton's method, theta += H^-1 x (r - m), because H has counted
        the pull already.
        """
        d, counts = self.dimension, 2 * self.dimension * self.dimension + 3 * self.dimension
        theta, v, w = 2 * d * d, 2 * d * d + d, 2 * d * d + 2 * d
        if moving:
            solve(memory, d * d, features, i, v, d)
            for r in range(d):
                memory[theta + r] += (reward - imputed) * memory[w + r]
        else:
            memory[counts + 2 + 2 * i] += reward - imputed
            self.maximise(arms, memory, features)
            self.show(arms, memory, features)

    def estimate(self, memory: Floats, i: int) -> tuple[Floats, Floats]:
        """theta^, and the roots of H^-1's diagonal."""
        d = self.dimension
        return estimated(memory, 2 * d * d, d * d, d, 1.0)

    def relayout(
        self, arms: Arms, memory: Floats, places: Sequence[int], new: Arms, after: Floats
    ) -> None:
        """theta^ and H stay as they are; the counts of rewards go where their arms go."""
        counts = 2 * self.dimension * self.dimension + 3 * self.dimension + 1
        after[:counts] = memory[:counts]
        for place, old in enumerate(places):
            if old >= 0:
                new_place, old_place = counts + 2 * place, counts + 2 * old
                after[new_place : new_place + 2] = memory[old_place : old_place + 2]
