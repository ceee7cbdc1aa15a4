"""Rewards of any law on an interval."""

from __future__ import annotations

from math import floor
from typing import Annotated, Any, NamedTuple

from ..errors import Interval, ParameterError
from ..random import Cell
from .bernoulli import Bernoulli
from .divergences import bernoulli_kl, negative_entropy
from .registry import family


@family
class Bounded(NamedTuple):
    """Rewards in [low, high], of any law: coins that pay `low` or `high`.

        F(eta) = low eta + log(1 + e^(eta (high - low)))

    Of all laws on the interval with the same mean, that of such a coin varies the most, and its
    divergence D is below that of any other (Garivier and Cappe 2011, Lemma 9). So bounds by D hold
    for every law; where rewards vary less, policies explore more than they need to.
    `EmpiricalIMED` looks at the rewards themselves.
    A reward x counts as the share (x - low) / (high - low) of a success. So the posterior is a beta
    law with fractional counts: the expected one of Agrawal and Goyal (2012), who toss a coin with
    that probability, so that nothing is drawn while a reward is learned.
    Where a problem draws rewards, they are `low` or `high`.

    low, high: the interval, low < high; its width is more than 1e-6 of either end, because sums of
    rewards lose digits. prior_a, prior_b: the prior of the mean's place in the interval, from 0 to
    1, is Beta(prior_a, prior_b); both in (0, inf).

    >>> Bounded(0.0, 10.0).posterior_mean(2, 15.0), round(Bounded(0.0, 10.0).kl(2.0, 5.0), 6)
    (6.25, 0.192745)
    """

    low: Annotated[float, "[-1e100, 1e100]"] = 0.0
    high: Annotated[float, "[-1e100, 1e100]"] = 1.0
    prior_a: Annotated[float, "[1e-4, 1e9]"] = 1.0
    prior_b: Annotated[float, "[1e-4, 1e9]"] = 1.0

    def check_fields(self) -> None:
        if not self.width() > 1e-6 * max(abs(self.low), abs(self.high)):
            least = f"above 'low' ({self.low:g}) by more than 1e-6 of either"
            allowed = f"{least} (else subtract 'low')"
            raise ParameterError("Bounded", "high", allowed, self.high)

    def coin(self) -> Bernoulli:
        return Bernoulli(self.prior_a, self.prior_b)

    def width(self) -> float:
        return self.high - self.low

    def part(self, mean: float) -> float:
        """The place of a mean in the interval, from 0 to 1."""
        return min(max((mean - self.low) / self.width(), 0.0), 1.0)

    def seen(self, mean: float) -> float:
        """The same of a mean of rewards. If all were `low`, or `high`, it is exactly 0 or 1, though
        the mean may be some digits away from them; here at most 1e-12 of them."""
        if mean - self.low <= 1e-12 * abs(self.low):
            return 0.0
        return 1.0 if self.high - mean <= 1e-12 * abs(self.high) else self.part(mean)

    def successes(self, pulls: float, total: float) -> float:
        """What rewards of this sum are worth in successes. It is a whole number where they are
        coins and only the last digits of their sum (here 1e-12 of it) say something else."""
        if self.high * pulls - total <= 1e-12 * abs(self.high) * pulls:
            return pulls
        worth = (total - self.low * pulls) / self.width()
        lost = 1e-12 * (abs(total) + abs(self.low) * pulls) / self.width()
        whole = floor(worth + 0.5)
        return min(max(whole if abs(worth - whole) <= lost else worth, 0.0), pulls)

    def mean_of(self, pulls: float, total: float) -> float:
        return self.low + self.width() * (self.successes(pulls, total) / pulls)

    def natural(self, mean: float) -> float:
        return self.coin().natural(self.part(mean)) / self.width()

    def log_partition(self, eta: float) -> float:
        return self.low * eta + self.coin().log_partition(eta * self.width())

    def mean_range(self) -> tuple[float, float]:
        return self.low, self.high

    def mean_interval(self) -> Interval:
        return Interval(self.low, self.high, closed_low=True, closed_high=True)

    def largest_reward(self) -> float:
        return self.high

    def variance(self, mean: float) -> float:
        return max(mean - self.low, 0.0) * max(self.high - mean, 0.0)

    def conjugate(self, mean: float) -> float:
        place = (mean - self.low) / self.width()
        return negative_entropy(max(place, 0.0))

    def kl(self, mean: float, other: float) -> float:
        return bernoulli_kl(self.seen(mean), self.part(other))

    def kl_upper(self: Any, mean: float, bound: float) -> float:
        return float(self.low + self.width() * self.coin().kl_upper(self.seen(mean), bound))

    def sample(self, mean: float, cell: Cell) -> float:
        return self.high if cell.uniform(0) < self.part(mean) else self.low

    def sub_gaussian(self, mean: float) -> float:
        """The sub-Gaussian sigma: Hoeffding's lemma."""
        return 0.5 * self.width()

    def flat(self) -> Bounded:
        return Bounded(self.low, self.high, 1.0, 1.0)

    def posterior_mean(self, pulls: float, total: float) -> float:
        part = self.coin().posterior_mean(pulls, self.successes(pulls, total))
        return self.low + self.width() * part

    def posterior_variance(self, pulls: float, total: float) -> float:
        part = self.coin().posterior_variance(pulls, self.successes(pulls, total))
        return self.width() * self.width() * part

    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float:
        part = self.coin().posterior_draw(pulls, self.successes(pulls, total), cell, k)
        return self.low + self.width() * part

    def posterior_law(self, pulls: float, total: float) -> tuple[str, float, float]:
        return self.coin().posterior_law(pulls, self.successes(pulls, total))

    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        successes = self.successes(pulls, total)
        return self.coin().posterior_tail(pulls, successes, self.part(value))

    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float:
        part = self.coin().posterior_quantile(pulls, self.successes(pulls, total), tail)
        return self.low + self.width() * part

    def mean_index(self, pulls: float, total: float, alpha: float) -> float:
        """That of coins, with g = low + (high - low) times theirs."""
        successes = self.successes(pulls, total)
        part = self.coin().mean_index(pulls, successes, self.width() * alpha)
        return self.low + self.width() * part

    def stable_index(self, pulls: float, total: float, alpha: float) -> float:
        """g = 2 arcsin of the root of the mean's place, which has no unit."""
        return self.coin().stable_index(pulls, self.successes(pulls, total), alpha)
