"""Cached bounds: the chooser for few arms.

Until an arm is pulled its index only rises with the level, so its value at a later round is an
upper bound until that round. Each arm has a bound and the round at which it expires. A choice
computes the index, or a cheap lower bound of it, of the arm that was chosen last, and compares it
with the bounds. A bound that has expired is computed again for a later round; one that reaches the
index, for a quarter of the rounds that it has left. If it still reaches it, the two arms are
compared at the present round, as a scan compares them.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats, record
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy, preferred_of_largest
from ..random import Draws
from .facts import CONTEXT, Facts, Level

# Places in `memory`:
TOP = 0  # the arm chosen last: it has no bound, as its index is looked at in every round
CHANGED = 1  # the arm that changed since the last choice; -1 if there is none
UNSURE = 2  # 1 if an arm may be without a reward, or absent; else 0
STALE = 3  # 1 if all bounds are invalid; else 0
LAST = 4  # the last round that was seen
EXPIRES = 5  # no bound expires before this round has passed
# CONTEXT, 6: what the facts keep

# A new bound is for a round that is later by 1 / 20 of the rounds. Measured with ten arms in rounds
# 9,000 to 12,000: of 100 rounds, 2 to 4 (RBMLE) and 12 (KL-UCB, Bernoulli) look at more than one
# arm; with 1 / 8 these are 2 to 4 and 14, with 1 / 40 they are 4 and 12.
_SHARE = 20
# The line of an arm is raised by this share of its base and its rise, for rounding errors: both are
# computed by some ten operations, so with errors of 3e-15.
_NEAR = 1e-14
# Facts about indices are tested for arms of at least one pull. Evidence that forgets leaves less:
# then an index may be beyond all floats, and arms tie that bounds tell apart.
_LEAST = 1.0


@record
class CachedBounds(NamedTuple):
    """The chooser. facts: those about the policy's index.

    bound: above the scaled index of each arm; infinite if it is to be computed. rise: the slopes of
    bounds, if facts have lines. expiry: the last round in which the bound is valid.
    values: room for indices. keeps: whether bounds are kept from round to round; they must not be
    where evidence changes all arms in every round.
    """

    facts: Facts
    bound: Floats
    rise: Floats
    expiry: Floats
    values: Floats
    memory: Floats
    keeps: bool

    @classmethod
    def of(cls, facts: Facts, n_arms: int, keeps: bool = True) -> CachedBounds:
        memory = np.zeros(CONTEXT + 3)
        bound, rise, expiry, values = (np.zeros(n_arms) for _ in range(4))
        made = cls(facts, bound, rise, expiry, values, memory, keeps)
        made.restart()
        return made

    def restart(self) -> None:
        """A new replication begins."""
        memory = self.memory
        memory[TOP], memory[CHANGED], memory[UNSURE], memory[STALE] = 0.0, -1.0, 1.0, 1.0

    def changed(self, i: int) -> None:
        """The statistics of arm i have changed: invalidate its bound."""
        memory = self.memory
        if memory[CHANGED] >= 0.0 and memory[CHANGED] != i:  # only one is remembered
            memory[UNSURE] = 1.0
        memory[CHANGED] = i
        if memory[TOP] != i:
            self.bound[i] = inf

    def skips_absent(self) -> bool:
        """No: it is given only the arms that are present, and scans them while some are absent."""
        return False

    def withdraw(self, i: int) -> None:
        """Arm i is absent, or present again."""
        self.memory[UNSURE] = 1.0
        self.changed(i)

    def bring_back(self, i: int) -> None:
        self.withdraw(i)

    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        """The arm to play: the one that a scan finds."""
        if arms.n_arms() != self.bound.size or not self.ready(arms):
            return self.facts.scanned(state, family, arms, clock, rng)
        level, memory = policy.level(family, arms, clock), self.memory
        self.renew(family, arms, level, clock)
        top, highest, at = int(memory[TOP]), -inf, self.facts.at(level)
        first = top
        for i in range(arms.n_arms()):  # no branch on who leads: a processor could not predict it
            value = self.value(i, at)
            first = i if value > highest else first
            highest = value if value > highest else highest
        floor = self.facts.index_below(family, arms, top, level, highest)
        if highest < floor and clock.t <= memory[EXPIRES]:
            return top
        self.challenge(family, arms, level, clock, floor, first)
        return self.settle(policy, family, arms, level, rng)

    def ready(self, arms: Arms) -> bool:
        """Whether all arms have a reward."""
        memory = self.memory
        i = int(memory[CHANGED])
        memory[CHANGED] = -1.0
        if memory[UNSURE] != 0.0 or (i >= 0 and not arms.pulls[i] > 0.0):
            memory[UNSURE] = 1.0
            if arms.unpulled() >= 0:
                return False
            memory[UNSURE] = 0.0
        if not self.keeps:
            for j in range(arms.n_arms()):
                if arms.pulls[j] < _LEAST:
                    return False
        return True

    def renew(self, family: Family, arms: Arms, level: Level, clock: Clock) -> None:
        """Invalidate bounds that do not hold at this level.

        All of them, if the round is before the last one, because a pull was withdrawn.
        """
        facts, memory, bound = self.facts, self.memory, self.bound
        stale = memory[STALE] != 0.0 or clock.t < memory[LAST] or not self.keeps
        memory[LAST] = clock.t
        if stale or not facts.holds(memory, level, clock):
            facts.keep(memory, family, arms, level, clock)
            for i in range(arms.n_arms()):
                bound[i] = inf
            bound[int(memory[TOP])] = -inf
            memory[STALE] = 0.0

    def value(self, i: int, at: float) -> float:
        """The bound of arm i, at this place of its line if it has one."""
        bound: float = self.bound[i]
        return bound + float(self.rise[i]) * at if self.facts.straight() else bound

    def challenge(
        self, family: Family, arms: Arms, level: Level, clock: Clock, floor: float, first: int
    ) -> None:
        """Find the arm that leads by bounds alone, and its rivals: the arms with infinite bounds.

        floor: a lower bound of the index of the arm chosen last. The others challenge it in turn,
        from the one with the highest bound on. If the lower bound of a challenger is larger, it
        takes the lead, and all others challenge it.
        """
        facts, memory, bound, n_arms = self.facts, self.memory, self.bound, arms.n_arms()
        at, top, i, left = facts.at(level), int(memory[TOP]), first, n_arms
        while left > 0:
            out = i == top or (self.value(i, at) < floor and clock.t <= self.expiry[i])
            if not out and not self.renewed(family, arms, i, level, clock, floor):
                rival, lower = not facts.surely_below(family, arms, i, level, floor), -inf
                if rival and not facts.same_index(family, arms, i, top):
                    lower = facts.index_below(family, arms, i, level, inf)
                    rival = facts.costly() or not lower < floor  # if not costly, it is the index
                if rival:
                    bound[i] = inf
                elif not bound[i] < inf:  # nothing is known but that it is below in this round
                    bound[i], self.expiry[i] = -inf, clock.t
                if lower > floor:
                    bound[top], bound[i], top, floor, left = inf, -inf, i, lower, n_arms
            i, left = i + 1 if i + 1 < n_arms else 0, left - 1
        memory[TOP], self.expiry[top] = top, inf

    def renewed(
        self, family: Family, arms: Arms, i: int, level: Level, clock: Clock, floor: float
    ) -> bool:
        """Compute the bound of arm i again; whether it is below the floor now.

        A line, and a bound that does not expire, need not look ahead.
        """
        facts, bound = self.facts, self.bound
        if facts.straight():
            if bound[i] == inf or clock.t > self.expiry[i]:
                base, rise = facts.line(family, arms, i)
                bound[i], self.rise[i] = base + _NEAR * abs(base), rise + _NEAR * abs(rise)
                self.expiry[i] = inf
            return self.value(i, facts.at(level)) < floor
        rounds, lasting = 1 + clock.t // _SHARE, not facts.expires(clock)
        if bound[i] < inf and clock.t <= self.expiry[i] and not lasting:
            rounds = int(self.expiry[i] - clock.t) // 4
        if not self.keeps or rounds == 0:
            return False
        later = facts.later(self.memory, family, arms, level, clock, 0 if lasting else rounds)
        bound[i] = facts.index_above(family, arms, i, later, level)
        self.expiry[i] = inf if lasting else clock.t + rounds
        return bool(bound[i] < floor)

    def settle(self, policy: Policy, family: Family, arms: Arms, level: Level, rng: Draws) -> int:
        """The arm that a scan finds among the leader and its rivals.

        If all of them have the same index, it need not be computed: any number, here 0, stands for
        it.
        """
        memory, bound, expiry, values = self.memory, self.bound, self.expiry, self.values
        top, rivals, alike, until = int(memory[TOP]), 0, True, inf
        for i in range(arms.n_arms()):
            if bound[i] == inf:
                rivals += 1
                alike = alike and self.facts.same_index(family, arms, i, top)
            else:
                until = min(until, expiry[i])
        memory[EXPIRES] = until
        if rivals == 0:
            return top
        leading = 0.0 if alike else policy.index_of(family, arms, top, level)
        for i in range(arms.n_arms()):
            rival = i == top or bound[i] == inf
            values[i] = leading if rival else -inf
            if rival and not self.facts.same_index(family, arms, i, top):
                values[i] = policy.index_of(family, arms, i, level)
        chosen = preferred_of_largest(policy, family, arms, level, values, rng)
        if chosen != top:
            bound[top], bound[chosen], expiry[chosen], memory[TOP] = inf, -inf, inf, chosen
        return chosen
