"""A world: what the simulator asks of everything that pays rewards."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Self

import numpy as np

from .._io.text import count_text, number_text, power_text
from .._numba.compile import Floats
from ..errors import ParameterError
from ..families import FAMILIES
from .streams import Pays

_MOST_MEANS = 24  # listed one by one; the rest is counted


class World:
    """What rewards really do; no policy ever sees it. The base class of `Problem` and its like.

    law: how a reward with a given mean is distributed.
    fixed_gaps: each arm's gap, the same in every round; None if gaps change from round to round.
    Then regret is dynamic: against the best arm of each round.
    dimension: of the features of arms; 0 if there are none.
    """

    law: Any

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        raise NotImplementedError

    @property
    def fixed_gaps(self) -> Floats | None:
        return None

    @property
    def dimension(self) -> int:
        return 0

    @property
    def family(self) -> Any:
        """The family that policies assume by default: the law, if it is a family, else None."""
        return self.law if isinstance(self.law, tuple(FAMILIES.values())) else None

    def words(self) -> str:
        """How it differs from a plain problem, in a word or two, for titles."""
        return ""

    def described(self) -> dict[str, str]:
        """Its means in words, for reports: pairs of a word and its value."""
        raise NotImplementedError

    def kind(self) -> Hashable:
        """Worlds of the same kind differ in numbers only: a GPU plays them together.

        By default it is played alone.
        """
        return self

    def source(self, seed: int, horizon: int) -> Pays:
        """The record that compiled code gets rewards from; see `Stream`."""
        raise NotImplementedError

    def sources(self, worlds: Sequence[Self], seed: int, horizon: int) -> Pays:
        """One record for several worlds of this kind, for a GPU: its arrays have a row for each."""
        return self.source(seed, horizon)

    def identity(self) -> Hashable:
        """All that makes the world: worlds are equal if these are."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, World):
            return NotImplemented
        return type(self) is type(other) and self.identity() == other.identity()

    def __hash__(self) -> int:
        return hash(self.identity())


def as_numbers(owner: str, name: str, given: object) -> Floats:
    """What is given as an array of numbers; raises ParameterError if it is none."""
    try:
        return np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(owner, name, "an array of numbers", given) from None


def check_finite(owner: str, name: str, values: Floats) -> None:
    """Raise ParameterError unless all numbers are finite."""
    if not np.isfinite(values).all():
        bad = float(values[~np.isfinite(values)][0])
        raise ParameterError(owner, name, "finite numbers", bad)


def means_text(means: Floats) -> str:
    """The arms' means in their order; of many arms the first 24, the count and the largest mean."""
    shown = [power_text(f"{each:.6g}") for each in means[:_MOST_MEANS]]
    if len(means) <= _MOST_MEANS:
        return ", ".join(shown)
    left = count_text(len(means) - _MOST_MEANS, "more", "more")
    return f"{', '.join(shown)} and {left}; the largest is {number_text(float(means.max()))}"
