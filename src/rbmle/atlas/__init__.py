"""The atlas: which policy, on which problems, at what risk."""

from .data import read_atlas, write_atlas
from .making import atlas
from .plan import RIVALS
from .sets import GROUPS, ProblemSet, atlas_sets
from .summary import Cell, Row, Verdict, rows_of, verdicts, within_targets

__all__ = [
    "GROUPS",
    "RIVALS",
    "Cell",
    "ProblemSet",
    "Row",
    "Verdict",
    "atlas",
    "atlas_sets",
    "read_atlas",
    "rows_of",
    "verdicts",
    "within_targets",
    "write_atlas",
]
