"""`simulated`: a simulation with a given chooser."""

import numpy as np

from rbmle.engine.cpu_kernel import arguments, play
from rbmle.engine.plan import plan


def simulated(
    chooser, problem, policy, horizon, replications, rewards, ties="random", evidence=None
):
    """As `simulate`, with this chooser and every round a checkpoint: regret and pulls."""
    rounds = range(1, horizon + 1)
    made = plan(
        "simulate", [problem], [policy], horizon, replications, rewards, None, ties, None, rounds,
        0, evidence,
    )  # fmt: skip
    [(regret, best, pulls)] = made.fresh()
    batches = made.rewards.batches(problem, horizon, 0, replications, replications)
    for source, begin, end in batches:
        filled = tuple(each[0, begin:end] for each in (regret, best, pulls))
        work = arguments(
            made.players[0][0], problem, horizon, source, made.draws(0, 0), begin, made.rounds,
            filled, np.zeros(1, np.int64), made.evidence, made.waiting(0, 0),
        )  # fmt: skip
        play(*work[:3], chooser, *work[4:])
    return regret, pulls
