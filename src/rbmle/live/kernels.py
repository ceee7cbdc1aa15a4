"""What a `LiveGame` has compiled: a choice, a reward that is learned, both together where arms have
features, the indices of all arms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .._numba.compile import Floats, defaults_of, kernel, lean_kernel, record
from ..engine.game import Game, Moment, Pull, Rules
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Counter, Draws
from ..tables import Encoding

T = TypeVar("T")

TOO_LARGE = -2  # in the place of an arm: features are larger than the evidence allows


class NotedDraws(NamedTuple):
    """As `Draws`. ties: holds how many arms tied when one was drawn by lot."""

    key0: int
    key1: int
    replication: int
    t: int
    random_ties: bool
    ties: Floats

    def among(self, ties: int) -> int:
        if self.random_ties:
            self.ties[0] = ties
        return self.one_of(ties)  # type: ignore[attr-defined,no-any-return]


record(NotedDraws, defaults_of(Draws) | {"one_of": Draws.among})


@record
class Constants(NamedTuple):
    """horizon: the last round; 0 unless the policy knows it. randomness, replication: as in a
    simulation. ties: one number, how many arms tied at the last choice."""

    horizon: int
    randomness: Counter
    replication: int
    ties: Floats

    def moment(self, t: int, number: int) -> Moment:
        """Round t, as the policy sees it: never one after the horizon."""
        return Moment(min(t, self.horizon) if self.horizon > 0 else t, self.horizon, number)

    def rng(self, number: int) -> Draws:
        """The random numbers of a pull. They repeat after 2^32 pulls: its low 32 bits count."""
        self.ties[0] = 1.0
        draws = self.randomness.at(self.replication, number & 0xFFFFFFFF)
        key0, key1, replication, t, random_ties = draws
        noted: Any = NotedDraws(key0, key1, replication, t, random_ties, self.ties)
        rng: Draws = noted
        return rng


@lean_kernel
def choose(rules: Rules, game: Game, constants: Constants, t: int, number: int) -> int:
    """The arm to play in round t, whose pull has this number."""
    return rules.choose(game, constants.moment(t, number), constants.rng(number))


@kernel
def look(rules: Rules, game: Game) -> None:
    """Update the statistics of arms with features, as `choose` does."""
    rules.evidence.look(game.known, game.memory, game.features, True)


@kernel
def show_all(rules: Rules, game: Game) -> None:
    """Update the statistics that the policy sees, as `choose` does where every arm changes."""
    for slot in range(game.arms.n_arms()):
        game.pending.show(rules.chooser, game.known, game.arms, slot)


@lean_kernel
def observe(rules: Rules, game: Game, i: int, status: int, imputed: float, reward: float) -> None:
    """Learn the reward of a pull of arm i; `Pull` explains its status and its imputed reward."""
    rules.observe(game, Pull(i, status, imputed), reward)


def observe_one(
    rules: Rules, game: Game, i: int, status: int, imputed: float, reward: float
) -> None:
    """The same where only arm i changes: in the interpreter it is as quick, and not compiled."""
    pull: Pull = tuple.__new__(Pull, (i, status, imputed))  # without the checks of its fields
    game.pending.learn(rules, game, pull, reward)


@kernel
def impute(rules: Rules, game: Game, i: int) -> float:
    """Learn a pull of arm i with the mean so far imputed as its reward; returns that mean."""
    return float(game.pending.impute(rules, game, i))


@record
class Arrived(NamedTuple):
    """A reward that has come: its pull, the features of the arm then, and the reward."""

    pull: Pull
    context: Floats
    reward: float


@lean_kernel
def take_turn(
    rules: Rules, game: Game, constants: Constants, t: int, number: int, encoding: Encoding,
    cells: Floats, came: Arrived,
) -> int:  # fmt: skip
    """Learn the reward that came, if any (its arm is -1 if not), compute the features from these
    cells, and choose an arm for round t. If a feature is too large, return `TOO_LARGE` and do
    nothing else. If the number of the pull is 0, the reward is learned, and no more.

    It is one call, not three, because to pass rules and game takes 0.8 microseconds each time.
    """
    if number > 0 and not encoding.reads(cells):
        return TOO_LARGE
    values, i = game.features.values, came.pull.arm
    if i >= 0:
        for a in range(values.shape[1]):
            values[i, a] = came.context[a]
        rules.observe(game, came.pull, came.reward)
    if number == 0:
        return -1
    for k in range(values.shape[0]):
        for a in range(values.shape[1]):
            values[k, a] = encoding.features[k, a]
    place = rules.choose(game, constants.moment(t, number), constants.rng(number))
    if place >= 0:
        encoding.keep_scale()
    return place


@kernel
def rank(policy: Policy, family: Family, arms: Arms, clock: Clock, indices: Floats) -> None:
    """Fill `indices` with the index of each arm in this round."""
    level = policy.level(family, arms, clock)
    for i in range(arms.n_arms()):
        indices[i] = policy.index_of(family, arms, i, level)


def with_arrays(record: T, change: Callable[[Floats], object]) -> T:
    """The record, and the records in it, with each array replaced by the function's value."""
    made: Any = record
    if isinstance(record, np.ndarray):
        made = change(record)
    elif isinstance(record, tuple):
        made = tuple.__new__(type(record), [with_arrays(each, change) for each in record])
    return made  # type: ignore[no-any-return]
