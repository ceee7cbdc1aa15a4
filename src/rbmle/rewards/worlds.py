"""A world: what the simulator asks of everything that pays rewards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._compile import Floats
from ..families import FAMILIES


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
        raise NotImplementedError

    @property
    def dimension(self) -> int:
        return 0

    @property
    def family(self) -> Any:
        """The family that policies assume by default: the law, if it is a family, else None."""
        return self.law if isinstance(self.law, tuple(FAMILIES.values())) else None

    def kind(self) -> Any:
        """Worlds of the same kind differ in numbers only: a GPU plays them together."""
        raise NotImplementedError

    def source(self, seed: int, horizon: int) -> Any:
        """The record that compiled code gets rewards from; see `Stream`."""
        raise NotImplementedError

    def sources(self, worlds: Sequence[Any], seed: int, horizon: int) -> Any:
        """One record for several worlds of this kind, for a GPU: its arrays have a row for each."""
        raise NotImplementedError
