"""One arm of a decider: the statistics of its rewards, and its pulls without a reward."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

Name = str | int


@dataclass(slots=True, eq=False)
class LiveArm:
    """An arm: what it was paid, and which pulls have no reward.

    pulls, total, squares: the number of rewards, their sum, and the sum of their squared distances
    from `origin`.
    pending: the numbers of the pulls whose reward has not come, oldest first.
    lost: how many pulls were given up because their reward did not come in time.
    last: the number of the latest pull.
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
    slot: int = -1  # where its statistics are; -1 if they are not laid out

    @property
    def rounds(self) -> int:
        """The number of rounds in which the arm was pulled, with or without a reward."""
        return self.pulls + len(self.pending) + self.lost

    @property
    def blind(self) -> bool:
        """Whether the arm was pulled but has no reward yet, and so has no index."""
        return self.pulls == 0 and bool(self.pending or self.lost)

    @property
    def mean(self) -> float:
        """The mean of the rewards; NaN before the first."""
        return self.total / self.pulls if self.pulls else float("nan")

    def statistics(self) -> tuple[float, float, float, float]:
        """Pulls, sum, squares and origin as in `policies.Arms`.

        They are computed as if each pending pull had paid the mean so far.
        """
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
        """Strike off the pull that a reward belongs to; False if there is none.

        number: that of the pull, or None for the oldest pending one. If no such pull is pending, a
        pull that was given up is struck off, if there is one.
        """
        if number is None:
            number = next(iter(self.pending), None)
        if number is not None and number in self.pending:
            del self.pending[number]
            return True
        if self.lost:
            self.lost -= 1
            return True
        return False


def listed(arms: Iterable[LiveArm], mean_of: Callable[[LiveArm], float]) -> list[str]:
    """The lines of a table of the arms."""
    arms = list(arms)
    width = max(3, *(len(str(arm.name)) for arm in arms))
    return [f"{'arm':{width}}{'pulls':>10}{'mean':>10}{'pending':>10}"] + [
        f"{arm.name!s:{width}}{arm.pulls:>10}{mean_of(arm):>10.4g}{len(arm.pending):>10}"
        + ("" if arm.enabled else "  disabled")
        for arm in arms
    ]
