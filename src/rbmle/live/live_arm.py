"""One arm of a decider: what it was paid, and its pulls without a reward; and the decisions for
arms that callers have named."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .._io.text import html_table
from ..engine.game import ELSEWHERE, LOST, PENDING
from ..policies.arms import Name as Name
from ..policies.arms import origin_of

_HEAD = "pulls", "mean", "pending", ""
MOST = 100_000  # decisions that are remembered: 26 MB with ids such as "visit-7", as measured


@dataclass(slots=True, eq=False)
class LiveArm:
    """An arm: what it was paid, and which pulls have no reward.

    pulls, total, squares: the number of rewards, their sum, and the sum of their squared distances
    from `origin`.
    pending: the numbers of the pulls whose reward has not come, oldest first.
    lost: how many pulls expired, because their reward did not come in time.
    last: the number of the latest pull.
    elsewhere: how many of the rewards are of pulls that the decider did not make.
    place: where its statistics are in the arrays of the game.
    memory: the policy's numbers of this arm, when it was last laid out or saved.
    measured: how many rewards came with metrics, and the sum of each metric.
    reason: why a guardrail has disabled it; "" if none has.
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
    elsewhere: int = 0
    place: int = -1
    memory: list[float] = field(default_factory=list)
    measured: list[float] = field(default_factory=list)
    reason: str = ""

    @property
    def rounds(self) -> int:
        """The number of rounds in which the arm was pulled, with or without a reward."""
        return self.pulls + len(self.pending) + self.lost

    @property
    def mean(self) -> float:
        """The mean of the rewards; NaN before the first."""
        return self.total / self.pulls if self.pulls else float("nan")

    def paid(self, reward: float) -> None:
        """Add a reward to the statistics."""
        if self.pulls == 0:
            self.origin = origin_of(reward)
        away = reward - self.origin
        self.pulls += 1
        self.total += reward
        self.squares += away * away

    def answered(self, number: int | None) -> int:
        """Remove the pull that a reward belongs to; returns its status, PENDING, LOST or ELSEWHERE.

        number: that of the pull, or None for the oldest pending one. If no such pull is pending,
        one that expired is removed, if there is one.
        """
        if number is None:
            number = next(iter(self.pending), None)
        if number is not None and number in self.pending:
            del self.pending[number]
            return PENDING
        if self.lost:
            self.lost -= 1
            return LOST
        return ELSEWHERE


@dataclass(slots=True)
class NamedPull:
    """One decision that has an id: its arm, the number of the pull (None if it was made elsewhere),
    its reward (None until it is known), its probability (None if it was not computed)."""

    arm: LiveArm
    number: int | None
    reward: float | None = None
    probability: float | None = None


class Decisions(OrderedDict[Name, NamedPull]):
    """The latest decisions by id, in the order in which they were made."""

    def keep(self, id: Name, decision: NamedPull) -> None:
        """Remember the decision, and forget the oldest ones beyond `MOST`."""
        self[id] = decision
        while len(self) > MOST:
            self.popitem(last=False)

    def drop_arm(self, arm: LiveArm) -> None:
        """Forget all decisions for the arm."""
        for id in [each for each, decision in self.items() if decision.arm is arm]:
            del self[id]


def shown(arm: LiveArm, mean: float) -> tuple[str, list[str]]:
    """The row of an arm in an `ArmTable`."""
    state = "" if arm.enabled else f"disabled: {arm.reason}" if arm.reason else "disabled"
    return str(arm.name), [str(arm.pulls), f"{mean:.4g}", str(len(arm.pending)), state]


class ArmTable(NamedTuple):
    """The arms of a decider as a table, in text and in HTML."""

    title: str
    rows: list[tuple[str, list[str]]]

    def __str__(self) -> str:
        lines = [("arm", list(_HEAD)), *self.rows]
        width = max(len(name) for name, _ in lines)
        rows = [
            f"{name:{width}}{pulls:>10}{mean:>10}{pending:>10}  {state}".rstrip()
            for name, (pulls, mean, pending, state) in lines
        ]
        return "\n".join([self.title, *rows])

    def html(self) -> str:
        """The table for a notebook."""
        return html_table(self.title, _HEAD, self.rows)
