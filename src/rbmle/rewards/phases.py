"""`Phases`: a world that switches from one problem to the next at given rounds."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..errors import ParameterError, integer
from ..random import MAX_ROUNDS, key
from .linear_phases import check_alike, linear_path
from .linear_problem import LinearProblem
from .problems import Problem
from .streams import MeanPath, Pays
from .worlds import World


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
            check_alike(listed)
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
            return linear_path(self.problems, self.starts, seed, horizon)
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
