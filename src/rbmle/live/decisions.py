"""Decisions by the names that callers gave them, so that a call sent twice counts once."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from .live_arm import LiveArm, Name

MOST = 100_000  # decisions that are remembered: 26 MB with ids such as "visit-7", as measured


@dataclass(slots=True)
class Decision:
    """One decision: its arm, the number of the pull (None if it was made elsewhere), its reward
    (None until it is known)."""

    arm: LiveArm
    number: int | None
    reward: float | None = None


class Decisions(OrderedDict[Name, Decision]):
    """The latest decisions by id, in the order in which they were made."""

    def keep(self, id: Name, decision: Decision) -> None:
        """Remember the decision, and forget the oldest ones beyond `MOST`."""
        self[id] = decision
        while len(self) > MOST:
            self.popitem(last=False)

    def drop_arm(self, arm: LiveArm) -> None:
        """Forget all decisions for the arm."""
        for id in [each for each, decision in self.items() if decision.arm is arm]:
            del self[id]
