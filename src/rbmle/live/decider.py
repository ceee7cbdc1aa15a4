"""Live use: choose an arm now, learn from the reward when it comes, never lose what was learned."""

from __future__ import annotations

import difflib
import operator
import os
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from math import inf
from numbers import Real
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ..errors import Interval, ParameterError, integer, one_of
from ..families import FAMILIES
from ..policies.base import POLICIES, has_index
from ..policies.fit import check_fit
from ..random import MAX_ARMS, MAX_REPLICATIONS, MAX_ROUNDS, MAX_SEED
from ..spec import from_spec, to_spec
from .live_arms import LiveArm, LiveArms, Name
from .state import plain, read, write

_LARGEST = 1e100  # rewards beyond it could overflow a sum of squares
_SHOWN = 8  # names listed in a sentence


class Decider:
    """Chooses among named arms and learns from their rewards, with the policies of the simulator.

    arms: at least two distinct names, strings or whole numbers.
    policy, family: the rule, and what it assumes of the rewards: `RBMLE()`, `Bernoulli()`.
    seed, replication: what the choices draw (Thompson sampling, ties) is a function of these and
    of the round alone. A run of the simulator with the same two makes the same choices when it is
    fed the same rewards.
    horizon: the number of rounds T, for policies that need it; past it they stay in round T.
    ties: "random" or "first", who wins between equal indices.

    Rewards may come late, in any order, or for pulls that were made elsewhere. A pull without its
    reward is pending; until then the policy sees it as one that paid the arm's mean so far
    (Desautels, Krause and Burdick 2014), so a batch spreads over the arms. An arm whose pulls are
    all pending has no mean: it waits, unless every enabled arm does; then the one with the fewest
    pending pulls is next. Round t is 1 + the pulls of the present arms, pending ones included.

    Every method may be called from several threads at once, and does all it was asked or, with
    a sentence, nothing.

    >>> from rbmle.families import Bernoulli
    >>> from rbmle.policies import RBMLE
    >>> decider = Decider(["red", "blue"], RBMLE(), Bernoulli(), seed=1)
    >>> for _ in range(100):
    ...     arm = decider.pull()
    ...     decider.update(arm, 0.6 if arm == "blue" else 0.4)
    >>> decider.counts
    {'red': 20, 'blue': 80}
    >>> decider.update("green", 1.0)
    Traceback (most recent call last):
    rbmle.errors.ParameterError: Decider: 'arm' must be one of 'red', 'blue'. Got 'green'.
    """

    def __init__(
        self,
        arms: Iterable[Name],
        policy: Any,
        family: Any,
        seed: int = 0,
        horizon: int | None = None,
        ties: str = "random",
        *,
        replication: int = 0,
    ) -> None:
        names = [] if isinstance(arms, str) or not isinstance(arms, Iterable) else list(arms)
        if not 2 <= len(names) <= MAX_ARMS:
            raise ParameterError.of("Decider", "arms", "a list of at least two names", arms)
        names = [_name("arms", each) for each in names]
        twice = next((name for name, n in Counter(names).items() if n > 1), None)
        if twice is not None:
            raise ParameterError.of("Decider", "arms", "distinct names", twice)
        self._configure(policy, family, seed, horizon, ties, replication)
        self._start([LiveArm(each) for each in names])

    def _configure(
        self, policy: Any, family: Any, seed: int, horizon: int | None, ties: str, replication: int
    ) -> None:
        if type(family) not in FAMILIES.values():
            raise ParameterError.of(
                "Decider", "family", "an instance of a family class, as in Bernoulli()", family
            )
        check_fit(policy, family)
        self.policy, self.family = policy, family
        self.seed = integer("Decider", "seed", seed, f"[0, {MAX_SEED}]")
        self.replication = integer(
            "Decider", "replication", replication, f"[0, {MAX_REPLICATIONS - 1}]"
        )
        self.ties = one_of("Decider", "ties", ties, ("random", "first"))
        if horizon is not None:
            horizon = integer("Decider", "horizon", horizon, f"[1, {MAX_ROUNDS}]")
        elif policy.needs_horizon():
            raise ParameterError.of(
                "Decider", "horizon", f"given for {type(policy).__name__}, which needs it", None
            )
        self.horizon = horizon
        self._support = _support(family)

    def _start(self, arms: list[LiveArm], withdrawn: int = 0) -> None:
        self._lock, self._saving = threading.Lock(), threading.Lock()
        self._live = LiveArms(
            arms,
            self.policy,
            self.family,
            (self.seed, self.replication),
            (self.horizon or 0) if self.policy.needs_horizon() else 0,
            self.ties == "random",
            withdrawn,
        )

    @overload
    def pull(self, n: None = None) -> Name: ...
    @overload
    def pull(self, n: int) -> list[Name]: ...
    def pull(self, n: int | None = None) -> Name | list[Name]:
        """The arm to play now; with `n`, a list of n arms to play before any reward is known."""
        if n is None:
            with self._lock:
                return self._live.pull()
        n = integer("Decider", "n", n, "[1, inf)")
        with self._lock:
            return [self._live.pull() for _ in range(n)]

    @overload
    def update(self, arm: Name, reward: float) -> None: ...
    @overload
    def update(
        self, arm: Sequence[Name] | NDArray[Any], reward: Sequence[float] | NDArray[Any]
    ) -> None: ...
    def update(self, arm: Any, reward: Any) -> None:
        """Learn the reward of an arm; or of several, given as two lists of equal length.

        It answers a pending pull of the arm if there is one, else it counts as one more pull.
        """
        with self._lock:
            if isinstance(arm, (str, int, np.integer)) or not isinstance(arm, Iterable):
                self._live.learn(self._arm(arm), self._reward(reward))
            else:
                for each, value in self._batch(list(arm), reward):
                    self._live.learn(each, value)

    def _batch(self, names: list[Name], rewards: Any) -> list[tuple[LiveArm, float]]:
        values = list(rewards) if isinstance(rewards, Iterable) else []
        if len(names) != len(values):
            raise ParameterError.of(
                "Decider", "reward", f"a list of {len(names)} numbers, one for each arm", rewards
            )
        arms = [self._arm(each) for each in names]
        return [(arm, self._reward(each)) for arm, each in zip(arms, values, strict=True)]

    def _arm(self, name: Any) -> LiveArm:
        try:
            return self._live.arms[name]
        except (KeyError, TypeError):
            raise _unknown(name, list(self._live.arms)) from None

    def _reward(self, given: Any) -> float:
        real = isinstance(given, Real) and not isinstance(given, bool)
        if not real or given not in self._support:
            family = type(self.family).__name__
            raise ParameterError.of(
                "Decider", "reward", f"a number in {self._support} for {family}", given
            )
        return float(given)

    def forget(self, arm: Name, n: int = 1) -> None:
        """Withdraw n pending pulls of the arm: their rewards will never come."""
        n = integer("Decider", "n", n, "[1, inf)")
        with self._lock:
            found = self._arm(arm)
            if n > found.pending:
                raise ParameterError.of(
                    "Decider", "n", f"at most {found.pending}, the pending pulls of {arm!r}", n
                )
            self._live.forget(found, n)

    def add(self, arm: Name) -> None:
        """Add an arm; it has no rewards yet, so it is soon played."""
        with self._lock:
            name = _name("arm", arm)
            if name in self._live.arms:
                raise ParameterError.of("Decider", "arm", "a name that is not in use", arm)
            self._live.arms[name] = LiveArm(name)
            self._live.arrange()

    def remove(self, arm: Name) -> None:
        """Remove an arm and all that is known of it; its late rewards are refused from now on."""
        with self._lock:
            self._live.remove(self._dispensable(arm))

    def disable(self, arm: Name) -> None:
        """Do not play the arm until it is enabled again; its late rewards are still learned."""
        with self._lock:
            self._live.switch(self._dispensable(arm), enabled=False)

    def enable(self, arm: Name) -> None:
        """Play a disabled arm again, with what is known of it."""
        with self._lock:
            self._live.switch(self._arm(arm), enabled=True)

    def _dispensable(self, arm: Name) -> LiveArm:
        found = self._arm(arm)
        if all(each is found for each in self._live.enabled):
            raise ParameterError.of("Decider", "arm", "one that leaves another enabled", arm)
        return found

    @property
    def t(self) -> int:
        """The round that is to be played."""
        with self._lock:
            return self._live.rounds + 1

    @property
    def arms(self) -> tuple[Name, ...]:
        """The names of all arms."""
        with self._lock:
            return tuple(self._live.arms)

    @property
    def enabled(self) -> tuple[Name, ...]:
        """The names of the arms that may be played."""
        with self._lock:
            return tuple(arm.name for arm in self._live.enabled)

    @property
    def counts(self) -> dict[Name, int]:
        """The number of rewards of each arm."""
        with self._lock:
            return {arm.name: arm.pulls for arm in self._live.arms.values()}

    @property
    def means(self) -> dict[Name, float]:
        """The mean reward of each arm, NaN before the first."""
        with self._lock:
            return {arm.name: arm.mean for arm in self._live.arms.values()}

    @property
    def pending(self) -> dict[Name, int]:
        """The number of pulls of each arm that wait for their reward."""
        with self._lock:
            return {arm.name: arm.pending for arm in self._live.arms.values()}

    def indices(self) -> dict[Name, float]:
        """The index of each enabled arm in this round: the largest is played.

        It is infinite before the first pull, and NaN while the arm's first reward is pending.
        """
        if not has_index(self.policy):
            name = type(self.policy).__name__
            raise ParameterError.of("Decider", "policy", "one that ranks arms by an index", name)
        with self._lock:
            return self._live.indices()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all that is known to a file; a kill at any moment leaves the old or the new one."""
        with self._saving:  # a later save is written later, and no pull waits for the disk
            with self._lock:
                arms = [plain(arm) for arm in self._live.arms.values()]
                withdrawn, memory = self._live.withdrawn, self._live.memory
            state = {
                "policy": to_spec(self.policy),
                "family": to_spec(self.family),
                "seed": self.seed,
                "replication": self.replication,
                "horizon": self.horizon,
                "ties": self.ties,
                "withdrawn": withdrawn,
                "memory": memory,
                "arms": arms,
            }
            write(path, state)

    @classmethod
    def load(cls, path: str | os.PathLike[str], policy: Any = None, family: Any = None) -> Decider:
        """The decider that was saved: it goes on as if it had never stopped.

        policy, family: in place of the saved ones, for instance if their classes are not known by
        name here. A file that is not there is a FileNotFoundError.
        """
        saved = read(path)
        decider = cls.__new__(cls)
        try:
            decider._configure(
                from_spec(saved.take("policy"), POLICIES) if policy is None else policy,
                from_spec(saved.take("family"), FAMILIES) if family is None else family,
                saved.take("seed"),
                saved.take("horizon"),
                saved.take("ties"),
                saved.take("replication"),
            )
        except (ParameterError, OverflowError) as problem:
            raise saved.error(str(problem).rstrip(".")) from None
        decider._start(saved.arms(decider._support), saved.whole("withdrawn"))
        if policy is None:
            live = decider._live
            live.memory = saved.memory(len(live.memory))
        return decider

    def __repr__(self) -> str:
        with self._lock:
            arms, t = self._live.arms.values(), self._live.rounds + 1
            width = max(3, *(len(str(arm.name)) for arm in arms))
            rows = [
                f"{arm.name!s:{width}}{arm.pulls:>10}{arm.mean:>10.4g}{arm.pending:>10}"
                + ("" if arm.enabled else "  disabled")
                for arm in arms
            ]
        head = f"{'arm':{width}}{'pulls':>10}{'mean':>10}{'pending':>10}"
        return "\n".join([f"Decider: {self.policy}, {self.family}, round {t}", head, *rows])


def _name(parameter: str, given: Any) -> Name:
    if isinstance(given, str):
        return given
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        return operator.index(given)
    raise ParameterError.of("Decider", parameter, "named by strings or whole numbers", given)


def _unknown(given: Any, names: list[Name]) -> ParameterError:
    listing = ", ".join(repr(name) for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    spelled = {str(name): name for name in names}
    near = difflib.get_close_matches(str(given), spelled, n=1)
    hint = f" Did you mean {spelled[near[0]]!r}?" if near else ""
    return ParameterError(f"Decider: 'arm' must be one of {listing}{more}. Got {given!r}.{hint}")


def _support(family: Any) -> Interval:
    """The rewards that the family allows, but none so large that its square could overflow."""
    low, high, closed_low, closed_high = family.reward_interval()
    return Interval(
        max(low, -_LARGEST),
        min(high, _LARGEST),
        closed_low or low == -inf,
        closed_high or high == inf,
    )
