"""Knowledge-gradient policies: KG, KG*, KGMin and KGMN.

Each asks what more pulls of an arm are worth: the expected rise of the largest posterior mean. In
the formulas mu_i is the posterior mean of arm i, and c_i, its rival, is the largest posterior mean
of the other arms.
"""

from __future__ import annotations

from math import ceil, floor, inf, log
from typing import NamedTuple

from .._numba.compile import apart_method, record
from .._records.record import Choice
from ..families import Conjugate, Crosses, Learns, LooksAhead
from ..families.gaussian import expected_excess
from ..special.grid import on_grid
from .arms import Arms, Clock
from .base import policy


class Form(Choice):
    """The complete policy, or the form that the published tables ran."""

    exact = 0
    published = 1


@record
class Race(NamedTuple):
    """The `level` of these policies: the rounds left, the leader, and the two largest means."""

    left: float
    leader: int
    best: float
    second: float

    def rival(self, i: int) -> float:
        """c_i: the largest posterior mean of the other arms."""
        return self.second if i == self.leader else self.best


def race(self: object, family: Conjugate, arms: Arms, clock: Clock) -> Race:
    """The `level` of a knowledge-gradient policy; ties for the lead go to the first arm."""
    leader, best, second = 0, -inf, -inf
    for i in range(arms.n_arms()):
        mean = family.posterior_mean(arms.pulls[i], arms.sums[i])
        if mean > best:
            leader, best, second = i, mean, best
        elif mean > second:
            second = mean
    return Race(clock.left(), leader, best, second)


@policy(needs=("knowledge_gain",), level=race)
class KG(NamedTuple):
    """Knowledge gradient (Ryzhov, Powell and Frazier 2012): mu_i + (T - t) v_i.

    v_i = E[max(mu_i', c_i)] - max(mu_i, c_i), with mu_i' the posterior mean after one more pull.
    form: "exact", or "published" for what the tables ran. For Bernoulli that ignores that the
    leading arm may fall behind; for Exponential its powers underflow, after which it plays the
    first arm only.

    >>> from rbmle import Arms, Clock, Gaussian
    >>> import numpy as np
    >>> arms = Arms(np.array([8.0, 4.0]), np.array([4.0, 1.0]), np.array([4.0, 1.0]))
    >>> level = KG().level(Gaussian(), arms, Clock(12, 100))
    >>> [round(KG().index_of(Gaussian(), arms, i, level), 6) for i in (0, 1)]
    [0.476566, 0.873058]
    """

    form: Form | str = "exact"

    def index_of(self, family: Learns, arms: Arms, i: int, level: Race) -> float:
        n, total, rival = float(arms.pulls[i]), float(arms.sums[i]), level.rival(i)
        if self.form == Form.published:
            gain = family.published_gain(n, total, rival, i == level.leader)
        else:
            gain = family.knowledge_gain(n, total, rival)
        return family.posterior_mean(n, total) + level.left * gain

    def needs_horizon(self) -> bool:
        return True


@policy(needs=("look_ahead_sd",), level=race)
class KGStar(NamedTuple):
    """KG* (Ryzhov, Powell and Frazier 2010): mu_i + (T - t) max_m v_i(m) / m, Gaussian rewards.

    v_i(m) = s f(-|mu_i - c_i| / s) is the gain of m pulls in a row, 1 <= m <= T - t. Here s is the
    standard deviation of the change of mu_i that they bring, and f(z) = z Phi(z) + phi(z). As a
    function of m, v is first convex, then concave, so v(m) / m has one maximum. In units of the
    pulls that the posterior is worth it lies between the bounds of their Section 4,
    (-1 + r + sqrt(1 + 6r + r^2)) / 4 and (1 + r + sqrt(1 + 10r + r^2)) / 4, where
    r = ((mu_i - c_i) / sd_i)^2.
    form: "exact", or "published" for what the tables ran.

    >>> from rbmle import Arms, Clock, Gaussian
    >>> import numpy as np
    >>> arms = Arms(np.array([8.0, 4.0]), np.array([4.0, 1.0]), np.array([4.0, 1.0]))
    >>> level = KGStar().level(Gaussian(), arms, Clock(12, 100))
    >>> [round(KGStar().index_of(Gaussian(), arms, i, level), 6) for i in (0, 1)]
    [0.632823, 1.03927]
    """

    form: Form | str = "exact"

    def index_of(self, family: LooksAhead, arms: Arms, i: int, level: Race) -> float:
        n = float(arms.pulls[i])
        mean = family.posterior_mean(n, float(arms.sums[i]))
        gap = mean - level.rival(i)
        if self.form == Form.published:
            return mean - level.best + self.published_term(family, n, gap, level.left)
        return mean + level.left * self.best_rate(family, n, gap, level.left)

    def published_term(self, family: LooksAhead, pulls: float, gap: float, left: float) -> float:
        """The term (T - t) max_m v(m) / m as the code behind the tables has it.

        It takes m from the middle of its bounds instead of the maximiser, the standard deviation s
        of m + 1 pulls instead of m, adds 1e-8 to s, and does not divide by m.
        """
        low, high = family.look_ahead_bounds(pulls, gap)
        if left <= low:
            m = left
        elif gap == 0.0 or high <= 1.0:
            m = 1.0
        else:
            m = float(ceil(0.5 * (low + high)))
        s = family.look_ahead_sd(pulls, m + 1.0)
        return left * s * expected_excess(-abs(gap / (s + 1e-8)))

    @apart_method
    def best_rate(self, family: LooksAhead, n: float, gap: float, left: float) -> float:
        """The maximum of v(m) / m over whole m, by ternary search: cut off thirds without it."""
        low, high = family.look_ahead_bounds(n, gap)
        last = max(1.0, float(ceil(min(left, high))))
        first = max(1.0, float(floor(min(low, last))))
        while last - first > 2.0:
            third = floor((last - first) / 3.0)
            m, other = first + third, last - third
            if self.rate(family, n, gap, m) < self.rate(family, n, gap, other):
                first = m
            else:
                last = other
        best, m = 0.0, first
        while m <= last:
            best = max(best, self.rate(family, n, gap, m))
            m += 1.0
        return best

    def rate(self, family: LooksAhead, n: float, gap: float, m: float) -> float:
        """v(m) / m, the gain per pull of m pulls in a row."""
        s = family.look_ahead_sd(n, m)
        if s == 0.0:
            return 0.0
        return s * expected_excess(-abs(gap) / s) / m

    def needs_horizon(self) -> bool:
        return True


@policy(needs=("pulls_to_cross",), level=race)
class KGMin(NamedTuple):
    """KGMin (Kaminski 2015) for Bernoulli rewards: q^m / m, infinite at m = 0.

    m is the number of equal outcomes in a row, each of probability q, that would move the arm's
    posterior mean to its rival's: successes for an arm behind, failures for the leader. The horizon
    does not matter. Deviation from the source: the index is the logarithm, m log q - log m, which
    ranks arms alike, because q^m underflows to 0 for every arm once m is about 1,000.
    whole: round m up to whole pulls; the published tables do not.
    form: "exact", where arms with equal indices have equal ones: they are rounded to multiples of
    2.3e-10 (`on_grid`); or "published" for what the tables ran, where rounding decides such ties.

    >>> from rbmle import Arms, Bernoulli, Clock
    >>> import numpy as np
    >>> arms = Arms(np.array([8.0, 4.0]), np.array([4.0, 1.0]), np.array([4.0, 1.0]))
    >>> level = KGMin().level(Bernoulli(), arms, Clock(12, 0))
    >>> [round(float(KGMin().index_of(Bernoulli(), arms, i, level)), 6) for i in (0, 1)]
    [-5.075174, -2.890372]
    """

    whole: bool = False
    form: Form | str = "exact"

    def index_of(self, family: Crosses, arms: Arms, i: int, level: Race) -> float:
        m, q = family.pulls_to_cross(arms.pulls[i], arms.sums[i], level.rival(i))
        exact = self.form == Form.exact
        if self.whole:
            m = ceil(on_grid(m) if exact else m)
        if m <= 0.0:
            return inf
        index = m * log(q) - log(m) if q > 0.0 else -inf
        return on_grid(index) if exact else index

    def settles(self) -> bool:
        """No: it explores for ever, because a switch is worth the same in every round."""
        return False


@policy(needs=("pulls_to_cross",), level=race)
class KGMN(NamedTuple):
    """KGMN (Kaminski 2015) for Bernoulli rewards: -m, with m, `whole` and `form` as in `KGMin`.

    >>> from rbmle import Arms, Bernoulli, Clock
    >>> import numpy as np
    >>> arms = Arms(np.array([8.0, 4.0]), np.array([4.0, 1.0]), np.array([4.0, 1.0]))
    >>> level = KGMN().level(Bernoulli(), arms, Clock(12, 0))
    >>> [round(float(KGMN().index_of(Bernoulli(), arms, i, level)), 6) for i in (0, 1)]
    [-5.0, -2.0]
    """

    whole: bool = False
    form: Form | str = "exact"

    def index_of(self, family: Crosses, arms: Arms, i: int, level: Race) -> float:
        m, _ = family.pulls_to_cross(arms.pulls[i], arms.sums[i], level.rival(i))
        m = on_grid(m) if self.form == Form.exact else m
        return -float(ceil(m)) if self.whole else -m

    def settles(self) -> bool:
        """No, for the reason given in `KGMin`."""
        return False
