"""`Slates`: a world in which several distinct arms are played together, in order."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import nan
from typing import NamedTuple, Self

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError, integer, one_of
from ..families import Bernoulli, Law
from ..random import Cell, key
from .delays import BatchDelay
from .problems import Pays, Problem, Varied, reward_source

INDEPENDENT, CASCADE = "independent", "cascade"
LOOKS, UNSEEN, WITHDRAWN = range(3)  # places in `SlateSource.course`


@reward_source
class SlateSource(NamedTuple):
    """Rewards of slates. best: what each place of the best slate pays on average, in order.

    course: of a cascade: the probability that someone looks at the next place of the present slate;
    how many of its places nobody looked at; and how many in all earlier slates. cascade: whether
    the user stops at the first success.
    asleep: for each arm 1 if it has a place in the present slate; then how many have. A game has
    the same array as its `hidden` arms.
    """

    law: Law
    means: Floats
    best: Floats
    asleep: Floats
    course: Floats
    cascade: bool
    key0: int
    key1: int

    def own(self) -> SlateSource:
        return self._replace(asleep=self.asleep.copy(), course=self.course.copy())

    def round_of(self, t: int) -> int:
        """Places that nobody looked at do not count, as pulls that a `Decider` forgets."""
        return t - int(self.course[WITHDRAWN])

    def meet(self, replication: int, t: int) -> None:
        if (t - 1) % self.best.size == 0:  # a slate begins
            unseen = max(self.course[UNSEEN], 0.0)
            self.course[WITHDRAWN] = self.course[WITHDRAWN] + unseen if t > 1 else 0.0
            self.course[LOOKS], self.course[UNSEEN] = 1.0, -1.0
            for i in range(self.asleep.size):
                self.asleep[i] = 0.0

    def reward(self, replication: int, t: int, i: int) -> float:
        """The reward of arm i, which has a place from now on; NaN if nobody looked at it."""
        if self.asleep[i] == 0.0:
            self.asleep[i] = 1.0
            self.asleep[self.means.size] += 1.0
        reward = self.law.sample(self.means[i], Cell(self.key0, self.key1, replication, t, i))
        if self.cascade:
            self.course[LOOKS] *= 1.0 - self.means[i]
            if self.course[UNSEEN] >= 0.0:  # there was a success before
                self.course[UNSEEN] += 1.0
                reward = nan
            elif reward > 0.0:
                self.course[UNSEEN] = 0.0
        return float(reward)

    def gap(self, replication: int, t: int, i: int) -> float:
        """What the best slate pays at this place, on average, minus what arm i does."""
        return float(self.best[(t - 1) % self.best.size] - self.course[LOOKS] * self.means[i])


@dataclass(frozen=True, eq=False)
class Slates(Varied):
    """A problem in which k distinct arms are played at a time, in order: rounds 1, ..., k fill the
    first slate, the next k the second.

    problem: a `Problem`. k: from 1 to the number of arms; it divides the horizon.
    clicks: "independent", each place has a reward of its own; or "cascade", for Bernoulli rewards:
    the user looks from the top and stops at the first success (Kveton, Szepesvari, Wen and Ashkan
    2015, "Cascading Bandits"). What is below was not seen: it has no reward, and the pull does not
    count, as after `Decider.forget`.

    A policy fills a slate as `Decider.pull(k=...)` does, each place among the arms that have none.
    The rewards of a slate come when it is full, as with `BatchDelay(k)`. Regret is against the best
    slate, the k arms with the largest means: the sum of these minus the sum of those played; in a
    cascade, the probability that one of these succeeds minus that of those played.

    >>> import rbmle
    >>> page = Slates(Problem("bernoulli", [0.2, 0.5, 0.6]), k=2)
    >>> rbmle.simulate(page, ["ucb"], 100, 1).pulls.sum()
    np.int64(100)
    """

    problem: Problem
    k: int
    clicks: str

    def __init__(self, problem: Problem, k: int, clicks: str = INDEPENDENT) -> None:
        if not isinstance(problem, Problem):
            raise ParameterError("Slates", "problem", "a Problem", problem)
        k = integer("Slates", "k", k, f"[1, {problem.n_arms}]")
        clicks = one_of("Slates", "clicks", clicks, (INDEPENDENT, CASCADE))
        if clicks == CASCADE and not isinstance(problem.law, Bernoulli):
            raise ParameterError("Slates", "problem", "one of Bernoulli rewards", problem.law)
        vars(self).update(problem=problem, k=k, clicks=clicks)

    @property
    def delay(self) -> BatchDelay:
        """When the rewards of a slate come."""
        return BatchDelay(self.k)

    def source(self, seed: int, horizon: int) -> Pays:
        means = np.array(self.problem.means)
        best, cascade = np.sort(means)[::-1][: self.k].copy(), self.clicks == CASCADE
        if cascade:
            best[1:] *= np.cumprod(1.0 - best[:-1])
        room = np.zeros(self.n_arms + 1), np.array([1.0, -1.0, 0.0])
        return SlateSource(self.law, means, best, *room, cascade, *key(seed))

    def sources(self, worlds: Sequence[Self], seed: int, horizon: int) -> Pays:
        raise ParameterError("Slates", "device", "'cpu' for slates", "cuda")

    def check_horizon(self, horizon: int) -> None:
        """Refuse a horizon that ends within a slate."""
        if horizon % self.k:
            raise ParameterError("Slates", "horizon", f"a multiple of k ({self.k})", horizon)

    def words(self) -> str:
        return f"slates of {self.k}{', cascade' if self.clicks == CASCADE else ''}"

    def described(self) -> dict[str, str]:
        return {**self.problem.described(), "Slates": f"{self.k} arms at a time, {self.clicks}"}

    def identity(self) -> Hashable:
        return self.problem, self.k, self.clicks
