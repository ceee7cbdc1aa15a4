"""The methods that the paper's room gives families, as policies name them.

Their formulas are in `rbmle.paper.variants`: what the code behind the tables ran, where that is not
what the text says.
"""

from __future__ import annotations

from typing import Protocol

from ..families import Family
from .knowledge import Learns, LooksAhead


class PublishedIndex(Family, Protocol):
    """RBMLE's index at the upper end of the means, as printed and as run."""

    def corollary_index(self, pulls: float, total: float, alpha: float) -> float: ...
    def published_index(self, pulls: float, total: float, alpha: float) -> float: ...


class PublishedSearch(Family, Protocol):
    """KL-UCB's search for its root."""

    def published_kl_upper(self, mean: float, bound: float) -> float: ...


class PublishedGain(Learns, Protocol):
    """KG's gain of one pull."""

    def published_gain(self, pulls: float, total: float, rival: float, leads: bool) -> float: ...


class PublishedStarGain(LooksAhead, Protocol):
    """KG*'s gain of the pulls to come."""

    def published_star_gain(self, pulls: float, gap: float, left: float) -> float: ...
