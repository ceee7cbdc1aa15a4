"""`ArmBias`: RBMLE with an alpha for each arm."""

from __future__ import annotations

from math import exp, inf, log, log1p, sqrt
from typing import Annotated, NamedTuple

from .._numba.compile import njit, record
from .._records.record import Choice
from ..errors import ParameterError
from ..families import Exponential, Family, Gamma
from .alpha import bias
from .arms import Arms, Clock

_SOFTPLUS_IS_LINEAR = 36.0  # log(1 + e^x) is x to all digits beyond it
_LEAST_LENGTH = 1e-100  # L is at least this: it is divided by. e^x is above 1e-40 in any run


class Rounds(Choice):
    """The rounds by which an arm's alpha grows: those played, or those to come."""

    past = 0
    left = 1


@record
class ArmLevel(NamedTuple):
    """What all arms have in common in a round.

    length: log(rounds / K^by_arms). sd: the standard deviation of rewards of the arm pulled most.
    highest: the largest mean that the likelihood is maximised over. share: log(rounds / K).
    """

    length: float
    sd: float
    highest: float
    share: float


@njit
def one_more(length: float) -> float:
    """log(1 + e^length)."""
    return length if length > _SOFTPLUS_IS_LINEAR else max(log1p(exp(length)), _LEAST_LENGTH)


@bias
class ArmBias(NamedTuple):
    """An alpha for each arm, by its pulls n: c L^(1 + power) max(least, n / L)^spread.

    Here L = log(t / (n^by_pulls K^by_arms)), but at least 1/2, and K is the number of arms. Arms
    are compared by max over theta of {g(theta) - (n / alpha) D(p, theta)}, the index in units of
    alpha. With spread = 0 an arm at the gap d is left alone after a number of pulls of the order
    1 / d, as with `BetaBias`; with spread = 1/2, of the order 1 / d^2, as by UCB. With by_pulls = 1
    an arm that was pulled often is explored less, as by KL-UCB+ and IMED; with by_arms = 1, each of
    many arms, as by MOSS.
    rounds: "past" is t as above. "left" is T - t + 1, the rounds to come, where the horizon T is
    known, and t where it is not (as if as many rounds were to come as have been played); then
    L = log(1 + rounds / (n^by_pulls K^by_arms)), so that exploration ends with the rounds.
    reach: the maximum is over means up to `reach` standard deviations above the largest empirical
    mean; infinity for all means. It needs f = "stable" and Exponential or Gamma rewards, whose
    index is infinite up to n = alpha without it.
    guard: the index is at least g(u), where u is the largest mean with
    n D(p, u) <= guard log(1 + rounds / (n K)), which the data do not rule out; 0 for no guard. It
    needs f = "stable". The maximum of g under that bound is the least of {index + bound / alpha}
    over all alpha: so a guarded arm has the alpha that its own data ask for where its share of the
    common one is too small, and one that paid little at first is not left for good.
    With f = "canonical", g is the canonical parameter times the standard deviation of rewards of
    the arm that was pulled most: so g' = 1 / sd there, as with f = "stable", and the unit of the
    rewards does not matter.
    power, c: in (0, inf). spread: in [0, 1/2]. by_pulls, by_arms: in [0, 1]. least: in (0, 1].
    reach: in (0, inf]. guard: in [0, inf).

    >>> from rbmle import Arms, Clock, Exponential
    >>> import numpy as np
    >>> arms = Arms(np.array([10.0, 4.0]), np.array([20.0, 4.0]), np.array([50.0, 6.0]))
    >>> bias = ArmBias(power=1.0, c=2.0, spread=0.5)
    >>> level = bias.alpha(Exponential(), arms, Clock(100, 0))
    >>> round(level.length, 6), level.sd, round(bias.of_arm(10.0, level), 6)
    (4.60517, 2.0, 22.098028)
    """

    power: Annotated[float, "(0, inf)"] = 0.1
    c: Annotated[float, "(0, inf)"] = 2.0
    spread: Annotated[float, "[0, 0.5]"] = 0.25
    by_pulls: Annotated[float, "[0, 1]"] = 1.0
    by_arms: Annotated[float, "[0, 1]"] = 0.0
    least: Annotated[float, "(0, 1]"] = 0.1
    rounds: Rounds | str = "past"
    reach: Annotated[float, "(0, inf]"] = inf
    guard: Annotated[float, "[0, inf)"] = 0.0

    def alpha(self, family: Family, arms: Arms, clock: Clock) -> ArmLevel:
        """The level, from which `of_arm` computes each arm's alpha.

        Among arms with the most pulls the one with the largest sum counts.
        """
        most, total = arms.pulls[0], arms.sums[0]
        for i in range(1, arms.n_arms()):
            n, s = arms.pulls[i], arms.sums[i]
            if n > most or (n == most and s > total):
                most, total = n, s
        sd = sqrt(family.variance(total / most)) if most > 0.0 else 1.0
        log_rounds = clock.log_t()
        if self.rounds == Rounds.left and clock.horizon > 0:
            log_rounds = log(clock.left() + 1.0)
        log_arms = log(arms.n_arms())
        length = log_rounds - self.by_arms * log_arms
        largest = inf
        if self.reach < inf and most > 0.0:
            largest = arms.largest_mean()
            largest += self.reach * sqrt(family.variance(largest))
        return ArmLevel(length, sd if sd > 0.0 else 1.0, largest, log_rounds - log_arms)

    def of_arm(self, pulls: float, level: ArmLevel) -> float:
        length = level.length - self.by_pulls * log(pulls)
        length = one_more(length) if self.rounds == Rounds.left else max(length, 0.5)
        base = self.c * length ** (1.0 + self.power)
        return float(base * max(self.least, pulls / length) ** self.spread)

    def guards(self) -> bool:
        return self.guard > 0.0

    def allowed(self, pulls: float, level: ArmLevel) -> float:
        return self.guard * one_more(level.share - log(pulls))

    def unit(self, level: ArmLevel) -> float:
        return level.sd

    def up_to(self, level: ArmLevel) -> float:
        return level.highest

    def shared(self) -> bool:
        return False

    def uses_horizon(self) -> bool:
        return bool(self.rounds == Rounds.left)

    def check_family(self, family: Family, stable: bool) -> None:
        if self.guard > 0.0 and not stable:
            raise ParameterError("ArmBias", "guard", "0 unless f is 'stable'", self.guard)
        if self.reach < inf and not (stable and isinstance(family, (Exponential, Gamma))):
            allowed = "inf unless f is 'stable' and the family Exponential or Gamma"
            raise ParameterError("ArmBias", "reach", allowed, self.reach)
