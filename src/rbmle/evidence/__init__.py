"""Evidence: what an arm's past is worth now. Policies read effective pulls and sums from it."""

from .diagonal import Diagonal
from .discounted import Counting, Discounted
from .interface import (
    EVIDENCE,
    Evidence,
    Features,
    as_evidence,
    can_impute,
    check_evidence,
    evidence,
    features_of,
    without_features,
)
from .linear import Linear
from .logistic import Logistic
from .window import Window

__all__ = [
    "EVIDENCE",
    "Counting",
    "Diagonal",
    "Discounted",
    "Evidence",
    "Features",
    "Linear",
    "Logistic",
    "Window",
    "as_evidence",
    "can_impute",
    "check_evidence",
    "evidence",
    "features_of",
    "without_features",
]
