"""Sub-sampling duelling: an arm is played if it beats as many rewards of the leader as it has.

Nothing is assumed of the law of rewards: of the family these policies ask nothing.
"""

from __future__ import annotations

from math import log, sqrt
from typing import NamedTuple, Protocol

from .._numba.compile import Floats, njit
from .._records.record import Choice
from ..families import Family
from ..random import Draws
from .arms import Arms, Clock
from .base import Policy, policy
from .history import Capacity, block, draw_some, note, note_each, size_of

# What is remembered beside the history: the leader's place + 1; and of each arm whether it won a
# duel and waits for its pull.
_LEADER, _SHARED, _OWN = 0, 1, 1


@njit
def waits_of(memory: int, i: int) -> int:
    """Where the state says whether arm i waits."""
    return _SHARED + (_OWN + size_of(memory)) * i


@njit
def history_of(memory: int, i: int) -> int:
    """Where the history of arm i begins."""
    return waits_of(memory, i) + _OWN


class Even(Choice):
    """Who wins a duel of equal means."""

    leader = 0
    challenger = 1
    lot = 2


class Duelling(Policy, Protocol):
    """What these policies have in common: Algorithm 1 of Baudry, Kaufmann and Maillard 2020.

    Each arm is pulled once. Then, in each turn, the arm with the most pulls leads (of several, the
    one with the largest mean; of several, the last leader or one by lot). Every other arm duels
    with it: its mean against that of as many rewards of the leader. All that win are pulled, one
    after the other, in the order of their places; if none wins, the leader is.

    memory: how many of an arm's last rewards are kept, 8 bytes each; the rewards of a duel are
    among those.
    even: who wins if the means are equal: "leader" as printed, "challenger" as in the authors' code
    of RB-SDA and LB-SDA, "lot" as in that of WR-SDA.
    forced: pull every arm with fewer than sqrt(log t) pulls, which makes RB-SDA asymptotically
    optimal for all exponential families (Appendix H, with their round r in place of t).
    """

    @property
    def memory(self) -> int: ...
    @property
    def even(self) -> Even | str: ...
    @property
    def forced(self) -> bool: ...
    def keep(self, state: Floats, base: int, pulls: float, total: float) -> None:
        """Note what has come of an arm's rewards."""
        ...

    def sample(self, state: Floats, arms: Arms, lead: int, i: int, size: int, rng: Draws) -> float:
        """The sum of so many of the leader's rewards, for its duel with arm i."""
        ...

    def leader(self, state: Floats, arms: Arms, rng: Draws) -> int: ...
    def wins(self, state: Floats, arms: Arms, lead: int, i: int, rng: Draws) -> bool: ...


def choose(
    self: Duelling, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
) -> int:
    unpulled = arms.unpulled()
    if unpulled >= 0:
        return unpulled
    for i in range(arms.n_arms()):
        self.keep(state, history_of(self.memory, i), arms.pulls[i], arms.sums[i])
    for i in range(arms.n_arms()):
        if state[waits_of(self.memory, i)] > 0.0:
            state[waits_of(self.memory, i)] = 0.0
            return i
    lead, first = self.leader(state, arms, rng), -1
    state[_LEADER] = lead + 1.0
    enough = sqrt(log(clock.t)) if self.forced else 0.0
    for i in range(arms.n_arms()):
        fewer = arms.pulls[i] < arms.pulls[lead]
        if fewer and (arms.pulls[i] < enough or self.wins(state, arms, lead, i, rng)):
            if first >= 0:
                state[waits_of(self.memory, i)] = 1.0
            else:
                first = i
    return first if first >= 0 else lead


def leader(self: Duelling, state: Floats, arms: Arms, rng: Draws) -> int:
    """The arm that all others duel with."""
    lead, ties = 0, 1
    for i in range(1, arms.n_arms()):
        more = arms.pulls[i] - arms.pulls[lead]
        if more == 0.0:
            more = arms.sums[i] - arms.sums[lead]
        if more > 0.0:
            lead, ties = i, 1
        elif more == 0.0:
            ties += 1
    if ties == 1:
        return lead
    last = int(state[_LEADER]) - 1
    if last >= 0 and arms.pulls[last] == arms.pulls[lead] and arms.sums[last] == arms.sums[lead]:
        return last
    left, i = rng.among(ties), lead
    while left > 0:
        i += 1
        if arms.pulls[i] == arms.pulls[lead] and arms.sums[i] == arms.sums[lead]:
            left -= 1
    return i


def wins(self: Duelling, state: Floats, arms: Arms, lead: int, i: int, rng: Draws) -> bool:
    """Whether arm i beats the leader."""
    n = int(arms.pulls[i])
    size = max(min(n, self.memory), 1)
    theirs = self.sample(state, arms, lead, i, size, rng)
    ours = arms.sums[i] if size == n else arms.mean(i) * size
    if ours == theirs and self.even == Even.lot:
        return rng.cell(i).uniform(1) < 0.5
    return bool(ours > theirs or (ours == theirs and self.even == Even.challenger))


def keep(self: Duelling, state: Floats, base: int, pulls: float, total: float) -> None:
    note(state, base, self.memory, pulls, total)


def settles(self: Duelling) -> bool:
    """Not where equal means leave an arm alone: coins that have only failed lose every duel with a
    leader that failed as often in its block, and the best arm is among them too often."""
    return bool(self.even != Even.leader)


def remembers(self: Duelling, n_arms: int) -> int:
    return waits_of(self.memory, n_arms)


@policy(choose=choose, leader=leader, wins=wins, keep=keep, settles=settles, remembers=remembers)
class RBSDA(NamedTuple):
    """RB-SDA (Baudry, Kaufmann and Maillard 2020): duels with a random block of the leader's
    rewards, which begins after one of the first N_lead - N_i of them.

    memory, even, forced: see docs/reference/policies.md#sub-sampling.

    >>> RBSDA(memory=10_000).even
    'challenger'
    """

    memory: Capacity = 20_000
    even: Even | str = "challenger"
    forced: bool = False

    def sample(self, state: Floats, arms: Arms, lead: int, i: int, size: int, rng: Draws) -> float:
        n = int(arms.pulls[lead])
        held = min(n, self.memory)
        start = n - held + int(rng.cell(i).uniform(0) * max(held - size, 1))
        return block(state, history_of(self.memory, lead), self.memory, start, size)


@policy(choose=choose, leader=leader, wins=wins, keep=keep, settles=settles, remembers=remembers)
class LBSDA(NamedTuple):
    """LB-SDA (Baudry, Kaufmann and Maillard 2020; Baudry, Russac and Cappe 2021): duels with the
    leader's last N_i rewards. It draws nothing at random but ties.

    memory, even, forced: see docs/reference/policies.md#sub-sampling.

    >>> LBSDA(memory=10_000).even
    'challenger'
    """

    memory: Capacity = 20_000
    even: Even | str = "challenger"
    forced: bool = False

    def sample(self, state: Floats, arms: Arms, lead: int, i: int, size: int, rng: Draws) -> float:
        start = int(arms.pulls[lead]) - size
        return block(state, history_of(self.memory, lead), self.memory, start, size)


@policy(choose=choose, leader=leader, wins=wins, settles=settles, remembers=remembers)
class WRSDA(NamedTuple):
    """WR-SDA (Baudry, Kaufmann and Maillard 2020): duels with N_i of the leader's rewards, drawn
    without replacement. With two arms it is BESA (Baransi, Maillard and Mannor 2014).

    memory, even, forced: see docs/reference/policies.md#sub-sampling. Of an arm with more rewards
    than the memory holds, a new one replaces any of them.

    >>> WRSDA(memory=10_000).even
    'lot'
    """

    memory: Capacity = 20_000
    even: Even | str = "lot"
    forced: bool = False

    def keep(self, state: Floats, base: int, pulls: float, total: float) -> None:
        note_each(state, base, self.memory, pulls, total)

    def sample(self, state: Floats, arms: Arms, lead: int, i: int, size: int, rng: Draws) -> float:
        return draw_some(state, history_of(self.memory, lead), self.memory, size, rng.cell(i))
