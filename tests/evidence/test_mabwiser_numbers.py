"""Numbers that another library's tests expect, from the same data: those of MABWiser's
tests/test_linucb.py (Fidelity Investments, Apache-2.0; version 2.7.4), `test_alpha0_expectations`
and `test_alpha1_expectations`. An arm has a theta of its own; alpha is that of LinUCB."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import pytest

from rbmle import Arms, Decider, Encode, Gaussian, Linear, policy

HISTORY = [
    [0, 1, 2, 3, 5], [1, 1, 1, 1, 1], [0, 0, 1, 0, 0], [0, 2, 2, 3, 5], [1, 3, 1, 1, 1],
    [0, 0, 0, 0, 0], [0, 1, 4, 3, 5], [0, 1, 2, 4, 5], [1, 2, 1, 1, 3], [0, 2, 1, 0, 0],
]  # fmt: skip
CASES = [
    (0.0, [1, 1, 1, 2, 2, 2, 3, 3, 3, 1], [0, 0, 0, 0, 0, 0, 1, 1, 1, 1],
     [[-0.018378378378378413, 0.0, 0.9966292134831471],
      [0.14054054054054055, 0.0, 0.43258426966292074]]),
    (1.0, [1, 1, 1, 2, 2, 3, 3, 3, 3, 3], [0, 0, 1, 0, 0, 0, 0, 1, 1, 1],
     [[0.9790312458954391, 1.1617706239438832, 1.4247056229871702],
      [0.8896475809353053, 0.923364043088837, 1.457085577251709]]),
]  # fmt: skip
COLUMNS = {f"x{k}": [0, 1] for k in range(5)}  # as they are


@policy
class LinUCBOf(NamedTuple):
    """LinUCB with a constant alpha."""

    alpha: float = 1.0

    def index_of(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return arms.mean(i) + self.alpha / sqrt(arms.pulls[i])


@pytest.mark.slow  # it compiles a class of its own
@pytest.mark.parametrize("features", [False, Encode(COLUMNS, intercept=False)])
@pytest.mark.parametrize(("alpha", "decisions", "rewards", "expected"), CASES)
def test_expectations_of_mabwisers_own_test(
    alpha: float, decisions: Any, rewards: Any, expected: Any, features: Any
) -> None:
    evidence = Linear(5, shared=False, features=features)
    live = Decider([1, 2, 3], LinUCBOf(alpha), Gaussian(), evidence=evidence)
    live.update(decisions, rewards, HISTORY)
    for context, told in zip(([0, 1, 2, 3, 5], [1, 1, 1, 1, 1]), expected, strict=True):
        assert list(live.indices(context).values()) == pytest.approx(told, rel=1e-12, abs=1e-12)
    assert live.pull(context=HISTORY[0]) == live.pull(context=HISTORY[1]) == 3
