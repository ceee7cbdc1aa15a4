"""`simulate_log`: one policy plays a problem, and every row of it is kept."""

from __future__ import annotations

import csv
import io
import os

import numpy as np
from numpy.typing import NDArray

from .._io.files import write_atomically
from .._numba.compile import Floats, kernel
from ..engine.plan import Setup, plan
from ..errors import ParameterError
from ..rewards.availability import Availability
from ..rewards.linear_problem import LinearPath, LinearStream
from ..rewards.problems import Pays, World
from ..rewards.sources import RewardStream
from ..rewards.table_worlds import Classification
from .decider import Decider


class Log(dict[str, NDArray[np.generic]]):
    """The rows of decisions, as columns by name: `arm`, `reward`, `probability`, `context`."""

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the rows to a file, which is written completely or not at all.

        A context has a column for each arm and feature: context_0_0, context_0_1, ...
        """
        columns = {name: each for name, each in self.items() if each.ndim == 1}
        for place in np.ndindex(self["context"].shape[1:]) if "context" in self else ():
            name = "_".join(map(str, ("context", *place)))
            columns[name] = self["context"][(slice(None), *place)]
        text = io.StringIO(newline="")
        rows = csv.writer(text, lineterminator="\n")
        rows.writerow(columns)
        rows.writerows(zip(*(each.tolist() for each in columns.values()), strict=True))
        write_atomically(path, text.getvalue().encode("ascii"))


@kernel
def reward_of(source: Pays, replication: int, t: int, i: int) -> float:
    """The reward of arm i in round t."""
    return float(source.reward(replication, t, i))


@kernel
def meet(source: LinearStream | LinearPath, replication: int, t: int, features: Floats) -> None:
    """Begin round t: fill `features` with those of all arms."""
    source.meet(replication, t)
    for i in range(features.shape[0]):
        for a in range(features.shape[1]):
            features[i, a] = source.feature(i, a)


def simulate_log(
    problem: World,
    policy: object,
    horizon: int,
    *,
    family: object = None,
    evidence: object = None,
    seed: int = 0,
    replication: int = 0,
) -> Log:
    """Play one policy on the problem, and return the rows: a log, for `rbmle.evaluate`,
    `Decider.learn`, or a CSV file.

    Choices and rewards are those of `simulate` with the same seed, in one replication, where
    rewards come at once. It is slower: 20 to 60 microseconds a round, with probabilities. Give a
    policy a floor, `Floor("ts", 0.1)`, for a log that can tell of other policies, too.

    Columns: `arm`, from 0 on; `reward`; `probability`, with which the arm was chosen, unless the
    policy does not know it; and, if arms have features, `context`, those of all arms in each round.

    >>> from rbmle import Problem
    >>> log = simulate_log(Problem("bernoulli", [0.3, 0.6]), "ucb", 5)
    >>> log["arm"].tolist(), log["reward"].tolist(), log["probability"].tolist()
    ([0, 1, 1, 0, 0], [0.0, 0.0, 0.0, 1.0, 0.0], [1.0, 1.0, 0.5, 1.0, 1.0])
    """
    if not isinstance(problem, World):
        raise ParameterError("simulate_log", "problem", "a Problem", problem)
    if problem.delay is not None or problem.replays:
        raise ParameterError("simulate_log", "problem", "one without slates, no Replay", problem)
    given = Setup("simulate_log", [problem], [policy], horizon, 1, RewardStream(seed))
    given = given._replace(family=family, first_replication=replication, evidence=evidence)
    planned = plan(given)
    (player, model), rounds = planned.players[0][0], planned.horizon
    live = Decider(
        range(problem.n_arms), player, model, seed, rounds if player.uses_horizon() else None,
        replication=replication, evidence=planned.evidence,
    )  # fmt: skip
    source = problem.source(seed, rounds)
    arms, rewards, chances = np.zeros(rounds, np.int64), np.zeros(rounds), np.zeros(rounds)
    context = np.zeros((rounds, problem.n_arms, problem.dimension))
    pay, reads, known = reward_of.specialised(source, 0, 1, 0), planned.evidence.reads(), True
    sleeps = problem if isinstance(problem, Availability) else None
    meets = problem.dimension or isinstance(problem, Classification)
    draw = meet.specialised(source, 0, 1, context[0]) if meets else None
    for t in range(rounds):
        if draw is not None:
            draw(source, replication, t + 1, context[t])
        features = context[t] if reads else None
        among = sleeps.awake_at(t + 1, seed, replication) if sleeps else None
        try:
            if known:
                arms[t], _, chances[t] = live.decide(context=features, among=among)
        except ParameterError:  # the policy does not know its probabilities; nothing was pulled
            known = False
        if not known:
            arms[t] = live.pull(context=features, among=among)
        arm = int(arms[t])
        rewards[t] = pay(source, replication, t + 1, arm)
        live.update(arm, rewards[t])
    columns = {"arm": arms, "reward": rewards, "probability": chances, "context": context}
    unknown = {"probability": not known, "context": not problem.dimension}
    return Log({name: each for name, each in columns.items() if not unknown.get(name)})
