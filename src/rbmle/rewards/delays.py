"""Delays: when rewards come, and how policies see the pulls whose rewards have not come.

A delay is a record of numbers. `arrivals()` is what compiled code sees of it, one class for all
kinds, so that a policy is compiled once for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import floor, log
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import record
from .._records.record import Choice, Record, register
from ..errors import ParameterError, integer
from ..random import MAX_ROUNDS, Cell
from ..spec import as_record

T = TypeVar("T")

DELAYS: dict[str, type] = {}

NEVER = -1  # in place of a number of rounds

# Rounds after which a pull without a reward is given up. A choice, not a measurement: more rounds
# than a batch usually has, few enough for lost rewards to be noticed soon.
PATIENCE = 1_000

# An arm is blind if it was pulled but has no reward yet. Of K enabled arms, a blind one is pulled
# again after 10 K rounds, so that lost rewards cannot starve it. Each of at most K blind arms then
# takes one round in 10 K, all of them together at most one round in ten. The 10 is a choice.
ROUNDS_BLIND = 10

_ROUNDS = f"[0, {MAX_ROUNDS}]"
_PATIENCE = f"[1, {MAX_ROUNDS}]"


class Pending(Choice):
    """How policies see a pull whose reward has not come."""

    counted = 0  # as if it had paid the arm's mean so far: what `Decider` does
    ignored = 1  # as if it had not happened


class Delay(Record, Protocol):
    """What every delay has; `FixedDelay` explains it."""

    @property
    def lost(self) -> float: ...
    @property
    def patience(self) -> int: ...
    @property
    def pending(self) -> Pending | str: ...
    def arrivals(self) -> Arrivals: ...


@record
class Arrivals(NamedTuple):
    """When each reward comes: a pure function of seed, replication and round.

    fixed: a number of rounds. every: the length of batches, or 0. scale: the logarithm of the
    probability that a reward takes one more round, or 0. entries: how many rounds there are to draw
    from at the beginning of `table`, or 0. lost: the probability that a reward never comes.
    """

    fixed: int = 0
    every: int = 0
    scale: float = 0.0
    entries: int = 0
    table: NDArray[np.int64] = np.zeros(2, np.int64)
    lost: float = 0.0

    def comes_after(self, t: int, cell: Cell) -> int:
        """How many rounds after round t its reward comes; NEVER if it is lost.

        With 0 rounds it is known before the next choice.
        """
        if self.lost > 0.0 and cell.uniform(1) < self.lost:
            return NEVER
        if self.every > 0:
            return (self.every - t % self.every) % self.every
        if self.scale < 0.0:
            return int(log(cell.uniform(0)) / self.scale)
        if self.entries > 0:
            return int(self.table[int(cell.uniform(0) * self.entries)])
        return self.fixed

    def longest(self) -> int:
        """The largest number of rounds that `comes_after` can return.

        That of a geometric delay is finite too: the smallest uniform number is 2^-53.
        """
        if self.every > 0:
            return self.every - 1
        if self.scale < 0.0:
            return floor(log(2.0**-53) / self.scale)
        return int(self.table.max()) if self.entries > 0 else self.fixed


def delay(cls: type[T]) -> type[T]:
    """Make a NamedTuple class a delay: its fields are checked, and it is known by its name."""
    register(DELAYS, cls)
    return record(cls)


@delay
class FixedDelay(NamedTuple):
    """Every reward comes `rounds` rounds late: that of round t before round t + rounds + 1.

    lost: the probability that a reward never comes.
    patience: the number of rounds after which a pull without a reward is given up, as in `Decider`.
    pending: how policies see a pull whose reward has not come: "counted" as if it had paid the
    arm's mean so far, as in `Decider`; or "ignored", as if it had not happened.

    >>> FixedDelay(100).arrivals().longest()
    100
    """

    rounds: Annotated[int, _ROUNDS]
    lost: Annotated[float, "[0, 1]"] = 0.0
    patience: Annotated[int, _PATIENCE] = PATIENCE
    pending: Pending | str = "counted"

    def arrivals(self) -> Arrivals:
        """The delay for compiled code."""
        return Arrivals(fixed=self.rounds, lost=self.lost)


@delay
class GeometricDelay(NamedTuple):
    """A reward takes k = 0, 1, ... rounds with probability (1 - q) q^k, mean q / (1 - q).

    mean: in [0, 1e6]. The other parameters are those of `FixedDelay`.

    >>> GeometricDelay(mean=10).arrivals().longest()  # 2^-53 of the rewards would take longer
    385
    """

    mean: Annotated[float, "[0, 1e6]"]
    lost: Annotated[float, "[0, 1]"] = 0.0
    patience: Annotated[int, _PATIENCE] = PATIENCE
    pending: Pending | str = "counted"

    def arrivals(self) -> Arrivals:
        scale = log(self.mean / (1.0 + self.mean)) if self.mean > 0.0 else 0.0
        return Arrivals(scale=scale, lost=self.lost)


@delay
class BatchDelay(NamedTuple):
    """Rewards come in batches: those of rounds 1 to `every` after round `every`, and so on.

    The other parameters are those of `FixedDelay`.

    >>> [BatchDelay(4).arrivals().comes_after(t, None) for t in (1, 2, 3, 4, 5)]
    [3, 2, 1, 0, 3]
    """

    every: Annotated[int, _PATIENCE]
    lost: Annotated[float, "[0, 1]"] = 0.0
    patience: Annotated[int, _PATIENCE] = PATIENCE
    pending: Pending | str = "counted"

    def arrivals(self) -> Arrivals:
        return Arrivals(every=self.every, lost=self.lost)


def _table(given: object) -> tuple[int, ...]:
    """A list of whole numbers, at least one."""
    listed = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else ()
    if not listed:
        raise ParameterError("TableDelay", "rounds", "a list of whole numbers", given)
    return tuple(integer("TableDelay", "rounds", each, _ROUNDS) for each in listed)


@delay
class TableDelay(NamedTuple):
    """The delay of each reward is drawn from a list of delays, each with the same probability.

    The list may be a log of delays. The other parameters are those of `FixedDelay`.

    >>> TableDelay([0, 0, 5, 60]).arrivals().longest()
    60
    """

    rounds: Annotated[Any, _table]
    lost: Annotated[float, "[0, 1]"] = 0.0
    patience: Annotated[int, _PATIENCE] = PATIENCE
    pending: Pending | str = "counted"

    def arrivals(self) -> Arrivals:
        table = np.array([*self.rounds, 0], np.int64)  # two or more, as devices need
        return Arrivals(entries=len(self.rounds), table=table, lost=self.lost)


def as_delay(given: object, owner: str, key: str = "delay") -> Delay | None:
    """The delay, given as a record or by name as in "fixeddelay(100)"; or None."""
    if given is None:
        return None
    found: Delay = as_record(given, DELAYS, owner, key)
    if type(found) not in DELAYS.values():
        raise ParameterError(owner, key, "a delay, as in FixedDelay(100)", given)
    return found
