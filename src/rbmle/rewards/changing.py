"""Worlds that change: `Phases` switches between problems, `Drift` has means that wander."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, nextafter, sqrt
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .._io.machine import machine_memory, size_text
from .._numba.compile import Floats
from ..errors import ParameterError, integer, number
from ..families import Law
from ..random import MAX_ROUNDS, MAX_SEED, Cell, key, path_uniforms
from .linear_problem import LinearPath, LinearProblem
from .problems import Pays, Problem, Varied, means_text, reward_source


@reward_source
class MeanPath(NamedTuple):
    """Rewards whose means are those of `means[n]` from round starts[n] on, until starts[n + 1].

    gaps: the best mean of each row minus the means of the row.
    """

    law: Law
    means: Floats
    gaps: Floats
    starts: NDArray[np.int64]
    key0: int
    key1: int

    @classmethod
    def of(
        cls, law: Law, means: Floats, starts: NDArray[np.int64], key0: int, key1: int
    ) -> MeanPath:
        return cls(law, means, means.max(axis=1)[:, None] - means, starts, key0, key1)

    def place(self, t: int) -> int:
        """The row of round t, by bisection."""
        low, high = 0, self.starts.size  # starts[low] <= t < starts[high]
        while high - low > 1:
            middle = (low + high) // 2
            if self.starts[middle] <= t:
                low = middle
            else:
                high = middle
        return low

    def reward(self, replication: int, t: int, i: int) -> float:
        mean = self.means[self.place(t), i]
        return self.law.sample(mean, Cell(self.key0, self.key1, replication, t, i))

    def gap(self, replication: int, t: int, i: int) -> float:
        """The best mean of round t minus the mean of arm i in it."""
        return float(self.gaps[self.place(t), i])


@dataclass(frozen=True, eq=False)
class Phases(Varied):
    """Problems that follow each other: the first up to round at[0], the second from at[0] + 1 on.

    problems: at least two, with the same law of rewards and the same number of arms; or
    `LinearProblem`s that differ in theta alone.
    at: the last round of each problem but the last one, in increasing order.

    Regret is dynamic: in each round it is the best mean of that round minus the mean of the arm
    that was played (Garivier and Moulines 2011).

    >>> morning, evening = Problem("bernoulli", [0.2, 0.6]), Problem("bernoulli", [0.5, 0.3])
    >>> day = Phases([morning, evening], at=[10_000])
    >>> day.means_at(10_000), day.means_at(10_001)
    (array([0.2, 0.6]), array([0.5, 0.3]))
    """

    problems: tuple[Problem | LinearProblem, ...]
    at: tuple[int, ...]

    def __init__(self, problems: Sequence[Problem | LinearProblem], at: Sequence[int]) -> None:
        listed = problems if isinstance(problems, (list, tuple)) else []
        if len(listed) < 2:
            raise ParameterError("Phases", "problems", "a list of at least two", problems)
        first, others = listed[0], listed[1:]
        for each in listed:
            if type(each) is not type(first) or not isinstance(each, (Problem, LinearProblem)):
                words = "Problems, or LinearProblems, all of one kind"
                raise ParameterError("Phases", "problems", words, each)
        for each in others:
            if type(each.law) is not type(first.law) or each.law != first.law:
                words = f"of the first one's law, {first.law}"
                raise ParameterError("Phases", "problems", words, each.law)
            if each.n_arms != first.n_arms:
                words = f"of {first.n_arms} arms, as the first one"
                raise ParameterError("Phases", "problems", words, each.n_arms)
        for each in others if isinstance(first, LinearProblem) else ():
            same = LinearProblem(first.theta, each.features, each.law) == first
            if not same or each.theta.shape != first.theta.shape:
                words = "alike but for theta if they are linear"
                raise ParameterError("Phases", "problems", words, each)
        vars(self).update(problem=first, problems=tuple(listed), at=_rounds(at, len(others)))

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first round of each problem."""
        return np.array([1, *(t + 1 for t in self.at)])

    def means_at(self, t: int) -> Floats:
        """The mean of each arm in round t, if it does not depend on features that are drawn."""
        return np.asarray(self.problems[int(np.searchsorted(self.at, t))].means)

    def sources(self, worlds: Sequence[Self], seed: int, horizon: int) -> Pays:
        if self.dimension > 0:
            raise ParameterError("Phases", "device", "'cpu' for phases of linear problems", "cuda")
        return self.source(seed, horizon)

    def source(self, seed: int, horizon: int) -> Pays:
        linear = [each for each in self.problems if isinstance(each, LinearProblem)]
        if linear:
            thetas = np.array([each.theta for each in linear])
            return LinearPath(self.problem.source(seed, horizon), thetas, self.starts)
        means = np.array([each.means for each in self.problems])
        return MeanPath.of(self.law, means, self.starts, *key(seed))

    def check_horizon(self, horizon: int) -> None:
        """Refuse a phase of which no round would be played."""
        if self.at[-1] >= horizon:
            words = f"rounds before the last one, the horizon {horizon}"
            raise ParameterError("Phases", "at", words, list(self.at))

    def words(self) -> str:
        return f"{len(self.problems)} phases"

    def described(self) -> dict[str, str]:
        """The means of each phase in words, or its theta."""
        described = {}
        for begin, each in zip(self.starts.tolist(), self.problems, strict=True):
            for word, value in each.described().items():
                if word != "Features":
                    described[f"{word} from round {begin:,}"] = value
                elif begin == 1:
                    described[word] = value
        return described

    def identity(self) -> Hashable:
        return self.problems, self.at


def _rounds(given: object, count: int) -> tuple[int, ...]:
    """The rounds at which phases end, checked."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ParameterError("Phases", "at", "a list of whole numbers", given)
    rounds = tuple(integer("Phases", "at", each, f"[1, {MAX_ROUNDS}]") for each in given)
    if len(rounds) != count:
        words = f"as long as the problems less one, {count}"
        raise ParameterError("Phases", "at", words, list(rounds))
    if any(late <= early for early, late in pairwise(rounds)):
        raise ParameterError("Phases", "at", "in increasing order", list(rounds))
    return rounds


@dataclass(frozen=True, eq=False)
class Drift(Varied):
    """A problem whose means take a random step every `every` rounds, each arm on its own.

    problem: its means are those of the first `every` rounds.
    step: the standard deviation of a step, which is uniform on [-sqrt(3) step, sqrt(3) step].
    every: the rounds between two steps.
    seed: the path is a pure function of it, the same in every replication, whatever the horizon.
    low, high: where means are reflected; by default the ends of the range of the law's means. Where
    that is infinite, means wander freely.

    Steps are symmetric, so a walk that is reflected is a free walk that is folded into the range.
    Regret is dynamic, as for `Phases`.

    >>> shop = Drift(Problem("bernoulli", [0.2, 0.6]), step=0.02, every=100, seed=1)
    >>> shop.means_at(100), shop.means_at(101).round(4)
    (array([0.2, 0.6]), array([0.206 , 0.5886]))
    """

    problem: Problem
    step: float
    every: int
    seed: int
    low: float
    high: float

    def __init__(
        self,
        problem: Problem,
        step: float,
        every: int = 1,
        seed: int = 0,
        low: float | None = None,
        high: float | None = None,
    ) -> None:
        if not isinstance(problem, Problem):
            raise ParameterError("Drift", "problem", "a Problem", problem)
        least, most = problem.law.mean_range()
        allowed = f"[{least:g}, {most:g}]"
        low = least if low is None else number("Drift", "low", low, allowed)
        high = most if high is None else number("Drift", "high", high, allowed)
        if not low < high:
            raise ParameterError("Drift", "high", f"above 'low' ({low:g})", high)
        for mean in problem.means.tolist():
            if not low <= mean <= high:
                words = f"a problem with means in [{low:g}, {high:g}]"
                raise ParameterError("Drift", "problem", words, mean)
        vars(self).update(
            problem=problem,
            step=number("Drift", "step", step, "[0, 1e100]"),
            every=integer("Drift", "every", every, f"[1, {MAX_ROUNDS}]"),
            seed=integer("Drift", "seed", seed, f"[0, {MAX_SEED}]"),
            low=low,
            high=high,
        )

    def means_at(self, t: int) -> Floats:
        """The mean of each arm in round t."""
        return np.asarray(self.path(t)[-1])

    def path(self, horizon: int) -> Floats:
        """The means of rounds 1, 1 + every, 1 + 2 every, ... up to the horizon, a row for each."""
        return _path(self, -(-horizon // self.every))

    def source(self, seed: int, horizon: int) -> MeanPath:
        means = self.path(horizon)
        starts: NDArray[np.int64] = 1 + self.every * np.arange(len(means), dtype=np.int64)
        return MeanPath.of(self.law, means, starts, *key(seed))

    def words(self) -> str:
        return "means that wander"

    def described(self) -> dict[str, str]:
        """The path in words."""
        return {
            "Means in round 1": means_text(self.problem.means),
            "Drift": f"a step of standard deviation {self.step:g} every {self.every:,} rounds, "
            f"reflected at {self.low:g} and {self.high:g}, seed {self.seed}",
        }

    def identity(self) -> Hashable:
        return self.problem, self.step, self.every, self.seed, self.low, self.high


@functools.lru_cache(maxsize=4)  # a run asks for the same path again and again, piece by piece
def _path(world: Drift, rows: int) -> Floats:
    needed, most = 5 * 8 * rows * world.n_arms, machine_memory()  # five arrays of this size at most
    if most is not None and needed > most:
        words = f"{rows:,} steps need {size_text(needed)}, and there are {size_text(most)}"
        words = f"large enough for the path to fit in memory: {words}"
        raise ParameterError("Drift", "every", words)
    unit = path_uniforms(world.seed, range(1, rows), world.n_arms)
    steps = sqrt(12.0) * world.step * (unit - 0.5)
    free = np.cumsum(np.vstack([world.problem.means, steps]), axis=0)
    means = folded(free, world.low, world.high)
    allowed = world.law.mean_interval()
    if world.low not in allowed:
        np.maximum(means, nextafter(world.low, inf), out=means)
    if world.high not in allowed:
        np.minimum(means, nextafter(world.high, -inf), out=means)
    means.setflags(write=False)
    return means


def folded(values: Floats, low: float, high: float) -> Floats:
    """The values reflected at `low` and `high`, as often as it takes; both may be infinite."""
    if low == -inf and high == inf:
        return values
    if high == inf:
        return np.asarray(low + np.abs(values - low))
    if low == -inf:
        return np.asarray(high - np.abs(high - values))
    width = high - low
    away = np.mod(values - low, 2.0 * width)
    return np.clip(low + np.minimum(away, 2.0 * width - away), low, high)
