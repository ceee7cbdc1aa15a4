"""The rounds of one replication: the loop that every place plays, compiled or not."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, lean, record
from .calendar import Calendar, NoCalendar
from .game import Game, Moment, Rules
from .regret_counters import ByCounts, ByPulls, ByRound


@record
class Course(NamedTuple):
    """What a simulation adds to a game.

    calendar: when rewards come. randomness: where the policy's random numbers come from.
    horizon: 0 if the policy does not use it. counters: what is counted for regret.
    """

    calendar: Calendar | NoCalendar
    randomness: Any
    horizon: int
    counters: ByPulls | ByCounts | ByRound


@record
class Checkpoints(NamedTuple):
    """What is kept of a replication: regret and pulls of a best arm at the checkpoints."""

    rounds: NDArray[np.int64]
    regret: Floats
    best_pulls: Floats


@record
class Span(NamedTuple):
    """The rounds begin, ..., end - 1 of a replication."""

    replication: int
    begin: int
    end: int


@lean
def play_rounds(
    rules: Rules, game: Game, course: Course, kept: Checkpoints, span: Span, stop: NDArray[np.int64]
) -> bool:
    """Play these rounds of a replication; False if `stop` ended them early.

    Round 1 begins with everything forgotten. All rounds can be played at once, or some of them now
    and the rest later: rounds are not stored, and what remains of them are the arrays of the game
    and of the course. Regret is pseudo-regret, the sum of the gaps of the arms played.
    """
    source, calendar, counters, replication = (
        game.features, course.calendar, course.counters, span.replication
    )  # fmt: skip
    checkpoints = kept.rounds
    if span.begin == 1:
        rules.restart(game)
        counters.begin()
        calendar.restart()
    reached = 0
    while checkpoints[reached] < span.begin:
        reached += 1
    for t in range(span.begin, span.end):
        # Every 64 rounds: the slowest policies take milliseconds a round, and Ctrl-C must be
        # obeyed within two seconds.
        if t & 63 == 0 and stop[0] != 0:
            return False
        rng = course.randomness.at(replication, t)
        source.meet(replication, t)
        calendar.expire(rules, game, t)
        i = rules.choose(game, Moment(source.round_of(t), course.horizon, t), rng)
        if source.accepts(replication, t, i):
            counters.note(source, replication, t, i)
            reward = source.reward(replication, t, i) if i >= 0 else 0.0  # -1: a budget is spent
            calendar.pulled(rules, game, replication, t, i, reward)
        if t == checkpoints[reached]:
            kept.regret[reached], kept.best_pulls[reached] = counters.totals(game.arms)
            reached += 1
    return True
