"""Live use: choose an arm now, learn from the reward when it comes, never lose what was learned."""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ..errors import ParameterError, integer, one_of
from ..families import FAMILIES
from ..policies.base import POLICIES, has_index
from ..policies.fit import check_fit
from ..random import MAX_ARMS, MAX_REPLICATIONS, MAX_ROUNDS, MAX_SEED
from ..spec import from_spec, to_spec
from .decisions import Decision, Decisions
from .given import a_name, a_reward, support, unknown
from .live_arm import LiveArm, Name, listed
from .live_arms import LiveArms
from .state import VERSION, Reader, plain, plain_decisions, read, write

N = TypeVar("N", bound=Name)
T = TypeVar("T")

_PATIENCE = 1_000  # rounds: long enough for a batch, short enough for losses to be noticed


class Decider(Generic[N]):
    """Chooses among named arms and learns from their rewards, with the policies of the simulator.

    arms: at least two distinct names, strings or whole numbers.
    policy, family: the rule, and what it assumes of the rewards: `RBMLE()`, `Bernoulli()`.
    seed, replication: what the choices draw (Thompson sampling, ties) is a function of these and
    of the round alone. A run of the simulator with the same two makes the same choices when it is
    fed the same rewards.
    horizon: the number of rounds T, for policies that need it; past it they stay in round T.
    ties: "random" or "first", who wins between equal indices.
    patience: the number of rounds after which a pull whose reward has not come is given up; more
    than your rewards are ever late. A reward that comes later still counts.

    Rewards may come late, in any order, or for pulls that were made elsewhere. A pull without its
    reward is pending; until then the policy sees it as one that paid the arm's mean so far
    (Desautels, Krause and Burdick 2014), so a batch spreads over the arms. An arm that was pulled
    but has no reward yet has no mean: it waits for ten rounds an enabled arm and is then pulled
    again, so that lost rewards starve no arm; if every enabled arm waits, the one that was pulled
    least is next. Round t is 1 + the pulls of the present arms, whatever became of their rewards.

    A caller may name a decision, `pull(id="visit-7")`, and say what it paid by that name,
    `update(id="visit-7", reward=1.0)`: whichever is sent again changes nothing.

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
        arms: Iterable[N],
        policy: Any,
        family: Any,
        seed: int = 0,
        horizon: int | None = None,
        ties: str = "random",
        *,
        replication: int = 0,
        patience: int = _PATIENCE,
    ) -> None:
        names = [] if isinstance(arms, str) or not isinstance(arms, Iterable) else list(arms)
        if not 2 <= len(names) <= MAX_ARMS:
            raise ParameterError.of("Decider", "arms", "a list of at least two names", arms)
        known = [a_name("arms", each) for each in names]
        twice = next((name for name, n in Counter(known).items() if n > 1), None)
        if twice is not None:
            raise ParameterError.of("Decider", "arms", "distinct names", twice)
        self._configure(policy, family, seed, horizon, ties, replication, patience)
        self._start([LiveArm(each) for each in known])

    def _configure(
        self, policy: Any, family: Any, seed: int, horizon: int | None, ties: str,
        replication: int, patience: int,
    ) -> None:  # fmt: skip
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
        self.patience = integer("Decider", "patience", patience, f"[1, {MAX_ROUNDS}]")
        if horizon is not None:
            horizon = integer("Decider", "horizon", horizon, f"[1, {MAX_ROUNDS}]")
        elif policy.needs_horizon():
            raise ParameterError.of(
                "Decider", "horizon", f"given for {type(policy).__name__}, which needs it", None
            )
        self.horizon = horizon
        self._support = support(family)

    def _start(self, arms: list[LiveArm], withdrawn: int = 0) -> None:
        self._lock, self._saving = threading.Lock(), threading.Lock()
        self._decisions = Decisions()
        self._live = LiveArms(
            arms,
            self.policy,
            self.family,
            (self.seed, self.replication),
            (self.horizon or 0) if self.policy.needs_horizon() else 0,
            self.ties == "random",
            self.patience,
            withdrawn,
        )

    @overload
    def pull(self, n: None = None, *, id: Name | None = None) -> N: ...
    @overload
    def pull(self, n: int) -> list[N]: ...
    def pull(self, n: int | None = None, *, id: Name | None = None) -> Any:
        """The arm to play now; with `n`, a list of n arms to play before any reward is known.

        id: a name for the decision; the same id again gives the same arm, and is no other pull.
        """
        if n is None:
            with self._lock:
                return self._live.pull().name if id is None else self._named_pull(id)
        n = integer("Decider", "n", n, "[1, inf)")
        if id is not None:
            raise ParameterError.of("Decider", "id", "left out where 'n' is given", id)
        with self._lock:
            return [self._live.pull().name for _ in range(n)]

    def _named_pull(self, given: Name) -> Any:
        id = a_name("id", given)
        if id not in self._decisions:
            number = self._live.number
            self._decisions.keep(id, Decision(self._live.pull(), number))
        return self._decisions[id].arm.name

    @overload
    def update(self, arm: N, reward: float, *, id: Name | None = None) -> None: ...
    @overload
    def update(
        self, arm: Sequence[N] | NDArray[Any], reward: Sequence[float] | NDArray[Any]
    ) -> None: ...
    @overload
    def update(self, *, reward: float, id: Name) -> None: ...
    def update(self, arm: Any = None, reward: Any = None, *, id: Name | None = None) -> None:
        """Learn the reward of an arm; or of several, given as two lists of equal length.

        It answers a pending pull of the arm if there is one, else it counts as one more pull.
        id: the name of the decision, in place of the arm or with it. Sent again, the same reward
        counts once; another one is refused.
        """
        with self._lock:
            if id is not None:
                self._named_update(a_name("id", id), arm, reward)
            elif isinstance(arm, (str, int, np.integer)) or not isinstance(arm, Iterable):
                self._live.learn(self._arm(arm), self._reward(reward))
            else:
                for each, value in self._batch(list(arm), reward):
                    self._live.learn(each, value)

    def _named_update(self, id: Name, arm: Any, reward: Any) -> None:
        known = self._decisions.get(id)
        if known is None:
            if arm is None:
                raise ParameterError.of("Decider", "id", "that of a pull, or given an 'arm'", id)
            known = Decision(self._arm(arm), None)
        elif arm is not None and self._arm(arm) is not known.arm:
            raise ParameterError.of("Decider", "arm", f"{known.arm.name!r}, chosen for {id!r}", arm)
        value = self._reward(reward)
        if known.reward is None:
            self._live.learn(known.arm, value, known.number)
            known.reward = value
            self._decisions.keep(id, known)
        elif known.reward != value:
            told = f"{known.reward:g}, which was told for {id!r}"
            raise ParameterError.of("Decider", "reward", told, reward)

    def _batch(self, names: list[Any], rewards: Any) -> list[tuple[LiveArm, float]]:
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
            raise unknown(name, list(self._live.arms)) from None

    def _reward(self, given: Any) -> float:
        return a_reward(given, self._support, self.family)

    def forget(self, arm: N, n: int = 1) -> None:
        """Withdraw n pending pulls of the arm: their rewards will never come."""
        n = integer("Decider", "n", n, "[1, inf)")
        with self._lock:
            found = self._arm(arm)
            if n > len(found.pending):
                most = f"at most {len(found.pending)}, the pending pulls of {arm!r}"
                raise ParameterError.of("Decider", "n", most, n)
            self._live.forget(found, list(found.pending)[:n])

    def add(self, arm: N) -> None:
        """Add an arm; it has no rewards yet, so it is soon played."""
        with self._lock:
            name = a_name("arm", arm)
            if name in self._live.arms:
                raise ParameterError.of("Decider", "arm", "a name that is not in use", arm)
            self._live.arms[name] = LiveArm(name)
            self._live.arrange()

    def remove(self, arm: N) -> None:
        """Remove an arm and all that is known of it; its late rewards are refused from now on."""
        with self._lock:
            removed = self._dispensable(arm)
            self._live.remove(removed)
            self._decisions.drop_arm(removed)

    def disable(self, arm: N) -> None:
        """Do not play the arm until it is enabled again; its late rewards are still learned."""
        with self._lock:
            self._live.switch(self._dispensable(arm), enabled=False)

    def enable(self, arm: N) -> None:
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
    def arms(self) -> tuple[N, ...]:
        """The names of all arms."""
        with self._lock:
            return tuple(arm.name for arm in self._live.arms.values())

    @property
    def enabled(self) -> tuple[N, ...]:
        """The names of the arms that may be played."""
        with self._lock:
            return tuple(arm.name for arm in self._live.enabled)

    @property
    def counts(self) -> dict[N, int]:
        """The number of rewards of each arm."""
        return self._of_arms(lambda arm: arm.pulls)

    @property
    def means(self) -> dict[N, float]:
        """The mean reward of each arm, NaN before the first."""
        return self._of_arms(lambda arm: arm.mean)

    @property
    def pending(self) -> dict[N, int]:
        """The number of pulls of each arm that wait for their reward."""
        return self._of_arms(lambda arm: len(arm.pending))

    def _of_arms(self, what: Callable[[LiveArm], T]) -> dict[N, T]:
        with self._lock:
            return {arm.name: what(arm) for arm in self._live.arms.values()}

    def indices(self) -> dict[N, float]:
        """The index of each enabled arm in this round: the largest is played.

        It is infinite before the first pull, and NaN while the arm's first reward is pending.
        """
        if not has_index(self.policy):
            name = type(self.policy).__name__
            raise ParameterError.of("Decider", "policy", "one that ranks arms by an index", name)
        with self._lock:
            known: dict[Any, float] = self._live.indices()
        return known

    def _state(self) -> dict[str, Any]:
        """All that is known, as data that JSON can hold but for the policy and the family."""
        with self._lock:
            return {
                "seed": self.seed,
                "replication": self.replication,
                "horizon": self.horizon,
                "ties": self.ties,
                "patience": self.patience,
                "withdrawn": self._live.withdrawn,
                "memory": self._live.memory,
                "arms": [plain(arm) for arm in self._live.arms.values()],
                "decisions": plain_decisions(self._decisions),
            }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all that is known to a file; a kill at any moment leaves the old or the new one."""
        with self._saving:  # a later save is written later, and no pull waits for the disk
            known = {"policy": to_spec(self.policy), "family": to_spec(self.family)}
            write(path, {**known, **self._state()})

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], policy: Any = None, family: Any = None
    ) -> Decider[Any]:
        """The decider that was saved: it goes on as if it had never stopped.

        policy, family: in place of the saved ones, for instance if their classes are not known by
        name here. A file that is not there is a FileNotFoundError.
        """
        saved = read(path)
        decider: Decider[Any] = cls.__new__(cls)
        try:
            rule = from_spec(saved.take("policy"), POLICIES) if policy is None else policy
            model = from_spec(saved.take("family"), FAMILIES) if family is None else family
            decider._resume(saved, rule, model, as_it_was=policy is None)
        except (ParameterError, OverflowError) as problem:
            raise saved.error(str(problem).rstrip(".")) from None
        return decider

    def _resume(self, saved: Reader, policy: Any, family: Any, as_it_was: bool) -> None:
        self._configure(
            policy,
            family,
            saved.take("seed"),
            saved.take("horizon"),
            saved.take("ties"),
            saved.take("replication"),
            saved.data.get("patience", _PATIENCE),  # version 1 had none
        )
        self._start(saved.arms(self._support), saved.whole("withdrawn"))
        self._decisions = saved.decisions(self._live.arms)
        if as_it_was:
            self._live.memory = saved.memory(len(self._live.memory))

    def __getstate__(self) -> dict[str, Any]:
        return {"policy": self.policy, "family": self.family, "state": self._state()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """A copy, or what was pickled: it has locks of its own."""
        saved = Reader("a pickled Decider", {"version": VERSION, **kept["state"]})
        self._resume(saved, kept["policy"], kept["family"], as_it_was=True)

    def __repr__(self) -> str:
        with self._lock:
            t, lines = self._live.rounds + 1, listed(self._live.arms.values())
        return "\n".join([f"Decider: {self.policy}, {self.family}, round {t}", *lines])
