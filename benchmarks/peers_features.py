"""Arms with features, played by other libraries: the second table of peers.py.

Ten arms, three features, Gaussian rewards. Two problems: one theta for all arms, whose features
stay the same; and a theta for each arm, with one context a round. Each library plays the one that
it has a model for. Features and rewards are drawn beforehand by the package, the same for all.
"""

from __future__ import annotations

import pathlib
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from peers_common import Benchmark
from peers_features_play import DISJOINT, SHARED

from rbmle import Gaussian, Linear, LinearProblem, LinTS, SphereFeatures, simulate
from rbmle._numba.compile import kernel
from rbmle.policies.arms import Arms
from rbmle.policies.base import policy

Floats = NDArray[np.float64]

PEERS = ["mabwiser", "river", "coba", "contextualbandits", "bayesianbandits", "obp"]
HORIZON, SEED = 1000, 46
THETAS = np.random.default_rng(SEED).normal(size=(10, 3))
WORLDS = {
    SHARED: LinearProblem([-0.3, 0.5, 0.8], SphereFeatures(10, 3, each="replication")),
    DISJOINT: LinearProblem(
        THETAS / np.linalg.norm(THETAS, axis=1, keepdims=True), SphereFeatures(10, 3, common=True)
    ),
}


@policy
class LinUCB(NamedTuple):
    """LinUCB as libraries write it: x'theta^ + alpha sqrt(x'V^-1 x), with a constant alpha."""

    alpha: float = 1.0

    def index_of(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return arms.mean(i) + self.alpha / sqrt(arms.pulls[i])


@policy
class LinUCBOfRewards(NamedTuple):
    """LinUCB as river writes it, with the variance of a reward: x'theta^ + sqrt(1 + x'V^-1 x)."""

    noise: float = 1.0

    def index_of(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return arms.mean(i) + sqrt(self.noise + 1.0 / arms.pulls[i])


POLICIES: dict[tuple[str, str], Any] = {
    (SHARED, "LinUCB"): LinUCB(),
    (SHARED, "LinTS"): LinTS(),
    (DISJOINT, "LinUCB"): LinUCB(),
    (DISJOINT, "LinUCB of rewards"): LinUCBOfRewards(),
    (DISJOINT, "LinTS"): LinTS(),
}


@kernel
def look_up(source: Any, replication: int, features: Floats, rewards: Floats, gaps: Floats) -> None:
    """Fill in the features, rewards and gaps of a replication."""
    for t in range(1, rewards.shape[0] + 1):
        source.meet(replication, t)
        for i in range(rewards.shape[1]):
            rewards[t - 1, i] = source.reward(replication, t, i)
            gaps[t - 1, i] = source.gap(replication, t, i)
            for a in range(features.shape[2]):
                features[t - 1, i, a] = source.feature(i, a)


def write_worlds(folder: pathlib.Path, replications: int) -> None:
    """Write what happens in each replication of both problems."""
    for problem, world in WORLDS.items():
        source = world.source(SEED, HORIZON).own()
        for replication in range(replications):
            x, rewards = np.zeros((HORIZON, 10, 3)), np.zeros((HORIZON, 10))
            gaps = np.zeros_like(rewards)
            look_up(source, replication, x, rewards, gaps)
            path = folder / f"{problem} {replication}.npz"
            np.savez(path, features=x if problem == SHARED else x[:, 0], rewards=rewards, gaps=gaps)


def final_regret(problem: str, each: Any, replications: int) -> Floats:
    """The regret of each replication, on one thread."""
    result = simulate(
        WORLDS[problem], [each], HORIZON, replications, seed=SEED, ties="first", threads=1,
        checkpoints=[HORIZON], evidence=Linear(3, shared=problem == SHARED), family=Gaussian(),
    )  # fmt: skip
    regret: Floats = result.regret[0, :, -1]
    return regret


class Features(Benchmark):
    """Ten arms with three features."""

    title = "Ten arms with three features, T = 1,000"

    def __init__(self, folder: pathlib.Path, replications: int, budget: float) -> None:
        super().__init__(PEERS, [f"{name}, {problem}" for problem, name in POLICIES])
        self.replications = replications
        self.command = ["peers_features_play.py", "--folder", str(folder), "--budget", str(budget)]
        write_worlds(folder, replications)
        for (problem, _), each in POLICIES.items():
            final_regret(problem, each, 1)  # compile

    def play_simulate(self) -> None:
        for (problem, name), each in POLICIES.items():
            self.time_ours(
                f"{name}, {problem}", HORIZON,
                lambda where=problem, it=each: final_regret(where, it, self.replications),
            )  # fmt: skip

    def rounds(self) -> int:
        return HORIZON
