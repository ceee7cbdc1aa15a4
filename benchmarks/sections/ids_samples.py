"""The section `ids`: speed and accuracy of IDS and VIDS by quadrature against posterior samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbmle._numba.compile import kernel
from rbmle.policies import IDS, VIDS
from rbmle.policies.arms import Arms, Clock
from rbmle.policies.base import fresh_state
from rbmle.policies.ids import best_odds, ratio
from rbmle.random import Draws
from rbmle.timing import Recording, seconds

from . import ids_exact
from .ids_reference import SAMPLES, SampledIDS
from .table import BenchTable, Effort, Line, Turns
from .timed_problems import COINS, SEED, Floats

AT_LEAST = 300.0  # target: this many times as fast as samples
_SHORT = 5  # replays of ours in a turn, because each takes only a few milliseconds
_ROUNDS_CHECKED = (20, 100, 400, 1_500)
_RULES: tuple[tuple[str, Any, bool], ...] = (("IDS", IDS(), False), ("VIDS", VIDS(), True))


@kernel
def judge(
    policy: Any, state: Floats, family: Any, arms: Arms, clock: Clock, rng: Draws
) -> tuple[Floats, Floats]:
    """The expected regret and the information of each arm in a decision of IDS or VIDS."""
    policy.choose(state, family, arms, clock, rng)
    beliefs = policy.beliefs_in(state[1:], arms.n_arms())
    return beliefs.regret, beliefs.information


def our_ratio(policy: Any, pulls: Floats, heads: Floats) -> float:
    """The least information ratio of two arms, as the policy computes it."""
    arms, clock = Arms(pulls, heads, heads), Clock(int(pulls.sum()) + 1, 0)
    state, rng = fresh_state(policy, COINS.law, pulls.size), Draws(1, 0, 0, 1, True)
    regret, information = judge(policy, state, COINS.law, arms, clock, rng)
    values = []
    for i in range(regret.size):
        for j in range(i):
            q = best_odds(regret[i], information[i], regret[j], information[j])
            cost = q * regret[i] + (1.0 - q) * regret[j]
            values.append(ratio(cost, q * information[i] + (1.0 - q) * information[j]))
    return min(values)


def statistics(run: Recording, rounds: int) -> tuple[Floats, Floats]:
    """Pulls and heads of each coin after this many rounds of the recorded run."""
    pulls, heads = np.zeros(COINS.n_arms), np.zeros(COINS.n_arms)
    np.add.at(pulls, run.chosen[:rounds], 1.0)
    np.add.at(heads, run.chosen[:rounds], run.rewards[:rounds])
    return pulls, heads


def errors(policy: Any, variance: bool, pulls: Floats, heads: Floats) -> tuple[float, float]:
    """The error of the information ratio: absolute, and relative to it."""
    exact = ids_exact.exact_least_ratio(*ids_exact.regret_and_information(pulls, heads, variance))
    error = abs(our_ratio(policy, pulls, heads) - exact)
    return error, error / exact


def sampled_time(run: Recording, variance: bool, pairwise: bool) -> float:
    """Seconds per decision of the reference on the same arms in the same rounds.

    Drawing new samples of the arm that was pulled is included, as is the update of our tables.
    """
    reference = SampledIDS(COINS.n_arms, variance, pairwise, SEED)

    def replay() -> None:
        for t in range(run.horizon):
            if t >= COINS.n_arms:
                reference.choose()
            reference.learn(run.chosen[t], run.rewards[t])

    return seconds(replay) / run.horizon


def against_samples(name: str, rule: Any, variance: bool, rounds: int, repeats: int) -> list[Line]:
    """A rule against both forms of the reference, by turns."""
    run, lines = Recording(rule, COINS, horizon=rounds, seed=SEED), []
    for form, pairwise in ((" by pairs of arms", True), (", all arms at once", False)):
        choosing, learning, samples = [], [], []
        for _ in range(repeats):
            samples.append(sampled_time(run, variance, pairwise))
            for _ in range(_SHORT):
                choosing.append(run.seconds(True))
                learning.append(run.seconds(False))
        ours = run.per_decision(choosing, learning)
        each = [min(ours[k : k + _SHORT]) for k in range(0, len(ours), _SHORT)]
        target = AT_LEAST if pairwise else None
        turns = Turns(tuple(each), tuple(samples))
        lines.append(Line.speedup(f"{name}; NumPy{form}", turns, at_least=target))
    return lines


def ids(effort: Effort) -> BenchTable:
    """The table: quadrature against samples by turns. The notes compare with a finer quadrature."""
    rounds, lines, notes = effort.size(400, 150), [], []
    checked = _ROUNDS_CHECKED[:3] if effort.quick else _ROUNDS_CHECKED
    for name, rule, variance in _RULES:
        lines += against_samples(name, rule, variance, rounds, effort.repeats)
        run = Recording(rule, COINS, horizon=max(checked), seed=SEED)
        absolute, relative = np.max(
            [errors(rule, variance, *statistics(run, t)) for t in checked], axis=0
        )
        notes.append(
            f"{name}: the information ratio differs from an independent quadrature by at most "
            f"{absolute:.1e} ({relative:.1e} of it), after {', '.join(map(str, checked))} rounds."
        )
    notes.append(
        "Public research code computes by pairs of arms; all arms at once is the faster NumPy form."
    )
    return BenchTable(
        f"Choosing against {SAMPLES:,} posterior samples in NumPy: Bernoulli, K = 10, T = {rounds}",
        "ours, a decision",
        "NumPy, a decision",
        "NumPy / ours",
        tuple(lines),
        tuple(notes),
    )
