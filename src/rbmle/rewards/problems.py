"""Problems: the true distribution of each arm's rewards, which no policy ever sees.

A reward is a pure function of the law, the mean and the cell (replication, round, arm): in rounds
in which two worlds have the same mean, they have the same reward.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import ChainMap
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._io.text import count_text, number_text, power_text
from .._numba.compile import Floats, defaults_of, record
from ..errors import ParameterError
from ..families import FAMILIES, Law
from ..random import MAX_ARMS, Cell, key
from ..spec import as_record
from .delays import Delay
from .laws import LAWS

T = TypeVar("T")

Bring = Callable[[Any], Any]  # moves an array to a device
Rows = Callable[..., Any]  # room on a device for an array of this shape for each thread

_MOST_MEANS = 24  # listed one by one; the rest is counted


class Pays(Protocol):
    """A record that compiled code gets rewards from."""

    @abstractmethod
    def reward(self, replication: int, t: int, i: int) -> float:
        """The reward of arm i in round t of a replication."""


class RewardSource(Pays, Protocol):
    """The methods of every record that pays rewards, with the defaults that a class gets."""

    def on_device(self, bring: Bring, rows: Rows) -> Self:
        """The record with its arrays on a device, by default the same for all threads."""
        here: Any = self
        moved = {k: bring(x) for k, x in here._asdict().items() if isinstance(x, np.ndarray)}
        return here._replace(**moved)  # type: ignore[no-any-return]

    def own(self) -> Self:
        """The record for one thread; by default it needs no room of its own."""
        return self

    def moving(self) -> bool:
        """Whether features are drawn anew in each round."""
        return False

    def meet(self, replication: int, t: int) -> None:
        """Round t begins: draw its features, if there are any."""

    def round_of(self, t: int) -> int:
        """The number of round t among those that count."""
        return t

    def accepts(self, replication: int, t: int, i: int) -> bool:
        """Whether round t counts if arm i is chosen; in a `Replay` it may not."""
        return True

    def cost(self, replication: int, t: int, i: int) -> float:
        """What a pull of arm i in round t costs, where that is seen with the reward."""
        return 0.0


def reward_source(cls: type[T]) -> type[T]:
    """Make a NamedTuple class a source of rewards for compiled code."""
    return record(cls, defaults_of(RewardSource))


@reward_source
class Stream(NamedTuple):
    """Rewards drawn when they are needed. On a device `means` has a row for each problem."""

    law: Law
    means: Floats
    key0: int
    key1: int

    def reward(self, replication: int, t: int, i: int) -> float:
        return self.law.sample(self.means[i], Cell(self.key0, self.key1, replication, t, i))


class World:
    """What the simulator asks of everything that pays rewards: the base class of `Problem`.

    law: how a reward with a given mean is distributed.
    fixed_gaps: each arm's gap, the same in every round; None if gaps change from round to round.
    Then regret is dynamic: against the best arm of each round.
    dimension: of the features of arms; 0 if there are none.
    replays: whether rounds may not count: see `Replay`.
    """

    law: Any
    replays = False

    @property
    def n_arms(self) -> int:
        """The number of arms."""
        raise NotImplementedError

    @property
    def fixed_gaps(self) -> Floats | None:
        return None

    @property
    def dimension(self) -> int:
        return 0

    @property
    def delay(self) -> Delay | None:
        """When rewards come, if the world says so; else None."""
        return None

    @property
    def family(self) -> Any:
        """The family that policies assume by default: the law, if it is a family, else None."""
        return self.law if isinstance(self.law, tuple(FAMILIES.values())) else None

    def words(self) -> str:
        """How it differs from a plain problem, in a word or two, for titles."""
        return ""

    def described(self) -> dict[str, str]:
        """Its means in words, for reports: pairs of a word and its value."""
        raise NotImplementedError

    def note(self, names: Sequence[str], regret: Floats, pulls: NDArray[np.int64]) -> str:
        """A line below a table of results; none by default.

        names: of the policies. regret: the final regret of each, in each replication. pulls: how
        often each played each arm there.
        """
        return ""

    def check_horizon(self, horizon: int) -> None:
        """Refuse a horizon that the world does not suit."""

    def kind(self) -> Hashable:
        """Worlds of one kind differ in numbers only: a GPU plays them together.

        By default a world is played alone.
        """
        return self

    def source(self, seed: int, horizon: int) -> Pays:
        """The record that compiled code gets rewards from; see `Stream`."""
        raise NotImplementedError

    def sources(self, worlds: Sequence[Self], seed: int, horizon: int) -> Pays:
        """One record for several worlds of this kind, for a GPU: its arrays have a row for each."""
        return self.source(seed, horizon)

    def identity(self) -> Hashable:
        """All that makes the world: worlds are equal if these are."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, World):
            return NotImplemented
        return type(self) is type(other) and self.identity() == other.identity()

    def __hash__(self) -> int:
        return hash(self.identity())


class Varied(World):
    """A world that is another one with something changed: its law, its arms and the dimension of
    their features are the same."""

    problem: Any

    @property
    def law(self) -> Any:
        """The law of rewards."""
        return self.problem.law

    @property
    def n_arms(self) -> int:
        return int(self.problem.n_arms)

    @property
    def dimension(self) -> int:
        return int(self.problem.dimension)


@dataclass(frozen=True, eq=False)
class Problem(World):
    """Arms that share a law of rewards and differ in their means.

    `law` is a family (`Bernoulli()`, `Gaussian(sigma=2)`, ...) or one of the non-parametric laws
    (`Uniform()`, `Laplace()`, ...), or the name of one: `"bernoulli"`, `"gaussian(sigma=2)"`.

    >>> Problem("bernoulli", [0.2, 0.5, 0.4]).gaps
    array([0.3, 0. , 0.1])
    """

    law: Any
    means: Floats

    def __init__(self, law: object, means: Sequence[float] | Floats) -> None:
        known = as_record(law, ChainMap(LAWS, FAMILIES), "Problem", "law")
        if not hasattr(known, "sample"):
            raise ParameterError(
                "Problem", "law", "a family or law that can be sampled, as in Bernoulli()", known
            )
        values = as_numbers("Problem", "means", means, "a list of numbers")
        if values.ndim != 1 or not 2 <= values.size <= MAX_ARMS:
            words = f"a list of 2 to {MAX_ARMS} numbers, one for each arm"
            raise ParameterError("Problem", "means", words, means)
        allowed = known.mean_interval()
        for value in values.tolist():
            if not np.isfinite(value) or value not in allowed:
                words = f"numbers in {allowed} for {type(known).__name__}"
                raise ParameterError("Problem", "means", words, value)
        if 0.5 * values.max() - 0.5 * values.min() > 0.5 * np.finfo(float).max:
            words = "numbers less than 1.8e308 apart"
            raise ParameterError("Problem", "means", words, values.tolist())
        values.setflags(write=False)
        vars(self).update(law=known, means=values)

    @property
    def n_arms(self) -> int:
        """The number of arms, N in the paper."""
        return int(self.means.size)

    @property
    def gaps(self) -> Floats:
        """The gaps Delta_i: the best arm's mean minus each arm's mean."""
        return np.asarray(self.means.max() - self.means)

    @property
    def fixed_gaps(self) -> Floats:
        return self.gaps

    def described(self) -> dict[str, str]:
        return {"Means": means_text(self.means)}

    def kind(self) -> Hashable:
        return type(self), type(self.law), self.law, self.n_arms

    def source(self, seed: int, horizon: int) -> Stream:
        return Stream(self.law, np.array(self.means), *key(seed))

    def sources(self, worlds: Sequence[Self], seed: int, horizon: int) -> Stream:
        return Stream(self.law, np.array([each.means for each in worlds]), *key(seed))

    def identity(self) -> Hashable:
        means = self.means + 0.0  # -0.0 becomes 0.0, to which it is equal
        return type(self.law), self.law, means.tobytes()


def as_numbers(owner: str, name: str, given: object, words: str = "an array of numbers") -> Floats:
    """What is given as an array of numbers; raises ParameterError if it is none."""
    try:
        return np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(owner, name, words, given) from None


def check_finite(owner: str, name: str, values: Floats) -> None:
    """Raise ParameterError unless all numbers are finite."""
    if not np.isfinite(values).all():
        bad = float(values[~np.isfinite(values)][0])
        raise ParameterError(owner, name, "finite numbers", bad)


def means_text(means: Floats) -> str:
    """The arms' means in their order; of many arms the first 24, the count and the largest mean."""
    listing = ", ".join(power_text(f"{each:.6g}") for each in means[:_MOST_MEANS])
    if len(means) <= _MOST_MEANS:
        return listing
    left = count_text(len(means) - _MOST_MEANS, "more", "more")
    return f"{listing} and {left}; the largest is {number_text(float(means.max()))}"
