"""The section `loops`: our whole round against bandit loops as they are usually written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rbmle._io.text import signed_text
from rbmle.engine import simulate
from rbmle.policies import KLUCB, UCB, ThompsonSampling
from rbmle.rewards.sources import RewardStream
from rbmle.timing import seconds

from . import loops as loop
from .table import BenchTable, Effort, Line, by_turns
from .timed_problems import COINS, SEED, Floats

HORIZON = 10_000
Loop = Callable[[Floats, int, int, int], Floats]

# The last number: replications of the reference in a turn, so that it takes about as long as ours.
# NumPy's form needs its 100 at once.
CASES: tuple[tuple[str, Any, Loop, int], ...] = (
    ("UCB1, Numba", UCB(), loop.ucb_in_numba, 40),
    ("UCB1, NumPy over 100 trials", UCB(), loop.ucb_in_numpy, 100),
    ("UCB1, plain Python", UCB(), loop.ucb_in_python, 5),
    ("KL-UCB, Numba, bisection", KLUCB(), loop.klucb_in_numba, 4),
    ("Thompson sampling, Numba", ThompsonSampling(), loop.thompson_in_numba, 20),
)
_OURS = 40  # our replications in a turn
AT_LEAST = 1.2  # target: this many times as fast as a loop in Numba with NumPy's generator
_Z = 4.5  # standard errors: equal means differ by more once in 150,000 comparisons


def z_score(ours: Floats, theirs: Floats) -> float:
    """The difference of two mean regrets in standard errors."""
    spread = ours.var(ddof=1) / ours.size + theirs.var(ddof=1) / theirs.size
    return float((theirs.mean() - ours.mean()) / np.sqrt(spread))


def against_loop(
    name: str, policy: Any, reference: Loop, replications: int, horizon: int, repeats: int
) -> Line:
    """Our round and the reference's by turns; their mean regrets over all turns are compared."""
    means = np.array(COINS.means)
    kept: tuple[list[Floats], list[Floats]] = ([], [])

    def ours(count: int = _OURS) -> None:
        seed = SEED + len(kept[0])
        result = simulate(
            COINS, [policy], horizon, count, RewardStream(seed), checkpoints=[horizon], threads=1
        )
        kept[0].append(result.final_regret[0])

    def theirs(count: int = replications) -> None:
        kept[1].append(reference(means, horizon, count, SEED + len(kept[1])))

    ours(1)  # compiles
    theirs(1)
    turns = by_turns(
        lambda: seconds(ours) / (horizon * _OURS),
        lambda: seconds(theirs) / (horizon * replications),
        repeats,
    )
    z = z_score(np.concatenate(kept[0]), np.concatenate(kept[1]))
    agree = abs(z) <= _Z
    check = f"mean regrets {'agree' if agree else 'DIFFER'}, z = {signed_text(z)}"
    target = AT_LEAST if name.endswith("Numba") else None
    return Line.speedup(name, turns, at_least=target, check=check, holds=agree)


def loops(effort: Effort) -> BenchTable:
    """The table: a whole round, choice and reward, on one thread."""
    return BenchTable(
        f"A round against loops as they are usually written: Bernoulli, K = 10, T = {HORIZON}",
        "ours, a round",
        "loop, a round",
        "loop / ours",
        tuple(against_loop(*case, HORIZON, effort.repeats) for case in CASES),
    )
