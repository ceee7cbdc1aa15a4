"""The check that the regret of a policy is sublinear. Linear regret fails it."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from ..engine import simulate
from ..rewards.problems import Problem
from ..rewards.sources import RewardStream
from .checking import NotApplicable, require
from .easy_problems import SEED

HORIZON, REPLICATIONS = 4000, 32  # replications in each of the two orders of the arms

# The regret per round, as a share of uniform play's, below which a policy passes. A policy that
# plays uniformly in a share p of the rounds has p. Measured at the end of the horizon, all policies
# of the package that settle have less than 0.0035 (RBMLE on coins has the most).
_SETTLED = 0.005

# The regret per round in rounds T/2..T, over that in rounds T/16..T/8, below which a policy passes.
# It is 1 for linear regret, 0.35 for sqrt(t), 0.13 for log t^1.5 and 0.125 for log t.
_FALLEN = 0.5


def regret_is_sublinear(policy: Any, family: Any) -> None:
    """Regret per round is small at the end, or has fallen to half.

    Two arms far apart are played for T = 4000 rounds, 32 times with the better arm first and 32
    times with it last. A policy breaks the law if its regret per round in the last half of the
    rounds is both more than 0.5 % of uniform play's and more than half of its own in rounds T/16 to
    T/8.

    The check finds a policy that plays uniformly in 5 % of the rounds or more; that always pulls
    the same arm; or that gets stuck on the worse arm in one replication of 64, as the greedy rule
    does on coins. It misses a policy that explores for ever in fewer than one round in 200, or that
    gets stuck more rarely. A slow policy with a large constant passes if its rate falls. The seed
    is fixed, so the answer never changes.

    It does not apply to a policy whose `settles` says that it explores for ever.
    """
    if not policy.settles():
        raise NotApplicable(f"{type(policy).__name__} says that it does not settle on an arm")
    means = two_means(family)
    points = [HORIZON // 16, HORIZON // 8, HORIZON // 2]
    regret = np.concatenate(
        [
            simulate(
                Problem(family, order), [policy], HORIZON, REPLICATIONS, RewardStream(SEED),
                checkpoints=points,
            ).regret[0]
            for order in (means, means[::-1])
        ]
    ).mean(axis=0)  # fmt: skip
    uniform = 0.5 * (means[1] - means[0])
    early = (regret[1] - regret[0]) / (HORIZON / 16) / uniform
    late = (regret[3] - regret[2]) / (HORIZON / 2) / uniform
    require(
        late <= _SETTLED or late <= _FALLEN * early,
        f"regret must grow ever more slowly. Its rate, over that of uniform play, was {early:.3g} "
        f"in rounds {points[0]} to {points[1]} and {late:.3g} in rounds {points[2]} to {HORIZON}.",
    )


def two_means(family: Any) -> list[float]:
    """A worse and a better mean, far apart: a fifth from the ends of a bounded range; else 1.6
    standard deviations apart, and at least 1.6, for policies that assume a standard deviation of
    1."""
    low, high = family.mean_range()
    if low > -inf and high < inf:
        return [low + 0.2 * (high - low), low + 0.8 * (high - low)]
    if high < inf:
        worse = high - 2.0
        return [worse, high - 0.4]
    worse = low + 0.4 if low > -inf else -0.5
    h = 1e-4
    precision = (family.natural(worse + h) - family.natural(worse - h)) / (2.0 * h)
    return [worse, worse + 1.6 * max(1.0, precision**-0.5)]
