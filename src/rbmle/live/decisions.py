"""Decisions that a caller has named, so that one sent twice counts once."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from .live_arm import LiveArm, Name

MOST = 100_000  # decisions that are remembered: some 10 MB; the oldest are forgotten first


@dataclass(slots=True)
class Decision:
    """The arm that was chosen, the number of the pull (None if it was made elsewhere), and the
    reward once it is known."""

    arm: LiveArm
    number: int | None
    reward: float | None = None


class Decisions(OrderedDict[Name, Decision]):
    """The latest decisions by the ids that the caller gave them, in the order they were made."""

    def keep(self, id: Name, decision: Decision) -> None:
        self[id] = decision
        while len(self) > MOST:
            self.popitem(last=False)

    def drop_arm(self, arm: LiveArm) -> None:
        """Forget the decisions for an arm that is removed."""
        for id in [each for each, decision in self.items() if decision.arm is arm]:
            del self[id]
