"""A plan: what is to be played, checked once, before any work is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._io.machine import check_memory
from .._numba.compile import Floats
from ..errors import ParameterError, integer, one_of
from ..evidence import Counting, Evidence, as_evidence, check_evidence
from ..families import Family
from ..policies.base import Policy
from ..policies.fit import Assuming, as_policy, labelled, on_problem, player
from ..policies.floor import floors_of
from ..policies.priced import ledger_of, net_gaps
from ..random import MAX_REPLICATIONS, MAX_ROUNDS, Counter, key
from ..result import Result
from ..rewards.delays import Delay, as_delay
from ..rewards.problems import World
from ..rewards.sources import Rewards, check_rewards
from ..spec import stands_in

Filled = tuple[Floats, Floats, Floats]  # regret, best_pulls and pulls, which are filled

Player: TypeAlias = tuple[Policy, Family]  # a policy and the family that it assumes
Listed: TypeAlias = Sequence[object] | Mapping[str, object]  # policies as users give them


class Task(NamedTuple):
    """Replications first, ..., last - 1 of one policy on one problem.

    problem, policy: their positions in the plan, or in the study.
    """

    problem: int
    policy: int
    first: int
    last: int

    @property
    def size(self) -> int:
        """The number of replications."""
        return self.last - self.first


class Rows(NamedTuple):
    """Results: three arrays, each with one row for each replication."""

    regret: NDArray[np.float64]
    best_pulls: NDArray[np.int64]
    pulls: NDArray[np.int64]

    def at(self, place: tuple[int | slice | NDArray[np.int64], ...]) -> Rows:
        """Some of the results."""
        return Rows(self.regret[place], self.best_pulls[place], self.pulls[place])


class Setup(NamedTuple):
    """What a user asks to be played; `simulate` explains the fields.

    owner: the function that the user called.
    titles: the names of the problems. With them, stand-ins may depend on the problem, and errors
    name the policy and the problem.
    """

    owner: str
    problems: Sequence[World]
    policies: Listed
    horizon: int
    replications: int
    rewards: Rewards
    ties: str = "random"
    family: object = None
    checkpoints: ArrayLike | None = None
    first_replication: int = 0
    evidence: object = None
    delay: object = None
    titles: Sequence[str] = ()


class Plan(NamedTuple):
    """Replications first, ..., last - 1 of some policies on some problems.

    players: for each problem, a player for each policy.
    rounds: the checkpoints. labels: names for the policies, if the user gave some.
    evidence, delay: what an arm's past is worth, and when rewards come, for all policies.
    """

    problems: tuple[World, ...]
    players: tuple[tuple[Player, ...], ...]
    labels: tuple[str, ...]
    horizon: int
    first: int
    last: int
    rewards: Rewards
    random_ties: bool
    rounds: NDArray[np.int64]
    evidence: Evidence
    delay: Delay | None

    def only(self, problem: int, policies: Sequence[int]) -> Plan:
        """The plan of some policies on one problem."""
        return self._replace(
            problems=(self.problems[problem],),
            players=(tuple(self.players[problem][each] for each in policies),),
            labels=tuple(self.labels[each] for each in policies) if self.labels else (),
        )

    def size(self) -> float:
        """How many rounds are played in all."""
        cells = len(self.problems) * len(self.players[0])
        return float(cells) * (self.last - self.first) * self.horizon

    def draws(self, p: int, index: int) -> object:
        """Where the policy `index` gets its random numbers from, on problem p."""
        if self.draws_numbers(p, index):
            return self.rewards.draws(
                self.problems[p], self.horizon, self.first, self.last, self.random_ties
            )
        return Counter(*key(self.rewards.seed), random_ties=False)

    def draws_numbers(self, p: int, index: int) -> bool:
        """Whether the policy draws random numbers, for ties or from posteriors."""
        policy, _ = self.players[p][index]
        return self.random_ties or bool(policy.samples_posteriors())

    def check_memory(self, owner: str, copies: int = 1) -> None:
        """Refuse a plan whose results do not fit in memory.

        copies: of best_pulls and pulls that are in memory at the same time.
        """
        rounds = (1 + copies) * self.rounds.size
        numbers = sum(rounds + copies * problem.n_arms for problem in self.problems)
        count = self.last - self.first
        check_memory(owner, count, 8 * len(self.players[0]) * count * numbers)

    def fresh(self) -> list[Filled]:
        """For each problem, arrays for the results of all policies and replications."""
        shape = (len(self.players[0]), self.last - self.first, self.rounds.size)
        return [
            (np.zeros(shape), np.zeros(shape), np.zeros((*shape[:2], problem.n_arms)))
            for problem in self.problems
        ]

    def result(self, p: int, filled: Filled | Rows) -> Result:
        """The result of problem p; its arrays have a row for each policy."""
        regret, best_pulls, pulls = filled
        return Result(
            problem=self.problems[p],
            policies=tuple(policy for policy, _ in self.players[p]),
            families=tuple(model for _, model in self.players[p]),
            horizon=self.horizon,
            checkpoints=self.rounds,
            regret=regret,
            best_pulls=best_pulls.astype(np.int64, copy=False),
            pulls=pulls.astype(np.int64, copy=False),
            labels=self.labels,
            rewards=repr(self.rewards),
            first_replication=self.first,
            evidence=self.evidence,
            delay=self.delay,
        )


def plan(given: Setup) -> Plan:
    """The plan, after every check of what a user gave."""
    owner, problems = given.owner, tuple(given.problems)
    most_arms = max(problem.n_arms for problem in problems)
    horizon = integer(owner, "horizon", given.horizon, f"[{most_arms}, {MAX_ROUNDS}]")
    count = integer(owner, "replications", given.replications, f"[1, {MAX_REPLICATIONS}]")
    first = integer(owner, "first_replication", given.first_replication, "[0, inf)")
    if first + count > MAX_REPLICATIONS:
        most = f"at most {MAX_REPLICATIONS - count} for {count} replications"
        raise ParameterError(owner, "first_replication", most, first)
    one_of(owner, "ties", given.ties, ("random", "first"))
    if not isinstance(given.rewards, Rewards):
        raise ParameterError(
            owner, "rewards", "a source of rewards, as in RewardStream(7)", given.rewards
        )
    for problem in problems:
        check_rewards(owner, given.rewards, problem, horizon, first + count)
    evidence = as_evidence(Counting() if given.evidence is None else given.evidence, owner)
    delay = _delay(owner, given.delay, problems)
    labels, policies = _labelled(owner, given.policies)
    rounds = rounds_kept(given.checkpoints, horizon, owner)
    return Plan(
        problems, tuple(_players(given._replace(evidence=evidence), policies, labels)), labels,
        horizon, first, first + count, given.rewards, given.ties == "random", rounds, evidence,
        delay,
    )  # fmt: skip


def _delay(owner: str, given: object, problems: Sequence[World]) -> Delay | None:
    """When rewards come: as given, or as the worlds say, if they do."""
    own: set[Delay | None] = {each.delay for each in problems}
    if given is not None and any(each.replays for each in problems):
        raise ParameterError(owner, "delay", "left out for a Replay", given)
    if own == {None}:
        own = {as_delay(given, owner)}
    elif given is not None or len(own) > 1:
        words = "left out for slates, whose rewards come together, and all of one size"
        raise ParameterError(owner, "delay", words, given)
    return own.pop()


def _players(
    given: Setup, policies: Sequence[object], labels: Sequence[str]
) -> Iterator[tuple[Player, ...]]:
    """The players on each problem. Without titles they are checked once for all problems alike."""
    known: dict[object, tuple[Player, ...]] = {}
    for place, problem in enumerate(given.problems):
        shape = problem.dimension, problem.n_arms
        alike = place if given.titles else (type(problem.law), problem.law, shape)
        if alike not in known:
            known[alike] = tuple(
                _player(given, each, place, labels[k] if labels else "")
                for k, each in enumerate(policies)
            )
        yield known[alike]


def _player(given: Setup, policy: object, place: int, label: str) -> Player:
    """The player of a policy on one problem, checked to fit it."""
    problem = given.problems[place]
    try:
        policy = on_problem(policy, problem) if given.titles else policy
        evidence = as_evidence(given.evidence, given.owner)
        found: Player = player(policy, problem, given.family, evidence, given.owner)
        check_evidence(evidence, found[1], problem.dimension)
        floors_of(found[0], range(problem.n_arms))
        ledger_of(found[0], range(problem.n_arms), given.horizon)
        net_gaps(found[0], problem, given.horizon)
    except ParameterError as mistake:
        if not given.titles:
            raise
        owner = "" if mistake.owner == given.owner else f": {mistake.owner}"
        raise mistake.of(f"{given.owner}: {label} on {given.titles[place]}{owner}") from None
    return found


def _labelled(owner: str, policies: Listed) -> tuple[tuple[str, ...], list[object]]:
    """The labels, if policies are a mapping or stand-ins are among them, and the policies."""
    labels: tuple[str, ...] = ()
    if isinstance(policies, Mapping):
        labels, policies = tuple(policies), list(policies.values())
        for label in labels:
            if not isinstance(label, str) or not label.strip() or not label.isprintable():
                raise ParameterError(owner, "policies", "labelled by words", label)
    if not isinstance(policies, (list, tuple)) or hasattr(policies, "_fields") or not policies:
        raise ParameterError(owner, "policies", "a list of at least one policy", policies)
    policies = [as_policy(each, owner, "policies") for each in policies]
    rules = [each.policy if isinstance(each, Assuming) else each for each in policies]
    if not labels and any(map(stands_in, rules)) and all(hasattr(x, "_fields") for x in rules):
        labels = tuple(labelled(policies))
    return labels, policies


def rounds_kept(
    given: ArrayLike | None, horizon: int, owner: str = "simulate"
) -> NDArray[np.int64]:
    """The checkpoints: those given, or about 200 by default; the horizon is always the last.

    owner: the function that the user called.
    """
    if given is None:
        even = np.linspace(1, horizon, 100)
        even_in_log = np.geomspace(1, horizon, 100)
        rounds = np.rint(np.concatenate([even, even_in_log])).astype(np.int64)
    else:
        try:
            rounds = np.atleast_1d(np.asarray(given))
        except ValueError:
            rounds = np.full(1, np.nan)
        whole = rounds.ndim == 1 and (not rounds.size or np.issubdtype(rounds.dtype, np.integer))
        if not whole or (rounds.size and (rounds.min() < 1 or rounds.max() > horizon)):
            raise ParameterError(owner, "checkpoints", f"whole numbers in [1, {horizon}]", given)
    return np.unique(np.append(rounds, horizon)).astype(np.int64)
