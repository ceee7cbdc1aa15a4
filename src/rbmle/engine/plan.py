"""A plan: what is to be played, checked before any work is done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._io.memory import check_memory
from ..errors import ParameterError, integer, one_of
from ..evidence import Counting, as_evidence, check_evidence
from ..policies.fit import Assuming, as_policy, labelled, player
from ..random import MAX_REPLICATIONS, MAX_ROUNDS, Counter, key
from ..result import Result
from ..rewards.delays import as_delay
from ..rewards.sources import Rewards, RewardStream, check_rewards
from ..rewards.worlds import World
from ..spec import stands_in
from .cpu_kernel import Filled
from .supposing import waiting_for


class Plan(NamedTuple):
    """Replications first, ..., last - 1 of some policies on some problems.

    players: for each problem, a policy and the family that it assumes, for each policy.
    rounds: the checkpoints. labels: names for the policies, if the user gave some.
    evidence, delay: what an arm's past is worth, and when rewards come, for all policies.
    """

    problems: tuple[World, ...]
    players: tuple[tuple[tuple[Any, Any], ...], ...]
    labels: tuple[str, ...]
    horizon: int
    first: int
    last: int
    rewards: Rewards
    random_ties: bool
    rounds: NDArray[np.int64]
    evidence: Any = Counting()
    delay: Any = None

    def size(self) -> float:
        """How many rounds are played in all."""
        cells = len(self.problems) * len(self.players[0])
        return float(cells) * (self.last - self.first) * self.horizon

    def draws(self, p: int, index: int) -> Any:
        """Where the policy `index` gets its random numbers from, on problem p."""
        if self.draws_numbers(p, index):
            return self.rewards.draws(
                self.problems[p], self.horizon, self.first, self.last, self.random_ties
            )
        return Counter(*key(self.rewards.seed), random_ties=False)

    def waiting(self, p: int, index: int) -> Any:
        """How the policy `index` waits for its rewards on problem p, with memory of its own."""
        policy, n_arms = self.players[p][index][0], self.problems[p].n_arms
        return waiting_for(
            self.delay, self.evidence, policy, n_arms, self.horizon, self.rewards.seed
        )

    def draws_numbers(self, p: int, index: int) -> bool:
        """Whether the policy draws random numbers, for ties or from posteriors."""
        policy, _ = self.players[p][index]
        return self.random_ties or bool(policy.samples_posteriors())

    def fresh(self) -> list[Filled]:
        """For each problem, arrays for the results of all policies and replications."""
        count = self.last - self.first
        shape = (len(self.players[0]), count, self.rounds.size)
        return [
            (np.zeros(shape), np.zeros(shape), np.zeros((*shape[:2], problem.n_arms)))
            for problem in self.problems
        ]

    def results(self, filled: list[Filled]) -> list[Result]:
        """The results of each problem."""
        return [
            Result(
                problem=problem,
                policies=tuple(policy for policy, _ in players),
                families=tuple(model for _, model in players),
                horizon=self.horizon,
                checkpoints=self.rounds,
                regret=regret,
                best_pulls=best_pulls.astype(np.int64),
                pulls=pulls.astype(np.int64),
                labels=self.labels,
                rewards=repr(self.rewards),
                first_replication=self.first,
                evidence=self.evidence,
                delay=self.delay,
            )
            for problem, players, (regret, best_pulls, pulls) in zip(
                self.problems, self.players, filled, strict=True
            )
        ]


def plan(
    owner: str, problems: Sequence[World], policies: Any, horizon: int, replications: int,
    rewards: Rewards | None, seed: int | None, ties: str, family: Any,
    checkpoints: ArrayLike | None, first_replication: int, evidence: Any = None, delay: Any = None,
) -> Plan:  # fmt: skip
    """The plan, after every check of what a user gave; see `simulate` for the parameters.

    owner: the function that the user called.
    """
    most_arms = max(problem.n_arms for problem in problems)
    horizon = integer(owner, "horizon", horizon, f"[{most_arms}, {MAX_ROUNDS}]")
    count = integer(owner, "replications", replications, f"[1, {MAX_REPLICATIONS}]")
    first = integer(owner, "first_replication", first_replication, "[0, inf)")
    last = first + count
    if last > MAX_REPLICATIONS:
        most = f"at most {MAX_REPLICATIONS - count} for {count} replications"
        raise ParameterError(owner, "first_replication", most, first)
    one_of(owner, "ties", ties, ("random", "first"))
    if seed is not None:
        if rewards is not None:
            raise ParameterError(owner, "seed", "left out where rewards are given", seed)
        rewards = RewardStream(seed)
    rewards = RewardStream() if rewards is None else rewards
    if not isinstance(rewards, Rewards):
        raise ParameterError(
            owner, "rewards", "a source of rewards, as in RewardStream(7)", rewards
        )
    for problem in problems:
        check_rewards(owner, rewards, problem, horizon, last)
    evidence = Counting() if evidence is None else as_evidence(evidence, owner)
    labels, policies = _labelled(owner, policies)
    rounds = rounds_kept(checkpoints, horizon, owner)
    # best_pulls and pulls are held twice at the end: as floats, and converted to whole numbers.
    numbers = sum(3 * rounds.size + 2 * problem.n_arms for problem in problems)
    check_memory(owner, count, 8 * len(policies) * count * numbers)
    fitted: dict[Any, tuple[tuple[Any, Any], ...]] = {}  # law -> players
    for problem in problems:
        law = type(problem.law), problem.law
        if law not in fitted:
            fitted[law] = tuple(player(each, problem, family, evidence, owner) for each in policies)
    players = tuple(fitted[type(problem.law), problem.law] for problem in problems)
    for problem, pairs in zip(problems, players, strict=True):
        for _, model in pairs:
            check_evidence(evidence, model, problem.dimension)
    return Plan(
        tuple(problems), players, labels, horizon, first, last, rewards, ties == "random", rounds,
        evidence, as_delay(delay, owner),
    )  # fmt: skip


def _labelled(owner: str, policies: Any) -> tuple[tuple[str, ...], Any]:
    """The labels, if policies are given as a mapping or stand-ins are among them, and the list of
    policies."""
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
