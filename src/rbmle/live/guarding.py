"""What the guardrails of a live game have measured, and which arms they disable."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import ParameterError
from ..inference.mixtures import COIN, SIZE, log_wealth
from .guardrails import the_metrics
from .live_arm import LiveArm
from .spending import Spends, a_cost


class Guards(Spends):
    """The part of a `LiveGame` that applies guardrails."""

    switch: Callable[[LiveArm, bool], None]

    def compile_guards(self) -> None:
        """Compile the test of guardrails now rather than at the first reward."""
        if self._settings.guardrails:
            log_wealth(COIN, SIZE, 1.0, 0.5, 0.5)

    def asks(self) -> bool:
        """Whether each reward must come with a cost or with metrics."""
        return bool(self._settings.guardrails) or (self.ledger is not None and self.ledger.seen)

    def checked(
        self, arm: LiveArm, cost: object, metrics: object
    ) -> tuple[float | None, tuple[float, ...]]:
        """The cost and the metrics given with a reward of the arm, checked; metrics as shares."""
        rails = self._settings.guardrails
        if cost is None and metrics is None and self.ledger is None and not rails:
            return None, ()  # the quick way: neither is wanted, and none is given
        return a_cost(cost, self.ledger, arm), the_metrics(metrics, rails)

    def measure(self, arm: LiveArm, shares: tuple[float, ...]) -> str:
        """Add the metrics that came with a reward of the arm, as shares of their ranges. Returns
        why the arm must be disabled, or ""."""
        if not shares:
            return ""
        before = arm.measured or [0.0] * (1 + len(shares))
        n, *sums = arm.measured = [x + y for x, y in zip(before, (1.0, *shares), strict=True)]
        for rail, total in zip(self._settings.guardrails, sums, strict=True):
            if arm.enabled and rail.proven(n, total, rail.delta / len(self.arms)):
                return rail.reason(n, total)
        return ""

    def guard(self, arm: LiveArm, reason: str) -> None:
        """Disable the arm because of a guardrail, even if it is the last one enabled."""
        self.switch(arm, False)
        arm.reason = reason

    def guarded(self, arm: LiveArm, shares: tuple[float, ...]) -> str:
        """Add the metrics; if they prove the arm beyond a limit, disable it and return a
        warning."""
        reason = self.measure(arm, shares)
        if reason:
            self.guard(arm, reason)
        return f"Decider: {arm.name!r} is disabled: {reason}." if reason else ""

    def check_enabled(self) -> None:
        """Raise ParameterError if guardrails have disabled every arm."""
        if not self.enabled:
            allowed = "enabled, at least one of them: guardrails have disabled all"
            raise ParameterError("Decider", "arms", allowed, list(self.arms))
