"""A small study, and the same study in TOML."""

from __future__ import annotations

from typing import Any

from rbmle.families import Bernoulli, Gaussian
from rbmle.policies import (
    RBMLE,
    UCB,
    Assuming,
)
from rbmle.rewards.problems import Problem
from rbmle.studies.study import Study

COINS = Problem(Bernoulli(), [0.1, 0.2, 0.3])
BELLS = Problem(Gaussian(sigma=2.0), [-0.0, 1.5])
POLICIES_OF = {"R": RBMLE(2.0), "U": UCB(), "G": Assuming(RBMLE(), Gaussian(0.5))}
TOML = """
name = "my study"
horizon = 10_000
replications = 100
[[problem]]
name = "coins"
law = "bernoulli"
means = [0.1, 0.2, 0.3]
[[policy]]
name = "rbmle"
alpha = 2
[[policy]]
name = "UCBTuned"
cap = inf
[[policy]]
name = "RBMLE"
label = "Gaussian index"
family = {name = "Gaussian", sigma = 0.5}
"""


def study(**changes: Any) -> Study:
    given: dict[str, Any] = {
        "problems": {"coins": COINS},
        "policies": POLICIES_OF,
        "horizon": 1000,
        "replications": 20,
    }
    return Study(**{**given, **changes})
