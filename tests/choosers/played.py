"""`simulated`: a simulation with a given chooser."""

import numpy as np

from rbmle.engine.cpu_kernel import course_for, play, rules_and_game
from rbmle.engine.plan import Setup, plan
from rbmle.engine.rounds import Checkpoints, Span


def simulated(
    chooser, problem, policy, horizon, replications, rewards, ties="random", evidence=None
):
    """As `simulate`, with this chooser and every round a checkpoint: regret and pulls."""
    rounds = np.arange(1, horizon + 1)
    asked = Setup(
        "simulate", [problem], [policy], horizon, replications, rewards, ties,
        checkpoints=rounds, evidence=evidence,
    )  # fmt: skip
    planned = plan(asked)
    [(regret, best, pulls)] = planned.fresh()
    batches = planned.rewards.batches(problem, horizon, 0, replications, replications)
    for source, begin, end in batches:
        rows = slice(begin, end)
        play(
            *rules_and_game(planned, 0, 0, source, chooser),
            course_for(planned, 0, 0, planned.draws(0, 0)),
            Checkpoints(rounds, regret[0, rows], best[0, rows]), pulls[0, rows],
            Span(begin, 1, horizon + 1), np.zeros(1, np.int64),
        )  # fmt: skip
    return regret, pulls
