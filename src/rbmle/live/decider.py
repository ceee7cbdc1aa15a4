"""`Decider`, for live use: it chooses an arm now and learns from the reward when that comes."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from .._records.record import Record
from ..errors import FamilyWarning, GuardrailWarning, ParameterError
from ..evidence import Counting, without_features
from ..policies.floor import floors_of
from ..policies.priced import NET, ledger_of, priced
from ..spec import to_spec
from . import input_checks as checks
from .arranging import Arranges
from .choosing import Chooses
from .conclusions import Concludes
from .feature_game import game_of
from .guardrails import Guardrail, Measured, as_guardrails, metrics_of
from .live_arm import ArmTable, Decisions, LiveArm, Name, NamedPull, shown
from .live_game import LiveGame
from .propensities import Propensities
from .settings import PATIENCE, Settings
from .spending import RewardOf, a_cost
from .state import plain_decisions, plain_game, read, resumed, write
from .state_reader import Reader

N = TypeVar("N", bound=Name)
T = TypeVar("T")
Many: TypeAlias = Sequence[T] | NDArray[np.generic]


class Decider(Chooses[N], Concludes[N], Arranges[N], Generic[N]):
    """A policy at work: it chooses among named arms and learns from their rewards.

    arms: at least two distinct names, strings or whole numbers.
    policy: any policy of the simulator, such as `RBMLE()`, or its name, "rbmle".
    family: what the policy assumes of rewards, such as `Bernoulli()`, or "bernoulli"; a
    `FamilyWarning` says once, from 20 on, if they vary much more or less (docs/howto/families.md).
    seed, replication: random numbers (for Thompson sampling and ties) depend on these two and on
    the round alone. The simulator with the same two and the same rewards makes the same choices.
    horizon: the number T of pulls to be made here, for policies that use it; those made elsewhere
    do not count. After T pulls the policy goes on as if each were the last.
    ties: which of several arms with equal indices is played: "random", or "first" in the list.
    patience: the number of rounds after which a pull without a reward is given up. Choose it larger
    than any delay of your rewards. A reward that comes after that still counts.
    evidence: what an arm's past is worth, such as `Discounted(0.99)` or `Linear(3)`, or its name;
    by default every reward counts once. If it reads features, each pull is given those of the arms,
    `pull(context={"red": [0.2, 1.0, 0.0], "blue": [0.9, 0.1, 1.0]})` (docs/reference/evidence.md).
    cost, objective, price, budget: what arms cost, and what is maximised; the policy becomes
    `Priced(policy, cost, ...)`, which explains them. Where costs are `Seen(largest)`, they are told
    with the rewards: see docs/howto/routing.md.
    guardrails: a list of `Guardrail`: metrics that are given with the rewards, and that disable an
    arm once it is proven beyond a limit: see docs/howto/live.md.

    Rewards may come late, in any order, or for pulls made elsewhere, such as those of an old log.
    A pending pull counts as if it had paid the arm's mean so far (Desautels, Krause and Burdick
    2014), so that a batch of pulls spreads over the arms. An arm that was pulled but has no reward
    yet is left out for 10 rounds times the number of enabled arms and is then pulled again, so that
    lost rewards starve no arm. If all are in that state, the one pulled least is next. Round t is
    1 + the number of pulls of the present arms; the last is T + those of them made elsewhere.

    A caller may name a decision, `pull(id="visit-7")`, and report its reward by that name,
    `update(id="visit-7", reward=1.0)`. Either call may be repeated, with no further effect.
    All methods are safe to call from several threads. A method that raises has changed nothing.

    >>> from rbmle.families import Bernoulli
    >>> from rbmle.policies import UCB
    >>> decider = Decider(["red", "blue"], UCB(), Bernoulli(), seed=1)
    >>> for _ in range(100):
    ...     arm = decider.pull()
    ...     decider.update(arm, 0.6 if arm == "blue" else 0.4)
    >>> decider.counts
    {'red': 30, 'blue': 70}
    >>> decider.update("green", 1.0)
    Traceback (most recent call last):
    rbmle.errors.ParameterError: Decider: 'arm' must be one of 'red', 'blue'. Got 'green'.
    """

    def __init__(
        self,
        arms: Iterable[N],
        policy: object,
        family: object,
        seed: int = 0,
        horizon: int | None = None,
        ties: str = "random",
        *,
        replication: int = 0,
        patience: int = PATIENCE,
        evidence: object = None,
        cost: object = None,
        objective: str = NET,
        price: float | None = None,
        budget: float | None = None,
        guardrails: Iterable[Guardrail] = (),
    ) -> None:
        live = [LiveArm(each) for each in checks.the_names(arms)]
        policy = priced(policy, cost, objective, price, budget)
        given = policy, family, seed, horizon, ties, replication, patience, evidence
        settings = Settings.checked(*given)._replace(guardrails=as_guardrails(guardrails))
        names = [arm.name for arm in live]
        floors_of(settings.policy, names)
        ledger_of(settings.policy, names, settings.horizon)
        self._use(settings, game_of(settings, live), Decisions())

    def _use(self, settings: Settings, game: LiveGame, decisions: Decisions) -> None:
        self._settings, self._live, self._decisions = settings, game, decisions
        game.compile()  # a mistake in a user's class shows here, and no pull has to wait
        self._propensities = Propensities(game)
        self.policy, self.family, self.seed, self.horizon = settings[:4]
        self.ties, self.replication, self.patience, self.evidence, self.guardrails = settings[4:]
        self._support = checks.support(self.family)
        # Saves, in the order of their calls, have a lock of their own: no pull waits for the disk.
        self._lock, self._saving = threading.Lock(), threading.Lock()

    @overload
    def update(
        self, arm: N, reward: float, context: object = None, *, id: Name | None = None,
        cost: float | None = None, metrics: Mapping[str, float] | None = None,
    ) -> None: ...  # fmt: skip
    @overload
    def update(
        self, arm: Many[N], reward: Many[float], context: object = None, *,
        cost: Many[float] | None = None, metrics: Mapping[str, Many[float]] | None = None,
    ) -> None: ...  # fmt: skip
    @overload
    def update(
        self, *, reward: float, id: Name, context: object = None, cost: float | None = None,
        metrics: Mapping[str, float] | None = None,
    ) -> None: ...  # fmt: skip
    def update(
        self, arm: object = None, reward: object = None, context: object = None, *,
        id: Name | None = None, cost: object = None, metrics: object = None,
    ) -> None:  # fmt: skip
        """Learn the reward of an arm; or of several, given as two lists of equal length.

        The reward belongs to the arm's oldest pending pull, or else to one that was given up; if
        there is neither, it counts as one more pull.
        id: the name of the decision, instead of the arm or together with it. The same reward sent
        again for that id counts once; a different one is refused.
        context: for evidence that reads features, those of the arm when it was pulled; for several
        rewards, a list of them. It may be left out if the pull is pending: they are known then.
        With it, the reward belongs to the arm's oldest pending pull that had these features.
        cost: what the pull cost, where costs are `Seen`; for several rewards, a list of them. Those
        of pulls made elsewhere teach what the arm costs, but are not taken from the budget.
        metrics: with guardrails, the value of each metric, {"errors": 1}; for several rewards, a
        list of each. If they prove an arm beyond its limit it is disabled: a `GuardrailWarning`.
        """
        with self._lock:
            if id is not None:
                id = checks.a_name("id", id)
                measured = self._named_update(id, arm, reward, context, cost, metrics)
            elif isinstance(arm, (str, int, np.integer)) or not isinstance(arm, Iterable):
                found, paid = self._arm(arm), self._reward(reward)
                measured = [self._learn(found, paid, None, context, cost, metrics)]
            else:
                batch = self._batch(list(arm), reward, cost)
                measured = metrics_of([arm for arm, *_ in batch], metrics, self.guardrails)
                names = [arm.name for arm, *_ in batch]
                self._live.learn_all(batch, checks.the_contexts(context, names, self.evidence))
            doubt, disabled = self._live.doubt(), []
            if self.guardrails:
                disabled = [why for each in measured if (why := self._live.guarded(*each))]
        for why in disabled:
            warnings.warn(GuardrailWarning(why), stacklevel=2)
        if doubt is not None:
            warnings.warn(FamilyWarning(doubt), stacklevel=2)

    def _learn(
        self, arm: LiveArm, reward: float, number: int | None, context: object, cost: object,
        metrics: object,
    ) -> Measured:  # fmt: skip
        paid, shares = self._live.checked(arm, cost, metrics)
        features = checks.a_context(context, self.evidence, arm.name)
        self._live.learn(arm, reward, number, features, paid)
        return arm, shares

    def _named_update(
        self, id: Name, arm: object, reward: object, context: object, cost: object, metrics: object
    ) -> list[Measured]:
        known = self._decisions.get(id)
        if known is None:
            if arm is None:
                raise ParameterError("Decider", "id", "that of a pull, or given an 'arm'", id)
            known = NamedPull(self._arm(arm), None)
        elif arm is not None and self._arm(arm) is not known.arm:
            raise ParameterError("Decider", "arm", f"{known.arm.name!r}, chosen for {id!r}", arm)
        value = self._reward(reward)
        if known.reward is None:
            measured = self._learn(known.arm, value, known.number, context, cost, metrics)
            known.reward = value
            self._decisions.keep(id, known)
            return [measured]
        if known.reward != value:
            allowed = f"{known.reward:g}, the reward already recorded for {id!r}"
            raise ParameterError("Decider", "reward", allowed, reward)
        return []

    def _batch(self, names: list[object], rewards: object, costs: object) -> list[RewardOf]:
        arms = [self._arm(each) for each in names]
        listed = [None] * len(arms) if costs is None else checks.listed("cost", costs, len(arms))
        return [
            (arm, self._reward(each), a_cost(cost, self._live.ledger, arm))
            for arm, each, cost in zip(
                arms, checks.listed("reward", rewards, len(arms)), listed, strict=True
            )
        ]

    def _arm(self, name: object) -> LiveArm:
        return checks.an_arm(name, self._live.arms)

    def _reward(self, given: object) -> float:
        return checks.a_reward(given, self._support, self.family)

    @property
    def t(self) -> int:
        """The number of the coming round: 1 in a new decider."""
        with self._lock:
            return int(self._live.rounds) + 1

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
        """The number of rewards that were learned for each arm."""
        return self._of_arms(lambda arm: arm.pulls)

    @property
    def means(self) -> dict[N, float]:
        """The mean reward of each arm; NaN before its first reward.

        Forgetting evidence weighs rewards as it does for the policy. With features it is the mean
        of the arm's rewards, whatever its features were.
        """
        return self._of_arms(self._live.mean_of)

    @property
    def pending(self) -> dict[N, int]:
        """The number of each arm's pulls whose reward has not come."""
        return self._of_arms(lambda arm: len(arm.pending))

    def _of_arms(self, what: Callable[[LiveArm], T]) -> dict[N, T]:
        with self._lock:
            return {arm.name: what(arm) for arm in self._live.arms.values()}

    def indices(self, context: object = None) -> dict[N, float]:
        """The index of each enabled arm in the coming round: the arm with the largest is played.

        context: the features of the arms, as for `pull`, for evidence that reads them.

        It is infinite for an arm that was never pulled, and NaN while its first reward is pending.
        """
        checks.has_indices(self.policy)
        with self._lock:
            features = checks.the_features(context, self._live.arms, self.evidence)
            return self._live.indices(features)

    def _table(self) -> ArmTable:
        with self._lock:
            t, mean_of = self._live.rounds + 1, self._live.mean_of
            rows = [shown(arm, mean_of(arm)) for arm in self._live.arms.values()]
        kind = "" if isinstance(self.evidence, Counting) else f"{without_features(self.evidence)}, "
        return ArmTable(f"Decider: {self.policy}, {self.family}, {kind}round {t}", rows)

    def __repr__(self) -> str:
        return str(self._table())

    def _repr_html_(self) -> str:
        return self._table().html()

    def _records(self) -> dict[str, Record]:
        return {"policy": self.policy, "family": self.family, "evidence": self.evidence}

    def _state(self) -> dict[str, object]:
        """All that is known except policy, family and evidence, as data that JSON can hold."""
        with self._lock:
            named = {"decisions": plain_decisions(self._decisions)}
            return {**self._settings.plain(), **plain_game(self._live), **named}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the whole state to a file; a kill at any moment leaves the old or the new file."""
        with self._saving:
            specs = {name: to_spec(each) for name, each in self._records().items()}
            write(path, {**specs, **self._state()})

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        policy: object = None,
        family: object = None,
        evidence: object = None,
    ) -> Decider[Any]:
        """The decider that was saved to a file; it goes on as if it had never stopped.

        policy, family, evidence: used instead of the saved ones, for instance if their classes are
        not imported here. Raises FileNotFoundError if there is no such file, and StateError if it
        does not hold a decider.
        """
        decider = cls.__new__(cls)
        decider._use(*resumed(read(path), policy, family, evidence))
        return decider

    def __getstate__(self) -> dict[str, object]:
        return {**self._records(), "state": self._state()}

    def __setstate__(self, pickled: dict[str, Any]) -> None:
        """Restore a pickled or copied decider; it gets its own locks."""
        self._use(*resumed(Reader("a pickled Decider", pickled.pop("state")), **pickled))
