"""What a policy is, and what every policy gets without writing it.

A policy is an immutable record of numbers with one method, `index_of`: the arm with the largest
index is played. Policies that do not rank arms one by one write `choose` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, NamedTuple, TypeVar, overload

from .._compile import record
from ..arms import Arms, Clock
from ..errors import ParameterError, one_of
from ..families import FAMILIES
from ..random import Draws

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


def promising(self: Any, arms: Arms) -> int:
    """An arm whose index is likely to be the largest, or -1: see `surely_below`."""
    return -1


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
    leader = self.promising(arms)
    solved = self.index_of(family, arms, leader, level) if leader >= 0 else -inf
    best, chosen, ties = -inf, 0, 1
    for i in range(arms.n_arms()):
        if i != leader and self.surely_below(family, arms, i, level, max(best, solved)):
            continue
        index = solved if i == leader else self.index_of(family, arms, i, level)
        if index > best:
            best, chosen, ties = index, i, 1
        elif index == best:
            preferred = self.prefer(family, arms, i, chosen, level)
            if preferred > 0.0:
                chosen, ties = i, 1
            elif preferred == 0.0:
                ties += 1
                if rng.takes_tie(i, ties):
                    chosen = i
    return chosen


def largest_mean(self: Any, arms: Arms) -> int:
    """The arm with the largest empirical mean: `promising` for indices that are costly to solve."""
    leader = 0
    for i in range(1, arms.n_arms()):
        if arms.mean(i) > arms.mean(leader):
            leader = i
    return leader


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
        surely_below,
        choose,
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
        POLICIES[cls.__name__] = cls
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
