"""Dynamic regret, and the prototype's four phases."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rbmle
from rbmle import Phases, Problem

MEANS = [
    [0.2, 0.3, 0.4, 0.5, 0.6],
    [0.6, 0.3, 0.4, 0.5, 0.2],
    [0.2, 0.7, 0.4, 0.5, 0.3],
    [0.3, 0.2, 0.8, 0.5, 0.4],
]
WORLD = Phases([Problem("bernoulli", each) for each in MEANS], at=[5_000, 10_000, 15_000])
# Dynamic regret of a prototype after 20,000 rounds, 100 replications: all rewards count; and all
# lose the factor 0.998 each round.
PROTOTYPE = {
    "rbmle": (1_865.0, 1_403.0),
    "klucb": (1_336.0, 957.0),
    "ts": (3_027.0, 720.0),
    "ucb": (996.0, 2_168.0),
}


@pytest.mark.slow
def test_four_phases_have_the_regret_of_the_prototype() -> None:
    """The difference of two independent means, of 100 and 40 replications, is within 3 standard
    errors; 8 comparisons."""
    for place, gamma in enumerate((1.0, 0.998)):  # with 1 nothing is forgotten
        result = rbmle.simulate(
            WORLD, list(PROTOTYPE), 20_000, 40, seed=3, evidence=rbmle.Discounted(gamma),
            checkpoints=[],
        )  # fmt: skip
        means, errors = result.final_regret.mean(axis=1), result.standard_errors()
        for mean, error, known in zip(means, errors, PROTOTYPE.values(), strict=True):
            assert abs(mean - known[place]) < 3.0 * 1.4**0.5 * error


class First:
    """Pulls arm 0 always: what it loses is known."""

    def pick(self, *given: Any) -> int:
        return 0

    def restart(self) -> None: ...
    def changed(self, i: int) -> None: ...


def test_regret_is_against_the_best_arm_of_each_round() -> None:
    from rbmle.engine import arguments, play
    from rbmle.engine.plan import Setup, Task, plan
    from rbmle.rewards.sources import RewardStream

    world = Phases(WORLD.problems[:3], at=[50, 100])
    rounds = np.array([10, 50, 51, 120])
    filled = np.zeros((1, 4)), np.zeros((1, 4)), np.zeros((1, 5))
    planned = plan(Setup("test", [world], ["ucb"], 120, 1, RewardStream(0), checkpoints=rounds))
    rules, *others = arguments(
        planned, Task(0, 0, 0, 1), world.source(0, 120), planned.draws(0, 0), filled,
        np.zeros(1, np.int64),
    )  # fmt: skip
    play.interpreted(rules._replace(chooser=First()), *others)
    regret, best, pulls = filled
    # 0.4 a round in the first phase, nothing in the second, 0.5 in the third
    assert regret[0] == pytest.approx([4.0, 20.0, 20.0, 30.0])
    assert best[0].tolist() == [0.0, 0.0, 1.0, 50.0]
    assert pulls[0].tolist() == [120.0, 0.0, 0.0, 0.0, 0.0]
