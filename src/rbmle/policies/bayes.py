"""Policies that use the posterior: Bayes-UCB, Thompson sampling, TS-UCB, and the linear form."""

from __future__ import annotations

from math import inf, log, sqrt
from typing import Annotated, Any, NamedTuple

import numpy as np

from .._numba.compile import Floats
from .._records.record import Choice
from ..errors import ParameterError
from ..families import Conjugate, Family
from ..random import Draws
from .arms import Arms, Clock
from .base import index_is_worth, mean_where, one_of_largest, policy
from .largest_draw import NORMAL, largest_draw
from .posteriors import probability_of_draws


@policy(needs=("posterior_quantile",), worth=index_is_worth)
class BayesUCB(NamedTuple):
    """Bayes-UCB (Kaufmann, Cappe and Garivier 2012): the posterior quantile at 1 - 1/(t log(T)^c).

    c: in [0, inf); 0 in the paper, for which the horizon T does not matter; 5 in the theory.

    >>> import numpy as np
    >>> from rbmle import Arms, Bernoulli
    >>> arms = Arms(np.array([10.0]), np.array([5.0]), np.array([5.0]))
    >>> round(BayesUCB().index_of(Bernoulli(), arms, 0, 0.01), 6)
    0.806023
    """

    c: Annotated[float, "[0, inf)"] = 0.0

    def level(self, family: Conjugate, arms: Arms, clock: Clock) -> float:
        """The probability of the tail above the quantile."""
        return 1.0 / (clock.t * log(clock.horizon) ** self.c) if self.c > 0.0 else 1.0 / clock.t

    def index_of(self, family: Conjugate, arms: Arms, i: int, level: float) -> float:
        known = family.given(arms, i)
        return known.posterior_quantile(float(arms.pulls[i]), float(arms.sums[i]), level)

    def needs_horizon(self) -> bool:
        return self.c > 0.0


class Prior(Choice):
    """The prior of Thompson sampling: the family's conjugate one, or a flat one on the mean."""

    conjugate = 0  # type: ignore[assignment]  # hides int.conjugate, which nobody needs here
    flat = 1


def largest_drawn(
    self: Any, state: Floats, family: Any, arms: Arms, clock: Clock, rng: Draws
) -> int:
    """`choose` of policies that play the arm with the largest draw; draws do not tie."""
    best, chosen = -inf, arms.unpulled()
    if chosen >= 0:
        return chosen
    for i in range(arms.n_arms()):
        drawn = self.draw(state, family, arms, i, rng)
        if drawn > best:
            best, chosen = drawn, i
    return max(chosen, 0)


@policy(needs=("posterior_draw",), choose=largest_drawn)
class ThompsonSampling(NamedTuple):
    """Thompson sampling (Thompson 1933; Agrawal and Goyal 2012): draw each mean, play the largest.

    prior: "conjugate" draws from the posterior under the family's prior, as the paper states.
    "flat" draws under a flat prior on the mean; for Gaussian rewards that is N(S/N, sigma^2/N), as
    in the code behind the published Gaussian tables. A flat prior is allowed for Bernoulli,
    Binomial, Gaussian and Poisson, whose posterior is then proper after one pull.

    >>> import numpy as np
    >>> from rbmle import Arms, Bernoulli
    >>> from rbmle.random import Draws
    >>> arms = Arms(np.array([8.0]), np.array([4.0]), np.array([4.0]))
    >>> rng = Draws(1, 0, 0, 3, True)
    >>> round(float(ThompsonSampling().draw(np.zeros(0), Bernoulli(), arms, 0, rng)), 6)
    0.560312
    """

    prior: Prior | str = "conjugate"

    def draw(self, state: Floats, family: Conjugate, arms: Arms, i: int, rng: Draws) -> float:
        """A draw from the posterior of arm i's mean."""
        known = family.given(arms, i)
        if self.prior == Prior.flat:
            return known.flat().posterior_draw(arms.pulls[i], arms.sums[i], rng.cell(i), 0)
        return known.posterior_draw(arms.pulls[i], arms.sums[i], rng.cell(i), 0)

    def worth(
        self, state: Floats, family: Conjugate, arms: Arms, i: int, level: float, rng: Draws
    ) -> float:
        return self.draw(state, family, arms, i, rng)

    def propensities(
        self, state: Floats, family: Conjugate, arms: Arms, clock: Clock, ties: bool
    ) -> Floats:
        """The probability of each arm that its draw is the largest, by quadrature, to 1e-6."""
        assumed = family.flat() if self.prior == Prior.flat else family
        return probability_of_draws("ThompsonSampling", assumed, arms.pulls, arms.sums)

    def samples_posteriors(self) -> bool:
        return True

    def check_family(self, family: Conjugate) -> None:
        if self.prior == Prior.flat and type(family).flat is Conjugate.flat:
            allowed = f"'conjugate' for {type(family).__name__}, whose flat prior is improper"
            raise ParameterError("ThompsonSampling", "prior", allowed, self.prior)


@policy(needs=("posterior_draw",))
class TSUCB(NamedTuple):
    """TS-UCB (Baek and Farias 2023): the arm with the smallest (f - p_i) / (width of i's bound).

    f is the largest mean of a draw of all arms from their posteriors, averaged over several draws.
    The bound is UCB's, so that a width is a common factor times 1 / sqrt(N_i), and the arm with the
    smallest (f - p_i) sqrt(N_i) is played.
    draws: how many draws are averaged, in [1, 1000]; 1 and 100 in its paper.

    >>> import numpy as np
    >>> from rbmle import Arms, Bernoulli, Clock
    >>> from rbmle.random import Draws
    >>> arms = Arms(np.array([8.0, 2.0]), np.array([4.0, 1.0]), np.array([4.0, 1.0]))
    >>> TSUCB().choose(np.zeros(2), Bernoulli(), arms, Clock(11, 0), Draws(1, 0, 0, 11, True))
    1
    """

    draws: Annotated[int, "[1, 1000]"] = 1

    def choose(self, state: Floats, family: Conjugate, arms: Arms, clock: Clock, rng: Draws) -> int:
        unpulled = arms.unpulled()
        if unpulled >= 0:
            return unpulled
        total = 0.0
        for k in range(self.draws):
            largest = -inf
            for i in range(arms.n_arms()):
                n, s = arms.pulls[i], arms.sums[i]
                drawn = family.given(arms, i).posterior_draw(n, s, rng.cell(i), k)
                if drawn == inf:  # it has no posterior yet, `GaussianUnknown`
                    return i
                largest = max(largest, drawn)
            total += largest
        scores = state[: arms.n_arms()]
        for i in range(arms.n_arms()):
            scores[i] = -(total / self.draws - arms.mean(i)) * sqrt(arms.pulls[i])
        return one_of_largest(scores, rng)  # arms with the same past tie

    def scratch(self, family: Conjugate, n_arms: int) -> int:
        return n_arms

    def samples_posteriors(self) -> bool:
        return True


@policy(needs=("unbounded_means",), choose=largest_drawn)
class LinTS(NamedTuple):
    """Linear Thompson sampling (Agrawal and Goyal 2013): draw theta ~ N(theta^, v^2 sigma^2 V^-1)
    once, and play the arm with the largest x'theta.

    With evidence `Linear` all arms' means come from the one draw of theta; `ThompsonSampling` draws
    each arm's mean alone, which is something else. With `Logistic` theta ~ N(theta^, v^2 H^-1)
    (Chapelle and Li 2011). With evidence that has no theta, means are drawn one by one from
    N(mean, v^2 sigma^2 / N_i), which is the same for one-hot features as the ridge goes to 0.

    v: in (0, inf), the factor of the standard deviation. 1 is the posterior under a prior of
    variance sigma^2 / ridge; the paper's proof needs v of order sqrt(d log t).

    >>> LinTS(v=0.5)
    LinTS(v=0.5)
    """

    v: Annotated[float, "(0, inf)"] = 1.0

    def draw(self, state: Floats, family: Family, arms: Arms, i: int, rng: Draws) -> float:
        """A draw of arm i's canonical parameter."""
        together = state[0] == 1.0  # the evidence has drawn the errors of all means
        mean = arms.mean(i)
        error = state[1 + i] if together else rng.cell(i).normal(0) / sqrt(arms.pulls[i])
        return float(family.natural(mean) + self.v * error / sqrt(family.variance(mean)))

    def worth(
        self, state: Floats, family: Family, arms: Arms, i: int, level: float, rng: Draws
    ) -> float:
        return mean_where(self, family, arms.mean(i), self.draw(state, family, arms, i, rng))

    def g(self, family: Family, mean: float) -> float:
        """What is drawn: the canonical parameter."""
        return family.natural(family.nudged(mean))

    def propensities(
        self, state: Floats, family: Family, arms: Arms, clock: Clock, ties: bool
    ) -> Floats:
        """The probability of each arm that its draw is the largest, where means are drawn one by
        one; `live` refuses evidence that draws them together."""
        means = (arms.sums / arms.pulls).tolist()
        deviations = self.v / np.sqrt(np.array(list(map(family.variance, means))) * arms.pulls)
        best, once = np.empty(deviations.size), np.ones(deviations.size)
        largest_draw(NORMAL, np.array(list(map(family.natural, means))), deviations, once, best)
        return best

    def scratch(self, family: Family, n_arms: int) -> int:
        """Whether errors are drawn together, and the error of each mean over that of one reward."""
        return 1 + n_arms

    def draws_jointly(self) -> bool:
        return True

    def samples_posteriors(self) -> bool:
        return True
