"""How a policy is played changes no choice: not the compiler, and not the chooser."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from ..choosers.scan import Scan
from ..choosers.tournament import Tournament
from ..engine import play, simulate
from ..policies.arms import Arms
from ..policies.base import ranks_only
from ..random import Counter, key
from ..rewards.problems import Problem
from ..rewards.sources import RewardStream, Stream
from .checking import NotApplicable, require_equal
from .problems import SEED, easy_problem


def compiled_equals_interpreted(policy: Any, family: Any) -> None:
    """The compiled loop and the same lines run by the interpreter agree bit for bit."""
    horizon, problem = 40, easy_problem(family)
    rounds = np.arange(1, horizon + 1)
    compiled = simulate(problem, [policy], horizon, 1, RewardStream(SEED), checkpoints=rounds)
    regret, best, pulls = (np.zeros((1, size)) for size in (horizon, horizon, problem.n_arms))
    source = Stream(family, np.array(problem.means), *key(SEED))
    known = horizon if policy.needs_horizon() else 0
    play.interpreted(
        policy, family, Scan(problem.n_arms), Arms.fresh(problem.n_arms),
        source, problem.gaps, horizon, known, Counter(*key(SEED), True),
        0, rounds, regret, best, pulls, np.zeros(1, np.int64),
    )  # fmt: skip
    require_equal(regret, compiled.regret[0], "interpreted and compiled regret")
    require_equal(best, compiled.best_pulls[0], "interpreted and compiled pulls of the best arm")


def a_tournament_chooses_as_a_scan_does(policy: Any, family: Any) -> None:
    """Where many arms meet in a tournament, in every round the same arm wins."""
    if not ranks_only(policy) or policy.kinetic(family) == inf:
        raise NotApplicable(f"{type(policy).__name__} is never played by a tournament")
    n_arms, horizon, replications = 70, 1500, 3
    low, high = easy_problem(family).means.min(), easy_problem(family).means.max()
    problem = Problem(family, np.linspace(low, high, n_arms))
    source = Stream(family, np.array(problem.means), *key(SEED))
    known = horizon if policy.needs_horizon() else 0
    rounds = np.arange(1, horizon + 1)
    found = []
    for chooser in (Scan(n_arms), Tournament.of(n_arms)):
        regret = np.zeros((replications, horizon))
        best, pulls = np.zeros_like(regret), np.zeros((replications, n_arms))
        play(
            policy, family, chooser, Arms.fresh(n_arms), source, problem.gaps, horizon, known,
            Counter(*key(SEED), True), 0, rounds, regret, best, pulls, np.zeros(1, np.int64),
        )  # fmt: skip
        found.append((regret, pulls))
    require_equal(found[1][0], found[0][0], "regret by a tournament and by a scan")
    require_equal(found[1][1], found[0][1], "pulls by a tournament and by a scan")
