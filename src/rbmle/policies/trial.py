"""A policy of the user's own is tried before it is played, so that what it must not do is refused.

A few rounds are played by the interpreter. A rule that uses the horizon must say so, because a
`Decider` without one cannot play it; elsewhere the horizon would be 0 without a word.
"""

from __future__ import annotations

from typing import Any

from .._mistakes import rehearse
from .._record import is_package
from ..errors import DefinitionError
from ..families.base import mean_at
from ..random import Draws
from .arms import Arms, Clock
from .base import fresh_state

_ROUNDS = 100  # a few milliseconds
_PLACES = (0.3, 0.6)  # of the two arms' rewards, which are all alike, in the range of means
_tried: set[tuple[Any, ...]] = set()


class _NoHorizon(Clock):
    """A clock for rules that do not say that they need the horizon."""

    @property
    def horizon(self) -> int:
        raise DefinitionError(
            "'needs_horizon' must return True for a rule that uses clock.horizon or clock.left()."
        )

    def left(self) -> float:
        return float(self.horizon)


def try_out(policy: Any, family: Any) -> None:
    """Refuse, with a sentence, a policy of the user's own that does what it must not.

    The package's own are tested. What passed is not tried again.
    """
    if is_package(type(policy)):
        return
    key = type(policy), policy, type(family), family
    try:
        if key in _tried:
            return
    except TypeError:  # it holds what has no hash, so it is tried each time
        rehearse(_play, (policy, family))
    else:
        rehearse(_play, (policy, family))
        _tried.add(key)


def _play(policy: Any, family: Any) -> None:
    """Other mistakes are left to the rehearsal of what is really played: with two arms and rewards
    that are all alike they need not be any."""
    try:
        rewards = [mean_at(family, place) for place in _PLACES]
        arms, state = Arms.fresh(len(rewards)), fresh_state(policy, family, len(rewards))
        knows = policy.needs_horizon()
        for t in range(1, _ROUNDS + 1):
            clock = Clock(t, _ROUNDS) if knows else _NoHorizon(t, 0)
            i = policy.choose(state, family, arms, clock, Draws(1, 0, 0, t, True))
            arms.learn(i, rewards[i])
    except DefinitionError:
        raise
    except Exception:
        return
