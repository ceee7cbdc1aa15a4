"""The number of arms from which on a tournament is faster than cached bounds.

    python -m benchmarks.crossover

It is measured for policies whose index has a shape; `tournament_from` in the files of
`rbmle.choosers` that have the facts about them is the rounded number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.sections.table import choosing_by_turns
from rbmle.choosers import CachedBounds, Tournament, facts_for
from rbmle.families import Bernoulli, Exponential, Gaussian, Poisson
from rbmle.policies import GPUCB, KLUCB, MOSS, RBMLE, UCB, GPUCBTuned, UCBTuned
from rbmle.rewards.problems import Problem
from rbmle.timing import Recording

CASES = (
    (UCB(), Gaussian()),
    (UCB(), Bernoulli()),
    (UCBTuned(), Bernoulli()),
    (MOSS(), Gaussian()),
    (GPUCB(), Gaussian()),
    (GPUCBTuned(), Gaussian()),
    (RBMLE(), Gaussian()),
    (RBMLE(), Exponential()),
    (RBMLE(), Bernoulli()),
    (RBMLE(f="mean"), Bernoulli()),
    (RBMLE(f="stable"), Bernoulli()),
    (RBMLE(f="mean"), Exponential()),
    (RBMLE(f="stable"), Exponential()),
    (RBMLE(f="stable"), Poisson()),
    (KLUCB(), Gaussian()),
    (KLUCB(), Bernoulli()),
    (KLUCB(), Exponential()),
)
ARMS = (4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 384)
ROUNDS = 20_000
REPEATS = 5


def ratio(policy: Any, family: Any, n_arms: int) -> float:
    """The time of a choice by a tournament, divided by that by cached bounds."""
    problem = Problem(family, np.linspace(0.3, 0.7, n_arms))
    facts = facts_for(policy, family)
    choosers = (Tournament.of(facts, n_arms), CachedBounds.of(facts, n_arms))
    runs = [
        Recording(policy, problem, horizon=ROUNDS, seed=1, chooser=chooser) for chooser in choosers
    ]
    if not np.array_equal(runs[0].chosen, runs[1].chosen):
        raise AssertionError(f"{policy} on {n_arms} arms: the choosers differ")
    turns = choosing_by_turns(*runs, REPEATS)
    return min(turns.ours) / min(turns.reference)


def main() -> None:
    print(f"tournament / cached bounds, {ROUNDS:,} rounds, least of {REPEATS}")
    print(f"{'':32}" + "".join(f"{n:>6}" for n in ARMS) + "   equal at, used from")
    for policy, family in CASES:
        ratios = np.array([ratio(policy, family, n) for n in ARMS])
        later = [n for n, r in zip(ARMS, ratios, strict=True) if r > 1.0]
        quicker = [n for n in ARMS if not later or n > later[-1]]
        used = facts_for(policy, family).tournament_from(family)
        f = f", f={policy.f}" if isinstance(policy, RBMLE) else ""
        name = f"{type(policy).__name__}{f}, {type(family).__name__}"
        cells = "".join(f"{r:>6.2f}" for r in ratios)
        print(f"{name:32}{cells}   {quicker[0] if quicker else 'more'}, {used:g}", flush=True)


if __name__ == "__main__":
    main()
