"""`Deadlines`: when decisions of an experiment end without a reward.

They are looked for in slices of the log, each in a transaction of its own, between which other
requests are served: if a million pass at once, nobody waits for all of them.
"""

from __future__ import annotations

from math import inf

from .rows import Open

# A transaction that ends decisions should take about so long. On an idle machine it takes 40 us for
# each, and some ms to sync; a busy one was seen to take ten times as long from one to the next.
SLICE_SECONDS = 0.01
_FIRST_ROWS, _FEWEST_ROWS, _MOST_ROWS = 128, 64, 2_048  # of a slice


class Deadlines:
    """wait: the seconds after which a decision ends, None for never. resolved: no decision up to
    this place of the log waits."""

    def __init__(self, wait: float | None, resolved: int = 1, due: float = inf) -> None:
        """due: no deadline passes before; if the log must tell, -inf."""
        self.wait, self.resolved = wait, resolved
        self._due = inf if wait is None else due
        self._rows = _FIRST_ROWS

    def opened(self, at: float) -> None:
        """Note a decision of this time."""
        if self.wait is not None:
            self._due = min(self._due, at + self.wait)

    def passed(self, moment: float) -> bool:
        """Whether one may have passed: the log must be looked through."""
        return self._due <= moment

    def slice(self, last: int) -> int:
        """The last row of the next slice; last: that of the log."""
        return min(self.resolved + self._rows, last)

    def resolve(self, place: int, due: float) -> None:
        """Note that no decision up to this place waits, and that none passes before `due`."""
        self.resolved, self._due = place, due

    def adapt(self, seconds: float) -> None:
        """Make slices smaller or larger; seconds: what the transaction with the last one took."""
        if seconds > SLICE_SECONDS:
            self._rows = max(self._rows // 2, _FEWEST_ROWS)
        elif seconds < SLICE_SECONDS / 3:
            self._rows = min(self._rows * 2, _MOST_ROWS)


class Timed:
    """The time of an experiment: that of its last row, and of the next."""

    deadlines: Deadlines
    at: float
    _ahead: float

    def moment(self, now: float) -> float:
        """The time of a row that is written now.

        Time never goes back. Where the clock is behind the last row, because it was wrong then or
        is that of another machine, time goes on from there: no deadline stands still.
        """
        if now + self._ahead < self.at:
            self._ahead = self.at - now
        return max(self.at, now + self._ahead)

    def due(self, now: float) -> bool:
        """Whether a deadline may have passed: the log must be looked through."""
        return self.deadlines.passed(self.moment(now))

    def late(self, waiting: Open, now: float) -> bool:
        """Whether the deadline of this decision has passed."""
        wait = self.deadlines.wait
        return wait is not None and waiting.at + wait <= self.moment(now)
