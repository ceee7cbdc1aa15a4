"""The section `solving`: policies whose index is costly. Our chooser, which computes it only for
arms that may win, against a scan, which computes it for every arm."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbmle.choosers import Scan
from rbmle.policies import KG, KLUCB, BayesUCB, KGStar
from rbmle.rewards.problems import Problem
from rbmle.timing import Recording

from .table import BenchTable, Effort, Line, choosing_by_turns
from .timed_problems import COINS, NORMALS, SEED, WAITS

AT_LEAST = 8.0  # target: this many times as fast as the scan; KG, which solves nothing, has none
CASES: tuple[tuple[str, Any, Problem], ...] = (
    ("KL-UCB, Bernoulli", KLUCB(), COINS),
    ("KL-UCB, Exponential", KLUCB(), WAITS),
    ("Bayes-UCB, Bernoulli", BayesUCB(), COINS),
    ("Bayes-UCB, Exponential", BayesUCB(), WAITS),
    ("KG*, Gaussian", KGStar(), NORMALS),
    ("KG, Gaussian", KG(), NORMALS),
    ("KG, Exponential", KG(), WAITS),
)


def against_solving(name: str, rule: Any, problem: Problem, horizon: int, repeats: int) -> Line:
    """Choosing by bounds and by a scan, by turns, in the same rounds with the same statistics."""
    mine = Recording(rule, problem, horizon=horizon, seed=SEED)
    scan = Recording(rule, problem, horizon=horizon, seed=SEED, chooser=Scan(problem.n_arms))
    equal = np.array_equal(mine.chosen, scan.chosen)
    check = f"{horizon} choices {'equal' if equal else 'DIFFERENT'}"
    turns = choosing_by_turns(mine, scan, repeats)
    target = None if isinstance(rule, KG) else AT_LEAST
    return Line.speedup(name, turns, at_least=target, check=check, holds=equal)


def solving(effort: Effort) -> BenchTable:
    """The table: choosing by bounds and by a scan."""
    horizon = effort.size(20_000, 5_000)
    return BenchTable(
        f"Choosing against solving every arm to full precision: K = 10, T = {horizon}",
        "ours, a decision",
        "every arm, a decision",
        "every arm / ours",
        tuple(against_solving(*case, horizon, effort.repeats) for case in CASES),
    )
