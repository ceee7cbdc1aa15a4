"""Snapshot mode in simulation: rewards in batches cost Thompson sampling next to nothing.

A worker learns the rewards of others once in a transaction, as with `BatchDelay`.
"""

from __future__ import annotations

import numpy as np
import pytest

from rbmle import BatchDelay, Bernoulli, Problem, ThompsonSampling, simulate


@pytest.mark.slow
def test_the_regret_of_batches_is_that_of_prompt_rewards_to_two_percent() -> None:
    """The standard error of the ratio is 0.008."""
    problem = Problem(Bernoulli(), [0.1] * 9 + [0.15])
    prompt, batches = (
        simulate(problem, [ThompsonSampling()], 5_000, 1_000, seed=1, delay=delay).final_regret
        for delay in (None, BatchDelay(64))
    )
    assert abs(np.mean(batches) / np.mean(prompt) - 1.0) < 0.02
