"""With which probability a policy plays each arm.

`Policy.propensities` answers where each arm has what the policy needs to choose among them. Here is
what is asked of it: by `Policy.probabilities`, for users, and live by a `Decider` and the service.
"""

from __future__ import annotations

import numpy as np

from .._numba.compile import Floats
from ..errors import ParameterError, integer, one_of
from ..families import Family
from ..families.protocols import by_sums
from ..random import MAX_ROUNDS
from .arms import Arms, Clock
from .base import Policy, fresh_state, has_index
from .fit import as_family, check_fit

_OWNER = "probabilities"


def only(i: int, n_arms: int) -> Floats:
    """Probability 1 for arm i."""
    p = np.zeros(n_arms)
    p[i] = 1.0
    return p


def propensities_of(
    policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, ties: bool
) -> Floats:
    """The probability with which `policy.choose` plays each arm; what it remembers does not change.

    ties: whether arms with equal indices are drawn by lot; if not, the first of them is played.
    """
    n_arms = arms.pulls.size
    if policy.plays_each_first() and not arms.pulls.all():
        return only(int((arms.pulls == 0.0).argmax()), n_arms)
    if n_arms == 1:
        return only(0, 1)
    size = policy.remembers(n_arms)
    if size == 0:
        return policy.propensities(state, family, arms, clock, ties)
    kept = state[:size].copy()
    try:
        return policy.propensities(state, family, arms, clock, ties)
    finally:
        state[:size] = kept


class _NoSquares(Arms):
    """Statistics without squares: reading a variance raises an error that says so."""

    def variance(self, i: int) -> float:
        raise ParameterError(_OWNER, "squares", "given for a policy that reads variances", None)


def stated_probabilities(
    policy: Policy, family: object, pulls: object, sums: object, squares: object,
    t: int | None, horizon: int | None, ties: str,
) -> Floats:  # fmt: skip
    """`Policy.probabilities`, after every check of what a user gave."""
    model = as_family(family, _OWNER)
    check_fit(policy, model)
    n, s = _numbers("pulls", pulls), _numbers("sums", sums)
    if not n.size or n.min() < 0.0:
        raise ParameterError(_OWNER, "pulls", "a list of numbers in [0, inf)", pulls)
    squared = s if squares is None else _numbers("squares", squares)
    for name, each in (("sums", s), ("squares", squared)):
        if each.size != n.size:
            raise ParameterError(_OWNER, name, f"{n.size} numbers, one for each arm", each.tolist())
    t = integer(_OWNER, "t", int(n.sum()) + 1 if t is None else t, f"[1, {MAX_ROUNDS}]")
    if horizon is not None:
        horizon = integer(_OWNER, "horizon", horizon, f"[{t}, {MAX_ROUNDS}]")
    elif policy.needs_horizon():
        allowed = f"given for {type(policy).__name__}, which needs it"
        raise ParameterError(_OWNER, "horizon", allowed, None)
    clock = Clock(t, (horizon or 0) if policy.uses_horizon() else 0)
    arms = Arms(n, s, squared, np.zeros(n.size))
    if squares is None and n.all():
        unknown = _NoSquares(*arms)
        policy.index_of(model, unknown, 0, policy.level(model, unknown, clock))
        if not has_index(policy) and not by_sums(model):
            allowed = f"given for {type(policy).__name__} with {type(model).__name__}"
            raise ParameterError(_OWNER, "squares", allowed, None)
    by_lot = one_of(_OWNER, "ties", ties, ("random", "first")) == "random"
    state = fresh_state(policy, model, n.size)
    return propensities_of(policy, state, model, arms, clock, by_lot)


def _numbers(name: str, given: object) -> Floats:
    try:
        found = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        found = np.full(1, np.nan)
    if found.ndim != 1 or not np.isfinite(found).all():
        raise ParameterError(_OWNER, name, "a list of finite numbers", given)
    return found
