"""Time per decision: choosing only, on one thread, compiled and live.

A run is recorded once. Replaying it with and without the choice, on the same arms in the same
rounds, leaves as the difference the time that choosing took: rewards are not generated, and what
is learned is learned in both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._compile import Floats, kernel
from .choosers import Chooser, chooser_for
from .errors import integer
from .families import Family
from .live.decider import Decider
from .policies.arms import Arms, Clock
from .policies.base import Policy, fresh_state
from .policies.fit import player
from .random import Counter, key
from .rewards.problems import Problem
from .rewards.sources import Stream

# Processor time, which other programs do not lengthen, where the system tells it finely enough.
_FINE = time.get_clock_info("process_time").resolution <= 1e-6
_clock = time.process_time if _FINE else time.perf_counter

_LEAST = 1e-11  # seconds: less than a clock tells apart, where noise exceeds what choosing takes


class Timing(NamedTuple):
    """Seconds per decision: the median of the repeats, and their least and largest."""

    median: float
    least: float
    largest: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Timing:
        return cls(float(np.median(seconds)), min(seconds), max(seconds))


@kernel
def record_run(
    policy: Policy,
    family: Family,
    chooser: Chooser,
    arms: Arms,
    state: Floats,
    source: Any,
    randomness: Any,
    known_horizon: int,
    begin: int,
    chosen: NDArray[np.int64],
    rewards: Floats,
) -> None:
    """Play on from round `begin`, with the arms as they are, and keep what was chosen and paid."""
    for place in range(chosen.size):
        t = begin + place
        rng = randomness.at(0, t)
        i = chooser.pick(policy, state, family, arms, Clock(t, known_horizon), rng)
        chosen[place], rewards[place] = i, source.reward(0, t, i)
        arms.learn(i, rewards[place])
        chooser.changed(i)


@kernel
def replay(
    policy: Policy,
    family: Family,
    chooser: Chooser,
    arms: Arms,
    state: Floats,
    randomness: Any,
    known_horizon: int,
    chosen: NDArray[np.int64],
    rewards: Floats,
    choosing: bool,
) -> int:
    """Go through a recorded run again, with or without choosing; returns how often it chose so."""
    arms.restart()
    chooser.restart()
    state[:] = 0.0
    same = 0
    for t in range(1, chosen.size + 1):
        i = chosen[t - 1]
        if choosing:
            rng = randomness.at(0, t)
            same += i == chooser.pick(policy, state, family, arms, Clock(t, known_horizon), rng)
            chooser.changed(i)
        arms.learn(i, rewards[t - 1])
    return same


class Recording:
    """One run on one thread, played once, to be gone through again with and without choosing."""

    def __init__(
        self, policy: Any, problem: Problem, family: Any = None, horizon: int = 10_000,
        seed: int = 0, chooser: Any = None,
    ) -> None:  # fmt: skip
        """chooser: how the arm is found, if not in the quickest way."""
        policy, family = player(policy, problem, family)
        self.horizon = horizon = integer(
            "decision_time", "horizon", horizon, f"[{problem.n_arms}, inf)"
        )
        known = horizon if policy.needs_horizon() else 0
        randomness = Counter(*key(seed), random_ties=True)
        source = Stream(problem.law, np.array(problem.means), *key(seed))
        self.chosen, self.rewards = np.zeros(horizon, np.int64), np.zeros(horizon)
        play = (
            policy,
            family,
            chooser or chooser_for(policy, family, problem.n_arms),
            Arms.fresh(problem.n_arms),
            fresh_state(policy, family, problem.n_arms),
        )
        record_run(*play, source, randomness, known, 1, self.chosen, self.rewards)
        self._again = (*play, randomness, known, self.chosen, self.rewards)
        replay(*self._again, True)  # compiles

    def seconds(self, choosing: bool) -> float:
        """How long it takes to go through the run again."""
        return seconds(lambda: replay(*self._again, choosing))

    def per_decision(self, choosing: Sequence[float], learning: Sequence[float]) -> list[float]:
        """What choosing took in each replay: noise only adds, so the quickest one without it is
        what learning takes."""
        least = min(learning)
        return [max((each - least) / self.horizon, _LEAST) for each in choosing]


def decision_time(
    policy: Policy,
    problem: Problem,
    family: Any = None,
    horizon: int = 10_000,
    repeats: int = 5,
    seed: int = 0,
) -> Timing:
    """Seconds per decision of the compiled loop."""
    repeats = integer("decision_time", "repeats", repeats, "[1, inf)")
    run = Recording(policy, problem, family, horizon, seed)
    taken = [(run.seconds(True), run.seconds(False)) for _ in range(repeats)]
    return Timing.of(run.per_decision(*zip(*taken, strict=True)))


def live_decision_time(
    policy: Policy,
    problem: Problem,
    family: Any = None,
    horizon: int = 2_000,
    repeats: int = 5,
    seed: int = 0,
) -> Timing:
    """Seconds per `pull` of a `Decider`."""
    policy, family = player(policy, problem, family)
    source = Stream(problem.law, np.array(problem.means), *key(seed))

    def once() -> float:
        decider = Decider(range(problem.n_arms), policy, family, seed=seed, horizon=horizon)
        spent = 0.0
        for t in range(1, horizon + 1):
            begin = time.perf_counter()
            i = decider.pull()
            spent += time.perf_counter() - begin
            decider.update(i, source.reward(0, t, int(i)))
        return spent / horizon

    return Timing.of([once() for _ in range(repeats)])


def seconds(work: Callable[[], object]) -> float:
    """The processor time of something, on all threads."""
    begin = _clock()
    work()
    return _clock() - begin
