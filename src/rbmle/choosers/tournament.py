"""A kinetic tournament: the arm with the largest index, without looking at every arm.

Between two pulls an arm's index moves only because the level does, and as a function of the level
it is convex or concave. So it is known ahead: from here to a higher level it stays between two
lines, whose slopes are those of its chords just before and just after. Arms meet in pairs, winners
meet winners, and a match is certain up to the level where the lower line of the winner meets the
upper line of the loser. A choice looks up who won; it replays the matches of the arm that was
pulled, and those whose certainty has run out: about log2 K of the K - 1.

Outcomes are those of the scan, to the last bit. Lines leave room for rounding errors; where they do
not part two arms, the two indices themselves decide, for this level alone. Arms with the same past
(`same_index`) tie at every level.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from .._compile import Floats, lean, record
from ..families import Family
from ..policies.arms import ArmCount, Arms, Clock
from ..policies.base import Policy
from ..random import Draws

# A node of the tree, one cache line: who leads the arms below it, ...
TOP = 0  # the arm, the first of those that tie; -1 if there is none
TIES = 1  # how many arms tie with it, itself included
UNTIL = 2  # the level up to which all this is certain
# ... and what is known of the leader's index up to the level EXPIRES: it is between two lines, ...
EXPIRES = 3
LEAST, MOST = 4, 5  # ... with these values at EXPIRES ...
LEAST_RISE, MOST_RISE = 6, 7  # ... and these slopes
_NODE = 8

# What a tournament remembers beside its matches.
LEVEL = 0  # the level of the last choice; infinite if every match is to be played
UNPULLED = 1  # no arm before this one is without a reward
CHANGED = 2  # the arm that was pulled last; -1 if there is none
ABSENT = 3  # how many arms are not to be played
_MEMORY = 4

HERE, AHEAD, BEHIND, DONE = 0, 1, 2, 3  # where lines are drawn from

_SPAN = 1.0 / 16.0  # lines are drawn this far ahead at least, as a share of the level
_ENDLESS, _TINY = 1e300, 1e-200  # in place of infinity and 0, which would turn into NaN
_POOR = 0.05  # a certainty shorter than this share of the span is worth a second, shorter span


@lean
def find(
    tournament: Any, policy: Policy, family: Family, arms: Arms, clock: Clock, rng: Draws
) -> int:
    """The arm to play: one without a reward, or the champion."""
    chosen: int = tournament.first_unpulled(arms)
    if chosen < 0:
        present = ArmCount(arms.n_arms() - tournament.absent())
        level = policy.level(family, present, clock)
        tournament.replay(policy, family, arms, level)
        chosen = tournament.champion(rng)
    return chosen


@record
class Tournament(NamedTuple):
    """The matches of the arms: node k has the children 2 k and 2 k + 1, the arms are leaves.

    curve: the shape of the policy's index. An arm whose number of pulls is negative is not played.
    """

    curve: Any
    nodes: Floats
    memory: Floats

    @classmethod
    def of(cls, curve: Any, n_arms: int) -> Tournament:
        """A tournament of so many arms, not one of which has a reward."""
        size = _NODE * 2 << max(n_arms - 1, 0).bit_length()
        memory = np.empty(size + 2 * _NODE)
        begin = -(memory.ctypes.data // memory.itemsize) % (2 * _NODE)  # siblings share two lines
        nodes = memory[begin : begin + size].reshape(-1, _NODE)
        tournament = cls(curve, nodes, np.empty(_MEMORY))
        tournament.restart()
        return tournament

    def restart(self) -> None:
        """Forget everything: the arms are as new."""
        self.memory[LEVEL], self.memory[UNPULLED] = inf, 0.0
        self.memory[CHANGED], self.memory[ABSENT] = -1.0, 0.0

    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        """The arm that `choose` of an index policy finds by looking at all of them."""
        return find(self, policy, family, arms, clock, rng)

    def changed(self, i: int) -> None:
        """Arm i is not what it was: its matches are to be played again."""
        earlier = int(self.memory[CHANGED])
        if earlier >= 0 and earlier != i:  # only one is remembered, the others are marked
            k = self.leaf(earlier)
            while k > 0 and self.nodes[k, UNTIL] > -inf:
                self.nodes[k, UNTIL] = -inf
                k //= 2
        self.memory[CHANGED] = i

    def skips_absent(self) -> bool:
        return True

    def withdraw(self, i: int) -> None:
        """Arm i, which has no reward, is not to be played until it is back."""
        self.memory[ABSENT] += 1.0
        self.changed(i)

    def bring_back(self, i: int) -> None:
        """Arm i is to be played again."""
        self.memory[ABSENT] -= 1.0
        self.memory[UNPULLED] = min(self.memory[UNPULLED], i)
        self.changed(i)

    def absent(self) -> int:
        return int(self.memory[ABSENT])

    def leaf(self, i: int) -> int:
        return int(self.nodes.shape[0] // 2 + i)

    def first_unpulled(self, arms: Arms) -> int:
        """The first arm that has no reward yet, or -1."""
        i = int(self.memory[UNPULLED])
        while i < arms.n_arms() and arms.pulls[i] != 0.0:
            i += 1
        self.memory[UNPULLED] = i
        return i if i < arms.n_arms() else -1

    def replay(self, policy: Policy, family: Family, arms: Arms, level: float) -> None:
        """Play the matches that are not certain at this level, from the leaves up."""
        k, every = 0, level < self.memory[LEVEL]  # certainty is only ever about higher levels
        if every:
            for leaf in range(self.leaf(0), 2 * self.leaf(0)):
                self.enter(arms, leaf)
            k = self.leaf(0) - 1
        elif self.memory[CHANGED] >= 0.0:
            leaf = self.leaf(int(self.memory[CHANGED]))
            self.enter(arms, leaf)
            k = leaf // 2
        self.memory[LEVEL], self.memory[CHANGED] = level, -1.0
        while k > 0 or self.nodes[1, UNTIL] < level:
            if k == 0:
                k, every = self.failing(arms, level), False
            self.match(policy, family, arms, k, level)
            k = k - 1 if every else k // 2

    def failing(self, arms: Arms, level: float) -> int:
        """A match that is not certain at this level, below which all are."""
        k = 1
        while k < self.leaf(0):
            if self.nodes[2 * k, UNTIL] < level:
                k = 2 * k
            elif self.nodes[2 * k + 1, UNTIL] < level:
                k = 2 * k + 1
            else:
                return k
        self.enter(arms, k)
        return k // 2

    def enter(self, arms: Arms, leaf: int) -> None:
        """The arm of a leaf, with lines that are still to be drawn."""
        nodes, i = self.nodes, leaf - self.leaf(0)
        present = i < arms.n_arms() and arms.pulls[i] > 0.0
        nodes[leaf, TOP], nodes[leaf, TIES] = (i, 1.0) if present else (-1.0, 0.0)
        nodes[leaf, UNTIL], nodes[leaf, EXPIRES] = inf, -_ENDLESS
        nodes[leaf, LEAST] = nodes[leaf, MOST] = 0.0
        nodes[leaf, LEAST_RISE] = nodes[leaf, MOST_RISE] = 0.0

    def match(self, policy: Policy, family: Family, arms: Arms, k: int, level: float) -> None:
        """Settle who leads the arms below node k."""
        nodes, left, right = self.nodes, 2 * k, 2 * k + 1
        if nodes[left, TOP] < 0.0 or nodes[right, TOP] < 0.0:
            outcome, until = nodes[left, TOP] - nodes[right, TOP], inf
        else:
            outcome, until = self.foreseen(left, right, level)
            if not until > level:
                outcome, until = self.outcome(policy, family, arms, left, right, level)
        until = min(until, nodes[left, UNTIL], nodes[right, UNTIL])
        winner = left + int(outcome < 0.0)
        others = nodes[right, TIES] if outcome == 0.0 else 0.0
        for field in range(_NODE):
            nodes[k, field] = nodes[winner, field]
        nodes[k, TIES] += others
        nodes[k, UNTIL] = until

    def foreseen(self, left: int, right: int, level: float) -> tuple[float, float]:
        """What the lines say: who leads, as in `outcome`, and up to which level; not above this
        one if they say nothing. Who wins is a toss-up, so there is no branch on it."""
        nodes = self.nodes
        lead, trail = self.lead(left, right, level), self.lead(right, left, level)
        behind = int(trail > lead)
        closing = nodes[right - behind, MOST_RISE] - nodes[left + behind, LEAST_RISE]
        ahead = 0.999 * max(lead, trail) / max(closing, _TINY)  # short of it: rounding errors
        expires = min(nodes[left, EXPIRES], nodes[right, EXPIRES])
        return lead - trail, min(expires, level + ahead)

    def lead(self, a: int, b: int, level: float) -> float:
        """How far the lower line of node a is above the upper line of node b."""
        nodes = self.nodes
        least = nodes[a, LEAST] - nodes[a, LEAST_RISE] * (nodes[a, EXPIRES] - level)
        most = nodes[b, MOST] - nodes[b, MOST_RISE] * (nodes[b, EXPIRES] - level)
        return float(least - most)

    def outcome(
        self, policy: Policy, family: Family, arms: Arms, left: int, right: int, level: float
    ) -> tuple[float, float]:
        """Who of two nodes leads: left if positive, right if negative, 0 for a tie; and up to which
        level. The lines say nothing, at first."""
        nodes, span = self.nodes, _SPAN * level
        a, b = int(nodes[left, TOP]), int(nodes[right, TOP])
        if self.curve.same_index(arms, a, b):
            return 0.0, inf
        first = second = 0.0
        for attempt in range(4):  # as they are; without what expired; both anew; over less
            expires = min(nodes[left, EXPIRES], nodes[right, EXPIRES])
            outcome, until = self.foreseen(left, right, level)
            if until > level:
                if attempt != 2 or until > level + _POOR * span:
                    return outcome, until
                span = 3.0 * (until - level)
            elif expires >= level:
                if self.stand_still(left, right):
                    return policy.prefer(family, arms, a, b, level), expires
                if attempt > 1:
                    break
            for child in (left, right):
                if attempt > 0 or nodes[child, EXPIRES] < level:
                    value = self.enclose(policy, family, arms, child, level, span)
                    first, second = (value, second) if child == left else (first, value)
        if first == second:
            return policy.prefer(family, arms, a, b, level), level
        return (1.0 if first > second else -1.0), level

    def stand_still(self, a: int, b: int) -> bool:
        """Whether both indices keep the same value, at an end of the range."""
        nodes = self.nodes
        value = nodes[a, LEAST]
        return bool(nodes[a, MOST] == value == nodes[b, LEAST] and nodes[b, MOST] == value)

    def enclose(
        self, policy: Policy, family: Family, arms: Arms, k: int, level: float, span: float
    ) -> float:
        """Draw the lines of node k's leader anew, from this level on; returns its index.

        If the index bends one way from level - span to level + span, its mean slope from the level
        to any point ahead is between those of the two chords.
        """
        nodes, i = self.nodes, int(self.nodes[k, TOP])
        span *= 1.0 + (i & 7) / 8.0  # arms that entered together do not expire together
        before = value = after = chosen = 0.0
        known, shorter = True, 0
        look = HERE
        while look != DONE:  # one place where an index is computed: it may be long code
            at = level + span if look == AHEAD else (level - span if look == BEHIND else level)
            index: float = policy.index_of(family, arms, i, at)
            seen = self.curve.straightened(family, index)
            if look == HERE:
                chosen, before, value, after = index, seen, seen, seen
                look = AHEAD if abs(seen) < inf else DONE
            elif look == BEHIND:
                before, look = seen, DONE
            else:
                bends = self.curve.bends_one_way(family, arms, i, level - span, level + span)
                after, known = seen, index < inf and bends
                if known or shorter == 3:
                    look = BEHIND if known else DONE
                else:
                    span, shorter = 0.125 * span, shorter + 1
        if abs(value) == inf:  # for good: the index is convex, or as far down as can be
            span = _ENDLESS
        nodes[k, EXPIRES] = level + span if known else level
        nodes[k, LEAST_RISE] = nodes[k, MOST_RISE] = 0.0
        nodes[k, LEAST] = nodes[k, MOST] = min(max(value, -_ENDLESS), _ENDLESS)
        if known and (before != value or after != value):
            size = max(abs(before), abs(value), abs(after))
            slack = 2.0 * self.curve.index_error(family, arms, i, size)
            earlier, later = (value - before) / span, (after - value) / span
            least, most = min(earlier, later) - slack / span, max(earlier, later) + slack / span
            nodes[k, LEAST_RISE], nodes[k, MOST_RISE] = least, most
            nodes[k, LEAST] = value - slack + least * span
            nodes[k, MOST] = value + slack + most * span
        return chosen

    def champion(self, rng: Draws) -> int:
        """The arm that won, or one of those that did, each with the same probability."""
        nodes = self.nodes
        if nodes[1, TIES] == 1.0:
            return int(nodes[1, TOP])
        place, k = rng.among(int(nodes[1, TIES])), 1
        while k < self.leaf(0):
            left, right = 2 * k, 2 * k + 1
            if nodes[k, TIES] < nodes[left, TIES] + nodes[right, TIES]:  # one of them lost
                k = left if nodes[k, TOP] == nodes[left, TOP] else right
            elif place < nodes[left, TIES]:
                k = left
            else:
                place -= int(nodes[left, TIES])
                k = right
        return k - self.leaf(0)
