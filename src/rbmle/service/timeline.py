"""Decisions, rewards and what they paid per minute, hour and day, in bounded memory.

Each row is counted in the current minute. When that ends, it is added to its hour and its day; the
older the time, the coarser what is left of it.
"""

from __future__ import annotations

from operator import add
from typing import Any

# Seconds of a bucket, and how many buckets back are kept: three hours of minutes, a week of hours,
# 400 days. In all at most 748 buckets, 36 kB of a snapshot. A choice: each fills a chart.
KEPT = ((60, 180), (3_600, 168), (86_400, 400))
Bucket = list[Any]  # when it begins (seconds since 1970, UTC), decisions, rewards, sum of rewards


class Timeline:
    """Buckets that were closed, for each of `KEPT`, and the current minute.

    Times must not go back. A bucket in which nothing happened is left out.
    """

    def __init__(self) -> None:
        self.closed: list[list[Bucket]] = [[] for _ in KEPT]
        self.current: Bucket = [0, 0, 0, 0.0]
        self._end = -1.0  # of the current minute

    def decided(self, at: float) -> None:
        """Count a decision."""
        if at >= self._end:
            self._begin(at)
        self.current[1] += 1

    def rewarded(self, value: float, at: float) -> None:
        """Count a reward, or a default reward."""
        if at >= self._end:
            self._begin(at)
        self.current[2] += 1
        self.current[3] += value

    def _begin(self, at: float) -> None:
        """Close the current minute, and begin the one of this time."""
        self._close(self.closed)
        width = KEPT[0][0]
        start = int(at // width) * width
        self.current, self._end = [start, 0, 0, 0.0], start + width

    def _close(self, closed: list[list[Bucket]]) -> None:
        """Add the current minute to these buckets, and drop those that have become too old."""
        begin, *counts = self.current
        if not any(counts[:2]):
            return
        for (width, most), known in zip(KEPT, closed, strict=True):
            start = begin // width * width
            if known and known[-1][0] == start:
                known[-1] = [start, *map(add, known[-1][1:], counts)]
            else:
                known.append([start, *counts])
            while known[0][0] <= start - most * width:
                known.pop(0)

    def buckets(self) -> list[list[Bucket]]:
        """The buckets of each width in `KEPT`, the current minute included."""
        shown = [list(each) for each in self.closed]
        self._close(shown)
        return shown

    def plain(self) -> list[Any]:
        """The timeline as data that JSON can hold."""
        return [self.current, self.closed]

    @classmethod
    def of(cls, data: list[Any]) -> Timeline:
        """The timeline that `plain` wrote."""
        made = cls()
        made.current, made.closed = data
        made._end = made.current[0] + KEPT[0][0] if any(made.current[1:3]) else -1.0
        return made
