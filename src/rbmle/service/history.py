"""What an experiment remembers of its past, for the page: how the decisions were shared among the
arms, in at most 120 parts, how many there were and what they paid over time, and the last of them.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import Any

import msgspec

from .timeline import Timeline

_MOST_PARTS = 120  # enough for a picture; when there are more, neighbours are joined
_FEWEST = 20  # decisions of a part that is shown: a share of 1/2 then varies by 0.11
_MOST_ARMS = 64  # with more arms nobody could tell the areas apart, and no shares are kept
_LAST = 12  # decisions that are shown one by one; a choice


class History:
    """Parts of equally many decisions: when each began, and how many went to each arm.

    timeline: decisions and rewards over time. last: the places in the log of the last decisions.
    """

    def __init__(self) -> None:
        self.size = 1  # decisions in a part
        self.parts: list[tuple[float, dict[int, int]]] = []
        self._room = 0  # decisions that the last part can still take
        self.timeline = Timeline()
        self.last: deque[int] = deque(maxlen=_LAST)

    def decided(self, seq: int, arm: int, at: float, n_arms: int) -> None:
        """Note a decision."""
        self.last.append(seq)
        self.timeline.decided(at)
        if n_arms > _MOST_ARMS:
            return
        if not self._room:
            if len(self.parts) >= _MOST_PARTS:
                self._join()
            self.parts.append((at, {}))
            self._room = self.size
        counts = self.parts[-1][1]
        counts[arm] = counts.get(arm, 0) + 1
        self._room -= 1

    def _join(self) -> None:
        self.parts = [
            (at, {arm: one.get(arm, 0) + other.get(arm, 0) for arm in {**one, **other}})
            for (at, one), (_, other) in zip(self.parts[::2], self.parts[1::2], strict=True)
        ]
        self.size *= 2

    def shares(self, n_arms: int) -> list[dict[str, Any]]:
        """For each part: when it began, and the share of each arm.

        Parts of few decisions would show their randomness alone, so they are joined for this.
        """
        shown, together = [], -(-_FEWEST // self.size)
        for first in range(0, len(self.parts), together):
            joined = self.parts[first : first + together]
            counts = sum((Counter(each) for _, each in joined), Counter[int]())
            total = counts.total()
            shares = [counts[arm] / total for arm in range(n_arms)]
            shown.append({"at": joined[0][0], "shares": shares})
        return shown

    def plain(self) -> list[Any]:
        """The history as data that JSON can hold."""
        parts = [[at, sorted(counts.items())] for at, counts in self.parts]
        return [self.size, self._room, parts, self.timeline, list(self.last)]

    @classmethod
    def of(cls, data: list[Any]) -> History:
        """The history that `plain` wrote."""
        made = cls()
        made.size, made._room, parts, timeline, last = data
        made.parts = [(at, dict(counts)) for at, counts in parts]
        made.timeline = msgspec.convert(timeline, Timeline)
        made.last.extend(last)
        return made
