"""Sub-sampling duelling: an arm is played if it beats as many rewards of the leader as it has.

Nothing is assumed of the law of rewards: of the family these policies ask nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from math import log, sqrt
from typing import NamedTuple, Protocol

from .._numba.compile import Floats, defaults_of
from .._records.record import Choice
from ..families import Family
from ..random import Cell, Draws
from ..special.grid import as_much
from .arms import Arms, Clock
from .base import policy
from .history import Capacity, KeepsRewards, block, draw_some, note, note_each, size_of

# What is remembered beside the history: the leader's place + 1; and of each arm whether it won a
# duel and waits for its pull.
_LEADER, _SHARED, _OWN = 0, 1, 1


class Even(Choice):
    """Who wins a duel of equal means."""

    leader = 0
    challenger = 1
    lot = 2


class Duelling(KeepsRewards, Protocol):
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

    even: Even
    forced: bool

    @abstractmethod
    def sample(self, state: Floats, base: int, pulls: float, size: int, cell: Cell) -> float:
        """The sum of so many of the leader's rewards, whose history begins at `base`."""

    def keep(self, state: Floats, base: int, pulls: float, total: float) -> None:
        """Note what has come of an arm's rewards."""
        note(state, base, self.memory, pulls, total)

    def waits(self, i: int) -> int:
        """Where the state says whether arm i waits."""
        return _SHARED + (_OWN + size_of(self.memory)) * i

    def history(self, i: int) -> int:
        """Where the history of arm i begins."""
        return self.waits(i) + _OWN

    def remembers(self, n_arms: int) -> int:
        return self.waits(n_arms)

    def choose(self, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
        unpulled = arms.unpulled()
        if unpulled >= 0:
            return unpulled
        for i in range(arms.n_arms()):
            self.keep(state, self.history(i), arms.pulls[i], arms.sums[i])
        for i in range(arms.n_arms()):
            if state[self.waits(i)] > 0.0:
                state[self.waits(i)] = 0.0
                return i
        lead, first = self.leader(state, arms, rng), -1
        state[_LEADER] = lead + 1.0
        enough = sqrt(log(clock.t)) if self.forced else 0.0
        for i in range(arms.n_arms()):
            fewer = arms.pulls[i] < arms.pulls[lead]
            if fewer and (arms.pulls[i] < enough or self.wins(state, arms, lead, i, rng)):
                if first >= 0:
                    state[self.waits(i)] = 1.0
                else:
                    first = i
        return first if first >= 0 else lead

    def leader(self, state: Floats, arms: Arms, rng: Draws) -> int:
        """The arm that all others duel with."""
        lead, ties = 0, 1
        for i in range(1, arms.n_arms()):
            more = arms.pulls[i] - arms.pulls[lead]
            if more == 0.0 and not as_much(arms.sums[i], arms.sums[lead]):
                more = arms.sums[i] - arms.sums[lead]
            if more > 0.0:
                lead, ties = i, 1
            elif more == 0.0:
                ties += 1
        if ties == 1:
            return lead
        last = int(state[_LEADER]) - 1
        if last >= 0 and self.as_good(arms, last, lead):
            return last
        left, i = rng.among(ties), lead
        while left > 0:
            i += 1
            left -= 1 if self.as_good(arms, i, lead) else 0
        return i

    def as_good(self, arms: Arms, i: int, j: int) -> bool:
        """Whether arm i may lead as well as arm j."""
        return arms.pulls[i] == arms.pulls[j] and as_much(arms.sums[i], arms.sums[j])

    def wins(self, state: Floats, arms: Arms, lead: int, i: int, rng: Draws) -> bool:
        """Whether arm i beats the leader."""
        n = int(arms.pulls[i])
        size = max(min(n, self.memory), 1)
        theirs = self.sample(state, self.history(lead), arms.pulls[lead], size, rng.cell(i))
        ours = arms.sums[i] if size == n else arms.mean(i) * size
        if as_much(ours, theirs, arms.sums[lead]):
            if self.even == Even.lot:
                return rng.cell(i).uniform(1) < 0.5
            return bool(self.even == Even.challenger)
        return bool(ours > theirs)

    def settles(self) -> bool:
        """Not where equal means leave an arm alone: coins that have only failed lose every duel
        with a leader that failed as often in its block, and the best arm is among them too often.
        """
        return bool(self.even != Even.leader)


@policy(needs=(), **defaults_of(Duelling))
class RBSDA(NamedTuple):
    """RB-SDA (Baudry, Kaufmann and Maillard 2020): duels with a random block of the leader's
    rewards, which begins with one of the first N_lead - N_i of them.

    memory, even, forced: see docs/reference/policies.md#sub-sampling.

    >>> import numpy as np
    >>> policy = RBSDA(memory=10)
    >>> state, history = np.zeros(policy.remembers(1)), policy.history(0)
    >>> for pulls, total in ((1, 0), (2, 1), (3, 3), (4, 6)):  # rewards of 0, 1, 2 and 3
    ...     policy.keep(state, history, pulls, total)
    >>> from rbmle.random import Cell
    >>> policy.sample(state, history, 4, 2, Cell(1, 0, 0, 1, 0))  # a block of two
    1.0
    """

    memory: Capacity = 20_000
    even: Even | str = "challenger"
    forced: bool = False

    def sample(self, state: Floats, base: int, pulls: float, size: int, cell: Cell) -> float:
        n, held = int(pulls), min(int(pulls), self.memory)
        start = n - held + int(cell.uniform(0) * max(held - size, 1))
        return block(state, base, self.memory, start, size)


@policy(needs=(), **defaults_of(Duelling))
class LBSDA(NamedTuple):
    """LB-SDA (Baudry, Kaufmann and Maillard 2020; Baudry, Russac and Cappe 2021): duels with the
    leader's last N_i rewards. It draws nothing at random but ties.

    memory, even, forced: see docs/reference/policies.md#sub-sampling.

    >>> import numpy as np
    >>> policy = LBSDA(memory=10)
    >>> state, history = np.zeros(policy.remembers(1)), policy.history(0)
    >>> for pulls, total in ((1, 0), (2, 1), (3, 3), (4, 6)):  # rewards of 0, 1, 2 and 3
    ...     policy.keep(state, history, pulls, total)
    >>> policy.sample(state, history, 4, 2, None)  # the last two
    5.0
    """

    memory: Capacity = 20_000
    even: Even | str = "challenger"
    forced: bool = False

    def sample(self, state: Floats, base: int, pulls: float, size: int, cell: Cell) -> float:
        return block(state, base, self.memory, int(pulls) - size, size)


@policy(needs=(), **defaults_of(Duelling))
class WRSDA(NamedTuple):
    """WR-SDA (Baudry, Kaufmann and Maillard 2020): duels with N_i of the leader's rewards, drawn
    without replacement. With two arms it is BESA (Baransi, Maillard and Mannor 2014).

    memory, even, forced: see docs/reference/policies.md#sub-sampling. Of an arm with more rewards
    than the memory holds, a new one replaces any of them.

    >>> import numpy as np
    >>> policy = WRSDA(memory=10)
    >>> state, history = np.zeros(policy.remembers(1)), policy.history(0)
    >>> for pulls, total in ((1, 0), (2, 1), (3, 3), (4, 6)):  # rewards of 0, 1, 2 and 3
    ...     policy.keep(state, history, pulls, total)
    >>> from rbmle.random import Cell
    >>> policy.sample(state, history, 4, 2, Cell(1, 0, 0, 3, 0))  # any two
    4.0
    """

    memory: Capacity = 20_000
    even: Even | str = "lot"
    forced: bool = False

    def keep(self, state: Floats, base: int, pulls: float, total: float) -> None:
        note_each(state, base, self.memory, pulls, total)

    def sample(self, state: Floats, base: int, pulls: float, size: int, cell: Cell) -> float:
        return draw_some(state, base, self.memory, size, cell)
