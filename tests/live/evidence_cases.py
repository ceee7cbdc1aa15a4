"""The simulator's loop and a decider's steps in the interpreter, with evidence."""

from __future__ import annotations

import copy
import json
from types import SimpleNamespace
from typing import Any

import numpy as np

import rbmle
from rbmle import Decider
from rbmle._numba.compile import plain
from rbmle.engine import arguments, play
from rbmle.engine.plan import Setup, Task, plan
from rbmle.evidence import Linear, Window
from rbmle.evidence import diagonal as diagonal_module
from rbmle.evidence import linear as linear_module
from rbmle.evidence import logistic as logistic_module
from rbmle.live import feature_game, live_game, propensities
from rbmle.rewards.sources import RewardStream

SEED, REPLICATION = 5, 2
X = {"red": [1.0, 0.0], "blue": [0.6, 0.8]}
# What the evidence calls that is compiled: a second of compilation each.
COMPILED = {
    "dot", "times", "solve", "begin_factor", "add_outer", "invert_factor", "logistic", "surprise_of"
}  # fmt: skip


def simulated(policy: Any, problem: Any, rounds: int, delay: Any, evidence: Any) -> list[int]:
    """The arms that the simulator's loop plays, in the interpreter."""
    chosen = []
    given = Setup("test", [problem], [policy], rounds, 1, RewardStream(SEED))
    given = given._replace(first_replication=REPLICATION, evidence=evidence, delay=delay)
    planned = plan(given)
    counters = SimpleNamespace(
        note=lambda source, replication, t, i: chosen.append(i),
        begin=lambda: None,
        totals=lambda arms: (0.0, 0.0),
        pulls=lambda arms, j: 0.0,
    )
    [(regret, best_pulls, pulls)] = planned.fresh()
    rules, game, course, *others = arguments(
        planned, Task(0, 0, REPLICATION, REPLICATION + 1), problem.source(SEED, rounds),
        planned.draws(0, 0), (regret[0], best_pulls[0], pulls[0]), np.zeros(1, np.int64),
    )  # fmt: skip
    play.interpreted(rules, game, course._replace(counters=counters), *others)
    return chosen


class Interpreted:
    """A kernel in the interpreter."""

    def __init__(self, kernel: Any) -> None:
        self.run = kernel.interpreted

    def __call__(self, *args: Any) -> Any:
        return self.run(*args)

    def specialised(self, *args: Any) -> Any:
        return self.run


def interpret(monkeypatch: Any) -> None:
    """Deciders choose and learn in the interpreter from now on."""
    compiled = (
        (live_game, ("choose", "observe", "rank")), (feature_game, ("impute", "take_turn")),
        (propensities, ("look", "share_ties", "show_all")),
    )  # fmt: skip
    for module, names in compiled:
        for name in names:
            monkeypatch.setattr(module, name, Interpreted(getattr(module, name)))
    for module in (linear_module, logistic_module, diagonal_module):
        for name in COMPILED & set(vars(module)):
            monkeypatch.setattr(module, name, plain(getattr(module, name)))


def linear(family: Any = "gaussian", **settings: Any) -> Decider[str]:
    given = {"evidence": Linear(2), **settings}
    return Decider(["red", "blue"], rbmle.UCB(), family, **given)


def forgetting(kind: Any = Window(4), **settings: Any) -> Decider[str]:  # noqa: B008
    return Decider(["red", "blue"], rbmle.UCB(), rbmle.Bernoulli(), evidence=kind, **settings)


def theta_of(live: Decider[str]) -> list[float]:
    """theta^ of `Linear(2)`, after the rewards that have come are learned."""
    twin = copy.deepcopy(live)
    twin._live.settle()
    return twin._live.remembered[10:12].tolist()  # type: ignore[no-any-return]


def state_of(live: Decider[Any]) -> str:
    return json.dumps(live._state())
