"""What a policy is, and what every policy gets without writing it.

A policy is an immutable record of numbers with one method, `index_of`: the arm with the largest
index is played. Policies that do not rank arms one by one write `choose` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, NamedTuple, TypeVar, overload

from .._compile import record
from .._record import register
from ..errors import ParameterError, one_of
from ..families import FAMILIES
from ..random import Draws
from .arms import Arms, Clock

T = TypeVar("T")

POLICIES: dict[str, type] = {}
_needs: dict[type, tuple[str, ...]] = {}


def level(self: Any, family: Any, arms: Arms, clock: Clock) -> float:
    """What the indices of one round have in common, computed once: log t unless said otherwise."""
    return clock.log_t()


def index_of(self: Any, family: Any, arms: Arms, i: int, level: float) -> float:
    """The index of arm i. A policy that writes `choose` has none."""
    return 0.0


def prefer(self: Any, family: Any, arms: Arms, i: int, j: int, level: float) -> float:
    """Which of two arms with equal indices goes first: i if positive, j if negative, a tie if 0."""
    return 0.0


def start(self: Any, family: Any, n_arms: int) -> Any:
    """A fresh workspace for one replication, so that nothing is kept on the policy itself."""
    return None


ALONE, ALIKE, UNKNOWN = 0, 1, 2  # whose index may be as large as that of the arm that leads


def promising(self: Any, state: Any, family: Any, arms: Arms, level: float) -> tuple[int, int]:
    """An arm whose index is likely to be the largest, or -1, and what is known of its rivals.

    ALONE: every other index is smaller. ALIKE: those of arms with other pulls or sums are, and the
    index depends on nothing else. UNKNOWN: indices are to be solved.
    """
    return -1, UNKNOWN


def index_below(self: Any, family: Any, arms: Arms, i: int, level: float) -> float:
    """A lower bound of arm i's index, if one is cheaper to find than the index."""
    return -inf


def surely_below(self: Any, family: Any, arms: Arms, i: int, level: float, value: float) -> bool:
    """Whether arm i's index is below the value, if that is cheaper to tell than the index is to
    find: then only the arms that may win are solved, and the choice is the same."""
    return False


def choose(self: Any, state: Any, family: Any, arms: Arms, clock: Clock, rng: Draws) -> int:
    """Play each arm once, then the arm with the largest index."""
    unpulled = arms.unpulled()
    if unpulled >= 0:
        return unpulled
    level = self.level(family, arms, clock)
    leader, rivals = self.promising(state, family, arms, level)
    if rivals == ALONE:
        return int(leader)
    solved = -inf
    if leader >= 0:  # arms alike have one index, which any number stands for
        solved = 0.0 if rivals == ALIKE else self.index_of(family, arms, leader, level)
    best, chosen, ties = -inf, 0, 0
    for i in range(arms.n_arms()):
        if leader >= 0 and arms.alike(i, leader):
            index = solved
        elif rivals == ALIKE or self.surely_below(family, arms, i, level, max(best, solved)):
            continue
        else:
            index = self.index_of(family, arms, i, level)
        if index > best:
            best, chosen, ties = index, i, 1
        elif index == best:
            preferred = self.prefer(family, arms, i, chosen, level)
            if preferred > 0.0:
                chosen, ties = i, 1
            elif preferred == 0.0:
                ties += 1
    place, i = rng.among(ties) if ties > 1 else 0, chosen
    while place > 0:  # to the next arm that shares the top
        i += 1
        if leader >= 0 and arms.alike(i, leader):
            index = solved
        else:
            index = -inf if rivals == ALIKE else self.index_of(family, arms, i, level)
        if index == best and self.prefer(family, arms, i, chosen, level) == 0.0:
            place -= 1
    return i


def kinetic(self: Any, family: Any) -> float:
    """From how many arms on a tournament finds the largest index sooner than a scan; infinite where
    it may not be used: see `tournament`.

    To say a number is to promise that an index depends on the round through the level alone; that
    as a function of the level it is convex or concave where `bends_one_way` says so; and that where
    it is infinite, it is so at every higher level. It is quick if the level never falls.
    """
    return inf


def from_24_arms(self: Any, family: Any) -> float:
    """`kinetic` of an index that keeps the promise and costs a root and some divisions."""
    return 24.0


def bends_one_way(self: Any, family: Any, arms: Arms, i: int, low: float, high: float) -> bool:
    """Whether arm i's index, on the scale of `straightened`, is convex, or concave, from the level
    low to the level high."""
    return True


def same_index(self: Any, arms: Arms, i: int, j: int) -> bool:
    """Whether two arms have the same index at every level: here, if they have the same pulls and
    sums. A `kinetic` index that also looks at squares has to say so."""
    return arms.alike(i, j)


def straightened(self: Any, family: Any, index: float) -> float:
    """A rising function of the index, on which it goes with the level as straight as can be."""
    return index


def index_error(self: Any, family: Any, arms: Arms, i: int, value: float) -> float:
    """A bound on the rounding error of the index, where it has this value as `straightened`."""
    return 1e-12 * (abs(value) + abs(arms.mean(i)))


def needs_horizon(self: Any) -> bool:
    """Whether the rule must know the horizon T in advance."""
    return False


def samples_posteriors(self: Any) -> bool:
    """Whether the rule draws from posteriors: in the published protocol, from the generator that
    filled the table of rewards."""
    return False


def settles(self: Any) -> bool:
    """Whether the rule is meant to play the best arm ever more often: sublinear regret."""
    return True


_DEFAULTS = {
    each.__name__: each
    for each in (
        level,
        index_of,
        prefer,
        start,
        promising,
        index_below,
        surely_below,
        choose,
        kinetic,
        bends_one_way,
        same_index,
        straightened,
        index_error,
        needs_horizon,
        samples_posteriors,
        settles,
    )
}


@overload
def policy(cls: type[T], /) -> type[T]: ...
@overload
def policy(
    *, needs: Sequence[str] = (), **shared: Callable[..., Any]
) -> Callable[[type[T]], type[T]]: ...
def policy(
    cls: type[T] | None = None, /, *, needs: Sequence[str] = (), **shared: Callable[..., Any]
) -> Any:
    """Make a NamedTuple class a policy: checked, compiled, known by its name.

    `needs` names the methods that the assumed family must have, beyond those every family has;
    `shared` gives methods that several policies have in common, in place of the defaults.
    """

    def decorate(cls: type[T]) -> type[T]:
        own = {**vars(cls), **shared}
        if "index_of" not in own and "choose" not in own:
            raise TypeError(f"{cls.__name__} must define index_of or choose.")
        record(cls, {**_DEFAULTS, **shared})
        register(POLICIES, cls)
        _needs[cls] = tuple(needs)
        return cls

    return decorate if cls is None else decorate(cls)


def policy_named(name: str) -> type:
    """The policy class of that name, in any spelling of its case."""
    names = {known.lower(): known for known in POLICIES}
    return POLICIES[names.get(str(name).lower()) or one_of("policy", "name", name, POLICIES)]


def families_of(policy: type) -> list[type]:
    """The families that have what the policy needs."""
    return [each for each in FAMILIES.values() if not _missing(policy, each)]


def check_fit(policy: Any, family: Any) -> None:
    """Refuse, with a sentence, what is no policy or one that does not fit the family."""
    name, assumed = type(policy).__name__, type(family).__name__
    if type(policy) not in _needs:
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


def ranks_only(policy: Any) -> bool:
    """Whether the policy only ranks arms by their indices: then it draws nothing but ties."""
    return type(policy).choose is choose


def _missing(policy: type, family: type) -> list[str]:
    return [each for each in _needs[policy] if not hasattr(family, each)]


class Assuming(NamedTuple):
    """A policy together with the family it assumes, where that is not the problem's own.

    `Assuming(RBMLE(), Gaussian(0.5))` plays the Gaussian index on rewards of any law
    (Proposition 4).
    """

    policy: Any
    family: Any
