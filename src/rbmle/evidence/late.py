"""Late rewards for evidence that reads features: what a pull is worth before its reward comes.

`expect` counts a pull as if it had paid the mean so far: then V (or H) grows and theta^ stays as it
is. `correct` adds the reward when it comes, minus what was supposed.
"""

from __future__ import annotations

from typing import Any

from .._numba.compile import Floats, extend
from ..policies.arms import Arms
from .linear import Linear
from .logistic import Logistic, logistic
from .matrices import dot, times, transposed_times


@extend(Linear, name="expect")
def expect(self: Linear, arms: Arms, memory: Floats, features: Any, moving: bool, i: int) -> float:
    """Count a pull of arm i as if it had paid the mean so far; returns that mean."""
    theta = self.block_of(i) + 2 * self.dimension * self.dimension + self.dimension
    mean: float = dot(memory, theta, features, i, self.dimension)
    self.learn(arms, memory, features, moving, i, mean)
    return mean


@extend(Linear, name="correct")
def correct(
    self: Linear, arms: Arms, memory: Floats, features: Any, moving: bool, i: int, supposed: float,
    reward: float,
) -> None:  # fmt: skip
    """The reward of a pull has come, which was supposed to be another: theta += V^-1 x (r - m).

    The variance of the residuals, which UCB-Tuned reads, is what the rewards so far say.
    """
    d, place, n_arms = self.dimension, self.block_of(i), arms.n_arms()
    v = self.blocks(n_arms) * self.block()
    w = v + d
    root, sums, theta = place + d * d, place + 2 * d * d, place + 2 * d * d + d
    surprise = reward - supposed
    transposed_times(memory, root, features, i, v, d)
    times(memory, root, v, w, d)
    for r in range(d):
        memory[sums + r] += surprise * features.feature(i, r)
        memory[theta + r] += surprise * memory[w + r]
    away = reward - dot(memory, theta, features, i, d)
    memory[place + self.block() - 1] += away * away
    if not moving:
        residual = self.residual(memory, i)
        for j in range(n_arms):
            if j == i or self.shared:
                known = w + d + 2 * j
                memory[known] += surprise * dot(memory, w, features, j, d)
                self.show(arms, j, memory[known], memory[known + 1], residual)


@extend(Logistic, name="expect")
def expect_logistic(
    self: Logistic, arms: Arms, memory: Floats, features: Any, moving: bool, i: int
) -> float:
    """Count a pull of arm i as if it had paid the mean so far; returns that mean."""
    d = self.dimension
    mean: float = logistic(dot(memory, 2 * d * d, features, i, d))
    self.learn(arms, memory, features, moving, i, mean)
    return mean


@extend(Logistic, name="correct")
def correct_logistic(
    self: Logistic, arms: Arms, memory: Floats, features: Any, moving: bool, i: int,
    supposed: float, reward: float,
) -> None:  # fmt: skip
    """The reward of a pull has come. If features stay, theta^ is exact again; if not, it makes one
    step of Newton's method, theta += H^-1 x (r - m), because H has counted the pull already."""
    d, counts = self.dimension, 2 * self.dimension * self.dimension + 3 * self.dimension
    theta, v, w = 2 * d * d, 2 * d * d + d, 2 * d * d + 2 * d
    if moving:
        transposed_times(memory, d * d, features, i, v, d)
        times(memory, d * d, v, w, d)
        for r in range(d):
            memory[theta + r] += (reward - supposed) * memory[w + r]
    else:
        memory[counts + 2 + 2 * i] += reward - supposed
        self.maximise(arms, memory, features)
        self.show(arms, memory, features)
