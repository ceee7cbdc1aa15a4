"""Choosers: ways to find the arm with the largest index. They affect speed, never a choice."""

from .cached_bounds import CachedBounds
from .facts import Facts, facts_for, facts_of
from .scan import Scan
from .selection import Chooser, chooser_for
from .tournament import Tournament

__all__ = [
    "CachedBounds",
    "Chooser",
    "Facts",
    "Scan",
    "Tournament",
    "chooser_for",
    "facts_for",
    "facts_of",
]
