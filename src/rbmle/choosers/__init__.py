"""Choosers: ways to find the arm with the largest index. They affect speed, never a choice."""

from .ceilings import Ceilings
from .champion import Champion
from .chords import Chords
from .contenders import Contenders
from .forgetful import ForgetfulChampion
from .line_tournament import LineTournament
from .lines import Lines
from .promises import Bounds, Curve, Line, bounds_of, curve_of, line_of
from .scan import Scan
from .selection import Chooser, chooser_for
from .tournament import Tournament

__all__ = [
    "Bounds",
    "Ceilings",
    "Champion",
    "Chooser",
    "Chords",
    "Contenders",
    "Curve",
    "ForgetfulChampion",
    "Line",
    "LineTournament",
    "Lines",
    "Scan",
    "Tournament",
    "bounds_of",
    "chooser_for",
    "curve_of",
    "line_of",
]
