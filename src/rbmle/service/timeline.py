"""Decisions, rewards and what they paid per minute, hour and day, in bounded memory.

Each row is counted in the current minute. When that ends, it is added to its hour and its day; the
older the time, the coarser what is left of it.
"""

from __future__ import annotations

from operator import add
from typing import Any

from msgspec import Struct, field

# Seconds of a bucket, and how many buckets back are kept: three hours of minutes, a week of hours,
# 400 days. In all at most 748 buckets, 36 kB of a snapshot. A choice: each fills a chart.
KEPT = ((60, 180), (3_600, 168), (86_400, 400))
Bucket = list[Any]  # when it begins (seconds since 1970, UTC), decisions, rewards, sum of rewards


class Timeline(Struct, array_like=True):
    """Buckets that were closed, for each of `KEPT`, and the current minute.

    Times must not go back. A bucket in which nothing happened is left out.
    """

    current: Bucket = field(default_factory=lambda: [0, 0, 0, 0.0])
    closed: list[list[Bucket]] = field(default_factory=lambda: [[] for _ in KEPT])

    def decided(self, at: float) -> None:
        """Count a decision."""
        self._begin(at)
        self.current[1] += 1

    def rewarded(self, value: float, at: float) -> None:
        """Count a reward, or a default reward."""
        self._begin(at)
        self.current[2] += 1
        self.current[3] += value

    def _begin(self, at: float) -> None:
        """Close the current minute, and begin the one of this time, if that is another."""
        width = KEPT[0][0]
        if at >= self.current[0] + width:
            self._close(self.closed)
            self.current = [int(at // width) * width, 0, 0, 0.0]

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
