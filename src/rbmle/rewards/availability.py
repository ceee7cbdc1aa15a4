"""`Availability`: a world whose arms are asleep at random, so that some of them can be played."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from .._numba.compile import Floats
from ..errors import ParameterError, number
from ..random import SLEEP_LANE, Cell, key
from .changing import MeanPath
from .problems import Pays, Problem, Varied, World, as_numbers, reward_source
from .table_worlds import TableWorld


@reward_source
class AwakeSource(NamedTuple):
    """The rewards of another source, and which arms are asleep.

    awake: the probability of each arm. asleep: for each arm 1 if it is in the present round; then
    how many are. A game has the same array as its `hidden` arms.
    """

    source: Any
    awake: Floats
    asleep: Floats
    key0: int
    key1: int

    def own(self) -> AwakeSource:
        return self._replace(source=self.source.own(), asleep=self.asleep.copy())

    def moving(self) -> bool:
        return bool(self.source.moving())

    def meet(self, replication: int, t: int) -> None:
        self.source.meet(replication, t)
        self.draw(replication, t)

    def draw(self, replication: int, t: int) -> None:
        """Draw which arms sleep in round t. If all do, the one that came closest to waking is
        awake."""
        n_arms, count, closest, least = self.awake.size, 0, 0, 2.0
        for i in range(n_arms):
            lane = SLEEP_LANE + i
            short = Cell(self.key0, self.key1, replication, t, lane).uniform(0) - self.awake[i]
            self.asleep[i] = 1.0 if short >= 0.0 else 0.0
            count += int(short >= 0.0)
            if short < least:
                closest, least = i, short
        if count == n_arms:
            self.asleep[closest] = 0.0
            count -= 1
        self.asleep[n_arms] = count

    def feature(self, i: int, a: int) -> float:
        return float(self.source.feature(i, a))

    def reward(self, replication: int, t: int, i: int) -> float:
        return float(self.source.reward(replication, t, i))

    def gap(self, replication: int, t: int, i: int) -> float:
        """The best mean of the arms that are awake minus the mean of arm i."""
        own = least = self.source.gap(replication, t, i)
        for j in range(self.awake.size):
            if self.asleep[j] == 0.0:
                least = min(least, self.source.gap(replication, t, j))
        return float(own - least)


@dataclass(frozen=True, eq=False)
class Availability(Varied):
    """A world whose arms are asleep at random: in each round an arm can be played with probability
    `awake`, each on its own, and at least one can.

    problem: a `Problem`, `LinearProblem`, `Phases` or `Drift`.
    awake: a probability in (0, 1], for every arm; or a list, one for each.

    Policies see the arms that are awake, as with `Decider.pull(among=...)`. Which they are is a
    function of seed, replication, round and arm: the same for every policy. Regret is against the
    best arm that was awake (Kleinberg, Niculescu-Mizil and Sharma 2010).

    >>> shop = Availability(Problem("bernoulli", [0.2, 0.5, 0.6]), awake=0.5)
    >>> [shop.awake_at(t, seed=1) for t in (1, 2, 3)]
    [[2], [0, 1, 2], [1]]
    """

    problem: World
    awake: Floats

    def __init__(self, problem: World, awake: float | ArrayLike) -> None:
        if not isinstance(problem, World) or isinstance(problem, (Availability, TableWorld)):
            raise ParameterError("Availability", "problem", "a Problem", problem)
        if np.ndim(awake) == 0:
            awake = np.full(problem.n_arms, number("Availability", "awake", awake, "(0, 1]"))
        chances = as_numbers("Availability", "awake", awake, "a number, or a list of numbers")
        if chances.shape != (problem.n_arms,):
            words = f"a number, or {problem.n_arms} numbers, one for each arm"
            raise ParameterError("Availability", "awake", words, awake)
        for each in chances.tolist():
            number("Availability", "awake", each, "(0, 1]")
        chances.setflags(write=False)
        vars(self).update(problem=problem, awake=chances)

    def awake_at(self, t: int, seed: int = 0, replication: int = 0) -> list[int]:
        """The arms that are awake in round t of a replication."""
        drawn = AwakeSource(None, self.awake, np.zeros(self.n_arms + 1), *key(seed))
        drawn.draw(replication, t)
        return [i for i in range(self.n_arms) if drawn.asleep[i] == 0.0]

    def source(self, seed: int, horizon: int) -> Pays:
        """Gaps of a plain problem are those of a path that never changes."""
        if isinstance(self.problem, Problem):
            start = np.ones(1, np.int64)
            inner: Any = MeanPath.of(self.law, self.problem.means[None], start, *key(seed))
        else:
            inner = self.problem.source(seed, horizon)
        return AwakeSource(inner, np.array(self.awake), np.zeros(self.n_arms + 1), *key(seed))

    def sources(self, worlds: Sequence[Self], seed: int, horizon: int) -> Pays:
        raise ParameterError("Availability", "device", "'cpu' for arms that are asleep", "cuda")

    def check_horizon(self, horizon: int) -> None:
        self.problem.check_horizon(horizon)

    def words(self) -> str:
        words = self.problem.words()
        return f"{words}, arms asleep" if words else "arms asleep"

    def described(self) -> dict[str, str]:
        chances = sorted(set(self.awake.tolist()))
        text = ", ".join(f"{each:g}" for each in (chances if len(chances) == 1 else self.awake))
        return {**self.problem.described(), "Awake": f"with probability {text}"}

    def identity(self) -> Hashable:
        return self.problem, self.awake.tobytes()
