"""A kinetic tournament: a chooser that finds the largest index without looking at every arm.

Between two pulls an arm's index changes only because the level rises, and as a function of the
level it is convex or concave. So its future is bounded: up to some higher level it stays between
two lines, whose slopes are those of its chords just before and just after the present level. Arms
meet in pairs, and winners meet winners. A match is certain up to the level where the lower line of
the winner meets the upper line of the loser. A choice looks up the winner of the tree, after
replaying the matches of the arm that was pulled and the matches that are no longer certain: about
log2 K of the K - 1 matches.

The choices are those of the scan, to the last bit. Lines leave room for rounding errors. If they do
not separate two arms, the two indices are compared, and the outcome holds for this level alone.
Arms with the same past (`same_index`) have equal indices at every level.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats, record
from ..families import Family
from ..policies.arms import ArmCount, Arms, Clock
from ..policies.base import Policy
from ..random import Draws
from .facts import Facts

# The eight numbers of a node of the tree, one cache line.
# First, which arm leads those below the node:
TOP = 0  # the leading arm, the first of those that tie; -1 if there is none
UNTIL = 1  # the level up to which this is certain
# Then two lines between which the leader's index lies up to the level EXPIRES:
EXPIRES = 2
LEAST, MOST = 3, 4  # their values at EXPIRES
LEAST_RISE, MOST_RISE = 5, 6  # their slopes
INDEX = 7  # the leader's index where they were drawn
_NODE = 8

# Places in `memory`:
LAST = 0  # the level of the last choice; infinite if every match is to be played
UNPULLED = 1  # every arm before this one has a reward
CHANGED = 2  # the arm that changed last; -1 if there is none
ABSENT = 3  # how many arms are absent
TOUCHED = 4  # nothing that matters, see `touch`

_COLD = 12  # floors of the tree, from the leaves up, that are in no cache with a million arms
HERE, AHEAD, BEHIND, DONE = 0, 1, 2, 3  # the levels at which `enclose` computes an index, in turn

# Lines reach at least this far ahead, as a share of the level. Measured by the number of indices
# computed a round, with 200 arms, at 1/4, 1/8, 1/16, 1/32, 1/64: for UCB 5.4, 5.0, 4.8, 4.9, 5.5;
# for KL-UCB 6.8, 4.7, 4.4, 4.8, 6.6; for RBMLE on Gaussian rewards 3.0, 3.1, 3.5, 4.1, 5.6.
_SPAN = 1.0 / 16.0
_ENDLESS, _TINY = 1e300, 1e-200  # in place of infinity and 0, which would lead to NaN


def aligned(size: int) -> Floats:
    """An array that begins at a multiple of 128 bytes, where two adjacent cache lines do."""
    memory = np.zeros(size + 16)
    begin = -(memory.ctypes.data // memory.itemsize) % 16
    return memory[begin : begin + size]


@record
class Tournament(NamedTuple):
    """The chooser: the arms are the leaves. facts: the shape of the policy's index.

    Node k has the children 2 k and 2 k + 1; the second half of `nodes` are leaves. An arm with a
    negative number of pulls is absent: it is not played.
    ties: how many arms lead each node, negative if only its right child's do. They are apart, so
    that the way down to one of many tied arms is short enough for a cache. size: the number of
    arms. If `pick` is given fewer, it scans them, and the tournament goes on without a trace of it.
    """

    facts: Facts
    nodes: Floats
    ties: NDArray[np.int32]
    memory: Floats
    size: int

    @classmethod
    def of(cls, facts: Facts, n_arms: int) -> Tournament:
        """A tournament of `n_arms` arms, none of which has a reward."""
        rows = 2 << max(n_arms - 1, 0).bit_length()
        nodes, ties = aligned(rows * _NODE).reshape(rows, _NODE), aligned(rows).view(np.int32)
        tournament = cls(facts, nodes, ties[:rows], np.zeros(TOUCHED + 1), n_arms)
        tournament.restart()
        return tournament

    def restart(self) -> None:
        """A new replication begins: no arm has a reward."""
        memory = self.memory
        memory[LAST], memory[UNPULLED], memory[CHANGED], memory[ABSENT] = inf, 0.0, -1.0, 0.0

    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        """The arm to play: the one that a scan finds."""
        if arms.n_arms() != self.size:
            return self.facts.scanned(state, family, arms, clock, rng)
        chosen = self.first_unpulled(arms)
        if chosen < 0:
            present = ArmCount(arms.n_arms() - int(self.memory[ABSENT]))
            self.replay(policy, family, arms, policy.level(family, present, clock))
            chosen = self.champion(rng)
            self.touch(arms, chosen)
        return chosen

    def changed(self, i: int) -> None:
        """The statistics of arm i have changed: its matches must be played again."""
        earlier = int(self.memory[CHANGED])
        if earlier >= 0 and earlier != i:  # one arm is remembered; matches of others are marked
            k = self.leaf(earlier)
            while k > 0 and self.nodes[k, UNTIL] > -inf:
                self.nodes[k, UNTIL] = -inf
                k //= 2
        self.memory[CHANGED] = i

    def skips_absent(self) -> bool:
        """Yes: absent arms do not enter the tournament."""
        return True

    def withdraw(self, i: int) -> None:
        """Arm i, which has no reward, is absent: it is not played until it is back."""
        self.memory[ABSENT] += 1.0
        self.changed(i)

    def bring_back(self, i: int) -> None:
        """Arm i is present again."""
        self.memory[ABSENT] -= 1.0
        self.memory[UNPULLED] = min(self.memory[UNPULLED], i)
        self.changed(i)

    def first_unpulled(self, arms: Arms) -> int:
        """The first arm that has no reward yet, or -1."""
        i = int(self.memory[UNPULLED])
        while i < arms.n_arms() and arms.pulls[i] != 0.0:
            i += 1
        self.memory[UNPULLED] = i
        return i if i < arms.n_arms() else -1

    def leaf(self, i: int) -> int:
        return int(self.nodes.shape[0] // 2 + i)

    def replay(self, policy: Policy, family: Family, arms: Arms, level: float) -> None:
        """Play the matches that are not certain at this level, from the leaves up."""
        k, every = 0, level < self.memory[LAST]  # matches are certain for higher levels only
        if every:
            for leaf in range(self.leaf(0), 2 * self.leaf(0)):
                self.enter(arms, leaf)
            k = self.leaf(0) - 1
        elif self.memory[CHANGED] >= 0.0:
            leaf = self.leaf(int(self.memory[CHANGED]))
            self.enter(arms, leaf)
            k = leaf // 2
        self.memory[LAST], self.memory[CHANGED] = level, -1.0
        while k > 0 or self.nodes[1, UNTIL] < level:
            if k == 0:
                k, every = self.failing(level), False
                if k >= self.leaf(0):
                    self.enter(arms, k)
                    k //= 2
            self.match(policy, family, arms, k, level)
            k = k - 1 if every else k // 2

    def failing(self, level: float) -> int:
        """A node that is not certain at this level, while all nodes below it are."""
        nodes, k = self.nodes, 1
        while 2 * k < nodes.shape[0]:
            if nodes[2 * k, UNTIL] < level:
                k = 2 * k
            elif nodes[2 * k + 1, UNTIL] < level:
                k = 2 * k + 1
            else:
                return k
        return k

    def enter(self, arms: Arms, leaf: int) -> None:
        """Fill a leaf with its arm; its lines count as expired, and are drawn when needed."""
        nodes, i = self.nodes, leaf - self.leaf(0)
        present = i < arms.n_arms() and arms.pulls[i] > 0.0
        nodes[leaf, TOP], self.ties[leaf] = (i, 1) if present else (-1.0, 0)
        nodes[leaf, UNTIL], nodes[leaf, EXPIRES] = inf, -_ENDLESS
        nodes[leaf, LEAST] = nodes[leaf, MOST] = 0.0
        nodes[leaf, LEAST_RISE] = nodes[leaf, MOST_RISE] = 0.0

    def match(self, policy: Policy, family: Family, arms: Arms, k: int, level: float) -> None:
        """Play the match of node k: find which arm leads those below it."""
        nodes, left, right = self.nodes, 2 * k, 2 * k + 1
        if nodes[left, TOP] < 0.0 or nodes[right, TOP] < 0.0:
            outcome, until = nodes[left, TOP] - nodes[right, TOP], inf
        else:
            outcome, until = self.outcome(policy, family, arms, left, right, level)
        until = min(until, nodes[left, UNTIL], nodes[right, UNTIL])
        winner = left + int(outcome < 0.0)
        ours, theirs = abs(self.ties[left]), abs(self.ties[right])
        self.ties[k] = -theirs if outcome < 0.0 else ours + (theirs if outcome == 0.0 else 0)
        for field in range(_NODE):
            nodes[k, field] = nodes[winner, field]
        nodes[k, UNTIL] = until

    def foreseen(self, left: int, right: int, level: float) -> tuple[float, float]:
        """Who leads according to the lines, as in `outcome`, and up to which level.

        If the lines do not tell, that level is not above the present one. The code has no branch on
        who wins: a processor could not predict it.
        """
        nodes = self.nodes
        lead, trail = self.lead(left, right, level), self.lead(right, left, level)
        behind = int(trail > lead)
        closing = nodes[right - behind, MOST_RISE] - nodes[left + behind, LEAST_RISE]
        ahead = 0.999 * max(lead, trail) / max(closing, _TINY)  # 0.1 % less, for rounding errors
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
        """Which of two nodes leads, and up to which level.

        The first number is positive if left leads, negative if right does, 0 for a tie.
        """
        nodes, span = self.nodes, _SPAN * level
        a, b = int(nodes[left, TOP]), int(nodes[right, TOP])
        # With the lines as they are; with expired ones drawn again; with both drawn again.
        for attempt in range(3):
            outcome, until = self.foreseen(left, right, level)
            if until > level:
                return outcome, until
            if attempt == 0 and self.facts.same_index(family, arms, a, b):
                return policy.prefer(family, arms, a, b, level), inf
            expires = min(nodes[left, EXPIRES], nodes[right, EXPIRES])
            constant = nodes[left, LEAST] == nodes[left, MOST]  # as at an end of the range
            alike = nodes[left, MOST] == nodes[right, LEAST] == nodes[right, MOST]
            if expires >= level and constant and alike:
                return policy.prefer(family, arms, a, b, level), expires
            for child in (left, right):
                if attempt == 1 or (attempt == 0 and nodes[child, EXPIRES] < level):
                    self.enclose(policy, family, arms, child, level, span)
        first, second = nodes[left, INDEX], nodes[right, INDEX]
        if first == second:
            return policy.prefer(family, arms, a, b, level), level
        return (1.0 if first > second else -1.0), level

    def enclose(
        self, policy: Policy, family: Family, arms: Arms, k: int, level: float, span: float
    ) -> None:
        """Draw new lines for node k's leader, from this level on, and note its index.

        If the index is convex (or concave) on [level - span, level + span], its mean slope from the
        level to any level ahead is between the slopes of the chords over the two halves.
        """
        nodes, i = self.nodes, int(self.nodes[k, TOP])
        span *= 1.0 + (i & 7) / 8.0  # differs between arms, so that their lines expire in turn
        before = value = after = 0.0
        look, known, shorter = HERE, True, 0
        while look != DONE:  # a loop, so that the code of an index, which may be long, occurs once
            at = level + span if look == AHEAD else (level - span if look == BEHIND else level)
            index: float = policy.index_of(family, arms, i, at)
            seen = self.facts.straightened(family, index)
            if look == HERE:
                nodes[k, INDEX], before, value, after = index, seen, seen, seen
                look = AHEAD if abs(seen) < inf else DONE
            elif look == BEHIND:
                before, look = seen, DONE
            else:
                bends = self.facts.bends_one_way(family, arms, i, level - span, level + span)
                after, known = seen, index < inf and bends
                if known or shorter == 3:
                    look = BEHIND if known else DONE
                else:
                    span, shorter = 0.125 * span, shorter + 1
        if abs(value) == inf:  # +inf stays by `tournament_from`; -inf cannot fall
            span = _ENDLESS
        nodes[k, EXPIRES] = level + span if known else level
        nodes[k, LEAST_RISE] = nodes[k, MOST_RISE] = 0.0
        nodes[k, LEAST] = nodes[k, MOST] = min(max(value, -_ENDLESS), _ENDLESS)
        if known and (before != value or after != value):
            size = max(abs(before), abs(value), abs(after))
            slack = 2.0 * self.facts.index_error(family, arms, i, size)
            earlier, later = (value - before) / span, (after - value) / span
            least, most = min(earlier, later) - slack / span, max(earlier, later) + slack / span
            nodes[k, LEAST_RISE], nodes[k, MOST_RISE] = least, most
            nodes[k, LEAST] = value - slack + least * span
            nodes[k, MOST] = value + slack + most * span

    def touch(self, arms: Arms, i: int) -> None:
        """Read what the next round reads of arm i, so that all of it is on its way at once.

        These reads wait for no other, whereas a match waits for the one below it.
        """
        k, seen = self.leaf(i), 0.0
        for _ in range(_COLD):
            rival = max(int(self.nodes[k ^ 1, TOP]), 0)
            seen += self.nodes[k, TOP] + arms.pulls[rival] + arms.sums[rival]
            k = max(k // 2, 2)
        self.memory[TOUCHED] = seen

    def champion(self, rng: Draws) -> int:
        """The arm that won; if several tie, one of them, each with the same probability."""
        ties, k, seen = self.ties, 1, 0
        if abs(ties[1]) == 1:
            return int(self.nodes[1, TOP])
        place = rng.among(abs(int(ties[1])))
        while k < self.leaf(0):
            if 16 * k < ties.size:  # ask for those four floors down, one cache line, as in `touch`
                seen += ties[16 * k]
            left, right = abs(int(ties[2 * k])), abs(int(ties[2 * k + 1]))
            if abs(int(ties[k])) < left + right:  # one child lost
                k = 2 * k if ties[k] > 0 else 2 * k + 1
            elif place < left:
                k = 2 * k
            else:
                k, place = 2 * k + 1, place - left
        self.memory[TOUCHED] = seen
        return k - self.leaf(0)
