"""Choosers: ways to find the arm with the largest index. They affect speed, never a choice."""

from .champion import Champion
from .promises import Bounds, Curve, bounds_of, curve_of
from .scan import Scan
from .selection import Chooser, chooser_for
from .tournament import Tournament

__all__ = [
    "Bounds",
    "Champion",
    "Chooser",
    "Curve",
    "Scan",
    "Tournament",
    "bounds_of",
    "chooser_for",
    "curve_of",
]
