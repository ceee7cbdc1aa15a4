"""`solving`: rules that solve an equation for each arm, against a scan that solves them all."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..choosers import Scan
from ..policies import KLUCB, BayesUCB
from ..rewards.problems import Problem
from ..timing import Recording
from .problems import COINS, SEED, WAITS
from .table import BenchTable, Effort, Line, choosing_by_turns

AT_LEAST = 8.0  # times as fast as the scan
CASES: tuple[tuple[str, Any, Problem], ...] = (
    ("KL-UCB, Bernoulli", KLUCB(), COINS),
    ("KL-UCB, Exponential", KLUCB(), WAITS),
    ("Bayes-UCB, Bernoulli", BayesUCB(), COINS),
    ("Bayes-UCB, Exponential", BayesUCB(), WAITS),
)


def against_solving(name: str, rule: Any, problem: Problem, horizon: int, repeats: int) -> Line:
    """A rule by bounds and by a scan, by turns: choosing only, the same arms in the same rounds."""
    mine = Recording(rule, problem, horizon=horizon, seed=SEED)
    scan = Recording(rule, problem, horizon=horizon, seed=SEED, chooser=Scan(problem.n_arms))
    equal = np.array_equal(mine.chosen, scan.chosen)
    check = f"{horizon} choices {'equal' if equal else 'DIFFERENT'}"
    turns = choosing_by_turns(mine, scan, repeats)
    return Line.speedup(name, turns, at_least=AT_LEAST, check=check, holds=equal)


def solving(effort: Effort) -> BenchTable:
    """Choosing by bounds and by a scan."""
    horizon = effort.size(20_000, 5_000)
    return BenchTable(
        f"Choosing against solving every arm to full precision: K = 10, T = {horizon}",
        "ours, a decision",
        "every arm, a decision",
        "every arm / ours",
        tuple(against_solving(*case, horizon, effort.repeats) for case in CASES),
    )
