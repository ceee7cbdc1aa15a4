"""How a decider is asked for arms: `pull`, `decide`, and the `probabilities` of its choice."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Generic, NamedTuple, TypeVar, overload

from .._numba.compile import Floats
from ..errors import ParameterError, integer
from ..evidence import Evidence
from . import input_checks as checks
from .candidates import only, the_candidates
from .live_arm import Decisions, Name, NamedPull
from .live_game import LiveGame
from .propensities import Propensities
from .spending import Spend

N = TypeVar("N", bound=Name)


class Decision(NamedTuple, Generic[N]):
    """A decision: the arm to play, its id if it has one, and the probability with which the arm was
    chosen (None if it was chosen by `pull`, which does not compute it)."""

    arm: N
    id: Name | None
    probability: float | None


class Chooses(Generic[N]):
    """The methods of a `Decider` that choose arms."""

    evidence: Evidence
    _live: LiveGame
    _decisions: Decisions
    _propensities: Propensities
    _lock: threading.Lock

    @overload
    def pull(
        self, n: None = None, *, id: Name | None = None, context: object = None,
        among: Iterable[N] | None = None,
    ) -> N: ...  # fmt: skip
    @overload
    def pull(
        self, n: int, *, context: object = None, among: Iterable[N] | None = None
    ) -> list[N]: ...
    @overload
    def pull(
        self, *, k: int, id: Name | None = None, context: object = None,
        among: Iterable[N] | None = None,
    ) -> list[N]: ...  # fmt: skip
    def pull(
        self, n: int | None = None, *, id: Name | None = None, context: object = None,
        among: Iterable[N] | None = None, k: int | None = None,
    ) -> N | list[N]:  # fmt: skip
        """The arm to play now; with `n`, a list of n arms to play before any reward is known, or
        fewer if a budget is spent before. A budget that affords no candidate is a `BudgetError`.

        id: a name for the decision. A second call with the same id returns the same arm and does
        not count as another pull.
        context: for evidence that reads features, those of each enabled arm: a mapping by name, a
        data frame whose index has the names, or an array with a row for each of `arms`; or one list
        for all arms, if each has a theta of its own.
        among: the candidates of this call, some of the enabled arms; by default all. The policy
        sees them alone. A second call with the same id returns the same arm, whatever they are.
        k: return a slate, a list of k distinct arms in order: k pulls, each among the arms that
        have no place yet. With id="visit-7" they are the decisions "visit-7.1", "visit-7.2", ...;
        else `update(arm, reward)` tells the reward of each, and `forget(arm)` that none comes.

        >>> from rbmle import Decider
        >>> decider = Decider(["red", "green", "blue"], "ucb", "bernoulli")
        >>> decider.update(["red", "green", "blue"], [0.5, 1, 0])
        >>> decider.pull(), decider.pull(among=["red", "blue"])
        ('green', 'red')
        >>> decider.pull(k=2, id="visit-7")
        ['green', 'blue']
        >>> decider.update(id="visit-7.2", reward=1)
        """
        if n is None and id is None and among is None and k is None:  # the quick way
            with self._lock:
                features = checks.the_features(context, self._live.arms, self.evidence)
                arm: N = self._live.pull(features).name
                return arm
        made = self._made(n, id, context, among, k, self._pulled)
        return made.arm if isinstance(made, Decision) else [each.arm for each in made]

    def _made(
        self, n: int | None, id: Name | None, context: object, among: object, k: int | None,
        choose: Callable[[Name | None, Floats | None], Decision[N]],
    ) -> Decision[N] | list[Decision[N]]:  # fmt: skip
        """What `pull` and `decide` ask for; `choose` makes one decision."""
        if n is not None:
            n = checks.a_count(n)
            if id is not None:
                raise ParameterError("Decider", "id", "left out where 'n' is given", id)
        if k is not None:
            return self._slate(k, n, id, context, among, choose)
        with self._lock:
            if id is not None:
                id = checks.a_name("id", id)
                if (known := self._decisions.get(id)) is not None:
                    return Decision(known.arm.name, id, known.probability)
            features, candidates = self._asked(context, among)
            with only(self._live, candidates):
                made = [
                    choose(id, features)
                    for place in range(n or 1)
                    if place == 0 or self._live.affordable()
                ]
            return made[0] if n is None else made

    def _asked(self, context: object, among: object) -> tuple[Floats | None, set[Name] | None]:
        """The features and the candidates of a call, checked."""
        self._live.check_enabled()
        arms, candidates = self._live.arms, the_candidates(among, self._live.arms)
        return checks.the_features(context, arms, self.evidence, candidates), candidates

    def _slate(
        self, k: object, n: int | None, id: Name | None, context: object, among: object,
        choose: Callable[[Name | None, Floats | None], Decision[N]],
    ) -> list[Decision[N]]:  # fmt: skip
        """k distinct arms in order. Places whose ids are known have their arms already."""
        count = integer("Decider", "k", k, "[1, inf)")
        if n is not None:
            raise ParameterError("Decider", "n", "left out where 'k' is given", n)
        name = None if id is None else checks.a_name("id", id)
        ids = [None if name is None else f"{name}.{place + 1}" for place in range(count)]
        with self._lock:
            known: dict[Name | None, Decision[N]] = {
                each: Decision(found.arm.name, each, found.probability)
                for each in ids
                if each is not None and (found := self._decisions.get(each)) is not None
            }
            if len(known) == count:
                return list(known.values())
            features, candidates = self._asked(context, among)
            left = candidates or {arm.name for arm in self._live.enabled}
            if count > len(left):
                allowed = f"a whole number in [1, {len(left)}], the number of candidates"
                raise ParameterError("Decider", "k", allowed, k)
            self._live.check_slate(left, count)
            made = []
            for each in ids:
                with only(self._live, left):
                    made.append(known.get(each) or choose(each, features))
                left.discard(made[-1].arm)
            return made

    def _pulled(self, id: Name | None, features: Floats | None) -> Decision[N]:
        number, arm = self._live.number, self._live.pull(features)
        if id is not None:
            self._decisions.keep(id, NamedPull(arm, number))
        return Decision(arm.name, id, None)

    @overload
    def decide(
        self, n: None = None, *, id: Name | None = None, context: object = None,
        among: Iterable[N] | None = None,
    ) -> Decision[N]: ...  # fmt: skip
    @overload
    def decide(
        self, n: int, *, context: object = None, among: Iterable[N] | None = None
    ) -> list[Decision[N]]: ...
    @overload
    def decide(
        self, *, k: int, id: Name | None = None, context: object = None,
        among: Iterable[N] | None = None,
    ) -> list[Decision[N]]: ...  # fmt: skip
    def decide(
        self, n: int | None = None, *, id: Name | None = None, context: object = None,
        among: Iterable[N] | None = None, k: int | None = None,
    ) -> Decision[N] | list[Decision[N]]:  # fmt: skip
        """As `pull`, which chooses the same arms, but returns a record: the arm, the id, and the
        probability with which the arm was chosen, given all that was known and the candidates.

        It is exact where the policy ranks arms by an index (1, or one over the number of arms that
        tie) or mixes them by a formula, and right to 1e-6 for Thompson sampling. In a slate it is
        that of the arm given those in the places before.
        """
        return self._made(n, id, context, among, k, self._decided)

    def _decided(self, id: Name | None, features: Floats | None) -> Decision[N]:
        number = self._live.number
        arm, probability = self._propensities.decide(features)
        if id is not None:
            self._decisions.keep(id, NamedPull(arm, number, None, probability))
        return Decision(arm.name, id, probability)

    def probabilities(
        self, context: object = None, *, among: Iterable[N] | None = None
    ) -> dict[N, float]:
        """The probability of each enabled arm to be chosen in the coming round.

        context, among: the features of the arms and the candidates, as for `pull`. An arm that is
        no candidate has probability 0.
        """
        with self._lock:
            features, candidates = self._asked(context, among)
            with only(self._live, candidates):
                return self._propensities.peek(features)

    @property
    def spend(self) -> Spend:
        """What was spent, reserved and is left of the budget, and the price of a unit of cost.

        >>> from rbmle import Decider
        >>> decider = Decider(["a", "b"], "ucb", "bernoulli", cost={"a": 1, "b": 3}, price=0.1,
        ...     budget=9)
        >>> decider.pull(2)
        ['a', 'b']
        >>> decider.spend
        Spend(spent=4.0, reserved=0.0, left=5.0, price=0.1)
        """
        with self._lock:
            return self._live.spend()
