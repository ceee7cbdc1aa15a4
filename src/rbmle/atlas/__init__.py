"""The atlas: which policy, on which problems, at what risk."""

from .efforts import atlas
from .sets import GROUPS, ProblemSet, atlas_sets
from .verdicts import (
    AWARE,
    FAMILY_FREE,
    RIVALS,
    AtlasCell,
    AtlasRow,
    AtlasVerdict,
    read_atlas,
    rows_of,
    verdicts,
    within_targets,
    write_atlas,
)

__all__ = [
    "AWARE",
    "FAMILY_FREE",
    "GROUPS",
    "RIVALS",
    "AtlasCell",
    "AtlasRow",
    "AtlasVerdict",
    "ProblemSet",
    "atlas",
    "atlas_sets",
    "read_atlas",
    "rows_of",
    "verdicts",
    "within_targets",
    "write_atlas",
]
