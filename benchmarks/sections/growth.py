"""The section `arms`: how the cost of a round grows with the number of arms, simulated and live.

Every arm is pulled once before the clock starts. Timed are the next rounds: choose, draw the
reward, learn. With many arms these are the slowest rounds of a run, because nearly each of them
pulls another arm.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rbmle.choosers import Scan, chooser_for
from rbmle.engine.cpu_kernel import course_for, rules_and_game
from rbmle.engine.plan import Setup, plan
from rbmle.families import Bernoulli, Exponential, Gaussian
from rbmle.live.decider import Decider
from rbmle.policies import GPUCB, KLUCB, MOSS, RBMLE, UCB, GPUCBTuned
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import RewardStream
from rbmle.timing import record_run, seconds

from .table import BenchTable, Effort, Line, by_turns
from .timed_problems import SEED

AT_MOST = 25.0  # target: a round with MOST arms costs at most this many rounds with FEW
FEW, MOST = 10, 1_000_000
CASES: tuple[tuple[str, Any, Any], ...] = (
    ("RBMLE, Gaussian", RBMLE(), Gaussian()),
    ("RBMLE, Bernoulli", RBMLE(), Bernoulli()),
    ("RBMLE, Exponential", RBMLE(), Exponential()),
    ("UCB, Gaussian", UCB(), Gaussian()),
    ("UCB, Bernoulli", UCB(), Bernoulli()),
    ("GP-UCB, Gaussian", GPUCB(), Gaussian()),
    ("GP-UCB-Tuned, Gaussian", GPUCBTuned(), Gaussian()),
    ("KL-UCB, Bernoulli", KLUCB(), Bernoulli()),
    ("KL-UCB, Exponential", KLUCB(), Exponential()),
    ("MOSS, Gaussian", MOSS(), Gaussian()),
    ("MOSS, Bernoulli", MOSS(), Bernoulli()),
)
LIVE = CASES[:2]


class Simulated:
    """A simulation that can be continued, of `n_arms` arms with evenly spaced means."""

    def __init__(self, policy: Any, law: Any, n_arms: int, chooser: Any) -> None:
        problem = Problem(law, np.linspace(0.3, 0.7, n_arms))
        given = Setup("bench", [problem], [policy], 4 * n_arms, 1, RewardStream(SEED))
        planned = plan(given._replace(checkpoints=()))
        source = problem.source(SEED, planned.horizon)
        self._rules, self._game = rules_and_game(planned, 0, 0, source, chooser)
        self._course = course_for(planned, 0, 0, planned.draws(0, 0))
        self.t = 1
        self.play(n_arms + 1)  # each arm once, and the round that sets up a tournament

    def play(self, rounds: int) -> NDArray[np.int64]:
        """Play the next rounds; the arms that were chosen."""
        chosen = np.zeros(rounds, np.int64)
        record_run(self._rules, self._game, self._course, self.t, chosen, np.zeros(rounds))
        self.t += rounds
        return chosen

    def switch(self, chooser: Any) -> None:
        """Use another chooser from now on."""
        self._rules = self._rules._replace(chooser=chooser)
        self.play(1)  # compiles

    def cost(self, rounds: int) -> float:
        """Seconds per round, measured over the next `rounds`."""
        return seconds(lambda: self.play(rounds)) / rounds


class LiveRounds:
    """A live decider with `n_arms` arms."""

    def __init__(self, policy: Any, law: Any, n_arms: int) -> None:
        self.decider = Decider(range(n_arms), policy, law, seed=SEED)
        self._source = Problem(law, np.linspace(0.3, 0.7, n_arms)).source(SEED, 1)
        self.cost(n_arms + 1)

    def cost(self, rounds: int) -> float:
        """Seconds per round of `pull` and `update`, without drawing the reward."""
        spent, decider = 0.0, self.decider
        for t in range(decider.t, decider.t + rounds):
            begin = time.perf_counter()
            i = decider.pull()
            spent += time.perf_counter() - begin
            reward = self._source.reward(0, t, int(i))
            begin = time.perf_counter()
            decider.update(i, reward)
            spent += time.perf_counter() - begin
        return spent / rounds


def grow(name: str, policy: Any, law: Any, n_arms: int, effort: Effort) -> Line:
    """A simulated round with `n_arms` and with FEW arms, by turns. Up to 1,000 arms the choices are
    compared with those of a scan."""
    many, few = (Simulated(policy, law, n, chooser_for(policy, law, n)) for n in (n_arms, FEW))
    scan, looks = Simulated(policy, law, n_arms, Scan(n_arms)) if n_arms <= 1000 else None, 2000
    same = scan is None or np.array_equal(scan.play(looks), many.play(looks))
    rounds = effort.size(200_000, 50_000) // effort.repeats
    turns = by_turns(lambda: many.cost(rounds), lambda: few.cost(4 * rounds), effort.repeats)
    return Line.slowdown(
        f"{name}, {n_arms:,} arms",
        turns,
        at_most=AT_MOST if n_arms == MOST else None,
        check=f"{looks} choices {'equal' if same else 'UNLIKE'} a scan's" if scan else "",
        holds=same,
    )


def grow_live(name: str, policy: Any, law: Any, effort: Effort) -> Line:
    """A round of a live decider with MOST and with FEW arms, by turns."""
    many, few, rounds = LiveRounds(policy, law, MOST), LiveRounds(policy, law, FEW), 4000
    turns = by_turns(lambda: many.cost(rounds), lambda: few.cost(rounds), effort.repeats)
    return Line.slowdown(f"live: {name}, {MOST:,} arms", turns, at_most=AT_MOST)


def against_a_scan(name: str, policy: Any, law: Any) -> str:
    """A note on how long a scan of MOST arms takes, measured over a few rounds."""
    run = Simulated(policy, law, MOST, chooser_for(policy, law, MOST))
    quick = run.cost(20_000)
    run.switch(Scan(MOST))
    slow = run.cost(20)
    return f"{name}, {MOST:,} arms: a scan takes {slow * 1e3:.2g} ms a round, {slow / quick:,.0f}x."


def counts(most: int) -> list[int]:
    """Numbers of arms: FEW times 10, 100, ... up to `most`."""
    return [FEW * 10**k for k in range(1, 6) if FEW * 10**k <= most]


def arms(effort: Effort) -> BenchTable:
    """The table: every policy with ever more arms."""
    cases, numbers = (CASES[:3], [100, MOST]) if effort.quick else (CASES, counts(MOST))
    lines = [grow(*case, n, effort) for case in cases for n in numbers]
    if not effort.quick:
        lines += [grow_live(*case, effort) for case in LIVE]
    return BenchTable(
        "A round (choose, draw the reward, learn) among ever more arms",
        "a round",
        f"with {FEW} arms",
        f"to {FEW} arms",
        tuple(lines),
        tuple(against_a_scan(*case) for case in cases[:1]),
    )
