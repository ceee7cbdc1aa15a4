"""`Floor`: traffic that an arm gets whatever the policy thinks of it, such as a holdout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._numba.compile import Floats
from .._records.record import checked, register
from ..errors import ParameterError, number, show
from .arms import Name
from .base import Policy
from .fit import WRAPPERS, as_inner_policy

Shares = float | tuple[tuple[Name, float], ...]
_ROUNDING = 1e-9  # by which floors may add up to more than 1: ten of 0.1 do not, in floats


def for_arms(owner: str, name: str, given: object, interval: str) -> Shares:
    """A number for every arm, or a mapping of arms to numbers, all in the interval."""
    if isinstance(given, Mapping):
        given = tuple(given.items())
    if not isinstance(given, (list, tuple)):
        return number(owner, name, given, interval)
    pairs = [each if isinstance(each, (list, tuple)) else () for each in given]
    names = [each[0] for each in pairs if len(each) == 2 and isinstance(each[0], (str, int))]
    if not pairs or len(set(names)) < len(pairs):
        raise ParameterError(owner, name, "a number, or a mapping of arms to numbers", given)
    return tuple((arm, number(owner, name, x, interval)) for arm, x in pairs)


def as_shares(given: object) -> Shares:
    """A number in [0, 1] for every arm; or a mapping of arms to such numbers."""
    return for_arms("Floor", "share", given, "[0, 1]")


def as_floored(given: object) -> Any:
    """A policy, or its name."""
    return as_inner_policy(given, "Floor", "policy", stand_ins=True)


@checked
class Floor(NamedTuple):
    """A policy with a floor: each arm is played with at least the share f_i, so that its
    probability is f_i + (1 - sum_j f_j) p_i, where p_i is the policy's.

    policy: any policy, or its name.
    share: f_i in [0, 1], for every arm; or for some, {"control": 0.1}, by their names in a
    `Decider` and in the service, by their places 0, 1, ... in a simulation. They add up to at most
    1. Arms that are disabled have none. An arm that was removed takes its share along.

    A floor of 0 changes no choice. Every choice of a floor teaches the policy as its own do.

    >>> Floor("ucb", 0.1).probabilities("bernoulli", pulls=[8, 8], sums=[4, 2])
    array([0.9, 0.1])
    """

    policy: Annotated[Any, as_floored]
    share: Annotated[Any, as_shares]

    def bare(self) -> Any:
        """The policy without its floor."""
        return self.policy

    def __getattr__(self, name: str) -> Any:
        """The methods of the policy, such as those that say what it needs."""
        if name in vars(Policy) and not name.startswith("_"):
            return getattr(self.policy, name)
        raise AttributeError(name)

    def settles(self) -> bool:
        return False

    def plays_each_first(self) -> bool:
        return False

    def probabilities(
        self, family: object, pulls: ArrayLike, sums: ArrayLike, **more: object
    ) -> Floats:
        """As `Policy.probabilities`, with the floor; arms are known by their places."""
        p = self.policy.probabilities(family, pulls, sums, **more)
        shares = self.shares_of(range(p.size))
        return np.asarray(shares + (1.0 - shares.sum()) * p)

    def shares_of(self, names: Sequence[Name], strict: bool = True) -> Floats:
        """The floor of each of these arms; refused if they add up to more than 1.

        strict: whether arms that are not among them are refused; if not, they have been removed.
        """
        if isinstance(self.share, float):
            shares = np.full(len(names), self.share)
        else:
            places = {str(name): place for place, name in enumerate(names)}
            shares = np.zeros(len(names))
            for name, share in self.share:
                place = places.get(str(name))
                if place is not None:
                    shares[place] = share
                elif strict:
                    known = ", ".join(map(show, list(names)[:8]))
                    raise ParameterError("Floor", "share", f"of arms among {known}", name)
        total = float(shares.sum())
        if total > 1.0 + _ROUNDING:
            allowed = f"so small that those of {len(names)} arms add up to at most 1"
            raise ParameterError("Floor", "share", allowed, self.share)
        return shares


register(WRAPPERS, Floor)


def floors_of(policy: object, names: Sequence[Name], strict: bool = True) -> Floats | None:
    """The floor of each of these arms, if the policy has floors."""
    return policy.shares_of(names, strict) if isinstance(policy, Floor) else None
