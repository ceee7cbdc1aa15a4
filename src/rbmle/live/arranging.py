"""How the arms of a decider come and go, and pulls are withdrawn."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from ..errors import ParameterError
from . import input_checks as checks
from .live_arm import Decisions, LiveArm, Name
from .live_game import LiveGame

N = TypeVar("N", bound=Name)


class Arranges(Generic[N]):
    """The methods of a `Decider` that change its arms."""

    _live: LiveGame
    _decisions: Decisions
    _lock: threading.Lock
    _arm: Callable[[object], LiveArm]

    def forget(self, arm: N | None = None, n: int = 1, *, id: Name | None = None) -> None:
        """Withdraw the n oldest pending pulls of the arm, because their rewards will never come; or
        the decision of this id, `forget(id="visit-7.3")`, which is free again."""
        n = checks.a_count(n)
        with self._lock:
            if id is not None:
                known = self._decisions.get(checks.a_name("id", id))
                if known is None or arm is not None or known.number not in known.arm.pending:
                    allowed = "that of a pending pull, and given alone"
                    raise ParameterError("Decider", "id", allowed, id)
                self._live.withdraw(known.arm, known.number)
                del self._decisions[id]
                return
            found = self._arm(arm)
            if not found.pending:
                raise ParameterError("Decider", "arm", "one with a pending pull", arm)
            if n > len(found.pending):
                most = f"at most {len(found.pending)}, the pending pulls of {arm!r}"
                raise ParameterError("Decider", "n", most, n)
            for number in list(found.pending)[:n]:
                self._live.withdraw(found, number)

    def add(self, arm: N) -> None:
        """Add an arm. It has no rewards yet, so it is played soon."""
        with self._lock:
            name = checks.a_name("arm", arm)
            if name in self._live.arms:
                raise ParameterError("Decider", "arm", "a name that is not in use", arm)
            self._live.add(LiveArm(name))

    def remove(self, arm: N) -> None:
        """Remove an arm and all that was learned about it; later rewards of it are refused."""
        with self._lock:
            removed = self._dispensable(arm)
            self._live.remove(removed)
            self._decisions.drop_arm(removed)

    def disable(self, arm: N) -> None:
        """Stop playing the arm until it is enabled again; late rewards of it are still learned."""
        with self._lock:
            self._live.switch(self._dispensable(arm), enabled=False)

    def enable(self, arm: N) -> None:
        """Play a disabled arm again, with all that was learned about it."""
        with self._lock:
            self._live.switch(self._arm(arm), enabled=True)

    def _dispensable(self, arm: Name) -> LiveArm:
        """The arm, unless it is the only one enabled: that one must stay."""
        found = self._arm(arm)
        if all(each is found for each in self._live.enabled):
            raise ParameterError("Decider", "arm", "one that leaves another enabled", arm)
        return found

    @property
    def disabled(self) -> dict[N, str]:
        """The arms that are disabled, each with the reason if a guardrail has done it, else ""."""
        with self._lock:
            return {arm.name: arm.reason for arm in self._live.arms.values() if not arm.enabled}
