"""The policies whose index is a base plus a rise times a function of the level, for `Lines`."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from ..policies import UCB
from ..policies.arms import Arms
from .promises import line_of


@line_of(UCB)
class UCBLine(NamedTuple):
    """p_i + sqrt(alpha / N_i) sqrt(log t)."""

    policy: Any

    def scale(self, level: float) -> float:
        return sqrt(level)

    def base(self, family: Any, arms: Arms, i: int) -> float:
        return arms.mean(i)

    def rise(self, family: Any, arms: Arms, i: int) -> float:
        return sqrt(self.policy.alpha / arms.pulls[i])
