"""A tournament of lines: a chooser for many arms whose index is a line in a function of the level.

It is a kinetic tournament (see `tournament`) for policies with a `Line`. All that a match needs to
know about an arm is its base and rise, and two lines cross once; so a node is 32 bytes, and both
children of a node are in one cache line. The leaves of the tree are blocks of sixteen arms, whose
lines are side by side in memory. With very many arms that saves most of the time, which is not
computation but waiting for memory that is in no cache.

The choices are those of the scan. Arms with the same line have the same index at every level. If
two other lines come nearer than rounding errors, indices are compared, and the outcome holds for
this level alone.
"""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np

from .._numba.compile import Floats, njit
from .._numba.prefetch import prefetch
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.base import Policy
from ..random import Draws
from .kinetic import ABSENT, CHANGED, LAST, UNTIL, aligned, failing, find, kinetic

# The numbers of a node: which arm leads those below it, and up to which scale that is certain.
BASE, RISE = 0, 1  # the line of the leading arm, the first of those that tie
# UNTIL, 2: the scale up to which it leads; -inf if it is to be found anew
WHO = 3  # 2^26 x (how many arms tie with it, itself included) + (its number); 0 for none
# A leaf adds 2^(j-16) for each arm j of its block that ties: they are found without their lines.
_NODE = 4
_TIE, _PER_TIE = 67108864.0, 1.0 / 67108864.0  # 2^26, 2^-26
MOST_ARMS = 1 << 26  # so that WHO is below 2^53

# Arms in a leaf. Measured with a million arms at 8, 16 and 32, in ns a round: UCB on coins 744, 680
# and 683, on Gaussian rewards 519, 546 and 561; RBMLE on Gaussian rewards 539, 555 and 608.
BLOCK = 16
_BIT = 1.0 / 65536.0  # 2^-16, see `WHO`
# An index and the value of its line differ by at most 3e-15 of |base| + |rise x scale| (`Line`).
_NEAR = 1e-13
_COLD = 8  # floors of the tree, from the leaves up, that are in no cache with a million arms
_NOWHERE = -1e300  # the base of an arm that is absent, and of a node without arms; its rise is 0
_TINY = 1e-20  # in place of 0, by which one cannot divide
_SPAN = 0.25  # how far ahead a match of a block looks, as a share of the scale


@njit
def later(scale: float, ahead: float, gap: float, then: float, slack: float) -> float:
    """The scale up to which a line leads others by more than rounding errors, up to scale + ahead.

    gap: its lead now. then: its lead at scale + ahead. The largest of the others is a convex
    function of the scale, so the lead is at least linear in between. slack: rounding errors now; on
    the way they at most double. The 0.1 % less is for the rounding errors of this computation.
    """
    share = (gap - 2.0 * slack) / max(gap - then, _TINY) if then < 2.0 * slack else 1.0
    return scale + 0.999 * ahead * max(share, 0.0)


@kinetic
class LineTournament(NamedTuple):
    """The chooser: the blocks are the leaves.

    line: the promise about the policy's index. lines: base and rise of each arm.
    """

    line: Any
    lines: Floats
    nodes: Floats
    memory: Floats

    @classmethod
    def of(cls, line: Any, n_arms: int) -> LineTournament:
        """A tournament of `n_arms` arms, none of which has a reward."""
        blocks = 1 << max(-(-n_arms // BLOCK) - 1, 0).bit_length()
        nodes = aligned(2 * blocks, _NODE)
        tournament = cls(line, aligned(blocks * BLOCK, 2), nodes, np.zeros(ABSENT + 1))
        tournament.restart()  # type: ignore[attr-defined]  # one of the methods of `kinetic`
        return tournament

    def pick(
        self, policy: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws
    ) -> int:
        """The arm to play: the one that a scan finds."""
        chosen = find(self, policy, family, arms, clock, rng)
        return chosen if chosen >= 0 else policy.choose(state, family, arms, clock, rng)

    def leaf(self, i: int) -> int:
        """The node of the block of arm i."""
        return int(self.nodes.shape[0] // 2 + i // BLOCK)

    def replay(self, policy: Policy, family: Family, arms: Arms, level: float) -> None:
        """Play the matches that are not certain at this level, from the leaves up."""
        scale, leaves = self.line.scale(level), self.leaf(0)
        k, i = 0, int(self.memory[CHANGED])
        every = scale < self.memory[LAST]  # matches are certain for higher levels only
        if every:
            for leaf in range(leaves, 2 * leaves):
                self.nodes[leaf, UNTIL] = -inf
            k = 2 * leaves - 1
        elif i >= 0:
            self.draw(family, arms, i)
            k = self.leaf(i)
        self.memory[LAST], self.memory[CHANGED] = scale, -1.0
        while k > 0 or self.nodes[1, UNTIL] < scale:
            if k == 0:
                k, every = failing(self.nodes, scale), False
            if k >= leaves:
                self.meet(policy, family, arms, k, level, scale)
            else:
                self.match(policy, family, arms, k, level, scale)
            k = k - 1 if every else k // 2

    def draw(self, family: Family, arms: Arms, i: int) -> None:
        """Draw the line of arm i."""
        base, rise = _NOWHERE, 0.0
        if i < arms.n_arms() and arms.pulls[i] > 0.0:
            base, rise = self.line.base(family, arms, i, 0.0), self.line.rise(family, arms, i)
        here = base > _NOWHERE
        self.lines[i, BASE], self.lines[i, RISE] = (base, rise) if here else (_NOWHERE, 0.0)

    def meet(
        self, policy: Policy, family: Family, arms: Arms, k: int, level: float, scale: float
    ) -> None:
        """Find which arm of a block leads. All its lines are drawn anew if the block is marked."""
        lines, begin = self.lines, (k - self.leaf(0)) * BLOCK
        end = begin + BLOCK
        if self.nodes[k, UNTIL] == -inf:
            for i in range(begin, end):
                self.draw(family, arms, i)
        best, first = _NOWHERE, begin
        for i in range(begin, end):  # no branch on who leads: a processor could not predict it
            value = lines[i, BASE] + lines[i, RISE] * scale
            first = i if value > best else first
            best = value if value > best else best
        # The largest value of the others, here and at a scale further on.
        rise, ahead = lines[first, RISE], _SPAN * scale
        second = then = _NOWHERE
        size, ties, bits, bit = 0.0, 0, 0.0, _BIT
        for i in range(begin, end):
            same = self.same(i, first)
            width = lines[i, RISE] * scale
            value = _NOWHERE if same else lines[i, BASE] + width
            second = value if value > second else second
            value += lines[i, RISE] * ahead
            then = value if value > then else then
            value = abs(lines[i, BASE]) + abs(width) if lines[i, BASE] > _NOWHERE else 0.0
            size = value if value > size else size
            ties += same
            bits += same * bit
            bit += bit
        slack = _NEAR * (size + size)
        until = later(scale, ahead, best - second, best + rise * ahead - then, slack)
        if not best - second > slack:
            first, ties, bits = self.compared(policy, family, arms, begin, first, level)
            until = scale
        present = lines[first, BASE] > _NOWHERE
        self.nodes[k, BASE], self.nodes[k, RISE] = lines[first, BASE], lines[first, RISE]
        self.nodes[k, UNTIL] = until if present else inf
        self.nodes[k, WHO] = _TIE * ties + first + bits if present else 0.0

    def compared(
        self, policy: Policy, family: Family, arms: Arms, begin: int, leader: int, level: float
    ) -> tuple[int, int, float]:
        """Which arm of the block from arm `begin` on has the largest index, how many tie with it,
        and which, as in `WHO`."""
        best, first, ties, bits, bit = -inf, leader, 1, 0.0, _BIT
        for i in range(begin, begin + BLOCK):
            if self.lines[i, BASE] > _NOWHERE:
                index = policy.index_of(family, arms, i, level)
                preferred = 1.0 if index > best else -1.0
                if index == best:
                    preferred = policy.prefer(family, arms, i, first, level)
                if preferred > 0.0:
                    best, first, ties, bits = index, i, 1, bit
                elif preferred == 0.0:
                    ties, bits = ties + 1, bits + bit
            bit += bit
        return first, ties, bits

    def match(
        self, policy: Policy, family: Family, arms: Arms, k: int, level: float, scale: float
    ) -> None:
        """Play the match of node k: find which arm leads those below it."""
        nodes, left, right = self.nodes, 2 * k, 2 * k + 1
        base, rise = nodes[left, BASE], nodes[left, RISE]
        other, its_rise = nodes[right, BASE], nodes[right, RISE]
        until = min(nodes[left, UNTIL], nodes[right, UNTIL])
        who, whose = self.who(left), self.who(right)
        if base == other and rise == its_rise:
            who += _TIE * self.ties(right)
        else:
            gap = (base + rise * scale) - (other + its_rise * scale)
            slack = _NEAR * (abs(base) + abs(other) + (abs(rise) + abs(its_rise)) * scale)
            then = gap + (rise - its_rise) * scale
            certain = later(scale, scale, abs(gap), -then if gap < 0.0 else then, slack)
            if not abs(gap) > slack:
                gap, certain = self.outcome(policy, family, arms, left, right, level), scale
                who += _TIE * self.ties(right) if gap == 0.0 else 0.0
            until = min(until, certain)
            base, rise = (other, its_rise) if gap < 0.0 else (base, rise)
            who = whose if gap < 0.0 else who
        nodes[k, BASE], nodes[k, RISE] = base, rise
        nodes[k, UNTIL], nodes[k, WHO] = until, who

    def outcome(
        self, policy: Policy, family: Family, arms: Arms, left: int, right: int, level: float
    ) -> float:
        """Positive if left leads, negative if right does, 0 for a tie, by their indices."""
        a, b = self.top(left), self.top(right)
        first = policy.index_of(family, arms, a, level)
        second = policy.index_of(family, arms, b, level)
        if first == second:
            return policy.prefer(family, arms, a, b, level)
        return 1.0 if first > second else -1.0

    def touch(self, i: int) -> None:
        """Ask for what is read of arm i next, so that all of it is on its way at once.
        These reads wait for no other; a match waits for the one below it."""
        i = max(i, 0)
        k = self.leaf(i)
        for line in range(0, BLOCK, 4):  # four lines fill a cache line
            prefetch(self.lines, i // BLOCK * BLOCK + line)
        for _ in range(_COLD):
            prefetch(self.nodes, k)
            k = max(k // 2, 1)

    def who(self, k: int) -> float:
        """What a match tells of node k, one of its two: of a leaf not which arms of it tie."""
        return float(self.nodes[k, WHO] if k < self.leaf(0) else np.floor(self.nodes[k, WHO]))

    def ties(self, k: int) -> float:
        """How many arms lead node k."""
        return float(np.floor(self.nodes[k, WHO] * _PER_TIE))

    def top(self, k: int) -> int:
        """The first of them."""
        return int(self.nodes[k, WHO] - _TIE * self.ties(k))

    def champion(self, rng: Draws) -> int:
        """The arm that won; if several tie, one of them, each with the same probability."""
        if self.nodes[1, WHO] < 2.0 * _TIE:
            return self.top(1) if self.nodes[1, WHO] != 0.0 else -1
        count, k = self.ties(1), 1
        place = float(rng.among(int(count)))
        while k < self.leaf(0):
            left, right = 2 * k, 2 * k + 1
            far = 16 * k  # ask for those four floors down, as in `touch`
            if 256 <= far < self.nodes.shape[0]:
                for child in range(far, far + 16, 2):
                    prefetch(self.nodes, child)
            ours, theirs = self.ties(left), self.ties(right)
            if count < ours + theirs:  # one child lost
                behind = int(self.top(k) != self.top(left))
            else:
                behind = int(place >= ours)
                place -= ours * behind
            count = theirs if behind else ours
            k = left + behind
        bits = int((self.nodes[k, WHO] - float(int(self.nodes[k, WHO]))) / _BIT)
        found, seen, wanted = 0, 0, int(place)
        for j in range(BLOCK):
            tie = (bits >> j) & 1
            found = j if tie & (seen == wanted) else found
            seen += tie
        return (k - self.leaf(0)) * BLOCK + found

    def same(self, i: int, j: int) -> bool:
        """Whether two arms have the same line."""
        lines = self.lines
        return bool((lines[i, BASE] == lines[j, BASE]) & (lines[i, RISE] == lines[j, RISE]))
