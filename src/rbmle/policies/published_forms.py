"""The types of families that can play a policy as the code behind the published tables did.

Where that code differs from the paper's text, its formulas are in `rbmle.paper.variants`, which
gives the families these methods.
"""

from __future__ import annotations

from typing import Protocol

from ..families import Family
from .knowledge import Learns, LooksAhead


class PublishedIndex(Family, Protocol):
    """A family with RBMLE's index as printed in Corollary 1, and as the published code has it."""

    def corollary_index(self, pulls: float, total: float, alpha: float) -> float: ...
    def published_index(self, pulls: float, total: float, alpha: float) -> float: ...


class PublishedSearch(Family, Protocol):
    """A family with the published code's search for KL-UCB's index."""

    def published_kl_upper(self, mean: float, bound: float) -> float: ...


class PublishedGain(Learns, Protocol):
    """A family with the published code's gain of one pull, for KG."""

    def published_gain(self, pulls: float, total: float, rival: float, leads: bool) -> float: ...


class PublishedStarGain(LooksAhead, Protocol):
    """A family with the published code's gain of several pulls, for KG*."""

    def published_star_gain(self, pulls: float, gap: float, left: float) -> float: ...
