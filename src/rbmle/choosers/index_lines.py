"""The policies whose index is a base plus a rise times a function of the level, for `Lines`."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

from ..families import Gaussian
from ..policies import GPUCB, KLUCB, MOSS, RBMLE, UCB, BayesUCB, GPUCBTuned
from ..policies.arms import Arms
from ..policies.rbmle import BiasFunction, Boundary
from ..special import normal_quantile_upper
from .promises import line_of


@line_of(UCB)
class UCBLine(NamedTuple):
    """p_i + sqrt(alpha / N_i) sqrt(log t)."""

    policy: Any

    def scale(self, level: float) -> float:
        return sqrt(level)

    def base(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return arms.mean(i)

    def rise(self, family: Any, arms: Arms, i: int) -> float:
        return sqrt(self.policy.alpha / arms.pulls[i])

    def helps_many(self) -> bool:
        """The rise tells the number of pulls: those of n and n + 1 pulls differ by 1 / (2 n) of
        them, and rounding changes them by 3e-16. So the same line means the same index."""
        return True


@line_of(GPUCB, GPUCBTuned)
class PosteriorLine(NamedTuple):
    """mu_i + sd_i x level: the posterior mean and standard deviation."""

    policy: Any

    def scale(self, level: float) -> float:
        return level

    def base(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return float(family.posterior_mean(arms.pulls[i], arms.sums[i]))

    def rise(self, family: Any, arms: Arms, i: int) -> float:
        return float(family.posterior_sd(arms.pulls[i], arms.sums[i]))


@line_of(BayesUCB)
class QuantileLine(NamedTuple):
    """mu_i + sd_i x the normal quantile: Bayes-UCB on Gaussian rewards."""

    policy: Any

    def fits(self, family: Any) -> bool:
        return isinstance(family, Gaussian)

    def scale(self, level: float) -> float:
        return normal_quantile_upper(level)

    def base(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return float(family.posterior_mean(arms.pulls[i], arms.sums[i]))

    def rise(self, family: Any, arms: Arms, i: int) -> float:
        return float(family.posterior_sd(arms.pulls[i], arms.sums[i]))


@line_of(KLUCB)
class DivergenceLine(NamedTuple):
    """p_i + sigma sqrt(2 / N_i) sqrt(level): KL-UCB on Gaussian rewards."""

    policy: Any

    def fits(self, family: Any) -> bool:
        return isinstance(family, Gaussian) and not self.policy.plus

    def scale(self, level: float) -> float:
        return sqrt(level)

    def base(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return arms.mean(i)

    def rise(self, family: Any, arms: Arms, i: int) -> float:
        return float(family.sigma * sqrt(2.0 / arms.pulls[i]))


@line_of(RBMLE)
class RBMLELine(NamedTuple):
    """p_i + alpha(t) / (2 N_i), the index on Gaussian rewards (Corollary 2)."""

    policy: Any

    def fits(self, family: Any) -> bool:
        """Only if all arms share one alpha(t): the level must be a number."""
        exact = self.policy.boundary == Boundary.exact
        canonical = self.policy.f == BiasFunction.canonical
        shared = self.policy.alpha.shared()
        return bool(isinstance(family, Gaussian) and exact and canonical and shared)

    def scale(self, level: float) -> float:
        return level

    def base(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return arms.mean(i)

    def rise(self, family: Any, arms: Arms, i: int) -> float:
        return float(0.5 / arms.pulls[i])

    def helps_few(self) -> bool:
        """No: the index takes two divisions, and the branches of a scan let a processor go on
        before the last reward is known. Measured with 6 arms: 43 ns a round by a scan, 62 by lines.
        """
        return False

    def helps_many(self) -> bool:
        """As for UCB, if alpha(t) is fixed: an adaptive one looks at every arm in every round."""
        return bool(self.policy.alpha.steady())


@line_of(MOSS)
class MOSSLine(NamedTuple):
    """The whole index of MOSS with a known horizon: it stays the same until the arm is pulled."""

    policy: Any

    def fits(self, family: Any) -> bool:
        return not self.policy.anytime

    def scale(self, level: float) -> float:
        return 0.0

    def base(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return float(self.policy.index_of(family, arms, i, level))

    def rise(self, family: Any, arms: Arms, i: int) -> float:
        return 0.0
