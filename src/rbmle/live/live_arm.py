"""One arm of a decider: its rewards so far, and its pulls that wait for one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Name = str | int


@dataclass(slots=True, eq=False)
class LiveArm:
    """pending: the numbers of the pulls that wait for their reward, the oldest first.

    lost: how many pulls were given up, because their reward has not come for too long.
    last: the number of the last pull.
    """

    name: Any  # a Name
    pulls: int = 0
    total: float = 0.0
    squares: float = 0.0
    origin: float = 0.0
    pending: dict[int, None] = field(default_factory=dict)
    lost: int = 0
    last: int = 0
    enabled: bool = True
    slot: int = -1  # the place among the enabled arms

    @property
    def rounds(self) -> int:
        """How many rounds the arm was pulled in, whatever became of the rewards."""
        return self.pulls + len(self.pending) + self.lost

    @property
    def blind(self) -> bool:
        """Pulled, but without any reward yet: it can have no index."""
        return self.pulls == 0 and bool(self.pending or self.lost)

    @property
    def mean(self) -> float:
        return self.total / self.pulls if self.pulls else float("nan")

    def statistics(self) -> tuple[float, float, float, float]:
        """Pulls, sum, sum of squares and what these are taken about, as `policies.Arms` has them,
        as if pending pulls had each paid the mean so far."""
        waiting = len(self.pending)
        if not waiting:
            return self.pulls, self.total, self.squares, self.origin
        scale = waiting / self.pulls
        return (
            self.pulls + waiting,
            self.total + scale * self.total,
            self.squares + scale * self.squares,
            self.origin,
        )

    def answered(self, number: int | None) -> bool:
        """Take back the pull that a reward answers: the one of this number, or else the oldest that
        waits, or one that was given up. False if there is none: the reward is of another pull."""
        if number is None or number not in self.pending:
            number = next(iter(self.pending), None) if number is None else None
        if number is not None:
            del self.pending[number]
            return True
        if self.lost:
            self.lost -= 1
            return True
        return False


def listed(arms: Iterable[LiveArm]) -> list[str]:
    """Arms as the lines of a table."""
    arms = list(arms)
    width = max(3, *(len(str(arm.name)) for arm in arms))
    return [f"{'arm':{width}}{'pulls':>10}{'mean':>10}{'pending':>10}"] + [
        f"{arm.name!s:{width}}{arm.pulls:>10}{arm.mean:>10.4g}{len(arm.pending):>10}"
        + ("" if arm.enabled else "  disabled")
        for arm in arms
    ]
