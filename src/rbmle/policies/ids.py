"""Information-directed sampling: IDS and its variance-based variant VIDS.

Both choose two arms and a probability q, and play the first with probability q, else the second.
They choose them to minimise the information ratio, (expected regret)^2 / (expected information)
(Russo and Van Roy 2018).
"""

from __future__ import annotations

from abc import abstractmethod
from math import inf
from typing import Annotated, NamedTuple, Protocol

import numpy as np

from .._numba.compile import Floats, defaults_of, kernel, lean, njit
from .._records.record import Choice
from ..errors import ParameterError
from ..families import Family, Gaussian, Shaped, Tells
from ..random import Draws
from .arms import Arms, Clock
from .base import Policy, policy
from .beliefs import Beliefs
from .quadrature_panels import MAX_PANELS, NODES

# Arms with the same past have the same regret and information, and mixtures of them the same ratio.
# Quadrature computes them with errors of some 1e-13 of themselves, which must not decide between
# them: results would depend on the last bit of a machine's `exp`.
SAME = 1e-9
_PER_ARM = 11  # arrays of `Beliefs` with one number for each arm


class Method(Choice):
    """How to integrate over the posteriors."""

    quadrature = 0
    monte_carlo = 1


@njit
def ratio(regret: float, information: float) -> float:
    """regret^2 / information; 0 if there is no regret, infinite if nothing is learned."""
    if regret <= 0.0:
        return 0.0
    return regret * regret / information if information > 0.0 else inf


@njit
def best_odds(regret: float, information: float, other: float, other_information: float) -> float:
    """The probability q of the first of two arms that minimises the ratio of their mixture.

    The mixture has regret a + b q and information c + d q, and its ratio is convex in q. If b and d
    have the same sign, the derivative vanishes at q = a/b - 2 c/d. Otherwise one arm has no more
    regret and no less information than the other, and q is 0 or 1.

    >>> round(best_odds(1.0, 2.0, 0.2, 0.1), 6)
    0.144737
    """
    b, d = regret - other, information - other_information
    if b * d > 0.0:
        q = other / b - 2.0 * other_information / d
        return min(max(q, 0.0), 1.0)
    return 1.0 if b < 0.0 or (b == 0.0 and d > 0.0) else 0.0


@lean
def dominated(i: int, regret: Floats, information: Floats) -> bool:
    """Whether another arm has less regret and no less information: then arm i is not needed.

    Numbers that are equal up to `SAME` count as equal.
    """
    for j in range(regret.size):
        if regret[j] < regret[i] * (1.0 - SAME) and information[j] >= information[i] * (1.0 - SAME):
            return True
    return False


@lean
def least_ratio(regret: Floats, information: Floats, likely: int) -> tuple[int, int, float]:
    """Two arms and the probability of the first whose mixture has the least information ratio.

    Of several mixtures whose ratios are equal up to `SAME`, the first.
    """
    first, second, odds, least = likely, likely, 1.0, inf
    for i in range(regret.size):
        if dominated(i, regret, information):
            continue
        for j in range(i + 1):  # j = i: the arm alone
            q = best_odds(regret[i], information[i], regret[j], information[j])
            learned = q * information[i] + (1.0 - q) * information[j]
            value = ratio(q * regret[i] + (1.0 - q) * regret[j], learned)
            if value < least * (1.0 - SAME):
                first, second, odds, least = i, j, q, value
    return first, second, odds


class Directed(Policy, Protocol):
    """What IDS and VIDS share: all but how they measure information."""

    method: Method
    samples: int
    commit: float

    @abstractmethod
    def learned(self, beliefs: Beliefs, family: Shaped, i: int) -> float:
        """The information of arm i."""

    def panels(self) -> int:
        """How many panels quadrature may use; 0 for Monte Carlo."""
        return MAX_PANELS if self.method == Method.quadrature else 0

    def drawn(self) -> int:
        """The number of samples of each posterior; 0 for quadrature."""
        return self.samples if self.method == Method.monte_carlo else 0

    def remembers(self, n_arms: int) -> int:
        """One number: the arm that is played for good, counted from 1, or 0 if there is none."""
        return 1

    def scratch(self, family: Family, n_arms: int) -> int:
        """Room for the tables of `Beliefs`; see `beliefs_in`."""
        tables = self.panels() * (2 + 5 * NODES + 2 * NODES * n_arms)
        return 2 + _PER_ARM * n_arms + n_arms * n_arms + n_arms * self.drawn() + tables

    def samples_posteriors(self) -> bool:
        """Only in the Monte Carlo variant."""
        return self.method == Method.monte_carlo

    def check_family(self, family: Family) -> None:
        """Refuse Gaussian families whose sigma^2 overflows or underflows: densities contain it."""
        if isinstance(family, Gaussian) and not family.has_squares():
            allowed = "one with sigma in [1e-50, 1e50] and prior_sd from 1e-50 on"
            raise ParameterError(type(self).__name__, "family", allowed, family)

    def choose(self, state: Floats, family: Shaped, arms: Arms, clock: Clock, rng: Draws) -> int:
        """Integrate, then draw one of the two arms with least ratio."""
        unpulled = arms.unpulled()
        if unpulled >= 0:
            return unpulled
        first, second, odds = self.mixture(state, family, arms, rng)
        return first if rng.cell(0).uniform(0) < odds else second

    def mixture(
        self, state: Floats, family: Shaped, arms: Arms, rng: Draws
    ) -> tuple[int, int, float]:
        """The two arms with least ratio, and the probability of the first."""
        n_arms = arms.n_arms()
        if 0.0 < state[0] <= n_arms:
            return int(state[0]) - 1, 0, 1.0
        beliefs = self.beliefs_in(state[1:], n_arms)
        if self.method == Method.quadrature:
            beliefs.solve(family, arms)
        else:
            beliefs.draw_jointly(family, arms, rng)
        likely, expected_best = 0, 0.0
        for a in range(n_arms):
            expected_best += beliefs.best[a] * beliefs.mean_given(a, a)
            if beliefs.best[a] > beliefs.best[likely]:
                likely = a
        if self.commit < 1.0 and beliefs.best[likely] >= self.commit:
            state[0] = likely + 1
            return likely, 0, 1.0
        for i in range(n_arms):
            beliefs.regret[i] = max(expected_best - beliefs.means[i], 0.0)
            beliefs.information[i] = self.learned(beliefs, family, i)
        return least_ratio(beliefs.regret, beliefs.information, likely)

    def propensities(
        self, state: Floats, family: Shaped, arms: Arms, clock: Clock, ties: bool
    ) -> Floats:
        """Those of the mixture; by Monte Carlo it depends on the samples, and they are not known.

        The tables that it leaves in `state` are those that `choose` needs next.
        """
        if self.method != Method.quadrature:
            allowed = "'quadrature', for its probabilities to be known"
            raise ParameterError(type(self).__name__, "method", allowed, self.method)
        p = np.zeros(arms.pulls.size)
        share_mixture(self, state, family, arms, p)
        return p

    def beliefs_in(self, space: Floats, n_arms: int) -> Beliefs:
        """A `Beliefs` with arrays in the given space, all 0 at the start. Not `njit`: see there."""
        n, panels, nodes = n_arms, self.panels(), self.panels() * NODES
        # Where the arrays begin that have a number for each panel, for each node, for each arm and
        # node, for two arms, for each sample; and the last one.
        at = _PER_ARM * n
        node = at + 2 * panels
        table = node + 5 * nodes
        pair = table + 2 * n * nodes
        drawn = pair + n * n
        last = drawn + n * self.drawn()
        return Beliefs(
            space[:n], space[n : 2 * n], space[2 * n : 3 * n], space[3 * n : 4 * n],
            space[4 * n : 5 * n], space[5 * n : 6 * n], space[last:], space[6 * n : 7 * n],
            space[at : at + panels], space[at + panels : node],
            space[node : node + nodes], space[node + nodes : node + 2 * nodes],
            space[node + 2 * nodes : node + 3 * nodes], space[table : table + n * nodes],
            space[table + n * nodes : pair], space[node + 3 * nodes : node + 4 * nodes],
            space[node + 4 * nodes : table], space[drawn:last], space[7 * n : 8 * n],
            space[8 * n : 9 * n], space[pair:drawn], space[9 * n : 10 * n], space[10 * n : at],
        )  # fmt: skip


@kernel
def share_mixture(policy: Directed, state: Floats, family: Shaped, arms: Arms, p: Floats) -> None:
    """Fill p, which is 0, with the probabilities of the two arms."""
    first, second, odds = policy.mixture(state, family, arms, Draws(0, 0, 0, 0, False))
    p[first] += odds
    p[second] += 1.0 - odds


@policy(needs=("outcome_kl", "posterior_size", "posterior_span"), **defaults_of(Directed))
class IDS(NamedTuple):
    """Information-directed sampling (Russo and Van Roy 2018) for Bernoulli rewards: two arms at
    random, with the odds that minimise (expected regret)^2 / (expected information).

    The information of arm i is the mutual information between its next reward and the best arm A*,

        g_i = sum_a p_a KL(E[theta_i | A* = a], mu_i),    p_a = P(A* = a).

    method: "quadrature", deterministic and accurate; or "monte_carlo", the paper's method.
    samples: joint posterior draws for "monte_carlo", in [1, 1e7]; 10,000 in the paper.
    commit: in (0, 1]: once an arm is the best with at least this probability, play it for good. The
    published tables use 0.99; 1 means never.

    >>> IDS(method="monte_carlo", samples=50).replace(samples=200).samples
    200
    """

    method: Method | str = "quadrature"
    samples: Annotated[int, "[1, 1e7]"] = 10_000
    commit: Annotated[float, "(0, 1]"] = 1.0

    def learned(self, beliefs: Beliefs, family: Tells, i: int) -> float:
        total = 0.0
        for a in range(beliefs.best.size):
            total += beliefs.best[a] * family.outcome_kl(beliefs.mean_given(a, i), beliefs.means[i])
        return total


@policy(needs=("posterior_size", "posterior_span"), **defaults_of(Directed))
class VIDS(NamedTuple):
    """Variance-based information-directed sampling (Russo and Van Roy 2018): as IDS, with a
    variance in place of the information.

    The information of arm i is the variance of its mean given the best arm A*,

        v_i = sum_a p_a (E[theta_i | A* = a] - mu_i)^2,    p_a = P(A* = a).

    Parameters as for `IDS`.

    >>> VIDS(commit=0.9).commit
    0.9
    """

    method: Method | str = "quadrature"
    samples: Annotated[int, "[1, 1e7]"] = 10_000
    commit: Annotated[float, "(0, 1]"] = 1.0

    def learned(self, beliefs: Beliefs, family: Tells, i: int) -> float:
        total = 0.0
        for a in range(beliefs.best.size):
            shift = beliefs.mean_given(a, i) - beliefs.means[i]
            total += beliefs.best[a] * shift * shift
        return total
