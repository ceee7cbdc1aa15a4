"""Windowed evidence: only the last rounds count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from .._numba.compile import Floats
from ..policies.arms import Arms, Clock
from .interface import evidence

_SIZE = "[1, 1000000000]"  # 4e9 numbers of memory: more than any machine's


@evidence
class Window(NamedTuple):
    """The last `size` rounds count, and nothing before them (Garivier and Moulines 2011).

    The round that a policy sees is min(t, size). An arm without a pull in the window is unpulled
    again. For a policy that needs the horizon the rounds to come stay as many as they are.

    size: at least 1. The memory has 4 numbers for each round of the window.

    Sums do not drift, because nothing is ever subtracted. The window is two parts: rounds since it
    last was full, whose sums only grow, and older ones. For each older round the sums of its arm
    over the older rounds after it are known, computed once when the parts were made; when the round
    leaves the window, they become the arm's. That is one pass over the window in `size` rounds.

    >>> import numpy as np
    >>> from rbmle import Arms
    >>> evidence, arms = Window(2), Arms.fresh(2)
    >>> memory = np.zeros(evidence.memory_size(2))
    >>> for i, reward in ((0, 1.0), (1, 3.0), (0, 2.0)):
    ...     evidence.learn(arms, memory, 0, False, i, reward)
    >>> arms.pulls.tolist(), arms.sums.tolist(), evidence.clock(memory, 4, 0).t
    ([1.0, 1.0], [2.0, 3.0], 2)
    """

    size: Annotated[int, _SIZE]

    # The memory: the number of rewards learned; then arm, reward, and the two sums of each round of
    # the window; then for each arm sums and squares over the older part, and over the newer one.

    def memory_size(self, n_arms: int) -> int:
        return 1 + 4 * self.size + 4 * n_arms

    def begin(self, arms: Arms, memory: Floats) -> None:
        memory[0] = 0.0
        for k in range(1 + 4 * self.size, 1 + 4 * self.size + 4 * arms.n_arms()):
            memory[k] = 0.0

    def clock(self, memory: Floats, t: int, horizon: int) -> Clock:
        now = min(t, self.size)
        return Clock(now, horizon - t + now if horizon > 0 else 0)

    def learn(
        self, arms: Arms, memory: Floats, features: object, moving: bool, i: int, reward: float
    ) -> None:
        learned = int(memory[0])
        slot = learned % self.size
        if learned >= self.size:
            if slot == 0:
                self.turn(arms, memory)
            self.leave(arms, memory, slot)
        arms.learn(i, reward)  # for the pulls, and for the origin of squares if it is the first
        newer = 1 + 4 * self.size + 2 * arms.n_arms() + 2 * i
        away = reward - arms.origin(i)
        memory[newer] += reward
        memory[newer + 1] += away * away
        self.add_up(arms, memory, i)
        place = 1 + 4 * slot
        memory[place], memory[place + 1] = float(i), reward
        memory[0] = learned + 1.0

    def turn(self, arms: Arms, memory: Floats) -> None:
        """Make all rounds of the window the older part: the newer part is empty now."""
        older = 1 + 4 * self.size
        newer = older + 2 * arms.n_arms()
        for k in range(older, newer + 2 * arms.n_arms()):
            memory[k] = 0.0
        for slot in range(self.size - 1, -1, -1):
            place = 1 + 4 * slot
            i, reward = int(memory[place]), memory[place + 1]
            away = reward - arms.origin(i)
            memory[place + 2], memory[place + 3] = memory[older + 2 * i], memory[older + 2 * i + 1]
            memory[older + 2 * i] += reward
            memory[older + 2 * i + 1] += away * away

    def leave(self, arms: Arms, memory: Floats, slot: int) -> None:
        """The round at this place leaves the window."""
        place, older = 1 + 4 * slot, 1 + 4 * self.size
        i = int(memory[place])
        memory[older + 2 * i], memory[older + 2 * i + 1] = memory[place + 2], memory[place + 3]
        arms.pulls[i] -= 1.0
        self.add_up(arms, memory, i)

    def add_up(self, arms: Arms, memory: Floats, i: int) -> None:
        """The sums of arm i: those of the older part and of the newer one."""
        older = 1 + 4 * self.size + 2 * i
        newer = older + 2 * arms.n_arms()
        arms.sums[i] = memory[older] + memory[newer]
        arms.squares[i] = memory[older + 1] + memory[newer + 1]

    def relayout(
        self, arms: Arms, memory: Floats, places: Sequence[int], new: Arms, after: Floats
    ) -> None:
        """The rounds of the window, oldest first, are learned again, without those of removed arms.

        >>> import numpy as np
        >>> window, arms, new = Window(3), Arms.fresh(3), Arms.fresh(2)
        >>> memory, after = (np.zeros(window.memory_size(n)) for n in (3, 2))
        >>> for i in (0, 1, 2, 2):
        ...     window.learn(arms, memory, 0, False, i, 1.0)
        >>> window.relayout(arms, memory, [2, 0], new, after)  # arm 1 goes, arm 2 comes first
        >>> new.pulls.tolist()
        [2.0, 0.0]
        """
        place_of = {old: place for place, old in enumerate(places) if old >= 0}
        new.restart()
        learned = int(memory[0])
        for number in range(max(learned - self.size, 0), learned):
            slot = 1 + 4 * (number % self.size)
            i = int(memory[slot])
            if i in place_of:
                self.learn(new, after, 0, False, place_of[i], float(memory[slot + 1]))

    def holds(self, n_arms: int, memory: Floats) -> bool:
        """Whether the rounds of the window name arms that there are."""
        arms = memory[1 : 1 + 4 * self.size : 4]
        whole = memory[0] >= 0.0 and memory[0] % 1.0 == 0.0
        return bool(whole and (arms >= 0.0).all() and (arms < n_arms).all())
