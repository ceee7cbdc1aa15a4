"""Play one library's policies on arms with features; peers_features.py starts this.

    python benchmarks/peers_features_play.py mabwiser --folder FOLDER --replications 0 3 6

Needs NumPy and that library. FOLDER has the features, the rewards and the gaps of every replication
(see `peers_features.py`). The last line of the output is JSON, as that of peers_play.py, with the
regret of each replication.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import pathlib
import sys
import time
import types
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ARMS, DIMENSION = list(range(10)), 3
SHARED, DISJOINT = "one theta", "a theta for each arm"


class World(NamedTuple):
    """A replication: rewards and gaps (rounds, arms); features (rounds, arms, dimension), or
    (rounds, dimension) if all arms have the same."""

    features: Floats
    rewards: Floats
    gaps: Floats


class Player(NamedTuple):
    """A policy of a library: its problem, how to start it from a seed, and how to play it."""

    library: str
    policy: str
    problem: str
    start: Callable[[int], Any]
    play: Callable[[Any, World], Sequence[int]]  # the arms chosen, one for each round
    note: str = ""


def rbmle() -> list[Player]:
    from peers_features import POLICIES, SEED

    from rbmle import Decider, Gaussian, Linear

    def start(policy: Any, shared: bool) -> Callable[[int], Any]:
        return lambda number: Decider(
            ARMS, policy, Gaussian(), seed=SEED, ties="first", replication=number,
            evidence=Linear(DIMENSION, shared=shared),
        )  # fmt: skip

    def play(decider: Any, world: World) -> list[int]:
        chosen, each = [], world.features.ndim == 3
        for x, row in zip(world.features.tolist(), world.rewards.tolist(), strict=True):
            arm = decider.pull(dict(zip(ARMS, x, strict=True)) if each else x)
            decider.update(arm, row[arm])
            chosen.append(arm)
        return chosen

    return [
        Player("rbmle, Decider", name, problem, start(policy, problem == SHARED), play)
        for (problem, name), policy in POLICIES.items()
    ]


def river() -> list[Player]:
    from river import bandit

    def start(seed: int) -> Any:
        return bandit.LinUCBDisjoint(alpha=1.0, beta=1.0, seed=seed)

    def play(policy: Any, world: World) -> list[int]:
        chosen = []
        for x, row in zip(world.features.tolist(), world.rewards.tolist(), strict=True):
            context = dict(enumerate(x))
            arm = policy.pull(ARMS, context=context)
            policy.update(arm, context, row[arm])
            chosen.append(arm)
        return chosen

    return [Player("river", "LinUCB of rewards", DISJOINT, start, play, "random ties")]


def mabwiser() -> list[Player]:
    from mabwiser.mab import MAB, LearningPolicy

    def start(policy: Any) -> Callable[[int], Any]:
        return lambda seed: MAB(arms=ARMS, learning_policy=policy, seed=seed)

    def play(mab: Any, world: World) -> list[int]:
        rows = world.rewards.tolist()
        mab.fit([0], [rows[0][0]], world.features[:1])  # it predicts only after a first reward
        chosen = [0]
        for t in range(1, len(rows)):
            context = world.features[t : t + 1]
            arm = mab.predict(context)
            mab.partial_fit([arm], [rows[t][arm]], context)
            chosen.append(arm)
        return chosen

    ucb, sampling = LearningPolicy.LinUCB(alpha=1.0), LearningPolicy.LinTS(alpha=1.0)
    return [
        Player("MABWiser", "LinUCB", DISJOINT, start(ucb), play),
        Player("MABWiser", "LinTS", DISJOINT, start(sampling), play, "arm 0 first"),
    ]


def coba() -> list[Player]:
    from coba.learners import LinTSLearner, LinUCBLearner

    def play(learner: Any, world: World) -> list[int]:
        chosen = []
        for x, row in zip(world.features.tolist(), world.rewards.tolist(), strict=True):
            actions = [tuple(each) for each in x]
            action, probability = learner.predict(None, actions)
            arm = actions.index(action)
            learner.learn(None, action, row[arm], probability)
            chosen.append(arm)
        return chosen

    def ucb(seed: int) -> Any:
        return LinUCBLearner(alpha=1.0, features=["a"], seed=seed)

    def sampling(seed: int) -> Any:
        return LinTSLearner(v=1.0, features=["a"], seed=seed)

    note = "the same draws in each replication"
    return [
        Player("coba", "LinUCB", SHARED, ucb, play, "random ties"),
        Player("coba", "LinTS", SHARED, sampling, play, note),
    ]


def by_rows(choose: str, learn: str, forced: int = 0) -> Callable[[Any, World], list[int]]:
    """How to play a policy whose methods take a context of one row. forced: arms 0, 1, ... are
    played in so many first rounds."""

    def play(policy: Any, world: World) -> list[int]:
        chosen, rows = [], world.rewards.tolist()
        select, update = getattr(policy, choose), getattr(policy, learn)
        for t in range(len(rows)):
            context = world.features[t : t + 1]
            arm = int(select(context)[0]) if t >= forced else t
            if learn == "update_params":
                update(arm, rows[t][arm], context)
            else:
                update(context, np.array([arm]), np.array([rows[t][arm]]))
            chosen.append(arm)
        return chosen

    return play


def contextualbandits() -> list[Player]:  # it refuses the seed 0
    from contextualbandits.online import LinTS, LinUCB

    def ucb(seed: int) -> Any:
        return LinUCB(
            len(ARMS), alpha=1.0, fit_intercept=False, use_float=False, random_state=1 + seed
        )

    def sampling(seed: int) -> Any:
        # With sample_from="coef", its default, theta is drawn with the covariance V, not V^-1.
        return LinTS(
            len(ARMS), v_sq=1.0, fit_intercept=False, sample_from="ci", method="sm",
            random_state=1 + seed,
        )  # fmt: skip

    play = by_rows("predict", "partial_fit")
    once = by_rows("predict", "partial_fit", len(ARMS))  # it draws nothing for an arm without data
    return [
        Player("contextualbandits", "LinUCB", DISJOINT, ucb, play, "random ties"),
        Player("contextualbandits", "LinTS", DISJOINT, sampling, once, "each arm once first"),
    ]


def bayesianbandits() -> list[Player]:
    from bayesianbandits import Arm, ContextualAgent, NormalRegressor, ThompsonSampling

    def start(seed: int) -> Any:
        arms = [Arm(arm, learner=NormalRegressor(alpha=1.0, beta=1.0)) for arm in ARMS]
        return ContextualAgent(arms, ThompsonSampling(), random_seed=seed)

    def play(agent: Any, world: World) -> list[int]:
        chosen = []
        for t, row in enumerate(world.rewards.tolist()):
            context = world.features[t : t + 1]
            [arm] = agent.pull(context)
            agent.update(context, np.array([row[arm]]))
            chosen.append(arm)
        return chosen

    return [Player("bayesianbandits", "LinTS", DISJOINT, start, play)]


def obp() -> list[Player]:
    # Its package of policies imports PyTorch, for one that is not played here. So the package is
    # made without running its __init__.py.
    import obp

    package = types.ModuleType("obp.policy")
    package.__path__ = [str(pathlib.Path(obp.__file__).parent / "policy")]
    sys.modules["obp.policy"] = package
    from obp.policy.linear import LinTS, LinUCB

    def ucb(seed: int) -> Any:
        return LinUCB(dim=DIMENSION, n_actions=len(ARMS), epsilon=1.0, random_state=seed)

    def sampling(seed: int) -> Any:
        return LinTS(dim=DIMENSION, n_actions=len(ARMS), random_state=seed)

    play = by_rows("select_action", "update_params")
    return [
        Player("obp", "LinUCB", DISJOINT, ucb, play, "ties to the last arm"),
        Player("obp", "LinTS", DISJOINT, sampling, play),
    ]


LIBRARIES = {
    each.__name__: each
    for each in (rbmle, river, mabwiser, coba, contextualbandits, bayesianbandits, obp)
}


def timed(player: Player, folder: pathlib.Path, replication: int, rounds: int) -> tuple[float, Any]:
    """The seconds for choosing and learning, and the regret."""
    with np.load(folder / f"{player.problem} {replication}.npz") as file:
        world = World(*(file[name][:rounds] for name in World._fields))
    policy = player.start(replication)
    start = time.perf_counter()
    chosen = player.play(policy, world)
    seconds = time.perf_counter() - start
    return seconds, float(world.gaps[np.arange(len(chosen)), chosen].sum())


def plays(player: Player, folder: pathlib.Path, replications: list[int], budget: float) -> Any:
    """Play replications until the budget is spent, but at least one."""
    timed(player, folder, replications[0], 50)  # warm up
    played: dict[int, tuple[float, float]] = {}
    end = time.perf_counter() + budget
    for replication in replications:
        if played and time.perf_counter() > end:
            break
        played[replication] = timed(player, folder, replication, sys.maxsize)
    return {
        "library": player.library,
        "policy": f"{player.policy}, {player.problem}",
        "note": player.note,
        "replications": list(played),
        "seconds": [seconds for seconds, _ in played.values()],
        "regrets": [regret for _, regret in played.values()],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Play the policies of one library.")
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--budget", type=float, default=2.0, help="seconds for each policy")
    parser.add_argument("--replications", type=int, nargs="+", default=[0])
    options = parser.parse_args()

    players = LIBRARIES[options.library]()
    records = [
        plays(each, options.folder, options.replications, options.budget) for each in players
    ]
    version = importlib.metadata.version(options.library)
    print(json.dumps({"version": version, "records": records}))


if __name__ == "__main__":
    main()
