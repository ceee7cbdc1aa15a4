"""The laws that every policy obeys, as functions that raise where one is broken.

    from rbmle.testing import check_policy
    check_policy(MyPolicy(), Bernoulli())

runs all of them on a policy of your own; the package's own policies are tested by the same calls.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from ..choosers.scan import Scan
from ..choosers.tournament import Tournament
from ..engine import play, simulate
from ..live.decider import Decider
from ..policies.arms import Arms, Clock
from ..policies.base import check_fit, ranks_only
from ..random import Counter, Draws, key
from ..result import Result
from ..rewards.problems import Problem
from ..rewards.sources import RewardStream, Stream

_SEED = 7
_CHECKS: list[Callable[[Any, Any], None]] = []


def check(function: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    _CHECKS.append(function)
    return function


def check_policy(policy: Any, family: Any) -> None:
    """Check a policy on a family by every law; the first broken one raises AssertionError."""
    check_fit(policy, family)
    for each in _CHECKS:
        each(policy, family)


def checks() -> list[Callable[[Any, Any], None]]:
    """Every law, to be called with a policy and a family that fits it."""
    return list(_CHECKS)


def easy_problem(family: Any) -> Problem:
    """Three arms, well apart, inside the family's range of means."""
    low, high = family.mean_range()
    if high < inf:
        return Problem(family, [low + x * (high - low) for x in (0.2, 0.8, 0.5)])
    return Problem(family, [0.4, 2.0, 1.0] if low > -inf else [-0.5, 1.0, 0.0])


def _run(policy: Any, family: Any, horizon: int, replications: int, **options: Any) -> Result:
    return simulate(
        easy_problem(family), [policy], horizon, replications, RewardStream(_SEED), **options
    )


def _agree(a: Any, b: Any, what: str) -> None:
    assert np.array_equal(a, b), f"{what}: {a} is not {b}"


@check
def compiled_equals_interpreted(policy: Any, family: Any) -> None:
    """The compiled loop and the same lines run by the interpreter agree bit for bit."""
    horizon, problem = 40, easy_problem(family)
    compiled = _run(policy, family, horizon, 1, checkpoints=range(1, horizon + 1))
    regret, best, pulls = (np.zeros((1, size)) for size in (horizon, horizon, problem.n_arms))
    source = Stream(family, np.array(problem.means), *key(_SEED))
    known = horizon if policy.needs_horizon() else 0
    play.interpreted(
        policy, family, Scan(problem.n_arms), Arms.fresh(problem.n_arms),
        source, problem.gaps, horizon, known, Counter(*key(_SEED), True),
        0, np.arange(1, horizon + 1), regret, best, pulls, np.zeros(1, np.int64),
    )  # fmt: skip
    _agree(regret, compiled.regret[0], "interpreted and compiled regret")
    _agree(best, compiled.best_pulls[0], "interpreted and compiled pulls of the best arm")


@check
def a_tournament_chooses_as_a_scan_does(policy: Any, family: Any) -> None:
    """Where many arms meet in a tournament, in every round the same arm wins."""
    if not ranks_only(policy) or policy.kinetic(family) == inf:
        return
    n_arms, horizon, replications = 70, 1500, 3
    low, high = easy_problem(family).means.min(), easy_problem(family).means.max()
    problem = Problem(family, np.linspace(low, high, n_arms))
    source = Stream(family, np.array(problem.means), *key(_SEED))
    known = horizon if policy.needs_horizon() else 0
    rounds = np.arange(1, horizon + 1)
    found = []
    for chooser in (Scan(n_arms), Tournament.of(n_arms)):
        regret = np.zeros((replications, horizon))
        best, pulls = np.zeros_like(regret), np.zeros((replications, n_arms))
        play(
            policy, family, chooser, Arms.fresh(n_arms), source, problem.gaps, horizon, known,
            Counter(*key(_SEED), True), 0, rounds, regret, best, pulls,
            np.zeros(1, np.int64),
        )  # fmt: skip
        found.append((regret, pulls))
    _agree(found[1][0], found[0][0], "regret by a tournament and by a scan")
    _agree(found[1][1], found[0][1], "pulls by a tournament and by a scan")


@check
def work_can_be_divided(policy: Any, family: Any) -> None:
    """Threads, and where a run is cut, change nothing; a replication alone is the same."""
    whole = _run(policy, family, 150, 5, threads=1)
    _agree(_run(policy, family, 150, 5, threads=3).regret, whole.regret, "threads")
    alone = _run(policy, family, 150, 1, first_replication=3)
    _agree(alone.regret[:, 0], whole.regret[:, 3], "replication 3 alone and in a batch")


@check
def each_arm_is_played_once_first(policy: Any, family: Any) -> None:
    """The first K rounds play each of the K arms once, and every round plays one arm."""
    start = _run(policy, family, 3, 2)
    _agree(start.pulls, np.ones((1, 2, 3)), "pulls in the first rounds")
    later = _run(policy, family, 60, 2)
    _agree(later.pulls.sum(axis=2), np.full((1, 2), 60), "pulls in all")


@check
def live_equals_simulated(policy: Any, family: Any) -> None:
    """A decider that is told the simulator's rewards plays the simulator's arms, and goes on
    the same after it was saved and loaded."""
    horizon, problem = 60, easy_problem(family)
    simulated = _run(policy, family, horizon, 1, checkpoints=range(1, horizon + 1))
    source = Stream(family, np.array(problem.means), *key(_SEED))
    decider = Decider(range(3), policy, family, seed=_SEED, horizon=horizon)
    regret, total = np.zeros(horizon), np.zeros(3)
    for t in range(1, horizon + 1):
        if t == horizon // 2:
            with tempfile.TemporaryDirectory() as folder:
                decider.save(Path(folder) / "state.json")
                decider = Decider.load(Path(folder) / "state.json")
        i = int(decider.pull())
        decider.update(i, source.reward(0, t, i))
        total[i] += 1.0
        regret[t - 1] = float(sum(total * problem.gaps))
    np.testing.assert_allclose(regret, simulated.regret[0, 0], rtol=1e-12, atol=1e-12)


@check
def permuting_arms_permutes_choices(policy: Any, family: Any) -> None:
    """An index policy does not care in which order arms come."""
    if not ranks_only(policy):
        return  # it draws at random, and the draws belong to places
    rng = np.random.default_rng(_SEED)
    low, high = family.mean_range()
    for _ in range(20):
        n = rng.integers(1, 50, 5).astype(float)
        means = rng.uniform(max(low, -2.0), min(high, 2.0), 5)
        arms = Arms(n, n * means, n * means * means)
        order = rng.permutation(5)
        moved = Arms(*(each[order] for each in arms))
        clock, draws = Clock(int(n.sum()) + 1, 1000), Draws(0, 0, 0, 1, False)
        plain = policy.choose(None, family, arms, clock, draws)
        assert order[policy.choose(None, family, moved, clock, draws)] == plain


@check
def regret_is_sublinear(policy: Any, family: Any) -> None:
    """On an easy problem the second half of the rounds costs little: an arm is settled on, unless
    the policy says that it never does."""
    if not policy.settles():
        return
    horizon = 2000
    run = _run(policy, family, horizon, 20, checkpoints=[horizon // 2])
    first, whole = run.regret.mean(axis=1)[0]
    uniform = easy_problem(family).gaps.mean() * horizon / 2
    assert whole - first < 0.25 * uniform, f"late regret {whole - first} against {uniform}"
