"""`Drift`: a world whose means wander."""

from __future__ import annotations

import functools
from collections.abc import Hashable
from dataclasses import dataclass
from math import inf, nextafter, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._io.memory import machine_memory, size_text
from .._numba.compile import Floats
from ..errors import ParameterError, integer, number
from ..random import MAX_ROUNDS, MAX_SEED, key, path_uniforms
from .problems import Problem
from .streams import MeanPath
from .worlds import World, means_text


@dataclass(frozen=True, eq=False)
class Drift(World):
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
        ends = (
            least if low is None else number("Drift", "low", low, allowed),
            most if high is None else number("Drift", "high", high, allowed),
        )
        if not ends[0] < ends[1]:
            raise ParameterError("Drift", "high", f"above 'low' ({ends[0]:g})", ends[1])
        for mean in problem.means.tolist():
            if not ends[0] <= mean <= ends[1]:
                words = f"a problem with means in [{ends[0]:g}, {ends[1]:g}]"
                raise ParameterError("Drift", "problem", words, mean)
        values = {
            "problem": problem,
            "step": number("Drift", "step", step, "[0, 1e100]"),
            "every": integer("Drift", "every", every, f"[1, {MAX_ROUNDS}]"),
            "seed": integer("Drift", "seed", seed, f"[0, {MAX_SEED}]"),
            "low": ends[0],
            "high": ends[1],
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def law(self) -> Any:
        """The law of rewards."""
        return self.problem.law

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        return self.problem.n_arms

    def means_at(self, t: int) -> Floats:
        """The mean of each arm in round t."""
        means: Floats = self.path(t)[-1]
        return means

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
        raise ParameterError(
            "Drift",
            "every",
            f"large enough for the path to fit in memory: {rows:,} steps "
            f"need {size_text(needed)}, and there are {size_text(most)}",
        )
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
