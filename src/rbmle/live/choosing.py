"""How a decider is asked for arms: `pull`, `decide`, and the `probabilities` of its choice."""

from __future__ import annotations

import threading
from typing import Any, Generic, NamedTuple, TypeVar, overload

from ..errors import ParameterError
from . import input_checks as checks
from .live_arm import Decisions, Name, NamedPull
from .live_game import LiveGame
from .propensities import Propensities

N = TypeVar("N", bound=Name)


class Decision(NamedTuple):
    """A decision: the arm to play, its id if it has one, and the probability with which the arm was
    chosen (None if it was chosen by `pull`, which does not compute it)."""

    arm: Any
    id: Name | None
    probability: float | None


class Chooses(Generic[N]):
    """The methods of a `Decider` that choose arms."""

    evidence: Any
    _live: LiveGame
    _decisions: Decisions
    _propensities: Propensities
    _lock: threading.Lock

    @overload
    def pull(self, n: None = None, *, id: Name | None = None, context: Any = None) -> N: ...
    @overload
    def pull(self, n: int, *, context: Any = None) -> list[N]: ...
    def pull(self, n: int | None = None, *, id: Name | None = None, context: Any = None) -> Any:
        """The arm to play now; with `n`, a list of n arms to play before any reward is known.

        id: a name for the decision. A second call with the same id returns the same arm and does
        not count as another pull.
        context: for evidence that reads features, those of each enabled arm: a mapping by name, a
        data frame whose index has the names, or an array with a row for each of `arms`; or one list
        for all arms, if each has a theta of its own.
        """
        if n is not None:
            n = _count(n, id)
        with self._lock:
            features = checks.the_features(context, self._live.arms, self.evidence)
            if n is not None:
                return [self._live.pull(features).name for _ in range(n)]
            if id is not None:
                return self._named_pull(checks.a_name("id", id), features)
            return self._live.pull(features).name

    def _named_pull(self, id: Name, features: Any) -> Any:
        if id not in self._decisions:
            number = self._live.number
            self._decisions.keep(id, NamedPull(self._live.pull(features), number))
        return self._decisions[id].arm.name

    @overload
    def decide(
        self, n: None = None, *, id: Name | None = None, context: Any = None
    ) -> Decision: ...
    @overload
    def decide(self, n: int, *, context: Any = None) -> list[Decision]: ...
    def decide(self, n: int | None = None, *, id: Name | None = None, context: Any = None) -> Any:
        """As `pull`, which chooses the same arms, but returns a record: the arm, the id, and the
        probability with which the arm was chosen, given all that was known.

        It is exact where the policy ranks arms by an index (1, or one over the number of arms that
        tie) or mixes them by a formula, and right to 1e-6 for Thompson sampling.
        """
        if n is not None:
            n = _count(n, id)
        with self._lock:
            features = checks.the_features(context, self._live.arms, self.evidence)
            if n is not None:
                return [self._decided(None, features) for _ in range(n)]
            return self._decided(None if id is None else checks.a_name("id", id), features)

    def _decided(self, id: Name | None, features: Any) -> Decision:
        known = None if id is None else self._decisions.get(id)
        if known is None:
            number = self._live.number
            arm, probability = self._propensities.decide(features)
            known = NamedPull(arm, number, None, probability)
            if id is not None:
                self._decisions.keep(id, known)
        return Decision(known.arm.name, id, known.probability)

    def probabilities(self, context: Any = None) -> dict[N, float]:
        """The probability of each enabled arm to be chosen in the coming round.

        context: the features of the arms, as for `pull`, for evidence that reads them.
        """
        with self._lock:
            features = checks.the_features(context, self._live.arms, self.evidence)
            return self._propensities.peek(features)


def _count(n: Any, id: Name | None) -> int:
    """The number of arms that are asked for, checked."""
    count = checks.a_count(n)
    if id is not None:
        raise ParameterError("Decider", "id", "left out where 'n' is given", id)
    return count
