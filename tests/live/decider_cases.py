"""Deciders, policies and rewards for the tests of `Decider`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rbmle.families import Bernoulli, Gaussian
from rbmle.live.decider import Decider
from rbmle.policies import (
    UCB,
    policy,
)

MEANS = [0.3, 0.55, 0.5, 0.6]
ROUNDS, SEED = 250, 7


@policy
class Greedy(NamedTuple):
    """A user's own policy."""

    bonus: float = 0.1

    def index_of(self, family: Any, arms: Any, i: int, level: float) -> float:
        value: float = arms.mean(i) + self.bonus / arms.pulls[i]
        return value


@policy
class Tally(NamedTuple):
    """Remembers how many choices it made, and how many of each arm; plays the arm that it chose
    least."""

    def remembers(self, n_arms: int) -> int:
        return 1 + n_arms

    def plays_each_first(self) -> bool:
        return False

    def choose(self, state: Any, family: Any, arms: Any, clock: Any, rng: Any) -> int:
        least = 0
        for i in range(arms.n_arms()):
            if state[1 + i] < state[1 + least]:
                least = i
        state[0] += 1.0
        state[1 + least] += 1.0
        return least


def table(family: Any) -> np.ndarray:
    generator = np.random.default_rng(3)
    shape = (2, ROUNDS, len(MEANS))
    if isinstance(family, Bernoulli):
        return (generator.random(shape) < MEANS).astype(float)
    if isinstance(family, Gaussian):
        return generator.normal(MEANS, 0.5, shape)
    return generator.exponential(MEANS, shape)


def decider_for(player: Any, **settings: Any) -> Decider:
    policy, family = player
    horizon = ROUNDS if policy.uses_horizon() else None
    return Decider(range(len(MEANS)), policy, family, seed=SEED, horizon=horizon, **settings)


def play(decider: Decider, rewards: np.ndarray, begin: int, end: int) -> list[Any]:
    chosen = []
    for t in range(begin, end):
        arm: Any = decider.pull()
        decider.update(arm, rewards[t, arm])
        chosen.append(arm)
    return chosen


def red_and_blue(**settings: Any) -> Decider:
    return Decider(["red", "blue"], UCB(), Bernoulli(), **settings)
