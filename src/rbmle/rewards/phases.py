"""`Phases`: a world that switches from one problem to the next at given rounds."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..errors import ParameterError, integer
from ..random import MAX_ROUNDS, key
from .linear_problem import LinearProblem, LinearStream
from .problems import Problem
from .streams import MeanPath, Pays, reward_source
from .worlds import World


@reward_source
class LinearPath(NamedTuple):
    """Rewards of arms with features, whose theta is thetas[n] from round starts[n] on.

    stream: the features and the means of the present round.
    """

    stream: LinearStream
    thetas: Floats
    starts: NDArray[np.int64]

    def own(self) -> LinearPath:
        """The same, with room of its own for the features and means of a round."""
        known, means = self.stream.known, np.zeros_like(self.stream.means)
        own = known if self.stream.drawing.given() else np.zeros_like(known)
        return self._replace(stream=self.stream._replace(known=own, means=means))

    def moving(self) -> bool:
        """Whether features are drawn anew in each round."""
        return self.stream.moving()

    def place(self, t: int) -> int:
        """The phase of round t."""
        p = 0
        while p + 1 < self.starts.size and self.starts[p + 1] <= t:
            p += 1
        return p

    def meet(self, replication: int, t: int) -> None:
        """Round t begins: draw its features, and compute its means where something changed."""
        stream, p = self.stream, self.place(t)
        drawn = not stream.drawing.given() and (t == 1 or stream.drawing.anew())
        if drawn:
            now = t if stream.drawing.anew() else 0
            stream.drawing.draw(stream.known, stream.key0, stream.key1, replication, now)
        if drawn or t == self.starts[p]:
            for i in range(stream.means.size):
                total, row = 0.0, i if self.thetas.shape[1] > 1 else 0
                for a in range(stream.known.shape[1]):
                    total += stream.known[i, a] * self.thetas[p, row, a]
                stream.means[i] = 1.0 / (1.0 + exp(-total)) if stream.logistic else total

    def feature(self, i: int, a: int) -> float:
        """Feature a of arm i in this round."""
        return self.stream.feature(i, a)

    def reward(self, replication: int, t: int, i: int) -> float:
        return self.stream.reward(replication, t, i)

    def gap(self, replication: int, t: int, i: int) -> float:
        """The best mean of this round minus that of arm i."""
        return self.stream.gap(replication, t, i)


@dataclass(frozen=True, eq=False)
class Phases(World):
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

    problems: tuple[Any, ...]
    at: tuple[int, ...]

    def __init__(self, problems: Sequence[Problem | LinearProblem], at: Sequence[int]) -> None:
        listed = list(problems) if isinstance(problems, (list, tuple)) else []
        if len(listed) < 2:
            raise ParameterError("Phases", "problems", "a list of at least two", problems)
        first: Any = listed[0]
        for each in listed:
            if type(each) is not type(first) or not isinstance(each, (Problem, LinearProblem)):
                raise ParameterError(
                    "Phases", "problems", "Problems, or LinearProblems, all of one kind", each
                )
        for each in listed[1:]:
            if type(each.law) is not type(first.law) or each.law != first.law:
                raise ParameterError(
                    "Phases", "problems", f"of the first one's law, {first.law}", each.law
                )
            if each.n_arms != first.n_arms:
                raise ParameterError(
                    "Phases", "problems", f"of {first.n_arms} arms, as the first one", each.n_arms
                )
        if isinstance(first, LinearProblem):
            _check_alike(listed)
        object.__setattr__(self, "problems", tuple(listed))
        object.__setattr__(self, "at", _rounds(at, len(listed) - 1))

    @property
    def law(self) -> Any:
        """The law of rewards, which all problems share."""
        return self.problems[0].law

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return int(self.problems[0].n_arms)

    @property
    def dimension(self) -> int:
        """The dimension of the features, 0 if there are none."""
        return int(self.problems[0].dimension)

    @property
    def starts(self) -> NDArray[np.int64]:
        """The first round of each problem."""
        return np.array([1, *(t + 1 for t in self.at)])

    def means_at(self, t: int) -> Floats:
        """The mean of each arm in round t, if it does not depend on features that are drawn."""
        means: Floats = self.problems[int(np.searchsorted(self.at, t))].means
        return means

    def sources(self, worlds: Sequence[Self], seed: int, horizon: int) -> Pays:
        if self.dimension > 0:
            raise ParameterError("Phases", "device", "'cpu' for phases of linear problems", "cuda")
        return self.source(seed, horizon)

    def source(self, seed: int, horizon: int) -> Pays:
        if self.dimension > 0:
            thetas = np.array([each.theta for each in self.problems])
            return LinearPath(self.problems[0].source(seed, horizon), thetas, self.starts)
        means = np.array([each.means for each in self.problems])
        return MeanPath.of(self.law, means, self.starts, *key(seed))

    def words(self) -> str:
        return f"{len(self.problems)} phases"

    def described(self) -> dict[str, str]:
        """The means of each phase in words, or its theta."""
        said = {}
        for begin, each in zip(self.starts.tolist(), self.problems, strict=True):
            for word, value in each.described().items():
                if word != "Features" or begin == 1:
                    said[word if word == "Features" else f"{word} from round {begin:,}"] = value
        return said

    def identity(self) -> Hashable:
        return self.problems, self.at


def _rounds(given: object, count: int) -> tuple[int, ...]:
    """The rounds at which phases end, checked."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise ParameterError("Phases", "at", "a list of whole numbers", given)
    rounds = tuple(integer("Phases", "at", each, f"[1, {MAX_ROUNDS}]") for each in given)
    if len(rounds) != count:
        raise ParameterError(
            "Phases", "at", f"as long as the problems less one, {count}", list(rounds)
        )
    if any(late <= early for early, late in pairwise(rounds)):
        raise ParameterError("Phases", "at", "in increasing order", list(rounds))
    return rounds


def _check_alike(problems: Sequence[LinearProblem]) -> None:
    """Raise ParameterError unless the problems differ in theta alone."""
    first = problems[0]
    for each in problems[1:]:
        same = LinearProblem(first.theta, each.features, each.law) == first
        if not same or each.theta.shape != first.theta.shape:
            raise ParameterError(
                "Phases", "problems", "alike but for theta if they are linear", each
            )
