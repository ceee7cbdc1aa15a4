"""Checks that neither the compiler nor the chooser changes a policy's choices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

import numpy as np

from ..choosers import CachedBounds, Scan, Tournament, facts_for
from ..engine import play, simulate
from ..engine.cpu_kernel import AT_ONCE, COUNTING
from ..engine.tallies import ByPulls
from ..policies.arms import Arms
from ..policies.base import fresh_state
from ..random import Counter, key
from ..rewards.problems import Problem
from ..rewards.sources import RewardStream, Stream
from .checking import NotApplicable, require_equal
from .easy_problems import SEED, easy_problem


def compiled_equals_interpreted(policy: Any, family: Any) -> None:
    """The compiled loop and the interpreter give the same regret, bit for bit."""
    horizon, problem = 40, easy_problem(family)
    rounds = np.arange(1, horizon + 1)
    compiled = simulate(problem, [policy], horizon, 1, RewardStream(SEED), checkpoints=rounds)
    regret, best, pulls = (np.zeros((1, size)) for size in (horizon, horizon, problem.n_arms))
    source = Stream(family, np.array(problem.means), *key(SEED))
    known = horizon if policy.uses_horizon() else 0
    play.interpreted(
        policy, family, COUNTING, Scan(problem.n_arms), Arms.fresh(problem.n_arms),
        fresh_state(policy, family, problem.n_arms), np.zeros(0), source, ByPulls(problem.gaps),
        AT_ONCE, horizon, known,
        Counter(*key(SEED), True), 0, rounds, regret, best, pulls, np.zeros(1, np.int64),
    )  # fmt: skip
    require_equal(regret, compiled.regret[0], "interpreted and compiled regret")
    require_equal(best, compiled.best_pulls[0], "interpreted and compiled pulls of the best arm")


def makers_of_choosers(policy: Any, family: Any) -> list[Callable[[int], Any]]:
    """For each chooser that the facts about the policy allow, a function of the number of arms
    that makes it; the scan's is the first."""
    makers: list[Callable[[int], Any]] = [Scan]
    facts = facts_for(policy, family)
    if facts is None:
        return makers
    if facts.rises(family):
        makers.append(partial(CachedBounds.of, facts))
        makers.append(partial(CachedBounds.of, facts, keeps=False))
    if facts.tournament_from(family) < inf:
        makers.append(partial(Tournament.of, facts))
    return makers


def every_chooser_equals_the_scan(policy: Any, family: Any) -> None:
    """Every chooser that the facts about the policy allow makes the scan's choices."""
    makers = makers_of_choosers(policy, family)
    if len(makers) == 1:
        raise NotApplicable(f"{type(policy).__name__} is always played by a scan")
    n_arms, horizon, replications = 70, 1500, 3
    low, high = easy_problem(family).means.min(), easy_problem(family).means.max()
    problem = Problem(family, np.linspace(low, high, n_arms))
    source = Stream(family, np.array(problem.means), *key(SEED))
    known = horizon if policy.uses_horizon() else 0
    rounds = np.arange(1, horizon + 1)
    found = []
    for make in makers:
        chooser = make(n_arms)
        regret = np.zeros((replications, horizon))
        best, pulls = np.zeros_like(regret), np.zeros((replications, n_arms))
        play(
            policy, family, COUNTING, chooser, Arms.fresh(n_arms),
            fresh_state(policy, family, n_arms), np.zeros(0), source, ByPulls(problem.gaps),
            AT_ONCE, horizon, known,
            Counter(*key(SEED), True), 0, rounds, regret, best, pulls, np.zeros(1, np.int64),
        )  # fmt: skip
        found.append((regret, pulls))
        name = type(chooser).__name__
        require_equal(regret, found[0][0], f"regret by a {name} and by a scan")
        require_equal(pulls, found[0][1], f"pulls by a {name} and by a scan")
