"""Checks that neither the compiler nor the chooser changes a policy's choices."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

import numpy as np

from ..choosers import CachedBounds, Scan, Tournament, facts_for
from ..engine.cpu_kernel import course_for, play, rules_and_game
from ..engine.plan import Filled, Setup, plan
from ..engine.rounds import Checkpoints, Span
from ..rewards.problems import Problem
from ..rewards.sources import RewardStream
from .checking import NotApplicable, require_equal
from .easy_problems import SEED, easy_problem


def played_by(
    policy: Any, problem: Problem, horizon: int, replications: int, chooser: Any,
    loop: Callable[..., None] = play,
) -> Filled:  # fmt: skip
    """Regret and pulls of a best arm in every round, and the pulls, by this chooser and loop."""
    rounds = np.arange(1, horizon + 1)
    planned = plan(
        Setup(
            "check", [problem], [policy], horizon, replications, RewardStream(SEED),
            checkpoints=rounds,
        )
    )  # fmt: skip
    source = problem.source(SEED, horizon)
    [filled] = planned.fresh()
    regret, best_pulls, pulls = (each[0] for each in filled)
    loop(
        *rules_and_game(planned, 0, 0, source, chooser),
        course_for(planned, 0, 0, planned.draws(0, 0)), Checkpoints(rounds, regret, best_pulls),
        pulls, Span(0, 1, horizon + 1), np.zeros(1, np.int64),
    )  # fmt: skip
    return regret, best_pulls, pulls


def compiled_equals_interpreted(policy: Any, family: Any) -> None:
    """The compiled loop and the interpreter give the same regret, bit for bit."""
    problem = easy_problem(family)
    scan = Scan(problem.n_arms)
    regret, best, _ = played_by(policy, problem, 40, 1, None)
    interpreted, best_too, _ = played_by(policy, problem, 40, 1, scan, play.interpreted)
    require_equal(interpreted, regret, "interpreted and compiled regret")
    require_equal(best_too, best, "interpreted and compiled pulls of the best arm")


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
    low, high = easy_problem(family).means.min(), easy_problem(family).means.max()
    problem = Problem(family, np.linspace(low, high, 70))
    found = []
    for make in makers:
        chooser = make(problem.n_arms)
        found.append(played_by(policy, problem, 1500, 3, chooser))
        name = type(chooser).__name__
        require_equal(found[-1][0], found[0][0], f"regret by a {name} and by a scan")
        require_equal(found[-1][2], found[0][2], f"pulls by a {name} and by a scan")
