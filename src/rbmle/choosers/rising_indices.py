"""The policies whose index rises with the level, for `Ceilings`."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._numba.compile import Floats
from ..families import Gaussian
from ..policies import RBMLE, ArmBias
from ..policies.arm_bias import ArmLevel, Rounds
from ..policies.arms import Arms, Clock
from ..policies.rbmle import BiasFunction
from .promises import rising_of

# The level that is kept is above the present one by this much: log t may rise by `_MORE`, and the
# largest mean by the share `_HIGHER` / t. Larger steps make ceilings higher, smaller ones make them
# be computed more often. An arm that is pulled in most rounds has a mean that moves by about
# sqrt(k) / t in the next k rounds; so with 4 the ceilings last some rounds to dozens.
_MORE = 1.0 / 64.0
_HIGHER = 4.0
LENGTH, HIGHEST, FALLS = 0, 1, 2  # places in the chooser's memory, from `at` on


@rising_of(RBMLE)
class ArmBiasRising(NamedTuple):
    """An arm's alpha rises with L, and the index in units of alpha, a maximum over means of
    g - (n / alpha) D, rises with alpha and with the set of means."""

    policy: Any

    def fits(self, family: Any) -> bool:
        """Only for f = "stable": the paper's f is multiplied by a standard deviation that moves."""
        alpha = self.policy.alpha
        return bool(isinstance(alpha, ArmBias) and self.policy.f == BiasFunction.stable)

    def helps_devices(self, family: Any) -> bool:
        """Ten arms on an H200, rounds a second with ceilings and by a scan: 3.4e9 and 2.3e9 on
        Gaussian rewards, 0.9e9 and 1.1e9 on Bernoulli, 0.5e9 and 1.2e9 on Exponential ones."""
        return isinstance(family, Gaussian)

    def size(self) -> int:
        return 3

    def falls(self, memory: Floats, at: int) -> bool:
        """Whether L falls from round to round."""
        return bool(memory[at + FALLS] != 0.0)

    def holds(self, memory: Floats, at: int, level: ArmLevel, clock: Clock) -> bool:
        """Also not if the kept set of means is too large: then ceilings are too high."""
        kept, highest = memory[at + HIGHEST], level.highest
        most = highest + 3.0 * _HIGHER / clock.t * abs(highest)
        return bool(level.length <= memory[at + LENGTH] and highest <= kept <= most)

    def keep(
        self, memory: Floats, at: int, family: Any, arms: Arms, level: ArmLevel, clock: Clock
    ) -> None:
        falls = self.policy.alpha.rounds == Rounds.left and clock.horizon > 0
        memory[at + FALLS] = 1.0 if falls else 0.0
        memory[at + LENGTH] = level.length + (0.0 if falls else _MORE)
        memory[at + HIGHEST] = level.highest + _HIGHER / clock.t * abs(level.highest)

    def above(self, memory: Floats, at: int, level: ArmLevel) -> ArmLevel:
        length = level.length if self.falls(memory, at) else memory[at + LENGTH]
        return ArmLevel(length, level.sd, memory[at + HIGHEST])

    def ceiling(self, family: Any, arms: Arms, i: int, level: ArmLevel) -> float:
        """The index, and 1e-12 of 1 + the index + the mean.

        The terms of an index are of that size: g, the mean for Gaussian rewards, and (n / alpha) D,
        which is at most g(m) - g(p). They are computed with some 20 operations, so with errors of
        less than 1e-14 of it, among them that of alpha, 1e-15 of itself.
        """
        index = self.policy.index_of(family, arms, i, level)
        return float(index + 1e-12 * (1.0 + abs(index) + abs(arms.mean(i))))

    def index_below(self, family: Any, arms: Arms, i: int, level: ArmLevel, enough: float) -> float:
        """The index itself."""
        return float(self.policy.index_of(family, arms, i, level))

    def surely_below(self, family: Any, arms: Arms, i: int, level: ArmLevel, value: float) -> bool:
        return bool(self.policy.index_of(family, arms, i, level) < value)
