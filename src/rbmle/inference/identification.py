"""`identify`: how long policies take to find the best arm, and how often they are wrong."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf, isnan, log, nan
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._io.text import count_text, html_table, labels, number_text, text_table
from .._numba.compile import Floats, kernel, lean, record
from .._records.record import Choice
from ..engine.cpu_kernel import course_for, rules_and_game
from ..engine.game import Game, Moment, Rules
from ..engine.plan import Listed, Plan, Setup, plan
from ..engine.rounds import Course
from ..errors import ParameterError, integer, number
from ..families import Family
from ..families.protocols import require_by_sums
from ..policies.arms import Arms
from ..policies.best_arm import TrackAndStop, best_of, transport
from ..rewards.problems import Problem
from ..rewards.sources import Rewards, RewardStream
from .summary import finite

QUANTILES = 0.1, 0.5, 0.9
HEAD = "errors", "mean", "q10", "q50", "q90", "unfinished"


class Threshold(Choice):
    """How much evidence suffices to stop."""

    experiments = 0
    proven = 1


@record
class GLR(NamedTuple):
    """Stop when the generalised likelihood ratio says so: Chernoff's rule (Garivier and Kaufmann
    2016), for any policy.

    The evidence for the arm with the largest mean is the least n D(p, m) + n' D(p', m) over all
    other arms, m the mean of both. It is enough above log((1 + log t) / delta), the threshold of
    their experiments, whose errors were far below delta; or, with threshold "proven", above
    log(2 t (K - 1) / delta), for which errors of at most delta are proved for coins (their
    Theorem 10).

    >>> import numpy as np
    >>> arms = Arms(np.array([50.0, 50.0]), np.array([40.0, 10.0]), np.zeros(2))
    >>> from rbmle import Bernoulli
    >>> round(GLR(0.1).evidence(Bernoulli(), arms), 3), GLR(0.1).stops(Bernoulli(), arms, 101)
    (19.274, True)
    """

    delta: Annotated[float, "(0, 1)"] = 0.05
    threshold: Threshold | str = "experiments"

    def evidence(self, family: Family, arms: Arms) -> float:
        """How much speaks for the arm with the largest mean; 0 if an arm has no reward."""
        best, least = self.leader(arms), inf
        if best < 0:
            return 0.0
        for i in range(arms.n_arms()):
            if i != best:
                least = min(least, transport(family, arms, best, i))
        return least

    def leader(self, arms: Arms) -> int:
        """The arm with the largest mean; -1 if one has no reward."""
        return -1 if arms.unpulled() >= 0 else best_of(arms)

    def stops(self, family: Family, arms: Arms, t: int) -> bool:
        """Whether to stop after t pulls."""
        if self.threshold == Threshold.proven:
            enough = log(2.0 * t * (arms.n_arms() - 1.0) / self.delta)
        else:
            enough = log((1.0 + log(t)) / self.delta)
        return self.evidence(family, arms) > enough


@lean
def survivor(arms: Arms) -> int:
    """Of the arms with the most pulls, the one with the largest mean."""
    best = 0
    for i in range(1, arms.n_arms()):
        more = arms.pulls[i] - arms.pulls[best]
        if more > 0.0 or (more == 0.0 and arms.mean(i) > arms.mean(best)):
            best = i
    return best


@kernel
def race(
    rules: Rules, game: Game, course: Course, rule: GLR, first: int, most: int, found: Floats
) -> None:
    """Play replications until the rule stops them, or for `most` rounds: fill the rows of `found`
    with the number of rounds and the arm; -1 if the rule has not stopped.

    most: if negative, play that many rounds without a rule.
    """
    for row in range(found.shape[0]):
        rules.restart(game)
        course.calendar.restart()
        replication, source = first + row, game.features
        found[row, 0], found[row, 1] = abs(most), -1.0
        for t in range(1, abs(most) + 1):
            rng = course.randomness.at(replication, t)
            source.meet(replication, t)
            i = rules.choose(game, Moment(t, course.horizon, t), rng)
            reward = source.reward(replication, t, i)
            course.calendar.pulled(rules, game, replication, t, i, reward)
            if most > 0 and rule.stops(rules.family, game.arms, t):
                found[row, 0], found[row, 1] = t, rule.leader(game.arms)
                break
        if most < 0:
            found[row, 1] = survivor(game.arms)


def _in_words(errors: float, *numbers: float) -> list[str]:
    """The cells of `Found` as a table shows them: a share, numbers of rounds, and a count."""
    *rounds, unfinished = numbers
    share = number_text(nan) if isnan(errors) else f"{errors:.1%}"
    return [share, *map(number_text, rounds), f"{unfinished:,.0f}"]


class Found(NamedTuple):
    """What a policy found: the rounds that it took in each replication, and the arm, -1 if none."""

    rounds: Floats
    arms: Floats
    wrong: float

    def cells(self) -> list[float]:
        """The numbers of a table: errors, mean and quantiles of the rounds, and how many of the
        replications were not finished."""
        done = self.arms >= 0
        rounds = self.rounds[done]
        if not rounds.size:
            return [nan] * 5 + [float((~done).sum())]
        return [self.wrong, rounds.mean(), *np.quantile(rounds, QUANTILES), float((~done).sum())]


@dataclass(frozen=True)
class Identification:
    """How policies found the best arm of a problem, by their names.

    lower_bound: T*(mu) kl(delta, 1 - delta), which no rule that is wrong with probability at most
    delta on every problem beats on average; NaN with a fixed budget.
    """

    policies: dict[str, Found]
    delta: float
    lower_bound: float
    title: str

    def __getitem__(self, name: str) -> Found:
        return self.policies[name]

    def rows(self) -> list[tuple[str, list[str]]]:
        """The rows of the table."""
        return [(name, _in_words(*found.cells())) for name, found in self.policies.items()]

    def data(self) -> dict[str, object]:
        """The same as data that JSON can hold."""
        found = {
            name: dict(zip(HEAD, map(finite, each.cells()), strict=True))
            for name, each in self.policies.items()
        }
        return {"delta": self.delta, "lower_bound": finite(self.lower_bound), "policies": found}

    def __str__(self) -> str:
        return f"{self.title}\n{text_table(HEAD, self.rows())}"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(self.title, HEAD, self.rows())


def optimal_shares(family: Family, means: ArrayLike) -> Floats:
    """The shares of pulls that tell the best of these arms soonest; NaN if it is not unique."""
    return _optimum(family, means)[0]


def _optimum(family: Family, means: ArrayLike) -> tuple[Floats, float]:
    p = np.asarray(means, float)
    state = np.empty(p.size)
    rate = TrackAndStop().shares(state, family, Arms(np.ones(p.size), p, p * p))
    return (state, 1.0 / rate) if rate > 0.0 else (np.full(p.size, nan), inf)


def identify(
    problem: Problem,
    policies: Listed,
    delta: float = 0.05,
    replications: int = 100,
    *,
    budget: int | None = None,
    family: object = None,
    seed: int = 0,
    rewards: Rewards | None = None,
    most: int = 1_000_000,
    threshold: str = "experiments",
) -> Identification:
    """Let policies look for the best arm until `GLR(delta, threshold)` stops them.

    policies: a list, or a mapping of labels to policies, as for `simulate`. One that needs a
    horizon gets the budget.
    budget: stop after so many pulls, without a rule, as `SuccessiveRejects` must: the answer then
    is the arm with the most pulls.
    family, seed, rewards: as for `simulate`.
    most: the number of rounds after which a replication is given up.

        problem = rbmle.Problem("bernoulli", [0.3, 0.4, 0.6])
        print(rbmle.identify(problem, ["trackandstop", rbmle.TopTwo("ts")], delta=0.05))
    """
    if not isinstance(problem, Problem):
        raise ParameterError("identify", "problem", "a Problem", problem)
    rule = GLR(number("identify", "delta", delta, "(0, 1)"), threshold)
    rounds = integer("identify", "most", most, "[1, inf)")
    few = f"[{problem.n_arms}, inf)"
    fixed = None if budget is None else integer("identify", "budget", budget, few)
    horizon, source = fixed or rounds, rewards or RewardStream(seed)
    given = "identify", [problem], policies, horizon, replications, source, "random"
    game = plan(Setup(*given, family, [horizon]))
    means = np.asarray(problem.means, float)
    model = game.players[0][0][1]
    require_by_sums("identify", model)
    _, time = _optimum(model, means)
    if fixed is None and time == inf:
        allowed = "numbers with one best arm, where no budget is given"
        raise ParameterError("identify", "means", allowed, means.tolist())
    bound = nan if fixed else time * _coin_kl(delta)
    found = {}
    names = game.labels or labels(*zip(*game.players[0], strict=True))
    for index, name in enumerate(names):
        if fixed is None and game.players[0][index][0].needs_horizon():
            allowed = "one that needs no horizon, or given a budget"
            raise ParameterError("identify", "policies", allowed, game.players[0][index][0])
        found[name] = _raced(game, index, rule, -fixed if fixed else rounds, means)
    stop = f"after {fixed:,} pulls" if fixed else f"by GLR at delta {delta:g}"
    beside = "" if fixed else f"; no rule is quicker than {number_text(bound)} on average"
    played = count_text(replications, "replication")
    title = f"Best of {count_text(means.size, 'arm')}, stopped {stop}, {played}{beside}"
    return Identification(found, delta, bound, title)


def _coin_kl(delta: float) -> float:
    """kl(delta, 1 - delta) of two coins."""
    return (1.0 - 2.0 * delta) * log((1.0 - delta) / delta)


def _raced(game: Plan, index: int, rule: GLR, most: int, means: Floats) -> Found:
    workers = os.cpu_count() or 1
    draws, count = game.draws(0, index), game.last - game.first
    found = np.empty((count, 2))
    work = []
    size = max(1, -(-count // (4 * workers)))
    for source, first, last in game.rewards.batches(
        game.problems[0], game.horizon, game.first, game.last, size
    ):
        rules, arrays = rules_and_game(game, 0, index, source)
        course = course_for(game, 0, index, draws)
        course = course._replace(horizon=-most if most < 0 else 0)
        rows = found[first - game.first : last - game.first]
        work.append((rules, arrays, course, rule, first, most, rows))
    race.specialised(*work[0])  # compiled once, not in every thread
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(lambda each: race(*each), work))
    answers = found[:, 1]
    done = answers >= 0
    best = means[answers[done].astype(int)] == means.max()
    return Found(found[:, 0], answers, 1.0 - float(best.mean()) if best.size else nan)
