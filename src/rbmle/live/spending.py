"""What the arms of a live game cost, and what was spent of its budget."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import Floats
from ..engine.game import Game
from ..errors import BudgetError, Interval, ParameterError, number
from ..families import Family
from ..policies.arms import Arms, Clock
from ..policies.floor import floors_of
from ..policies.ledger import RESERVED, ROUNDING, SPENT, Ledger
from ..policies.priced import ledger_of
from .live_arm import LiveArm, Name
from .settings import Settings

RewardOf = tuple[LiveArm, float, float | None]  # an arm, its reward, and the cost if one is given


class Spend(NamedTuple):
    """What a decider has spent, what is reserved for pulls of unknown cost, what is left of the
    budget (infinite without one), and the price of a unit of cost (None for "reward / cost").

    >>> Spend(spent=1.0, reserved=0.0, left=49.0, price=None).left
    49.0
    """

    spent: float
    reserved: float
    left: float
    price: float | None


class Spends:
    """The part of a `LiveGame` that accounts for costs."""

    _settings: Settings
    arms: dict[Name, LiveArm]
    policy: Any
    family: Family
    enabled: list[LiveArm]
    game: Game
    ledger: Ledger | None = None

    def lay_out_costs(self, arms: list[LiveArm]) -> None:
        """Give each arm its costs, where it has been placed anew; `arm.place` is its old place."""
        before = self.ledger
        settings, names = self._settings, [arm.name for arm in arms]
        self.ledger = ledger_of(settings.policy, names, settings.horizon)
        if before is not None and self.ledger is not None:
            self.ledger.totals[:] = before.totals
            for place, arm in enumerate(arms):
                if arm.place >= 0:
                    self.ledger.sums[place] = before.sums[arm.place]
                    self.ledger.counts[place] = before.counts[arm.place]

    def check_new(self, name: Name) -> None:
        """Raise ParameterError if an arm of this name cannot be added."""
        policy, names = self._settings.policy, [*self.arms, name]
        floors_of(policy, names, strict=False)
        ledger_of(policy, names, self._settings.horizon)

    def affordable(self) -> bool:
        """Whether the budget affords a candidate."""
        hides, ledger = self.game.pending.hides, self.ledger
        return ledger is None or any(
            ledger.affords(arm.place, inf) and not hides(arm.place) for arm in self.enabled
        )

    def check_budget(self) -> None:
        """Raise BudgetError if the budget affords no candidate."""
        if self.ledger is not None and not self.affordable():
            raise BudgetError(max(self.ledger.left(), 0.0), self.ledger.budget)

    def check_slate(self, names: Iterable[Name], k: int) -> None:
        """Raise BudgetError unless the budget affords any k of these arms: a slate is filled
        completely or not at all."""
        if self.ledger is not None:
            costs = np.sort([self.ledger.costs[self.arms[name].place] for name in names])
            if costs[-k:].sum() > self.ledger.left() + ROUNDING * self.ledger.budget:
                raise BudgetError(max(self.ledger.left(), 0.0), self.ledger.budget)

    def charge(self, arm: LiveArm) -> None:
        """Charge a pull of the arm, where `PricedRules` have not done so."""
        if self.ledger is not None:
            self.ledger.pulled(arm.place)

    def paid(self, arm: LiveArm, reward: float, cost: float | None, ours: bool) -> None:
        """Add a reward, and the cost of its pull if given. ours: the pull was made here."""
        arm.paid(reward)
        if self.ledger is not None:
            self.ledger.paid(reward)
            if cost is not None:
                self.ledger.learn(arm.place, cost, ours)

    def less_costs(
        self, indices: Floats, arms: Arms, clock: Clock, slots: NDArray[np.int64]
    ) -> Floats:
        """The indices of the arms at these slots, less their costs if there are any."""
        if self.ledger is not None:
            policy, family, state = self.policy, self.family, self.game.state
            level = policy.level(family, arms, clock)
            for k, slot in enumerate(slots.tolist()):
                worth = policy.worth(state, family, arms, k, level, None)
                indices[k] = self.ledger.value(worth, self.enabled[slot].place, clock.t)
        return indices

    def costs(self) -> dict[str, Floats]:
        """The arrays that change as costs are spent and observed; none without costs."""
        names = () if self.ledger is None else ("totals", "sums", "counts")
        return {name: getattr(self.ledger, name) for name in names}

    def spend(self) -> Spend:
        """What was spent; nothing without costs."""
        ledger = self.ledger
        if ledger is None:
            return Spend(0.0, 0.0, inf, None)
        spent, reserved = float(ledger.totals[SPENT]), float(ledger.totals[RESERVED])
        price = None if ledger.ratio else ledger.price_now()
        return Spend(spent, max(reserved, 0.0), max(ledger.left(), 0.0), price)


def a_cost(given: object, ledger: Ledger | None, arm: LiveArm) -> float | None:
    """The cost given with a reward of the arm, checked; None where costs are known."""
    if ledger is None or not ledger.seen:
        if given is not None:
            rule = "left out where it is known" if ledger else "left out by a decider without costs"
            raise ParameterError("Decider", "cost", rule, given)
        return None
    largest = Interval(0.0, float(ledger.costs[arm.place]), True, True)
    return number("Decider", "cost", given, largest)
