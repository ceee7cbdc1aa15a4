"""The world that intervals are for: two equal arms, a policy, a look every 50
decisions. At most 5 % of runs may ever miss; the usual interval misses in more than half."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rbmle import POLICIES, Bernoulli, Gaussian, Problem, Table, ThompsonSampling, simulate
from rbmle.errors import ParameterError
from rbmle.inference.intervals import beats, interval

T, LOOKS, RUNS = 5_000, 50, 2_000
HORIZON_ROUNDS = np.arange(1, T + 1)
Numbers = NDArray[np.float64]


def played(policy: Any, family: Any, rewards: Numbers) -> tuple[Numbers, Numbers]:
    """(2, runs, looks): pulls and sums of two equal arms at every look.

    The second mean is less by an amount that no run can notice, so that the first arm is the best
    and the simulator counts its pulls.
    """
    world = Problem(family, [0.5, 0.5 - 1e-12])
    runs = rewards.shape[0]
    result = simulate(world, [policy], T, runs, Table(rewards), checkpoints=HORIZON_ROUNDS)
    first = np.diff(result.best_pulls[0], axis=1, prepend=0).astype(bool)
    pulls = np.stack([first, ~first]).cumsum(axis=2)[:, :, LOOKS - 1 :: LOOKS]
    paid = np.stack([np.where(first, rewards[..., 0], 0.0), np.where(first, 0.0, rewards[..., 1])])
    return pulls.astype(float), paid.cumsum(axis=2)[:, :, LOOKS - 1 :: LOOKS]


def tables(family: Any, runs: int, seed: int) -> Numbers:
    rng = np.random.default_rng(seed)
    if isinstance(family, Bernoulli):
        return (rng.random((runs, T, 2)) < 0.5).astype(float)
    return rng.normal(0.5, family.sigma, (runs, T, 2))


def ever_missed(family: Any, pulls: Numbers, sums: Numbers, truth: float = 0.5) -> NDArray[Any]:
    """Whether one of the two intervals, of joint level 0.95, misses at some look of a run."""
    low, high = interval(family, pulls, sums, 0.975)
    return np.asarray(((low > truth) | (high < truth)).any(axis=(0, 2)))


def fits(policy: Any, family: Any) -> bool:
    try:
        simulate(Problem(family, [0.5, 0.4]), [policy], 2, 1)
    except ParameterError:
        return False
    return True


PAIRS = pytest.mark.pairs
OURS: list[Any] = [each() for each in POLICIES.values() if each.__module__.startswith("rbmle.")]


@pytest.mark.parametrize(
    "policy",
    [
        pytest.param(each, marks=pytest.mark.slow if type(each) is ThompsonSampling else PAIRS)
        for each in OURS
    ],
    ids=lambda each: type(each).__name__,
)
def test_at_most_one_in_twenty_ever_misses(policy: Any) -> None:
    family = next(each for each in (Bernoulli(), Gaussian()) if fits(policy, each))
    missed, runs = 0, 500
    for seed in range(RUNS // runs):
        rewards = tables(family, runs, seed)
        missed += int(ever_missed(family, *played(policy, family, rewards)).sum())
    assert missed <= 0.05 * RUNS


@pytest.mark.slow
def test_the_usual_interval_misses_in_most_runs() -> None:
    pulls, sums = played("ts", Bernoulli(), tables(Bernoulli(), 500, 0))
    with np.errstate(all="ignore"):
        means = sums / pulls
        radius = 1.96 * np.sqrt(means * (1.0 - means) / pulls)
        out = np.abs(means - 0.5) > radius
    assert out.any(axis=(0, 2)).mean() > 0.5
    assert out[:, :, -1].any(axis=0).mean() > 0.1


@pytest.mark.slow
def test_equal_arms_seldom_beat_each_other() -> None:
    pulls, sums = played("ts", Bernoulli(), tables(Bernoulli(), 500, 1))
    wrong = 0
    for run in range(pulls.shape[1]):
        for look in range(0, pulls.shape[2], 5):
            n, s = pulls[:, run, look], sums[:, run, look]
            if n.min() > 0 and s[0] / n[0] != s[1] / n[1]:
                a = int(s[1] / n[1] > s[0] / n[0])
                if beats(Bernoulli(), (n[a], s[a]), (n[1 - a : 2 - a], s[1 - a : 2 - a]), 0.05):
                    wrong += 1
                    break
    assert wrong <= 0.05 * pulls.shape[1]
