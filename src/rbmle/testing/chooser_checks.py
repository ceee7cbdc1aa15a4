"""Checks that neither the compiler nor the chooser changes a policy's choices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..choosers import Ceilings, Champion, Chords, Lines, LineTournament, Scan, Tournament
from ..choosers.promises import bounds_for, curve_for, line_for, rising_for
from ..engine import play, simulate
from ..engine.cpu_kernel import AT_ONCE, COUNTING
from ..engine.tallies import ByPulls
from ..policies.arms import Arms
from ..policies.base import fresh_state, ranks_only
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


def every_chooser_equals_the_scan(policy: Any, family: Any) -> None:
    """Every chooser that the policy's bounds, curve or line allow makes the scan's choices."""
    curve, bounds = curve_for(policy, family), bounds_for(policy, family)
    line, rising = line_for(policy, family), rising_for(policy, family)
    promises = (curve, bounds, line, rising)
    if not ranks_only(policy) or all(each is None for each in promises):
        raise NotApplicable(f"{type(policy).__name__} is always played by a scan")
    n_arms, horizon, replications = 70, 1500, 3
    low, high = easy_problem(family).means.min(), easy_problem(family).means.max()
    problem = Problem(family, np.linspace(low, high, n_arms))
    source = Stream(family, np.array(problem.means), *key(SEED))
    known = horizon if policy.uses_horizon() else 0
    rounds = np.arange(1, horizon + 1)
    choosers: list[Any] = [Scan(n_arms)]
    choosers += [] if curve is None else [Tournament.of(curve, n_arms)]
    choosers += [Chords.of(curve, n_arms)] if curve is not None and curve.bends() != 0 else []
    choosers += [] if bounds is None else [Champion.of(bounds)]
    choosers += [] if line is None else [Lines.of(line, n_arms)]
    choosers += [] if rising is None else [Ceilings.of(rising, n_arms)]
    choosers += [LineTournament.of(line, n_arms)] if line is not None and line.helps_many() else []
    found = []
    for chooser in choosers:
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
