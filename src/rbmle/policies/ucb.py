"""Indices of the form mean + width: UCB, UCB-Tuned, UCB-V, MOSS, AdaUCB, GP-UCB, GP-UCB-Tuned."""

from __future__ import annotations

from math import e, log, pi, sqrt
from typing import Annotated, NamedTuple

from ..families import Conjugate, Family
from .arms import Arms, Clock
from .base import index_is_worth, policy


@policy(worth=index_is_worth)
class UCB(NamedTuple):
    """UCB1 (Auer, Cesa-Bianchi and Fischer 2002): p_i + sqrt(alpha log t / N_i).

    alpha: the factor of the width, in (0, inf); 2 in the paper (Table 1).

    >>> from rbmle import Arms
    >>> import numpy as np
    >>> UCB().index_of(None, Arms(np.array([8.0]), np.array([4.0]), np.array([4.0])), 0, 4.0)
    1.5
    """

    alpha: Annotated[float, "(0, inf)"] = 2.0

    def index_of(self, family: Family, arms: Arms, i: int, level: float) -> float:
        return arms.mean(i) + sqrt(self.alpha * level / arms.pulls[i])


@policy(worth=index_is_worth)
class UCBTuned(NamedTuple):
    """UCB-Tuned (Auer et al. 2002): p_i + sqrt(min(cap, V_i) log t / N_i).

    V_i = (empirical variance) + sqrt(2 log t / N_i) is an upper confidence bound of the variance.
    cap: in (0, inf]; by default 1/4, the largest variance of a reward in [0, 1]. Rewards in another
    interval need another cap.

    >>> from rbmle import Arms
    >>> import numpy as np
    >>> UCBTuned().index_of(None, Arms(np.array([8.0]), np.array([4.0]), np.array([4.0])), 0, 2.0)
    0.75
    """

    cap: Annotated[float, "(0, inf]"] = 0.25

    def index_of(self, family: Family, arms: Arms, i: int, level: float) -> float:
        n = arms.pulls[i]
        variance = arms.variance(i) + sqrt(2.0 * level / n)
        return arms.mean(i) + sqrt(min(self.cap, variance) * level / n)


@policy(worth=index_is_worth)
class UCBV(NamedTuple):
    """UCB-V (Audibert, Munos and Szepesvari 2009): p_i + sqrt(2 V_i E / N_i) + 3 c b E / N_i.

    V_i is the empirical variance, and E = zeta log t.
    b: the length of the interval of rewards, in (0, inf). zeta, c: in (0, inf); regret is proved to
    be logarithmic for zeta > 1 and c = 1 (their Theorem 3, with zeta = 1.2).

    >>> from rbmle import Arms
    >>> import numpy as np
    >>> arms = Arms(np.array([8.0]), np.array([4.0]), np.array([4.0]))
    >>> UCBV(zeta=1.0).index_of(None, arms, 0, 4.0)
    2.5
    """

    b: Annotated[float, "(0, inf)"] = 1.0
    zeta: Annotated[float, "(0, inf)"] = 1.2
    c: Annotated[float, "(0, inf)"] = 1.0

    def index_of(self, family: Family, arms: Arms, i: int, level: float) -> float:
        share = self.zeta * level / arms.pulls[i]
        width = sqrt(2.0 * arms.variance(i) * share)
        return float(arms.mean(i) + width + 3.0 * self.c * self.b * share)


@policy(worth=index_is_worth)
class MOSS(NamedTuple):
    """MOSS (Audibert and Bubeck 2009): p_i + sqrt(max(log(T / (K N_i)), 0) / N_i).

    K is the number of arms.
    anytime: use the round t in place of the horizon T (Degenne and Perchet 2016, with their
    factor 1); the paper uses the horizon.

    >>> from rbmle import Arms
    >>> import numpy as np
    >>> arms = Arms(np.array([8.0]), np.array([4.0]), np.array([4.0]))
    >>> round(MOSS().index_of(None, arms, 0, 100.0), 6)  # the level is T / K
    1.061886
    """

    anytime: bool = False

    def level(self, family: Family, arms: Arms, clock: Clock) -> float:
        rounds = clock.t if self.anytime else clock.horizon
        return rounds / arms.n_arms()

    def index_of(self, family: Family, arms: Arms, i: int, level: float) -> float:
        n = arms.pulls[i]
        return arms.mean(i) + sqrt(max(log(level / n), 0.0) / n)

    def needs_horizon(self) -> bool:
        return not self.anytime


@policy(worth=index_is_worth)
class AdaUCB(NamedTuple):
    """AdaUCB (Lattimore 2018): p_i + sigma sqrt(2 L(T / H_i) / N_i).

    H_i = sum_j min(N_i, sqrt(N_i N_j)) and L(x) = log((x + e) sqrt(log(x + e))). It is minimax
    optimal up to a constant, asymptotically optimal, and never worse than UCB up to a constant, for
    Gaussian rewards.
    sigma: the standard deviation of rewards, in (0, inf); 1 in its paper.

    >>> from rbmle import Arms
    >>> import numpy as np
    >>> arms = Arms(np.array([8.0, 2.0]), np.array([4.0, 1.0]), np.array([4.0, 1.0]))
    >>> round(AdaUCB().index_of(None, arms, 0, 120.0), 6)  # the level is T; H_0 = 12
    1.367427
    """

    sigma: Annotated[float, "(0, inf)"] = 1.0

    def level(self, family: Family, arms: Arms, clock: Clock) -> float:
        return float(clock.horizon)

    def index_of(self, family: Family, arms: Arms, i: int, level: float) -> float:
        n, h = float(arms.pulls[i]), 0.0
        for j in range(arms.n_arms()):
            h += min(n, sqrt(n * arms.pulls[j]))
        x = level / h + e
        return arms.mean(i) + self.sigma * sqrt(2.0 / n * (log(x) + 0.5 * log(log(x))))

    def needs_horizon(self) -> bool:
        return True


@policy(needs=("posterior_mean", "posterior_variance"), worth=index_is_worth)
class GPUCB(NamedTuple):
    """GP-UCB (Srinivas et al. 2012) for independent arms: mu_i + sd_i sqrt(beta_t).

    beta_t = 2 log(K (t pi)^2 / (6 delta)); mu_i and sd_i are the posterior mean and standard
    deviation, and K is the number of arms.
    delta: the probability that the bounds ever fail, in (0, 1); 1e-5 in the paper.

    >>> from rbmle import Arms, Bernoulli
    >>> import numpy as np
    >>> arms = Arms(np.array([8.0]), np.array([4.0]), np.array([4.0]))
    >>> round(GPUCB().index_of(Bernoulli(), arms, 0, 2.0), 6)  # the level is sqrt(beta_t)
    0.801511
    """

    delta: Annotated[float, "(0, 1)"] = 1e-5

    def level(self, family: Family, arms: Arms, clock: Clock) -> float:
        return sqrt(2.0 * log(arms.n_arms() * (clock.t * pi) ** 2 / (6.0 * self.delta)))

    def index_of(self, family: Conjugate, arms: Arms, i: int, level: float) -> float:
        n, total, known = float(arms.pulls[i]), float(arms.sums[i]), family.given(arms, i)
        return known.posterior_mean(n, total) + known.posterior_sd(n, total) * level


@policy(needs=("posterior_mean", "posterior_variance"), worth=index_is_worth)
class GPUCBTuned(NamedTuple):
    """GP-UCB-Tuned (Srinivas et al. 2012, tuned in the paper): mu_i + sd_i sqrt(c log t).

    mu_i and sd_i are the posterior mean and standard deviation.
    c: the factor of the width, in (0, inf); 0.9 was the best in the paper's experiments.

    >>> from rbmle import Arms, Clock
    >>> round(GPUCBTuned().level(None, Arms.fresh(2), Clock(10, 0)), 6)  # sqrt(c log t)
    1.439558
    """

    c: Annotated[float, "(0, inf)"] = 0.9

    def level(self, family: Family, arms: Arms, clock: Clock) -> float:
        return sqrt(self.c * clock.log_t())

    def index_of(self, family: Conjugate, arms: Arms, i: int, level: float) -> float:
        n, total, known = float(arms.pulls[i]), float(arms.sums[i]), family.given(arms, i)
        return known.posterior_mean(n, total) + known.posterior_sd(n, total) * level
