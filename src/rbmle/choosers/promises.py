"""Promises about an index, which choosers use to find the largest one sooner.

A policy says what its index is. What else is known of it stands here, apart: bounds that cost less
than the index (`Bounds`), and its shape as a function of the level (`Curve`). Each is a record that
names the policy it is about. Without any of them every choice is the same, and takes longer.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Protocol, TypeVar

from .._compile import njit, record
from ..families import Family
from ..policies.arms import ArmCount, Arms, Clock
from ..policies.base import Policy

T = TypeVar("T")

BOUNDS: dict[type, list[type]] = {}  # by policy
CURVES: dict[type, list[type]] = {}


class Bounds(Protocol):
    """Bounds on the index of `policy`, which must depend on an arm's pulls and sums alone.

    fits: whether they hold, and cost less than the index, for a family.
    index_below: a lower bound of arm i's index.
    surely_below: whether arm i's index is below the value; False where that is not known.
    """

    policy: Any

    def fits(self, family: Any) -> bool: ...
    def index_below(self, family: Any, arms: Arms, i: int, level: float) -> float: ...
    def surely_below(self, family: Any, arms: Arms, i: int, level: float, value: float) -> bool: ...


class Curve(Protocol):
    """The index of `policy` as a function of the level: convex, or concave, piece by piece.

    It promises that an index depends on the round through the level alone, that the level depends
    on the round and on how many arms there are, and that an index that is infinite is so at every
    higher level.
    """

    policy: Any

    def fits(self, family: Any) -> bool: ...
    def pays_from(self, family: Any) -> float: ...
    def bends_one_way(self, family: Any, arms: Arms, i: int, low: float, high: float) -> bool: ...
    def same_index(self, arms: Arms, i: int, j: int) -> bool: ...
    def straightened(self, family: Any, index: float) -> float: ...
    def index_error(self, family: Any, arms: Arms, i: int, value: float) -> float: ...


@njit
def same_past(arms: Arms, i: int, j: int) -> bool:
    """Whether two arms have the same pulls and sums."""
    return bool(arms.pulls[i] == arms.pulls[j] and arms.sums[i] == arms.sums[j])


def fits(self: Any, family: Family) -> bool:
    """Whether the promise holds for the policy with its parameters, and this family."""
    return True


def pays_from(self: Any, family: Family) -> float:
    """From how many arms on a tournament is quicker than a scan: see benchmarks/crossover.py.

    24 suits an index that costs a root and some divisions: the crossings that were measured are
    between 10 (GP-UCB) and 18 (UCB).
    """
    return 24.0


def bends_one_way(self: Any, family: Family, arms: Arms, i: int, low: float, high: float) -> bool:
    """Whether arm i's index, on the scale of `straightened`, is convex, or concave, from the level
    low to the level high."""
    return True


def same_index(self: Any, arms: Arms, i: int, j: int) -> bool:
    """Whether two arms have the same index at every level: here, if they have the same past."""
    return same_past(arms, i, j)


def straightened(self: Any, family: Family, index: float) -> float:
    """An increasing transform that makes the index nearly linear in the level."""
    return index


def index_error(self: Any, family: Family, arms: Arms, i: int, value: float) -> float:
    """A bound on the rounding error of an index with this value, as `straightened`.

    A sum of a mean and a width that take some ten operations is off by less than 20 units in the
    last place of the larger, 5e-15 of it; 1e-12 leaves room for the functions of a family.
    """
    return 1e-12 * (abs(value) + abs(arms.mean(i)))


_OF_CURVES = {
    each.__name__: each
    for each in (fits, pays_from, bends_one_way, same_index, straightened, index_error)
}


def bounds_of(*policies: type) -> Callable[[type[T]], type[T]]:
    """Make a NamedTuple class with the field `policy` the bounds of these policies' indices."""

    def decorate(cls: type[T]) -> type[T]:
        record(cls, {"fits": fits})
        for policy in policies:
            BOUNDS.setdefault(policy, []).append(cls)
        return cls

    return decorate


def curve_of(*policies: type, **shared: Callable[..., Any]) -> Callable[[type[T]], type[T]]:
    """Make a NamedTuple class with the field `policy` the curve of these policies' indices.

    Methods of `Curve` that it does not write are those above; `shared` gives others in their place.
    """

    def decorate(cls: type[T]) -> type[T]:
        record(cls, {**_OF_CURVES, **shared})
        for policy in policies:
            CURVES.setdefault(policy, []).append(cls)
        return cls

    return decorate


def bounds_for(policy: Policy, family: Any) -> Any:
    """The bounds that hold for the policy and the family, or None."""
    return _promise(BOUNDS, policy, family)


def curve_for(policy: Policy, family: Any) -> Any:
    """The curve that holds for the policy and the family, or None.

    Its promise about the level is checked: a level that reads the statistics of arms is refused.
    """
    curve = _promise(CURVES, policy, family)
    if curve is not None and curve.pays_from(family) < inf:
        try:
            policy.level(family, ArmCount(2), Clock(2, 4))
        except AttributeError:
            raise TypeError(
                f"{type(curve).__name__} must be about a policy whose level reads the round and "
                f"the number of arms alone. {type(policy).__name__}.level reads more of them."
            ) from None
    return curve


def _promise(known: dict[type, list[type]], policy: Any, family: Any) -> Any:
    kinds: Any = known.get(type(policy), [])
    return next((kind(policy) for kind in kinds if kind(policy).fits(family)), None)
