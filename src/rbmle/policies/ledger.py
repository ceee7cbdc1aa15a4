"""`Ledger`: what arms cost, what was spent of a budget, and the price of a unit of cost."""

from __future__ import annotations

from math import inf, log, sqrt
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats, record
from ..families import Bernoulli

SPENT, RESERVED, PRICE, PULLS, SQUARES, PAID, LOW, HIGH = range(8)  # places in `Ledger.totals`
ROUNDING = 1e-9  # the part of a budget by which sums of costs may be off: three of 0.1 are not 0.3


@record
class Ledger(NamedTuple):
    """The costs of a game; `Priced` explains them.

    costs: of one pull of each arm, by its place; the largest possible where costs are seen only
    with the rewards. sums, counts: of the costs observed so far.
    totals: what was spent; what pulls reserve whose cost is not known; the price; the number of
    pulls; the sum of the squared steps of the price; the number of rewards, the smallest and the
    largest one.
    budget: infinite if there is none. rounds: the horizon, over which the price is learned; 0 if
    it is given, as `price`. ratio: whether the objective is reward / cost.
    """

    costs: Floats
    sums: Floats
    counts: Floats
    totals: Floats
    budget: float
    rounds: float
    price: float
    ratio: bool
    seen: bool

    def restart(self) -> None:
        """Nothing is spent yet."""
        for k in range(self.totals.size):
            self.totals[k] = 0.0
        for i in range(self.costs.size):
            self.sums[i] = self.counts[i] = 0.0

    def left(self) -> float:
        """What is left of the budget, without what is reserved."""
        return float(self.budget - self.totals[SPENT] - self.totals[RESERVED])

    def affords(self, i: int, cheapest: float) -> bool:
        """Whether the budget allows a pull of arm i, whatever it will turn out to cost.

        cheapest: the smallest cost of all candidates. Where the price is learned, and the budget is
        enough for it in every round, as much is kept for the rounds to come.
        """
        cost, left = float(self.costs[i]), self.left() + ROUNDING * self.budget
        if cost <= cheapest or self.seen or self.budget < self.rounds * cheapest:
            return cost <= left
        later = max(self.rounds - float(self.totals[PULLS]) - 1.0, 0.0)
        return cost + later * cheapest <= left

    def price_now(self) -> float:
        """The price of a unit of cost, in units of reward."""
        return float(self.totals[PRICE]) if self.rounds > 0.0 else self.price

    def value(self, worth: float, i: int, t: int) -> float:
        """What is maximised in round t, for an arm of this worth."""
        cost = self.least(i, t)
        if not self.ratio:
            return worth - self.price_now() * cost
        worth = max(worth, 0.0)
        return worth / cost if cost > 0.0 else inf

    def least(self, i: int, t: int) -> float:
        """The cost of arm i; where it is seen, the smallest mean that the costs so far do not rule
        out, by the bound of KL-UCB (Garivier and Cappe 2011), which holds for all laws in [0, 1].
        """
        if not self.seen:
            return float(self.costs[i])
        n, most = self.counts[i], self.costs[i]
        if n == 0.0:
            return 0.0
        saved, coin = max(1.0 - self.sums[i] / (n * most), 0.0), Bernoulli(1.0, 1.0)
        return float(most * (1.0 - coin.kl_upper(saved, log(t) / n)))  # type: ignore[attr-defined]

    def pulled(self, i: int) -> None:
        """Arm i is pulled: its cost is spent, or reserved if it is not known yet."""
        cost = float(self.costs[i])
        if self.rounds > 0.0:
            expected = self.sums[i] / self.counts[i] if self.counts[i] > 0.0 else cost
            self.learn_price(expected)
        self.totals[RESERVED if self.seen else SPENT] += cost
        self.totals[PULLS] += 1.0

    def learn_price(self, cost: float) -> None:
        """One step of the dual problem: the price rises if a pull costs more than what is left for
        each of the rounds to come, and falls if it costs less."""
        rate = max(self.left(), 0.0) / max(self.rounds - self.totals[PULLS], 1.0)
        excess = cost - rate
        self.totals[SQUARES] += excess * excess
        if self.totals[PAID] > 0.0 and self.totals[SQUARES] > 0.0:
            scale = (self.totals[HIGH] - self.totals[LOW]) * self.rounds / self.budget
            step = scale * excess / sqrt(self.totals[SQUARES])
            self.totals[PRICE] = max(self.totals[PRICE] + step, 0.0)

    def paid(self, reward: float) -> None:
        """A reward has come: it tells the scale of the price."""
        known = self.totals[PAID] > 0.0
        self.totals[LOW] = min(self.totals[LOW], reward) if known else reward
        self.totals[HIGH] = max(self.totals[HIGH], reward) if known else reward
        self.totals[PAID] = 1.0

    def learn(self, i: int, cost: float, reserved: bool) -> None:
        """Learn the cost of a pull of arm i. reserved: the pull was made here, not elsewhere."""
        self.sums[i] += cost
        self.counts[i] += 1.0
        if reserved:
            self.totals[RESERVED] -= self.costs[i]
            self.totals[SPENT] += cost


def fresh_totals() -> Floats:
    """The totals of a ledger in which nothing is spent."""
    return np.zeros(HIGH + 1)
