"""Promises about indices and draws, which choosers use to find the largest sooner.

A policy only defines its index. Four kinds of promises about the index are kept apart from it:
bounds that cost less than the index (`Bounds`), its shape as a function of the level (`Curve`),
that it is a line in some function of the level (`Line`), and that it rises with a level that may
be more than a number (`Rising`). The fifth is about policies that draw a number for each arm
(`Draw`).
Each promise is a record that names its policies. Without promises choices would be the same, but
slower.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Protocol, TypeVar

from .._numba.compile import lean, record
from ..families import Family
from ..policies.arms import ArmCount, Arms, Clock
from ..policies.base import Policy
from ..random import Cell

T = TypeVar("T")


class Bounds(Protocol):
    """Bounds on the index of `policy`; it must depend on the arm's pulls and sums and on the level.

    fits: whether the bounds hold for a family, and cost less than the index.
    helps_devices: whether that is so on a GPU too.
    index_below: a lower bound of arm i's index.
    surely_below: True if arm i's index is certainly below the value; False if that is not known.
    """

    policy: Any

    def fits(self, family: Any) -> bool: ...
    def helps_devices(self, family: Any) -> bool: ...
    def index_below(self, family: Any, arms: Arms, i: int, level: Any) -> float: ...
    def surely_below(self, family: Any, arms: Arms, i: int, level: Any, value: float) -> bool: ...


class Curve(Protocol):
    """The shape of the index of `policy` as a function of the level: piecewise convex or concave.

    It promises that an index depends on the round only through the level, that the level depends
    only on the round and the number of arms, and that an infinite index stays infinite at every
    higher level. Its methods are explained at their defaults below.
    """

    policy: Any

    def fits(self, family: Any) -> bool: ...
    def pays_from(self, family: Any) -> float: ...
    def bends(self) -> int: ...
    def bends_one_way(self, family: Any, arms: Arms, i: int, low: float, high: float) -> bool: ...
    def same_index(self, family: Any, arms: Arms, i: int, j: int) -> bool: ...
    def straightened(self, family: Any, index: float) -> float: ...
    def index_error(self, family: Any, arms: Arms, i: int, value: float) -> float: ...


class Line(Protocol):
    """The index of `policy` as base + rise x scale(level), up to rounding.

    base, rise and the index depend on the arm's pulls and sums alone; base may depend on the level,
    too, if the level is the same in every round. The index that the policy computes may differ from
    this by 3e-15 of |base| + |rise x scale|.
    """

    policy: Any

    def fits(self, family: Any) -> bool: ...
    def helps_few(self) -> bool: ...
    def helps_many(self) -> bool: ...
    def scale(self, level: float) -> float: ...
    def base(self, family: Any, arms: Arms, i: int, level: float) -> float: ...
    def rise(self, family: Any, arms: Arms, i: int) -> float: ...


class Rising(Protocol):
    """The index of `policy` depends on an arm's pulls and sums and on the level alone, and never
    falls if the level rises.

    Where the level is more than a number, it rises if none of its parts falls.
    helps_devices: whether ceilings help on a GPU too.
    size: how many numbers of a level are kept, in the chooser's `memory` from the place `at` on.
    keep: keep a level that is not below the present one, nor below those of some rounds to come.
    holds: whether the present level is not above the kept one.
    above: a level between the two that is not below those to come, as long as the kept one holds.
    falls: whether `above` may fall while the kept level holds.
    ceiling: an upper bound of arm i's index, as it is computed, at this level and all below it.
    lasts: whether the ceiling of arm i, which is `height`, is still one for the level just kept.
    index_below: a lower bound of arm i's index; if it is not above `enough`, perhaps a closer one.
    surely_below: True if arm i's index is certainly below the value; False if that is not known.
    """

    policy: Any

    def fits(self, family: Any) -> bool: ...
    def helps_devices(self, family: Any) -> bool: ...
    def size(self) -> int: ...
    def keep(
        self, memory: Any, at: int, family: Any, arms: Arms, level: Any, clock: Clock
    ) -> None: ...
    def holds(self, memory: Any, at: int, level: Any, clock: Clock) -> bool: ...
    def above(self, memory: Any, at: int, level: Any) -> Any: ...
    def falls(self, memory: Any, at: int) -> bool: ...
    def ceiling(self, family: Any, arms: Arms, i: int, level: Any) -> float: ...
    def lasts(self, memory: Any, at: int, level: Any, i: int, height: float) -> bool: ...
    def index_below(self, family: Any, arms: Arms, i: int, level: Any, enough: float) -> float: ...
    def surely_below(self, family: Any, arms: Arms, i: int, level: Any, value: float) -> bool: ...


class Draw(Protocol):
    """The policy plays each arm once, then the first arm with the largest `draw`, a method of its
    own whose number depends on the arm's pulls and sums and on the random numbers of its cell.

    numbers: three numbers that follow from an arm's pulls and sums.
    score: from these and the cell a rising function of the draw, and by how much it may differ from
    what it is for the number that `draw` computes; infinite if nothing is known.
    """

    policy: Any

    def fits(self, family: Any) -> bool: ...
    def numbers(self, family: Any, arms: Arms, i: int) -> tuple[float, float, float]: ...
    def score(
        self, family: Any, one: float, two: float, three: float, cell: Cell
    ) -> tuple[float, float]: ...


@lean  # by `njit` it would count references wherever its first caller did, and that is kept on disk
def same_past(arms: Arms, i: int, j: int) -> bool:
    """Whether two arms have the same pulls and sums."""
    return bool(arms.pulls[i] == arms.pulls[j] and arms.sums[i] == arms.sums[j])


def fits(self: Any, family: Family) -> bool:
    """Whether the promise holds for the policy's parameters and this family."""
    return True


def helps_devices(self: Any, family: Family) -> bool:
    """Whether the promise helps on a GPU, whose threads wait where they part."""
    return True


def lasts(self: Any, memory: Any, at: int, level: Any, i: int, height: float) -> bool:
    """No: ceilings are for the level that was kept before."""
    return False


def fits_with_bounds(self: Any, family: Family) -> bool:
    """`fits` of a promise `Rising` that rests on `Bounds`, which its method `bounds` gives."""
    return bool(self.bounds().fits(family))


def surely_below(self: Any, family: Family, arms: Arms, i: int, level: Any, value: float) -> bool:
    """Whether the bounds say that arm i's index is certainly below the value."""
    return bool(self.bounds().surely_below(family, arms, i, level, value))


def helps_few(self: Any) -> bool:
    """Whether `Lines` are quicker than a scan of fewer than a dozen arms on a CPU."""
    return True


def helps_many(self: Any) -> bool:
    """Whether a `LineTournament` may be used.

    It promises that arms with the same base and rise have the same index at every level, that base
    does not depend on the level, that the level depends only on the round and the number of arms,
    and that the scale does not fall when the level rises.
    """
    return False


def pays_from(self: Any, family: Family) -> float:
    """The number of arms from which on a tournament is used, because it is quicker.

    24 is for an index that costs a square root and some divisions, and a policy that is scanned
    with fewer arms: both cost the same at 8 to 10 arms then. The curves of our policies have their
    own numbers, as these have quicker choosers than a scan (benchmarks/crossover.py).
    """
    return 24.0


def bends(self: Any) -> int:
    """1 if the straightened index is convex where it bends one way, -1 if it is concave there.

    0, the default, does not say which; then `Chords` cannot be used.
    """
    return 0


def bends_one_way(self: Any, family: Family, arms: Arms, i: int, low: float, high: float) -> bool:
    """Whether arm i's straightened index is convex, or concave, on all of [low, high]."""
    return True


def same_index(self: Any, family: Family, arms: Arms, i: int, j: int) -> bool:
    """Whether two arms have the same index at every level; by default, if their pasts are equal.

    `prefer` must then say the same at every level too.
    """
    return same_past(arms, i, j)


def straightened(self: Any, family: Family, index: float) -> float:
    """An increasing transform that makes the index nearly linear in the level."""
    return index


def index_error(self: Any, family: Family, arms: Arms, i: int, value: float) -> float:
    """A bound on the rounding error of arm i's straightened index, if its value is `value`.

    A mean plus a width, computed by some ten operations, is off by less than 20 units in the last
    place of the larger one, which is 5e-15 of it. 1e-12 leaves room for the functions of a family.
    """
    return 1e-12 * (abs(value) + abs(arms.mean(i)))


class Promises:
    """All promises of one kind, by the policies that they are about.

    defaults: the methods that a promise gets unless it has its own of that name.
    """

    def __init__(self, *defaults: Callable[..., Any]) -> None:
        self.defaults = {each.__name__: each for each in defaults}
        self.known: dict[type, list[type]] = {}  # policy -> records

    def of(self, *policies: type, **shared: Callable[..., Any]) -> Callable[[type[T]], type[T]]:
        """Make a NamedTuple class with a field `policy` a promise about these policies.

        shared: methods that replace some of the defaults.
        """

        def decorate(cls: type[T]) -> type[T]:
            record(cls, self.defaults | shared)
            for policy in policies:
                self.known.setdefault(policy, []).append(cls)
            return cls

        return decorate

    def about(self, policy: Policy, family: Any) -> Any:
        """The promise that holds for the policy and the family, or None."""
        kinds: Any = self.known.get(type(policy), [])
        return next((kind(policy) for kind in kinds if kind(policy).fits(family)), None)


BOUNDS = Promises(fits, helps_devices)
LINES = Promises(fits, helps_few, helps_many)
RISING = Promises(fits, helps_devices, lasts)
DRAWS = Promises(fits)
CURVES = Promises(fits, pays_from, bends, bends_one_way, same_index, straightened, index_error)

bounds_of, bounds_for = BOUNDS.of, BOUNDS.about
line_of, line_for = LINES.of, LINES.about
rising_of, rising_for = RISING.of, RISING.about
draw_of, draw_for = DRAWS.of, DRAWS.about
curve_of = CURVES.of
# What the promises `Rising` that rest on `Bounds` share.
BY_BOUNDS: dict[str, Any] = {"fits": fits_with_bounds, "surely_below": surely_below}


def curve_for(policy: Policy, family: Any) -> Any:
    """The curve that holds for the policy and the family, or None.

    Its promise about the level is checked: a level that reads statistics of arms raises TypeError.
    """
    curve = CURVES.about(policy, family)
    if curve is not None and curve.pays_from(family) < inf:
        try:
            policy.level(family, ArmCount(2), Clock(2, 4))
        except AttributeError:
            raise TypeError(
                f"{type(curve).__name__} must be about a policy whose level reads the round and "
                f"the number of arms alone. {type(policy).__name__}.level reads more of them."
            ) from None
    return curve
