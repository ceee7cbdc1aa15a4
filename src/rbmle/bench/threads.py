"""`threads`: two threads against one, with identical results."""

from __future__ import annotations

import os

import numpy as np

from ..engine import simulate
from ..policies import GPUCB, MOSS, RBMLE, UCB
from ..result import Result
from ..rewards.sources import RewardStream
from .problems import COINS, SEED
from .table import BenchTable, Effort, Line, UnavailableError, by_turns, wall_seconds

AT_LEAST = 1.8
POLICIES = (RBMLE(), UCB(), MOSS(), GPUCB())
HORIZON = 10_000


def play(threads: int, replications: int) -> Result:
    return simulate(
        COINS, list(POLICIES), HORIZON, replications, RewardStream(SEED), threads=threads
    )


def identical(one: Result, two: Result) -> bool:
    pairs = ((one.regret, two.regret), (one.pulls, two.pulls), (one.best_pulls, two.best_pulls))
    return all(np.array_equal(*pair) for pair in pairs)


def threads(effort: Effort) -> BenchTable:
    """One `simulate` of several policies."""
    if (os.cpu_count() or 1) < 2:
        raise UnavailableError("bench: 'threads' needs two processors, and this machine has one.")
    replications = effort.size(800, 400)
    same = identical(play(1, 40), play(2, 40))
    turns = by_turns(
        lambda: wall_seconds(lambda: play(2, replications)),
        lambda: wall_seconds(lambda: play(1, replications)),
        effort.repeats,
    )
    check = f"results {'identical' if same else 'DIFFERENT'}"
    name = f"simulate, {len(POLICIES)} policies"
    return BenchTable(
        f"Two threads against one: Bernoulli, K = 10, T = {HORIZON}, {replications} replications",
        "two threads",
        "one thread",
        "one / two",
        (Line.speedup(name, turns, at_least=AT_LEAST, check=check, holds=same),),
    )
