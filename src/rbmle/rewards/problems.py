"""A problem: the true distribution of each arm's rewards, which no policy ever sees."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError
from ..families import FAMILIES
from ..random import MAX_ARMS, key
from ..spec import as_record
from .laws import LAWS
from .streams import Stream
from .worlds import World, means_text


@dataclass(frozen=True, eq=False)
class Problem(World):
    """Arms that share a law of rewards and differ in their means.

    `law` is a family (`Bernoulli()`, `Gaussian(sigma=2)`, ...) or one of the non-parametric laws
    (`Uniform()`, `Laplace()`, ...), or the name of one: `"bernoulli"`, `"gaussian(sigma=2)"`.

    >>> Problem("bernoulli", [0.2, 0.5, 0.4]).gaps
    array([0.3, 0. , 0.1])
    """

    law: Any
    means: Floats

    def __init__(self, law: Any, means: Sequence[float] | Floats) -> None:
        law = as_record(law, ChainMap(LAWS, FAMILIES), "Problem", "law")
        if not hasattr(law, "sample"):
            raise ParameterError(
                "Problem", "law", "a family or law that can be sampled, as in Bernoulli()", law
            )
        try:
            values = np.array(means, dtype=float)
        except (TypeError, ValueError):
            raise ParameterError("Problem", "means", "a list of numbers", means) from None
        if values.ndim != 1 or not 2 <= values.size <= MAX_ARMS:
            raise ParameterError(
                "Problem", "means", f"a list of 2 to {MAX_ARMS} numbers, one an arm", means
            )
        allowed = law.mean_interval()
        for value in values:
            if not np.isfinite(value) or value not in allowed:
                name = type(law).__name__
                raise ParameterError(
                    "Problem", "means", f"numbers in {allowed} for {name}", float(value)
                )
        if 0.5 * values.max() - 0.5 * values.min() > 0.5 * np.finfo(float).max:
            raise ParameterError(
                "Problem", "means", "numbers less than 1.8e308 apart", values.tolist()
            )
        values.setflags(write=False)
        object.__setattr__(self, "law", law)
        object.__setattr__(self, "means", values)

    @property
    def n_arms(self) -> int:
        """The number of arms, N in the paper."""
        return int(self.means.size)

    @property
    def gaps(self) -> Floats:
        """The gaps Delta_i: the best arm's mean minus each arm's mean."""
        gaps: Floats = self.means.max() - self.means
        return gaps

    @property
    def fixed_gaps(self) -> Floats:
        return self.gaps

    def described(self) -> dict[str, str]:
        return {"Means": means_text(self.means)}

    def kind(self) -> Hashable:
        return type(self), type(self.law), self.law, self.n_arms

    def source(self, seed: int, horizon: int) -> Stream:
        return Stream(self.law, np.array(self.means), *key(seed))

    def sources(self, worlds: Sequence[Self], seed: int, horizon: int) -> Stream:
        return Stream(self.law, np.array([each.means for each in worlds]), *key(seed))

    def identity(self) -> Hashable:
        means = self.means + 0.0  # -0.0 becomes 0.0, to which it is equal
        return type(self.law), self.law, means.tobytes()
