"""The laws that every policy obeys.

    from rbmle.testing import check_policy
    check_policy(MyPolicy(), Bernoulli())

runs all of them on a policy of your own; the package's own policies are tested by the same calls.
"""

from __future__ import annotations

import tempfile
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ..engine import simulate
from ..live.decider import Decider
from ..policies.arms import Arms, Clock
from ..policies.base import ranks_only
from ..policies.fit import as_family, as_policy, check_fit, on_family
from ..random import key
from ..result import Result
from ..rewards.sources import RewardStream, Stream
from .checking import Checks, NotApplicable, Outcome, require, require_close, require_equal
from .chooser_checks import compiled_equals_interpreted, every_chooser_equals_the_scan
from .easy_problems import SEED, easy_problem
from .regret_check import regret_is_sublinear

CHECKS = Checks()


def check_policy(policy: Any, family: Any) -> list[Outcome]:
    """Check a policy on a family by every law; returns whether each law holds, or why it does not
    apply.

    The first broken law raises BrokenLawError.

    >>> import rbmle
    >>> outcomes = check_policy(rbmle.KGMin(), rbmle.Bernoulli())
    >>> outcomes[-1]
    Outcome(check='regret_is_sublinear', outcome='does not apply: KGMin says that it does not \
settle on an arm')
    """
    policy, family = as_policy(policy, "check_policy"), as_family(family, "check_policy")
    policy = on_family(policy, family, "check_policy")
    check_fit(policy, family)
    return CHECKS.run(policy, family)


def _run(policy: Any, family: Any, horizon: int, replications: int, **options: Any) -> Result:
    return simulate(
        easy_problem(family), [policy], horizon, replications, RewardStream(SEED), **options
    )


CHECKS(compiled_equals_interpreted)
CHECKS(every_chooser_equals_the_scan)


@CHECKS
def work_can_be_divided(policy: Any, family: Any) -> None:
    """Results do not depend on the number of threads, and a replication played alone is the same as
    in a batch."""
    whole = _run(policy, family, 150, 5, threads=1)
    threaded = _run(policy, family, 150, 5, threads=3)
    require_equal(threaded.regret, whole.regret, "regret with three threads and with one")
    alone = _run(policy, family, 150, 1, first_replication=3)
    require_equal(
        alone.regret[:, 0], whole.regret[:, 3], "regret of replication 3 alone and in a batch"
    )


@CHECKS
def each_arm_is_played_once_first(policy: Any, family: Any) -> None:
    """The first K rounds play each of the K arms once, and every round plays one arm."""
    start = _run(policy, family, 3, 2)
    require_equal(start.pulls, np.ones((1, 2, 3)), "pulls in the first three rounds and 1 each")
    later = _run(policy, family, 60, 2)
    require_equal(later.pulls.sum(axis=2), np.full((1, 2), 60), "pulls in 60 rounds and 60")


@CHECKS
def live_equals_simulated(policy: Any, family: Any) -> None:
    """A decider that gets the simulator's rewards pulls the simulator's arms, also after it was
    saved and loaded."""
    horizon, problem = 60, easy_problem(family)
    simulated = _run(policy, family, horizon, 1, checkpoints=range(1, horizon + 1))
    source = Stream(family, np.array(problem.means), *key(SEED))
    decider = Decider(range(3), policy, family, seed=SEED, horizon=horizon)
    total = np.zeros(3)
    for t in range(1, horizon + 1):
        if t == horizon // 2:
            with tempfile.TemporaryDirectory() as folder:
                decider.save(Path(folder) / "state.json")
                decider = Decider.load(Path(folder) / "state.json")
        i = int(decider.pull())
        decider.update(i, source.reward(0, t, i))
        total[i] += 1.0
        regret = float(sum(total * problem.gaps))
        expected = float(simulated.regret[0, 0, t - 1])
        require_close(regret, expected, f"live regret in round {t}", rel=1e-12)


@CHECKS
def an_index_does_not_depend_on_the_arms_place(policy: Any, family: Any) -> None:
    """Permuting the arms permutes their indices, and `prefer` does not depend on which of two arms
    with equal indices is named first. So the same arm is pulled."""
    if not ranks_only(policy):
        raise NotApplicable(f"{type(policy).__name__} does not rank arms by an index")
    rng = np.random.default_rng(SEED)
    low, high = family.mean_range()
    for _ in range(20):
        n = rng.integers(1, 50, 5).astype(float)
        means = rng.uniform(max(low, -2.0), min(high, 2.0), 5)
        n[1], means[1] = n[0], means[0]  # two arms alike, for a tie
        arms = Arms(n, n * means, n * means * means, np.zeros(5))
        order = rng.permutation(5)
        moved = Arms(*(each[order] for each in arms))
        clock = Clock(int(n.sum()) + 1, 1000)
        plain = _indices(policy, family, arms, clock)
        for place, index in enumerate(_indices(policy, family, moved, clock)):
            # Close, not equal: a level that sums over the arms may round differently in this order.
            what = f"the index of arm {order[place]}, moved to place {place},"
            require_close(index, plain[order[place]], what, rel=1e-9)


def _indices(policy: Any, family: Any, arms: Any, clock: Any) -> list[float]:
    """The index of every arm. Where two are equal, `prefer` must change its sign if the arms are
    exchanged."""
    level = policy.level(family, arms, clock)
    found = [float(policy.index_of(family, arms, i, level)) for i in range(5)]
    for i, j in combinations(range(5), 2):
        if found[i] == found[j]:
            there = policy.prefer(family, arms, i, j, level)
            back = policy.prefer(family, arms, j, i, level)
            require(
                (there > 0.0) == (back < 0.0) and (there < 0.0) == (back > 0.0),
                f"'prefer' must change its sign with the arms exchanged. Got {there} and {back}.",
            )
    return found


CHECKS(regret_is_sublinear)
