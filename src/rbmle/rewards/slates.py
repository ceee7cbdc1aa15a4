"""`Slates`: a world in which several distinct arms are played together, in order."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError, integer
from ..families import Law
from ..random import Cell, key
from .delays import BatchDelay
from .problems import Pays, Problem, Varied, reward_source


@reward_source
class SlateSource(NamedTuple):
    """Rewards of slates. best: the largest means, one for each place, in order.

    asleep: for each arm 1 if it has a place in the present slate; then how many have. A game has
    the same array as its `hidden` arms.
    """

    law: Law
    means: Floats
    best: Floats
    asleep: Floats
    key0: int
    key1: int

    def own(self) -> SlateSource:
        return self._replace(asleep=self.asleep.copy())

    def meet(self, replication: int, t: int) -> None:
        if (t - 1) % self.best.size == 0:  # a slate begins
            for i in range(self.asleep.size):
                self.asleep[i] = 0.0

    def reward(self, replication: int, t: int, i: int) -> float:
        """The reward of arm i, which has a place from now on."""
        if self.asleep[i] == 0.0:
            self.asleep[i] = 1.0
            self.asleep[self.means.size] += 1.0
        return self.law.sample(self.means[i], Cell(self.key0, self.key1, replication, t, i))

    def gap(self, replication: int, t: int, i: int) -> float:
        """The mean of the best slate at this place minus that of arm i."""
        return float(self.best[(t - 1) % self.best.size] - self.means[i])


@dataclass(frozen=True, eq=False)
class Slates(Varied):
    """A problem in which k distinct arms are played at a time, in order, each with a reward of its
    own: rounds 1, ..., k fill the first slate, the next k the second.

    problem: a `Problem`. k: from 1 to the number of arms; it divides the horizon.

    A policy fills a slate as `Decider.pull(k=...)` does, each place among the arms that have none.
    The rewards of a slate come when it is full, as with `BatchDelay(k)`. Regret is against the best
    slate, the k arms with the largest means: the sum of these minus the sum of those played.

    >>> import rbmle
    >>> page = Slates(Problem("bernoulli", [0.2, 0.5, 0.6]), k=2)
    >>> rbmle.simulate(page, ["ucb"], 100, 1).pulls.sum()
    np.int64(100)
    """

    problem: Problem
    k: int

    def __init__(self, problem: Problem, k: int) -> None:
        if not isinstance(problem, Problem):
            raise ParameterError("Slates", "problem", "a Problem", problem)
        k = integer("Slates", "k", k, f"[1, {problem.n_arms}]")
        vars(self).update(problem=problem, k=k)

    @property
    def delay(self) -> BatchDelay:
        """When the rewards of a slate come."""
        return BatchDelay(self.k)

    def source(self, seed: int, horizon: int) -> Pays:
        means = np.array(self.problem.means)
        best = np.sort(means)[::-1][: self.k].copy()
        return SlateSource(self.law, means, best, np.zeros(self.n_arms + 1), *key(seed))

    def sources(self, worlds: Sequence[Self], seed: int, horizon: int) -> Pays:
        raise ParameterError("Slates", "device", "'cpu' for slates", "cuda")

    def check_horizon(self, horizon: int) -> None:
        """Refuse a horizon that ends within a slate."""
        if horizon % self.k:
            raise ParameterError("Slates", "horizon", f"a multiple of k ({self.k})", horizon)

    def words(self) -> str:
        return f"slates of {self.k}"

    def described(self) -> dict[str, str]:
        return {**self.problem.described(), "Slates": f"{self.k} distinct arms at a time"}

    def identity(self) -> Hashable:
        return self.problem, self.k
