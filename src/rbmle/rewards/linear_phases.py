"""Linear problems that follow each other: theta switches, features stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..errors import ParameterError
from .linear_problem import LinearProblem, LinearStream
from .streams import reward_source


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


def linear_path(
    problems: Sequence[LinearProblem], starts: NDArray[np.int64], seed: int, horizon: int
) -> LinearPath:
    """The rewards of linear problems that follow each other."""
    thetas = np.array([each.theta for each in problems])
    return LinearPath(problems[0].source(seed, horizon), thetas, starts)


def check_alike(problems: Sequence[LinearProblem]) -> None:
    """Raise ParameterError unless the problems differ in theta alone."""
    first = problems[0]
    for each in problems[1:]:
        same = LinearProblem(first.theta, each.features, each.law) == first
        if not same or each.theta.shape != first.theta.shape:
            raise ParameterError(
                "Phases", "problems", "alike but for theta if they are linear", each
            )
