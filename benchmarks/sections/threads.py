"""The section `threads`: two threads against one, with identical results."""

from __future__ import annotations

import os

import numpy as np

from rbmle.engine import simulate
from rbmle.policies import GPUCB, MOSS, RBMLE, UCB
from rbmle.result import Result
from rbmle.rewards.sources import RewardStream

from .table import BenchTable, Effort, Line, UnavailableError, by_turns, wall_seconds
from .timed_problems import COINS, SEED

AT_LEAST = 1.8  # target: two threads are this many times as fast as one
POLICIES = (RBMLE(), UCB(), MOSS(), GPUCB())
HORIZON = 10_000


def play_on(threads: int, replications: int) -> Result:
    """Simulate all policies on this many threads."""
    return simulate(
        COINS, list(POLICIES), HORIZON, replications, RewardStream(SEED), threads=threads
    )


def identical(one: Result, two: Result) -> bool:
    """Whether all numbers of two results are equal."""
    pairs = ((one.regret, two.regret), (one.pulls, two.pulls), (one.best_pulls, two.best_pulls))
    return all(np.array_equal(*pair) for pair in pairs)


def threads(effort: Effort) -> BenchTable:
    """The table: one `simulate` of several policies on two threads and on one."""
    if (os.cpu_count() or 1) < 2:
        raise UnavailableError("bench: 'threads' needs two processors, and this machine has one.")
    replications = effort.size(800, 400)
    same = identical(play_on(1, 40), play_on(2, 40))
    turns = by_turns(
        lambda: wall_seconds(lambda: play_on(2, replications)),
        lambda: wall_seconds(lambda: play_on(1, replications)),
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
