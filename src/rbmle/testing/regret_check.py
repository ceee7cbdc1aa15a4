"""Is the regret of a policy sublinear? A test that linear regret fails."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from ..engine import simulate
from ..rewards.problems import Problem
from ..rewards.sources import RewardStream
from .checking import NotApplicable, require
from .problems import SEED

HORIZON, REPLICATIONS = 4000, 32  # replications in each of the two orders of the arms

# The regret of a round, as a share of that of uniform play. A policy that explores in a fixed
# share p of the rounds has p; all those of the package that settle are below 0.0035 by the end of
# the horizon (RBMLE on coins has the most).
_SETTLED = 0.005

# The rate of regret in rounds T/2..T over that in rounds T/16..T/8. It is 1 for linear regret, 0.35
# for sqrt(t), 0.13 for log t^1.5 and 0.125 for log t.
_FALLEN = 0.5


def regret_is_sublinear(policy: Any, family: Any) -> None:
    """The rate at which regret grows is small at the end, or has fallen to half.

    Two arms far apart are played for T = 4000 rounds, 32 times with the better arm first and 32
    times with it last. A policy breaks the law if in the last half of the rounds it still has more
    than 0.5 % of the regret of uniform play, and more than half of its own rate in rounds T/16 to
    T/8.

    It finds a policy that plays uniformly in 5 % of the rounds or more; that keeps to one arm
    whatever it pays; or that gets stuck on the worse arm in one replication of 64, as the greedy
    rule does on coins. It does not find one that explores for ever in fewer than one round in 200,
    or that gets stuck more seldom. A slow rule with a large constant passes as soon as its rate
    falls. The seed is fixed, so the answer never changes.

    Does not apply to a policy that says, by `settles`, that it explores for ever.
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
    """A worse and a better mean, far apart: a fifth from the ends of a bounded range, else 1.6
    standard deviations (and 1.6 at least, for rules that assume rewards of about that spread)."""
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
