"""A dry run of a user's own policy before it is played: what it must not do is refused.

The interpreter plays a few rounds. A policy that uses the horizon must say so by `needs_horizon`
(or `uses_horizon`); otherwise it would be played with a horizon of 0, without any warning.
"""

from __future__ import annotations

from .._numba.mistakes import rehearse
from .._records.record import is_package
from ..errors import DefinitionError
from ..families import Family
from ..families.registry import mean_at
from ..random import Draws
from .arms import Arms, Clock
from .base import Policy, fresh_state

_ROUNDS = 100  # takes a few milliseconds
_PLACES = (0.3, 0.6)  # the constant rewards of the two arms, as places in the range of means
_tried: set[tuple[object, ...]] = set()


class _NoHorizon(Clock):
    """A clock that refuses to tell the horizon, for policies that do not say that they need it."""

    @property
    def horizon(self) -> int:
        raise DefinitionError(
            "'needs_horizon' must return True for a rule that uses clock.horizon or clock.left()."
        )

    def left(self) -> float:
        return float(self.horizon)


def dry_run(policy: Policy, family: Family) -> None:
    """Raise DefinitionError if a user's own policy does what it must not.

    The package's own policies are not tried, nor is a policy that has passed before.
    """
    if is_package(type(policy)):
        return
    key = type(policy), policy, type(family), family
    try:
        if key in _tried:
            return
    except TypeError:  # a field has no hash: the policy is tried each time
        rehearse(_play, (policy, family))
    else:
        rehearse(_play, (policy, family))
        _tried.add(key)


def _play(policy: Policy, family: Family) -> None:
    """Play a few rounds; raises DefinitionError if the horizon is used without saying so.

    Other exceptions are ignored here: with two arms and constant rewards they need not be mistakes.
    The rehearsal of the real run reports those that are.
    """
    try:
        rewards = [mean_at(family, place) for place in _PLACES]
        arms, state = Arms.fresh(len(rewards)), fresh_state(policy, family, len(rewards))
        knows = policy.uses_horizon()
        for t in range(1, _ROUNDS + 1):
            clock = Clock(t, _ROUNDS) if knows else _NoHorizon(t, 0)
            i = policy.choose(state, family, arms, clock, Draws(1, 0, 0, t, True))
            arms.learn(i, rewards[i])
    except DefinitionError:
        raise
    except Exception:
        return
