"""GLR-klUCB: KL-UCB that starts anew where an arm's rewards show that its mean has changed."""

from __future__ import annotations

from math import inf, log
from typing import Annotated, NamedTuple

from .._numba.compile import Floats, defaults_of
from .._records.record import Choice
from ..families import Family
from ..random import Draws
from .arms import Arms, Clock
from .base import by_sums_alone, one_of_largest, policy
from .history import Capacity, KeepsRewards, note, size_of, sum_after

# What is remembered of each arm before its history: how many rewards it had at its last restart, in
# which round that was, and with how many it was last tested.
_BEGAN, _SINCE, _TESTED, _OWN = 0, 1, 2, 3


class Restart(Choice):
    """What is forgotten where one arm has changed: all arms, or that one."""

    local = 0
    all = 1


@policy(needs=(), check_family=by_sums_alone, **defaults_of(KeepsRewards))
class GLRKLUCB(NamedTuple):
    """GLR-klUCB (Besson, Kaufmann, Maillard and Seznec 2022), for means that jump: KL-UCB on the
    rewards since the last restart, max {theta : n D(p, theta) <= log(t - tau)}.

    An arm has changed if for some s the likelihood ratio of two means, one up to its reward s and
    one after it, against a single one exceeds log(3 n^(3/2) / delta), n the rewards since the last
    restart: s D(p_1..s, p_1..n) + (n - s) D(p_s+1..n, p_1..n).
    delta: in (0, 1), the level of the test. exploration: the share of rounds, in [0, 1), in which
    arms take turns, so that changes of those that are not played are seen.
    restart: "local" forgets the rewards of the arm that changed, "all" those of every arm.
    step: every so many rewards of an arm it is tested, and at every so many s. memory: how many of
    an arm's rewards are tested at most, and count for its index after a restart; 8 bytes each.

    Where it deviates: the proofs have a larger limit, with which delta is the probability of a
    false alarm; the authors' code (github.com/EmilieKaufmann/PiecewiseStationaryBandits) has
    log(n^(3/2) / delta). There delta is 1 / sqrt(T), and the share of exploration grows with the
    number of restarts, sqrt(k K log T / T) before the k-th; here both are given, so that no horizon
    is needed. The paper tests after every reward at every s, which is step=1; its code every ten
    rounds. D is that of the family, in the paper that of coins. So the paper's bounds on regret are
    not those of the defaults.

    >>> import numpy as np
    >>> from rbmle import Arms, Bernoulli, Clock
    >>> policy, arms = GLRKLUCB(), Arms(np.array([10.0]), np.array([5.0]), np.array([5.0]))
    >>> state = np.zeros(policy.remembers(1))  # no restart so far
    >>> round(float(policy.value(state, Bernoulli(), arms, 0, Clock(100, 0))), 6)
    0.887909
    """

    delta: Annotated[float, "(0, 1)"] = 0.01
    exploration: Annotated[float, "[0, 1)"] = 0.05
    restart: Restart | str = "local"
    step: Annotated[int, "[1, 1000]"] = 10
    memory: Capacity = 20_000

    def choose(self, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
        unpulled = arms.unpulled()
        if unpulled >= 0:
            return unpulled
        self.look(state, family, arms, clock)
        turn = self.turn(arms, clock)
        if turn >= 0:
            return turn
        begin = self.place(arms.n_arms())
        values = state[begin : begin + arms.n_arms()]
        for i in range(arms.n_arms()):
            values[i] = self.value(state, family, arms, i, clock)
        return one_of_largest(values, rng)

    def turn(self, arms: Arms, clock: Clock) -> int:
        """The arm whose turn it is to be explored, or -1."""
        if self.exploration <= 0.0:
            return -1
        turn = clock.t % int(arms.n_arms() / self.exploration)
        return turn if turn < arms.n_arms() else -1

    def look(self, state: Floats, family: Family, arms: Arms, clock: Clock) -> None:
        """Note the rewards that came, and start anew where an arm has changed."""
        for i in range(arms.n_arms()):
            place = self.place(i)
            note(state, place + _OWN, self.memory, arms.pulls[i], arms.sums[i])
            n = float(int(arms.pulls[i]))
            if n < state[place + _BEGAN]:  # pulls were forgotten
                state[place + _BEGAN] = 0.0
            if n >= state[place + _TESTED] + self.step or n < state[place + _TESTED]:
                state[place + _TESTED] = n
                if self.changed(state, family, place, int(n)):
                    for j in range(arms.n_arms()):
                        if j == i or self.restart == Restart.all:
                            state[self.place(j) + _BEGAN] = float(int(arms.pulls[j]))
                            state[self.place(j) + _SINCE] = float(clock.t)

    def changed(self, state: Floats, family: Family, place: int, last: int) -> bool:
        """Whether the mean of an arm has changed since its last restart."""
        base = place + _OWN
        first = max(int(state[place + _BEGAN]), last - self.memory)
        n = last - first
        if n < 2:
            return False
        before = sum_after(state, base, self.memory, first)
        after = sum_after(state, base, self.memory, last)
        mean, limit = (after - before) / n, log(3.0 * n**1.5 / self.delta)
        for s in range(self.step, n, self.step):
            between = sum_after(state, base, self.memory, first + s)
            early, late = (between - before) / s, (after - between) / (n - s)
            if s * family.kl(early, mean) + (n - s) * family.kl(late, mean) > limit:
                return True
        return False

    def value(self, state: Floats, family: Family, arms: Arms, i: int, clock: Clock) -> float:
        """The index of arm i: infinite if it has no reward since its last restart."""
        place = self.place(i)
        began = int(state[place + _BEGAN])
        n = arms.pulls[i] - began
        if n < 1.0:
            return inf
        total = arms.sums[i]
        if began > 0:  # the sum of that time is kept for the last `memory` rewards
            first = max(began, int(arms.pulls[i]) - self.memory)
            n = arms.pulls[i] - first
            total -= sum_after(state, place + _OWN, self.memory, first)
        rounds = max(clock.t - state[place + _SINCE], 1.0)
        return family.kl_upper(total / n, log(rounds) / n)

    def place(self, i: int) -> int:
        """Where the numbers of arm i begin."""
        return (_OWN + size_of(self.memory)) * i

    def remembers(self, n_arms: int) -> int:
        return self.place(n_arms)

    def scratch(self, family: Family, n_arms: int) -> int:
        """The index of each arm."""
        return n_arms

    def settles(self) -> bool:
        """Not with a share of exploration: it never ends."""
        return self.exploration == 0.0
