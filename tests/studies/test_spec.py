"""Policies, families and laws as plain data, and back."""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple

import pytest

from rbmle.errors import ParameterError
from rbmle.families import Gamma, Gaussian
from rbmle.policies import (
    IDS,
    MOSS,
    RBMLE,
    UCB,
    AdaptiveExponential,
    LogBias,
    UCBTuned,
    policy,
)
from rbmle.spec import from_spec, to_spec


@policy
class Eager(NamedTuple):
    """A user's own policy."""

    bonus: float = 0.1

    def index_of(self, family: Any, arms: Any, i: int, level: float) -> float:
        value: float = arms.mean(i) + self.bonus / arms.pulls[i]
        return value


RECORDS = [
    UCB(0.1),
    RBMLE(),
    RBMLE(LogBias(1 / 3), "corollary"),
    RBMLE(AdaptiveExponential(bounds="appendix")),
    UCBTuned(math.inf),
    IDS("monte_carlo", 7, 0.99),
    MOSS(True),
    Gaussian(0.1),
    Gamma(),
    Eager(2),
]


@pytest.mark.parametrize("record", RECORDS, ids=repr)
def test_records_round_trip(record: Any) -> None:
    again = from_spec(json.loads(json.dumps(to_spec(record), allow_nan=False)))
    assert type(again) is type(record)
    assert again == record
    assert repr(again) == repr(record)


def test_specs_that_are_wrong() -> None:
    for data, sentence in (
        ("RBMLEE", "Did you mean 'RBMLE'?"),
        ({"alpha": 1}, "'name' must be a name, or an object with a 'name'"),
        (7, "'name' must be a name, or an object with a 'name'. Got 7."),
        ({"name": 3}, "'name' must be one of"),
        ({"name": "RBMLE", "alpha": {"name": "Logbais"}}, "Did you mean 'LogBias'?"),
        ({"name": "RBMLE", "boundary": "exakt"}, "Did you mean 'exact'?"),
    ):
        with pytest.raises(ParameterError) as caught:
            from_spec(data)
        assert sentence in str(caught.value)
    with pytest.raises(ParameterError, match="'record' must be a policy, family, law or bias"):
        to_spec((1, 2))
