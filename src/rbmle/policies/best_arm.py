"""Policies that look for the best arm, and not for reward: Track-and-Stop, top-two sampling,
successive rejects. `rbmle.identify` says when they may stop, and how often they are wrong."""

from __future__ import annotations

from math import ceil, inf, sqrt
from typing import Annotated, Any, NamedTuple

import numpy as np

from .._numba.compile import Floats, lean
from ..families import Conjugate, Family
from ..random import Draws
from .arms import Arms, Clock
from .base import Policy, by_sums_alone, policy
from .bayes import ThompsonSampling
from .fit import as_inner_policy

_BLOCKS = 64  # of random numbers between two draws of a posterior; a draw needs a few
_COIN = 1 << 20  # the place of the number that decides between leader and challenger
_MOST_DRAWS = 100  # before the challenger is the arm that is hardest to tell from the leader


@lean
def transport(family: Family, arms: Arms, i: int, j: int) -> float:
    """What speaks for a larger mean of arm i than of arm j: n_i D(p_i, m) + n_j D(p_j, m), where m
    is the mean of all their rewards; 0 unless i has the larger mean."""
    if not arms.mean(i) > arms.mean(j):
        return 0.0
    m = (arms.sums[i] + arms.sums[j]) / (arms.pulls[i] + arms.pulls[j])
    one = arms.pulls[i] * family.kl(arms.mean(i), m)
    return float(one + arms.pulls[j] * family.kl(arms.mean(j), m))


@lean
def best_of(arms: Arms) -> int:
    """The arm with the largest mean; the first of several."""
    best = 0
    for i in range(1, arms.n_arms()):
        if arms.mean(i) > arms.mean(best):
            best = i
    return best


def certain(
    self: Policy, state: Floats, family: Family, arms: Arms, clock: Clock, ties: bool
) -> Floats:
    """The probabilities of a policy that draws nothing: 1 for the arm that it chooses."""
    p = np.zeros(arms.n_arms())
    p[self.choose(state.copy(), family, arms, clock, Draws(0, 0, 0, 0, False))] = 1.0
    return p


@policy(propensities=certain, check_family=by_sums_alone)
class TrackAndStop(NamedTuple):
    """Track-and-Stop's sampling rule with D-tracking (Garivier and Kaufmann 2016).

    It plays the arm that is farthest behind t w(p), where w(p) are the shares of pulls that would
    tell the best arm soonest if the means p so far were the true ones. An arm with fewer than
    sqrt(t) - K/2 pulls is played first.

    The shares follow from one number y: arm a has x_a times the pulls of the best arm, where x_a
    solves D(p_1, m) + x D(p_a, m) = y with m = (p_1 + x p_a) / (1 + x), and y makes the sum of
    D(p_1, m_a) / D(p_a, m_a) equal 1.

    Deviation: while the largest mean is not unique, the arm with the fewest pulls is played.

    >>> from rbmle import Bernoulli
    >>> from rbmle.inference.identification import optimal_shares
    >>> optimal_shares(Bernoulli(), [0.5, 0.45, 0.43, 0.4]).round(3).tolist()
    [0.417, 0.39, 0.136, 0.057]
    """

    def scratch(self, family: Family, n_arms: int) -> int:
        return n_arms

    def settles(self) -> bool:
        return False

    def choose(self, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
        unpulled, n = arms.unpulled(), arms.n_arms()
        if unpulled >= 0 or n == 1:
            return max(unpulled, 0)
        fewest = 0
        for i in range(1, n):
            if arms.pulls[i] < arms.pulls[fewest]:
                fewest = i
        played = clock.t - 1.0
        if arms.pulls[fewest] < sqrt(played) - 0.5 * n:
            return fewest
        if not self.shares(state, family, arms) > 0.0:
            return fewest
        chosen, most = 0, -inf
        for i in range(n):
            behind = played * state[i] - arms.pulls[i]
            if behind > most:
                chosen, most = i, behind
        return chosen

    def shares(self, state: Floats, family: Family, arms: Arms) -> float:
        """Fill `state` with the shares; returns y times that of the best arm, which is the rate
        1 / T* at which evidence grows; 0 if the best arm is not unique."""
        best, n, top = best_of(arms), arms.n_arms(), inf
        for i in range(n):
            if i != best:
                top = min(top, family.kl(arms.mean(best), arms.mean(i)))
        if not top > 0.0:
            return 0.0
        low, f_low, high, f_high = 0.0, -1.0, top, 1.0
        if top == inf:
            high = 1.0
            while self.excess(state, family, arms, best, high) < 0.0 and high < 1e6:
                high *= 2.0
        moved, y = 0.0, 0.5 * high
        for _ in range(60):  # regula falsi with the weights of Illinois
            f = self.excess(state, family, arms, best, y)
            if abs(f) < 1e-10 or not abs(f) <= 1.0:
                break
            if f > 0.0:
                high, f_high = y, f
                f_low *= 0.5 if moved > 0.0 else 1.0
            else:
                low, f_low = y, f
                f_high *= 0.5 if moved < 0.0 else 1.0
            moved = f
            y = (low * f_high - high * f_low) / (f_high - f_low)
        total = 0.0
        for i in range(n):
            total += state[i]
        if not 0.0 < total < inf:
            return 0.0
        for i in range(n):
            state[i] /= total
        return y / total

    def excess(self, state: Floats, family: Family, arms: Arms, best: int, y: float) -> float:
        """(F - 1) / (F + 1), where F is the sum that must be 1. Fills `state` with all x_a.

        The left side of the equation for x_a is concave with slope D(p_a, m), so that Newton's
        steps from 0 stay below the root.
        """
        p, total = arms.mean(best), 0.0
        state[best] = 1.0
        for i in range(arms.n_arms()):
            if i == best:
                continue
            q = arms.mean(i)
            x = max(y / family.kl(q, p), 1e-12)  # 0 where D is infinite, but its slope must not be
            for _ in range(50):
                m = (p + x * q) / (1.0 + x)
                slope = family.kl(q, m)
                miss = y - family.kl(p, m) - x * slope
                if not miss > 1e-13 * y or not slope > 0.0:
                    break
                x += miss / slope
            m = (p + x * q) / (1.0 + x)
            slope = family.kl(q, m)
            total += family.kl(p, m) / slope if slope > 0.0 else inf
            state[i] = x
        return (total - 1.0) / (total + 1.0) if total < inf else 1.0


def as_base(given: object) -> Any:
    """The policy that chooses the leader, or its name."""
    return as_inner_policy(given, "TopTwo", "base")


@policy(needs=("posterior_draw",), check_family=by_sums_alone)
class TopTwo(NamedTuple):
    """Top-two sampling (Russo 2016): a leader, or else the arm that may be better than it.

    base: the policy that chooses the leader. With `ThompsonSampling()` this is top-two Thompson
    sampling: the challenger is the first other arm that wins in further draws. With a policy that
    has an index, such as `RBMLE()`, it is the arm that is hardest to tell from the leader: with the
    least n D(p, m) + n' D(p', m), m their common mean (Jourdan, Degenne et al. 2022).
    beta: the probability of playing the leader, in (0, 1).

    Deviation: after 100 draws that the leader won, the challenger is chosen in the second way.

    >>> from rbmle import ThompsonSampling
    >>> TopTwo(ThompsonSampling()).base
    ThompsonSampling(prior='conjugate')
    """

    base: Annotated[Any, as_base] = ThompsonSampling()
    beta: Annotated[float, "(0, 1)"] = 0.5

    def choose(self, state: Floats, family: Conjugate, arms: Arms, clock: Clock, rng: Draws) -> int:
        unpulled = arms.unpulled()
        if unpulled >= 0:
            return unpulled
        leader = int(self.base.choose(state, family, arms, clock, rng))
        if arms.n_arms() == 1 or rng.cell(0).uniform(_COIN) < self.beta:
            return leader
        if self.base.samples_posteriors():
            for draw in range(1, _MOST_DRAWS + 1):
                best, chosen = -inf, leader
                for i in range(arms.n_arms()):
                    cell = rng.cell(i)
                    x = family.posterior_draw(arms.pulls[i], arms.sums[i], cell, _BLOCKS * draw)
                    if x > best:
                        best, chosen = x, i
                if chosen != leader:
                    return chosen
        return self.challenger(family, arms, leader)

    def challenger(self, family: Conjugate, arms: Arms, leader: int) -> int:
        """The arm that is hardest to tell from the leader; the first of several."""
        chosen, least = leader, inf
        for i in range(arms.n_arms()):
            if i != leader:
                cost = transport(family, arms, leader, i)
                if cost < least or chosen == leader:
                    chosen, least = i, cost
        return chosen

    def propensities(
        self, state: Floats, family: Conjugate, arms: Arms, clock: Clock, ties: bool
    ) -> Floats:
        """Where arm i is the best of draws with probability a_i, it challenges leader j with
        probability a_i / (1 - a_j), and then the limit of 100 draws with probability a_j^100."""
        a = np.asarray(self.base.propensities(state, family, arms, clock, ties))
        p = self.beta * a
        if a.size == 1:
            return a
        for j in np.flatnonzero(a > 0.0):
            late = a[j] ** _MOST_DRAWS if self.base.samples_posteriors() else 1.0
            left = (1.0 - self.beta) * a[j]
            p[self.challenger(family, arms, int(j))] += left * late
            if late < 1.0:
                others = np.delete(np.arange(a.size), j)
                p[others] += left * (1.0 - late) * a[others] / a[others].sum()
        return np.asarray(p)

    def remembers(self, n_arms: int) -> int:
        return int(self.base.remembers(n_arms))

    def scratch(self, family: Conjugate, n_arms: int) -> int:
        return int(self.base.scratch(family, n_arms))

    def needs_horizon(self) -> bool:
        return bool(self.base.needs_horizon())

    def uses_horizon(self) -> bool:
        return bool(self.base.uses_horizon())

    def samples_posteriors(self) -> bool:
        return bool(self.base.samples_posteriors())

    def settles(self) -> bool:
        return False


@policy(propensities=certain)
class SuccessiveRejects(NamedTuple):
    """Successive rejects (Audibert, Bubeck and Munos 2010), for a budget of T pulls.

    In phase k = 1, ..., K - 1 every arm that is left has been played
    n_k = ceil((T - K) / (L (K + 1 - k))) times, L = 1/2 + 1/2 + 1/3 + ... + 1/K; then the one with
    the smallest mean is rejected. The arm that is left at the end is the answer.

    Of several arms with the smallest mean, the last in the list is rejected.

    >>> SuccessiveRejects().needs_horizon()
    True
    """

    def remembers(self, n_arms: int) -> int:
        return n_arms  # 1 if the arm was rejected

    def needs_horizon(self) -> bool:
        return True

    def settles(self) -> bool:
        return False

    def choose(self, state: Floats, family: Family, arms: Arms, clock: Clock, rng: Draws) -> int:
        unpulled, n = arms.unpulled(), arms.n_arms()
        if unpulled >= 0:
            return unpulled
        scale = 0.5
        for i in range(2, n + 1):
            scale += 1.0 / i
        while True:
            left, fewest, worst = 0, -1, -1
            for i in range(n):
                if state[i] == 0.0:
                    left += 1
                    if fewest < 0 or arms.pulls[i] < arms.pulls[fewest]:
                        fewest = i
                    if worst < 0 or arms.mean(i) <= arms.mean(worst):
                        worst = i
            if left <= 1:
                return max(fewest, 0)
            if arms.pulls[fewest] < ceil((clock.horizon - n) / (scale * left)):
                return fewest
            state[worst] = 1.0
