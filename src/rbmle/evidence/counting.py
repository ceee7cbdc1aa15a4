"""Counting: every reward counts once, for ever."""

from __future__ import annotations

from typing import NamedTuple

from .interface import evidence


@evidence
class Counting(NamedTuple):
    """Every reward counts once: pulls are numbers of pulls, sums are sums of rewards.

    It is the evidence of the plain bandit, and the default everywhere.

    >>> Counting().memory_size(10)
    0
    """

    def changes_all(self) -> bool:
        return False
