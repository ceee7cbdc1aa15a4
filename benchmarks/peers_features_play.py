"""Play one library's policies on arms with features; peers_features.py starts this.

    python benchmarks/peers_features_play.py mabwiser --folder FOLDER --replications 0 3 6

Needs NumPy and that library. FOLDER has the features, the rewards and the gaps of every replication
(see `peers_features.py`). The last line of the output is JSON, as that of peers_play.py.
"""

from __future__ import annotations

import pathlib
import sys
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from peers_player import Floats, Player, command_line, report

ARMS, DIMENSION = list(range(10)), 3
SHARED, DISJOINT = "one theta", "a theta for each arm"


class World(NamedTuple):
    """A replication: rewards and gaps (rounds, arms); features (rounds, arms, dimension), or
    (rounds, dimension) if all arms have the same."""

    features: Floats
    rewards: Floats
    gaps: Floats


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
            arm = decider.pull(context=dict(zip(ARMS, x, strict=True)) if each else x)
            decider.update(arm, row[arm])
            chosen.append(arm)
        return chosen

    return [
        Player("rbmle, Decider", name, start(policy, problem == SHARED), play, problem=problem)
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

    return [Player("river", "LinUCB of rewards", start, play, "random ties", DISJOINT)]


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
        Player("MABWiser", "LinUCB", start(ucb), play, problem=DISJOINT),
        Player("MABWiser", "LinTS", start(sampling), play, "arm 0 first", DISJOINT),
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
        Player("coba", "LinUCB", ucb, play, "random ties", SHARED),
        Player("coba", "LinTS", sampling, play, note, SHARED),
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
        Player("contextualbandits", "LinUCB", ucb, play, "random ties", DISJOINT),
        Player("contextualbandits", "LinTS", sampling, once, "each arm once first", DISJOINT),
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

    return [Player("bayesianbandits", "LinTS", start, play, problem=DISJOINT)]


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
        Player("obp", "LinUCB", ucb, play, "ties to the last arm", DISJOINT),
        Player("obp", "LinTS", sampling, play, problem=DISJOINT),
    ]


LIBRARIES = {
    each.__name__: each
    for each in (rbmle, river, mabwiser, coba, contextualbandits, bayesianbandits, obp)
}


def main() -> None:
    parser = command_line(LIBRARIES)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    options = parser.parse_args()

    def worlds(problem: str, replication: int, rounds: int) -> tuple[World, Floats]:
        with np.load(options.folder / f"{problem} {replication}.npz") as file:
            world = World(*(file[name][:rounds] for name in World._fields))
        return world, world.gaps

    report(LIBRARIES[options.library](), worlds, options)


if __name__ == "__main__":
    main()
