"""Which policy goes with which family: what is asked for is checked before anything is played."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..errors import ParameterError
from ..families import FAMILIES
from .base import NEEDS


class Assuming(NamedTuple):
    """A policy together with the family it assumes, where that is not the problem's own.

    `Assuming(RBMLE(), Gaussian(0.5))` plays the Gaussian index on rewards of any law
    (Proposition 4).
    """

    policy: Any
    family: Any


def player(given: Any, problem: Any, family: Any) -> tuple[Any, Any]:
    """The policy and the family it assumes on a problem, checked to fit each other.

    given: a policy, or one `Assuming` a family. family: what to assume if it does not say so; None
    for the problem's own.
    """
    policy, model = given if isinstance(given, Assuming) else (given, family)
    if model is None:
        model = problem.family
    if model is None:
        raise ParameterError.of(
            "simulate", "family", f"given for rewards of law {type(problem.law).__name__}", None
        )
    if isinstance(model, type) or not hasattr(model, "reward_interval"):
        raise ParameterError.of("simulate", "family", "a family, as in Gaussian()", model)
    check_fit(policy, model)
    rewards, assumed = problem.law.reward_interval(), model.reward_interval()
    if rewards.low < assumed.low or rewards.high > assumed.high:
        raise ParameterError(
            f"{type(policy).__name__}: 'family' must allow rewards in {rewards}. "
            f"Got {type(model).__name__}, which allows {assumed}."
        )
    return policy, model


def check_fit(policy: Any, family: Any) -> None:
    """Refuse, with a sentence, what is no policy or one that does not fit the family."""
    name, assumed = type(policy).__name__, type(family).__name__
    if type(policy) not in NEEDS:
        raise ParameterError.of(
            "policy", "policy", "an instance of a policy class, as in UCB()", policy
        )
    missing = _missing(type(policy), type(family))
    if missing:
        fitting = ", ".join(each.__name__ for each in families_of(type(policy)))
        raise ParameterError(
            f"{name}: 'family' must be one of {fitting}. Got {assumed}, which has no {missing[0]}."
        )
    if hasattr(policy, "check_family"):
        policy.check_family(family)


def families_of(policy: type) -> list[type]:
    """The families that have what the policy needs."""
    return [each for each in FAMILIES.values() if not _missing(policy, each)]


def _missing(policy: type, family: type) -> list[str]:
    return [each for each in NEEDS[policy] if not hasattr(family, each)]
