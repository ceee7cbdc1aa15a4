"""The interface of a policy: an immutable record of numbers with a method `index_of`, where the arm
with the largest index is played, or with a method `choose`, if it does not rank arms by an index.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike

from .._numba.compile import Floats, defaults_of, kernel, lean, record
from .._records.record import Record, register
from ..errors import ParameterError, Words
from ..families import Family
from ..families.protocols import require_by_sums
from ..random import Draws
from ..spec import class_named
from .arms import ArmCount, Arms, Clock

T = TypeVar("T")

POLICIES: dict[str, type] = {}
NEEDS: dict[type, tuple[str, ...]] = {}  # policy -> methods it needs that not every family has


class Policy(Record, Protocol):
    """The methods of every policy, with the defaults that a class gets unless it has its own.

    A level is whatever the policy's `level` returns. A family is `Any` where a policy's own method
    may need more of it than every family has.
    """

    def level(self, family: Any, arms: Arms | ArmCount, clock: Clock) -> Any:
        """The part that all indices of a round have in common, computed once; default: log t."""
        return clock.log_t()

    def index_of(self, family: Any, arms: Arms, i: int, level: object) -> float:
        """The index of arm i. The default is for policies with `choose`, which have no index."""
        return 0.0

    def prefer(self, family: Family, arms: Arms, i: int, j: int, level: object) -> float:
        """Which of two arms with equal indices is preferred: i if > 0, j if < 0, neither if 0."""
        return 0.0

    def worth(
        self, state: Floats, family: Family, arms: Arms, i: int, level: object, rng: Draws
    ) -> float:
        """What the policy believes that arm i pays, on the scale of rewards: an upper bound of its
        mean, or a draw. A cost can be set against it (`Priced`). The default is for policies that
        know no such number."""
        return 0.0

    def choose(self, state: Floats, family: Any, arms: Arms, clock: Clock, rng: Draws) -> int:
        """The arm to play: each arm once, then the one with the largest index; ties by one draw."""
        unpulled = arms.unpulled() if self.plays_each_first() else -1
        if unpulled >= 0:
            return unpulled
        level = self.level(family, arms, clock)
        first, ties = self.leaders(family, arms, level)
        return self.tied(family, arms, first, level, rng.among(ties)) if ties > 1 else first

    def leaders(self, family: Family, arms: Arms, level: object) -> tuple[int, int]:
        """The first arm of those with the largest index, and how many tie with it, itself too."""
        best, first, ties = -inf, 0, 0
        for i in range(arms.n_arms()):
            index = self.index_of(family, arms, i, level)
            if index > best:
                best, first, ties = index, i, 1
            elif index == best:
                preferred = self.prefer(family, arms, i, first, level)
                if preferred > 0.0:
                    first, ties = i, 1
                elif preferred == 0.0:
                    ties += 1
        return first, ties

    def tied(self, family: Family, arms: Arms, first: int, level: object, place: int) -> int:
        """The arm at this place among those that tie with arm `first`, which is at place 0."""
        best, i = self.index_of(family, arms, first, level), first
        while place > 0:
            i += 1
            index = self.index_of(family, arms, i, level)
            if index == best and self.prefer(family, arms, i, first, level) == 0.0:
                place -= 1
        return i

    def probabilities(
        self, family: object, pulls: ArrayLike, sums: ArrayLike, squares: ArrayLike | None = None,
        t: int | None = None, horizon: int | None = None, ties: str = "random",
    ) -> Floats:  # fmt: skip
        """The probability with which the policy plays each arm in round t, as an array.

        pulls, sums: for each arm, the number of its rewards and their sum. squares: the sums of
        their squares, for policies that read variances. t: by default the round after all pulls.
        ties: as in `simulate`. What the policy remembers of earlier rounds is taken to be nothing.

        >>> import rbmle
        >>> rbmle.ThompsonSampling().probabilities("bernoulli", pulls=[8, 5], sums=[4, 4]).round(6)
        array([0.167832, 0.832168])
        """
        from .propensities import stated_probabilities  # it is above: it checks policies

        return stated_probabilities(self, family, pulls, sums, squares, t, horizon, ties)

    def propensities(
        self, state: Floats, family: Any, arms: Arms, clock: Clock, ties: bool
    ) -> Floats:
        """The probability with which `choose` plays each arm. It is not compiled.

        ties: whether arms with equal indices are drawn by lot. The default is for policies that
        rank arms by an index; one with its own `choose` needs its own, or has no probabilities.
        """
        if not ranks_only(self):
            allowed = "one whose probabilities are known, by 'propensities' next to its 'choose'"
            raise ParameterError("probabilities", "policy", allowed, Words(type(self).__name__))
        p = np.empty(arms.pulls.size)
        share_ties(self, family, arms, clock, ties, p)
        return p

    def remembers(self, n_arms: int) -> int:
        """The size of the policy's memory, a + b n_arms numbers; a saved decider contains them.

        They are the first of the array `state` that `choose` gets, 0 in round 1: `a` numbers that
        belong to no arm, then `b` of each arm. Those of an arm stay with it wherever arms come and
        go. The others are set to 0 then, as they may name an arm by its place, and what is written
        to them while rewards are imputed is discarded.
        """
        return 0

    def scratch(self, family: Family, n_arms: int) -> int:
        """The size of the work space of `choose`, in numbers, without what it remembers.

        They follow in the array `state`. In round 1 they are 0. Later they usually are as `choose`
        left them, but they may be set to 0 between two rounds: choices must not depend on that.
        """
        return 0

    def plays_each_first(self) -> bool:
        """Whether arms without a reward are played before all others. If not, `arms.pulls[i]` may
        be 0 where the policy looks at arm i; then it has no mean."""
        return True

    def needs_horizon(self) -> bool:
        """Whether the policy must know the horizon T in advance."""
        return False

    def uses_horizon(self) -> bool:
        """Whether the policy uses the horizon T where it is known: by default, if it needs it. A
        policy that uses it without needing it sees the horizon 0 where it is not known."""
        return self.needs_horizon()

    def samples_posteriors(self) -> bool:
        """Whether the policy draws from posteriors; in the published protocol by the generator that
        filled the reward table."""
        return False

    def draws_jointly(self) -> bool:
        """Whether the policy wants the errors of all arms' means, drawn together, in `state`."""
        return False

    def keeps_rewards(self) -> bool:
        """Whether the policy reads rewards one by one, by how an arm's pulls and sum grow. Evidence
        that changes them without a pull is refused then."""
        return False

    def takes_imputed(self) -> bool:
        """Whether a pull whose reward has not come is shown as if it had paid the arm's mean so
        far. If not, as for a policy that would keep that for a reward, it sees rewards alone."""
        return True

    def settles(self) -> bool:
        """Whether regret is meant to be sublinear: the best arm is played ever more often."""
        return True


def index_is_worth(
    self: Policy, state: Floats, family: Family, arms: Arms, i: int, level: object, rng: Draws
) -> float:
    """The `worth` of an arm for policies whose index is an upper bound of its mean."""
    return float(self.index_of(family, arms, i, level))


def by_sums_alone(self: Any, family: Any) -> None:
    """The `check_family` of policies that take D for that of pulls and sums."""
    require_by_sums(type(self).__name__, family)


@lean
def one_of_largest(values: Floats, rng: Draws) -> int:
    """The place of the largest of these numbers; of several, one by lot."""
    best, first, ties = -inf, 0, 0
    for i in range(values.size):
        if values[i] > best:
            best, first, ties = values[i], i, 1
        elif values[i] == best:
            ties += 1
    left, i = rng.among(ties), first
    while left > 0:
        i += 1
        left -= 1 if values[i] == best else 0
    return i


@lean
def preferred_of_largest(
    policy: Policy, family: Family, arms: Arms, level: object, values: Floats, rng: Draws
) -> int:
    """The arm with the largest of these values; of those that tie, the one that the policy prefers,
    or one by lot: as `Policy.choose` does it with indices."""
    best, first, ties = -inf, 0, 0
    for i in range(arms.n_arms()):
        preferred = policy.prefer(family, arms, i, first, level) if values[i] == best else 0.0
        if values[i] > best or preferred > 0.0:
            best, first, ties = values[i], i, 1
        elif values[i] == best and preferred == 0.0:
            ties += 1
    left, i = rng.among(ties) if ties > 1 else 0, first
    while left > 0:
        i += 1
        if values[i] == best and policy.prefer(family, arms, i, first, level) == 0.0:
            left -= 1
    return i


class HasRise(Protocol):
    """A policy with a function g of the mean that rises."""

    def g(self, family: Family, mean: float) -> float: ...


@lean
def mean_where(policy: HasRise, family: Family, near: float, value: float) -> float:
    """The mean m with g(m) = value, where g = `policy.g` rises; an end of the range of means if g
    does not reach the value. near: a mean to search from."""
    low, high = family.mean_range()
    if value == inf:
        return float(high)
    a, b, step = near, near, max(1.0, abs(near))
    while a > low and policy.g(family, a) > value and step < 1e300:
        a, step = max(near - step, low), 2.0 * step
    step = max(1.0, abs(near))
    while b < high and policy.g(family, b) < value and step < 1e300:
        b, step = min(near + step, high), 2.0 * step
    middle = 0.5 * (a + b)
    while a < middle < b:
        if policy.g(family, middle) < value:
            a = middle
        else:
            b = middle
        middle = 0.5 * (a + b)
    return float(b)


@kernel
def share_ties(
    policy: Policy, family: Family, arms: Arms, clock: Clock, ties: bool, p: Floats
) -> None:
    """Fill p as `Policy.choose` plays: 1 for the arm with the largest index. Those that tie share
    it, or without `ties` the first of them has it."""
    level = policy.level(family, arms, clock)
    first, tied = policy.leaders(family, arms, level)
    shares = max(tied, 1) if ties else 1
    p[:] = 0.0
    for place in range(shares):
        p[policy.tied(family, arms, first, level, place)] = 1.0 / shares


@overload
def policy(cls: type[T], /) -> type[T]: ...
@overload
def policy(
    *, needs: Sequence[str] = (), **shared: Callable[..., object]
) -> Callable[[type[T]], type[T]]: ...
def policy(
    cls: type[T] | None = None, /, *, needs: Sequence[str] = (), **shared: Callable[..., object]
) -> Any:
    """Make a NamedTuple class a policy: its fields are checked, its methods compiled.

    It is known by its name from now on.
    needs: the methods that the assumed family must have, beyond those that every family has.
    shared: methods that replace the defaults above, for several policies that have them in common.

        @rbmle.policy
        class Greedy(NamedTuple):
            def index_of(self, family: Any, arms: Arms, i: int, level: float) -> float:
                return arms.mean(i)

        rbmle.simulate(rbmle.Problem("bernoulli", [0.4, 0.6]), [Greedy()], 1_000, 10)
    """

    def decorate(cls: type[T]) -> type[T]:
        own = {**vars(cls), **shared}
        if "index_of" not in own and "choose" not in own:
            raise TypeError(f"{cls.__name__} must define index_of or choose.")
        record(cls, {**defaults_of(Policy), **shared})
        register(POLICIES, cls)
        NEEDS[cls] = tuple(needs)
        return cls

    return decorate if cls is None else decorate(cls)


def policy_named(name: str) -> type:
    """The policy class of that name; upper and lower case do not matter.

    >>> policy_named("ucb").__name__
    'UCB'
    """
    return class_named(name, POLICIES, "policy", "name")


def fresh_state(policy: Policy, family: Family, n_arms: int) -> Floats:
    """The array `state` that `choose` gets in the first round of a replication."""
    return np.zeros(policy.remembers(n_arms) + policy.scratch(family, n_arms))


def memory_of(policy: Policy) -> tuple[int, int]:
    """How many numbers the policy remembers that belong to no arm, and how many of each arm."""
    shared = policy.remembers(0)
    return shared, policy.remembers(1) - shared


def bare(policy: Any) -> Any:
    """The policy without its `Floor` or its costs, if it has some."""
    return policy.bare() if hasattr(type(policy), "bare") else policy


def ranks_only(policy: Policy) -> bool:
    """Whether the policy only ranks arms by index: then it draws random numbers only for ties."""
    return type(bare(policy)).choose is Policy.choose


def has_index(policy: Policy) -> bool:
    """Whether the policy gives each arm an index."""
    return type(bare(policy)).index_of is not Policy.index_of


def has_worth(policy: Policy) -> bool:
    """Whether the policy knows what arms are worth to it on the scale of rewards."""
    return type(bare(policy)).worth is not Policy.worth
