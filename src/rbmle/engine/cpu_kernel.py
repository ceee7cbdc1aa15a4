"""`play`: the compiled loop of a CPU, which plays any policy on any problem."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import kernel
from ..choosers import Chooser, chooser_for
from ..policies.arms import Arms
from ..policies.base import bare, fresh_state
from ..policies.floor import floors_of
from ..policies.priced import ledger_of, net_gaps
from .calendar import calendar_for
from .floors import rules_of
from .game import Game, Rules
from .imputation import pending_for
from .late_rewards import Prompt
from .plan import Filled, Plan, Task
from .priced import priced_rules
from .regret_counters import counters_for
from .rounds import Checkpoints, Course, Span, play_rounds


@kernel
def play(
    rules: Rules, game: Game, course: Course, kept: Checkpoints, pulls: NDArray[np.float64],
    span: Span, stop: NDArray[np.int64],
) -> None:  # fmt: skip
    """Play these rounds of some replications and fill their rows of `kept` and `pulls`.

    span: of the first replication; the others follow it, one for each row.
    If another thread sets stop[0], the function returns early, and its rows are unfinished.
    """
    for row in range(pulls.shape[0]):
        mine = Checkpoints(kept.rounds, kept.regret[row], kept.best_pulls[row])
        these = Span(span.replication + row, span.begin, span.end)
        if not play_rounds(rules, game, course, mine, these, stop):
            return
        for j in range(game.arms.n_arms()):
            pulls[row, j] = course.counters.pulls(game.arms, j)


def rules_and_game(
    plan: Plan, p: int, index: int, source: Any, chooser: Chooser | None = None
) -> tuple[Rules, Game]:
    """The game that policy `index` of a plan plays on problem p, with its own arrays.

    source: where rewards, and features, come from. chooser: by default the quickest.
    """
    (policy, family), evidence = plan.players[p][index], plan.evidence
    n_arms, arms = plan.problems[p].n_arms, Arms.fresh(plan.problems[p].n_arms)
    source, ledger = source.own(), ledger_of(policy, range(n_arms), plan.horizon)
    asleep = getattr(source, "asleep", None)
    hides = asleep is not None or ledger is not None
    pending = pending_for(policy, evidence, n_arms, plan.delay, hides)
    if asleep is not None:
        pending = pending._replace(hidden=asleep)
    apart = not isinstance(pending, Prompt) and evidence.reads() == 0
    game = Game(
        arms, Arms.fresh(n_arms) if apart else arms, fresh_state(policy, family, n_arms),
        np.zeros(evidence.memory_size(n_arms)), source, pending,
    )  # fmt: skip
    if ledger is not None:
        return priced_rules(bare(policy), family, evidence, ledger, pending), game
    chooser = chooser or chooser_for(policy, family, n_arms, evidence)
    shares = floors_of(policy, range(n_arms))
    return rules_of(bare(policy), family, evidence, chooser, shares), game


def course_for(plan: Plan, p: int, index: int, draws: Any) -> Course:
    """What a simulation of policy `index` on problem p adds to the game.

    draws: where the policy gets its random numbers from.
    """
    policy, _ = plan.players[p][index]
    world, late = plan.problems[p], plan.delay is not None
    counters = counters_for(world, plan.evidence, late, net_gaps(policy, world, plan.horizon))
    known = plan.horizon if policy.uses_horizon() else 0
    return Course(calendar_for(plan.delay, plan.horizon, plan.rewards.seed), draws, known, counters)


def arguments(
    plan: Plan, task: Task, source: Any, draws: Any, filled: Filled, stop: NDArray[np.int64]
) -> tuple[Any, ...]:
    """The arguments of `play` for a task, whose results fill these arrays."""
    regret, best_pulls, pulls = filled
    return (
        *rules_and_game(plan, task.problem, task.policy, source),
        course_for(plan, task.problem, task.policy, draws),
        Checkpoints(plan.rounds, regret, best_pulls), pulls,
        Span(task.first, 1, plan.horizon + 1), stop,
    )  # fmt: skip
