"""The time that a decision takes, on one thread, in the compiled loop and in a live `Decider`.

Only choosing is timed, not the generation of rewards, nor learning. For the compiled loop a run is
recorded once and then replayed twice, with and without choosing; the difference is what choosing
took.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._numba.compile import Floats, kernel, lean
from .choosers import Chooser
from .engine.cpu_kernel import course_for, rules_and_game
from .engine.game import NOTHING, PENDING, Game, Moment, Pull, Rules
from .engine.plan import Setup, plan
from .engine.rounds import Course
from .errors import integer
from .live.decider import Decider
from .policies.base import Policy
from .policies.fit import player
from .rewards.problems import Problem
from .rewards.sources import RewardStream

# Processor time is used if its resolution is fine enough: other programs do not lengthen it.
_FINE = time.get_clock_info("process_time").resolution <= 1e-6
_clock = time.process_time if _FINE else time.perf_counter

_LEAST = 1e-11  # seconds; reported in place of less, or of a difference that noise made negative


class Timing(NamedTuple):
    """Seconds per decision: the median, the smallest and the largest of the repeats."""

    median: float
    least: float
    largest: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Timing:
        """The timing of repeats that took these seconds per decision."""
        return cls(float(np.median(seconds)), min(seconds), max(seconds))


@lean
def turn(rules: Rules, game: Game, course: Course, t: int) -> int:
    """The arm to play in round t, chosen as `simulate` does it: no references are counted."""
    return rules.choose(game, Moment(t, course.horizon, t), course.randomness.at(0, t))


@kernel
def record_run(
    rules: Rules, game: Game, course: Course, begin: int, chosen: NDArray[np.int64], rewards: Floats
) -> None:
    """Play on from round `begin` with the arms as they are, and record the choices and rewards."""
    for place in range(chosen.size):
        i = turn(rules, game, course, begin + place)
        chosen[place], rewards[place] = i, game.features.reward(0, begin + place, i)
        rules.observe(game, Pull(i, PENDING, NOTHING), rewards[place])


@kernel
def replay(
    rules: Rules, game: Game, course: Course, chosen: NDArray[np.int64], rewards: Floats,
    choosing: bool,
) -> int:  # fmt: skip
    """Replay a recorded run, with or without choosing; returns how many choices were the same."""
    rules.restart(game)
    same = 0
    for t in range(1, chosen.size + 1):
        i = chosen[t - 1]
        if choosing:
            same += i == turn(rules, game, course, t)
            rules.chooser.changed(i)
        game.arms.learn(i, rewards[t - 1])
    return same


class Recording:
    """A recorded run on one thread, which can be replayed with and without choosing."""

    def __init__(
        self, policy: object, problem: Problem, family: object = None, horizon: int = 10_000,
        seed: int = 0, chooser: Chooser | None = None,
    ) -> None:  # fmt: skip
        """chooser: the chooser to use; by default the quickest."""
        given = Setup("decision_time", [problem], [policy], horizon, 1, RewardStream(seed))
        planned = plan(given._replace(family=family))
        self.horizon = planned.horizon
        source = problem.source(seed, self.horizon)
        self.chosen, self.rewards = np.zeros(self.horizon, np.int64), np.zeros(self.horizon)
        course = course_for(planned, 0, 0, planned.draws(0, 0))
        play = (*rules_and_game(planned, 0, 0, source, chooser), course)
        record_run(*play, 1, self.chosen, self.rewards)
        self._again = (*play, self.chosen, self.rewards)
        replay(*self._again, True)  # compiles

    def seconds(self, choosing: bool) -> float:
        """The seconds that a replay takes."""
        return seconds(lambda: replay(*self._again, choosing))

    def per_decision(self, choosing: Sequence[float], learning: Sequence[float]) -> list[float]:
        """The seconds per decision in each replay.

        choosing, learning: the seconds of replays with and without choosing. Noise only adds time,
        so the quickest replay without choosing is taken for the time of learning.
        """
        least = min(learning)
        return [max((each - least) / self.horizon, _LEAST) for each in choosing]


def decision_time(
    policy: Policy,
    problem: Problem,
    family: object = None,
    horizon: int = 10_000,
    repeats: int = 5,
    seed: int = 0,
) -> Timing:
    """The seconds per decision of the compiled loop, in `repeats` replays of one recorded run."""
    repeats = integer("decision_time", "repeats", repeats, "[1, inf)")
    run = Recording(policy, problem, family, horizon, seed)
    taken = [(run.seconds(True), run.seconds(False)) for _ in range(repeats)]
    return Timing.of(run.per_decision(*zip(*taken, strict=True)))


def live_decision_time(
    policy: Policy,
    problem: Problem,
    family: object = None,
    horizon: int = 2_000,
    repeats: int = 5,
    seed: int = 0,
) -> Timing:
    """The seconds per `pull` of a `Decider`, in `repeats` runs of `horizon` rounds."""
    repeats = integer("live_decision_time", "repeats", repeats, "[1, inf)")
    rule, model = player(policy, problem, family, owner="live_decision_time")
    source = problem.source(seed, horizon)

    def once() -> float:
        decider = Decider(range(problem.n_arms), rule, model, seed=seed, horizon=horizon)
        spent = 0.0
        for t in range(1, horizon + 1):
            begin = time.perf_counter()
            i = decider.pull()
            spent += time.perf_counter() - begin
            decider.update(i, source.reward(0, t, int(i)))
        return spent / horizon

    return Timing.of([once() for _ in range(repeats)])


def seconds(work: Callable[[], object]) -> float:
    """The seconds of processor time, of all threads, that a piece of work takes."""
    begin = _clock()
    work()
    return _clock() - begin
