"""Facts about a policy's index, which choosers use to find the largest one sooner.

A policy only defines its index. What else is known of it is one record for each policy, with a
field `policy`; `facts_of` registers it. Every method has a default, in `Facts`, which needs nothing
but `index_of`. Without facts choices would be the same, but slower.

What is compared is the index times `scale(level)`, which is the same positive number for all arms.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Protocol, TypeAlias, TypeVar

from .._numba.compile import Floats, apart_method, defaults_of, record
from ..families import Family
from ..families.protocols import by_sums
from ..policies.arm_bias import ArmLevel
from ..policies.arms import ArmCount, Arms, Clock, same_past
from ..policies.base import Policy, ranks_only
from ..policies.kg import Race
from ..random import Draws

T = TypeVar("T")
Level: TypeAlias = "float | ArmLevel | Race"

# The place in the memory of `CachedBounds` from which on facts keep up to three numbers.
CONTEXT = 6


class Facts(Protocol):
    """Facts about the index of `policy`: what a record has, its own or these defaults."""

    @property
    def policy(self) -> Policy: ...

    @apart_method  # as a part of a chooser's loop it would nearly double the time of a round
    def scanned(self, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
        """The arm that a scan finds."""
        return self.policy.choose(state, family, arms, clock, rng)

    # Which chooser is used.

    def fits(self, family: Family) -> bool:
        """Whether the facts hold for the policy's parameters and this family."""
        return True

    def rises(self, family: Family) -> bool:
        """Whether `CachedBounds` may be used: until an arm is pulled, its scaled index never falls
        from round to round, apart from rounding errors (or `later` says how it moves)."""
        return True

    def costly(self) -> bool:
        """Whether the index costs much more than `index_below` and `surely_below`, so that these
        help also where all arms change in every round. If not, `index_below` is the index."""
        return False

    def helps_devices(self) -> bool:
        """Whether `CachedBounds` are quicker than a scan on a GPU, whose threads wait where they
        part. Where an index is a formula they are not: on an H200 bounds had 0.3 to 0.8 of the
        rate of a scan with ten arms (RBMLE, UCB, KG), and 0.98 to 1.07 (recommended, MOSS)."""
        return False

    def tournament_from(self, family: Family) -> float:
        """The number of arms from which on a `Tournament` is quicker; infinite if there is none.

        A finite number promises: the level depends on the round and the number of arms alone and
        never falls, the index depends on the round through the level alone, an infinite one stays
        infinite, and the straightened index is piecewise convex or concave over the level.
        """
        return inf

    # Facts for cached bounds.

    def scale(self, family: Family, level: Level) -> float:
        """By what indices of this level are multiplied before they are compared with others'."""
        return 1.0

    def expires(self, clock: Clock) -> bool:
        """Whether indices rise from round to round; if not, a bound for now holds later too."""
        return True

    def keep(self, memory: Floats, family: Family, arms: Arms, level: Level, clock: Clock) -> None:
        """Store in `memory`, from CONTEXT on, the levels for which bounds are computed next."""

    def holds(self, memory: Floats, level: Level, clock: Clock) -> bool:
        """Whether the level is among those for which bounds were computed."""
        return True

    def later(
        self, memory: Floats, family: Family, arms: Arms, level: Level, clock: Clock, rounds: int
    ) -> Level:
        """A level at which indices are at least as high as in any of the next rounds."""
        found: Level = self.policy.level(family, arms, Clock(clock.t + rounds, clock.horizon))
        return found

    def index_above(self, family: Family, arms: Arms, i: int, later: Level, level: Level) -> float:
        """An upper bound of arm i's scaled index, as it is computed at any level from the present
        one, `level`, up to `later`."""
        index = self.policy.index_of(family, arms, i, later)
        if not abs(index) < inf:
            return index
        error = 4.0 * self.index_error(family, arms, i, index)
        return index * self.scale(family, later) + error * self.scale(family, level)

    def index_below(self, family: Family, arms: Arms, i: int, level: Level, enough: float) -> float:
        """A lower bound of arm i's scaled index; if it is not above `enough`, perhaps closer."""
        return self.policy.index_of(family, arms, i, level) * self.scale(family, level)

    def surely_below(self, family: Family, arms: Arms, i: int, level: Level, value: float) -> bool:
        """True if arm i's scaled index is certainly below the value; False if that is not known."""
        return False

    def straight(self) -> bool:
        """Whether the index is base + rise x at(level), up to rounding errors, with `line`."""
        return False

    def at(self, level: Level) -> float:
        return 0.0

    def line(self, family: Family, arms: Arms, i: int) -> tuple[float, float]:
        """The base and the rise of arm i, which is not negative."""
        return 0.0, 0.0

    def index_error(self, family: Family, arms: Arms, i: int, value: float) -> float:
        """A bound on the rounding error of arm i's straightened index, if its value is `value`.

        A mean plus a width, computed by some ten operations, is off by less than 20 units in the
        last place of the larger one, 5e-15 of it. 1e-12 leaves room for a family's functions.
        """
        return 1e-12 * (abs(value) + abs(arms.mean(i)))

    # Facts for the tournament.

    def bends_one_way(self, family: Family, arms: Arms, i: int, low: float, high: float) -> bool:
        """Whether arm i's straightened index is convex, or concave, on all of [low, high]."""
        return True

    def same_index(self, family: Family, arms: Arms, i: int, j: int) -> bool:
        """Whether two arms have the same index at every level; by default, if they have the same
        past.

        `prefer` must then say the same at every level too.
        """
        return same_past(arms, i, j)

    def straightened(self, family: Family, index: float) -> float:
        """An increasing transform that makes the index nearly linear in the level."""
        return index


_known: dict[type, list[type]] = {}  # policy -> records
Methods: TypeAlias = dict[str, Callable[..., object]]


def true(self: Facts) -> bool:
    """For `facts_of`: in place of a default that returns False."""
    return True


def facts_of(*policies: type, **shared: Callable[..., object]) -> Callable[[type[T]], type[T]]:
    """Make a NamedTuple class with a field `policy` the facts about these policies.

    shared: methods that replace some of the defaults.
    """

    def decorate(cls: type[T]) -> type[T]:
        record(cls, defaults_of(Facts) | shared)
        for policy in policies:
            _known.setdefault(policy, []).append(cls)
        return cls

    return decorate


def facts_for(policy: Policy, family: Family) -> Facts | None:
    """The facts that hold for the policy and the family, or None; all are by pulls and sums.

    The promise about the level of a tournament is checked: one that reads arms raises TypeError.
    """
    if not ranks_only(policy) or not policy.plays_each_first() or not by_sums(family):
        return None
    for kind in _known.get(type(policy), []):
        facts: Facts = kind(policy)
        if not facts.fits(family):
            continue
        try:
            if facts.tournament_from(family) < inf:
                policy.level(family, ArmCount(2), Clock(2, 4))
        except AttributeError:
            raise TypeError(
                f"{kind.__name__} must be about a policy whose level reads the round and the "
                f"number of arms alone. {type(policy).__name__}.level reads more of them."
            ) from None
        return facts
    return None
