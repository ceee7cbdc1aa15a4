"""The types of laws and families, with the methods that every family gets by default.

A family is a one-parameter exponential family with densities

    p(x; eta) = A(x) exp(eta x - F(eta)),

written in terms of its mean theta = F'(eta). A class must define the methods that are abstract
here: `natural` (the inverse of F'), `log_partition` (F) and `mean_range`, and `sample` if it is to
be simulated too. The others follow from these and are the defaults. A class overrides one only to
compute the same number faster or, at the ends of the range, more safely.
"""

from __future__ import annotations

from abc import abstractmethod
from math import inf, nan, sqrt
from typing import Any, Protocol, Self

from .._numba.compile import Floats
from .._records.record import Record
from ..errors import Interval, ParameterError, Words
from ..random import Cell
from .roots import Equations

LARGEST_MEAN = 1e100  # 2^53 squares of such rewards add up to 9e215, below the largest float


class Statistics(Protocol):
    """What a family may read of arms: their pulls and the variances of their rewards."""

    @property
    def pulls(self) -> Floats: ...
    def variance(self, i: int) -> float: ...


class Law(Protocol):
    """How rewards are distributed: what a problem asks of a family or of a law."""

    @abstractmethod
    def mean_range(self) -> tuple[float, float]:
        """The open interval of means."""

    @abstractmethod
    def variance(self, mean: float) -> float:
        """The variance of a reward, F''(eta) for a family."""

    @abstractmethod
    def sample(self, mean: float, cell: Cell) -> float:
        """A reward, drawn with the random numbers of the cell."""

    def mean_interval(self) -> Interval:
        """The means that a problem may have: by default those inside `mean_range`, up to 1e100."""
        low, high = self.mean_range()
        return Interval(
            max(low, -LARGEST_MEAN),
            min(high, LARGEST_MEAN),
            closed_low=low < -LARGEST_MEAN,
            closed_high=high > LARGEST_MEAN,
        )

    def reward_interval(self) -> Interval:
        """The rewards that are allowed: by default the closed interval `mean_range`."""
        low, high = self.mean_range()
        return Interval(low, high, closed_low=low > -inf, closed_high=high < inf)

    def sub_exponential(self: Any, mean: float) -> tuple[float, float]:
        """(rho, kappa) of Definition 2. The default is for a law with a `sub_gaussian` sigma
        (Definition 1), whose bound holds for every lambda."""
        return self.sub_gaussian(mean), 0.0


class Family(Record, Equations, Law, Protocol):
    """The methods of every family. A policy that needs more names them in `policy(needs=...)`."""

    @abstractmethod
    def log_partition(self, eta: float) -> float:
        """F(eta)."""

    def given(self, arms: Statistics, i: int) -> Self:
        """The family as it is for arm i, which policies ask in place of the family itself: itself,
        if pulls and sums are all that it asks of an arm; `GaussianUnknown` reads the variance."""
        return self

    def mean_of(self, pulls: float, total: float) -> float:
        """The mean of rewards with this sum, without its rounding errors where they are known."""
        return total / pulls

    def nudged(self, mean: float) -> float:
        """The mean, moved slightly inside if it is at an end of the range, where eta is infinite.

        It is moved by 1e-15 of itself, a few units in the last place; by 1e-300 from an end at 0.
        """
        low, high = self.mean_range()
        if mean <= low:
            return low + (1e-300 if low == 0.0 else 1e-15 * abs(low))
        if mean >= high:
            return high - (1e-300 if high == 0.0 else 1e-15 * abs(high))
        return mean

    def conjugate(self, mean: float) -> float:
        """F*(theta) = theta eta - F(eta) at eta = natural(theta), the convex conjugate of F."""
        eta = self.natural(self.nudged(mean))
        return mean * eta - self.log_partition(eta)

    def bias_index(self, pulls: float, total: float, alpha: float) -> float:
        """The RBMLE index of Proposition 1, with n = pulls and nu = total / pulls,

            I(nu, n, alpha) = n (F*(nu + alpha / n) - F*(nu)).

        If nu + alpha / n is at or beyond the upper end of the range of the mean, the reward-biased
        likelihood has no finite maximiser, and the index is infinite.
        """
        mean = self.mean_of(pulls, total)
        biased = mean + alpha / pulls
        _, high = self.mean_range()
        if biased >= high:
            return inf
        return pulls * (self.conjugate(biased) - self.conjugate(mean))

    def mean_index(self, pulls: float, total: float, alpha: float) -> float:
        """RBMLE's index for g(theta) = theta, where the likelihood is biased by f^alpha, g = log f:

            I = max over theta of {alpha g(theta) - n D(p, theta)}    (Equation 2),

        in units of alpha: I / alpha = max over theta of {g(theta) - D(p, theta) / r}, r = alpha/n.
        So it is g itself where D is 0, whatever alpha: what is equal is equal to the last bit.

        Its maximiser m solves r g'(m) V(m) = m - p, V the variance, because the derivative of
        D(p, .) is (theta - p) / V(theta). Families have closed forms. Each is accurate to some
        units in the last place of its terms, which are of the order of g(m): the difference m - p,
        which may be tiny, comes from the equation for m. docs/explanation/mathematics.md derives
        them. The default, NaN, says that there is none: `RBMLE.check_family` refuses the family.
        """
        return nan

    def stable_index(self, pulls: float, total: float, alpha: float) -> float:
        """As `mean_index`, for g' = V^-1/2: g has the same standard error at every mean."""
        return nan

    def bounded_index(self, pulls: float, total: float, alpha: float, largest: float) -> float:
        """`stable_index` with the maximum over means up to `largest`, by default infinity."""
        return self.stable_index(pulls, total, alpha)

    def index_unit(self, alpha: float) -> float:
        """The unit of `bias_index`, which it is divided by if arms with different alphas compare:
        alpha, unless the index has these units already."""
        return alpha

    def kl(self, mean: float, other: float) -> float:
        """D(theta', theta'') of Section 4: the KL divergence between the laws with these two means.

        It is the Bregman divergence of F.
        """
        if mean == other:
            return 0.0
        eta, other_eta = self.natural(self.nudged(mean)), self.natural(self.nudged(other))
        return self.log_partition(other_eta) - self.log_partition(eta) - mean * (other_eta - eta)

    def kl_below(self, mean: float, other: float) -> float:
        """A cheap lower bound of `kl`, for mean < other, rounding errors included."""
        return self.kl(mean, other)

    def kl_upper_below(self, mean: float, bound: float) -> float:
        """A lower bound of `kl_upper`, rounding errors included: a cheap one where that is a root.

        The default is `kl_upper` itself. A loose bound would make choosers solve every arm.
        """
        return self.kl_upper(mean, bound)

    def density_kl(self, mean: float, other: float) -> float:
        """`kl` with an absolute error of some units in the last place of 1, for densities."""
        return self.kl(mean, other)

    def clipped_kl(self, mean: float, other: float) -> float:
        """D as the code behind the tables computes it."""
        return self.kl(mean, other)

    def unclipped_conjugate(self, mean: float) -> float:
        """F*, beyond the upper end of the means as the code behind the tables has it."""
        return self.conjugate(mean)


def by_sums(family: object) -> bool:
    """Whether pulls and sums are all that the family asks of an arm."""
    return getattr(type(family), "given", Family.given) is Family.given


def require_by_sums(owner: str, family: object) -> None:
    """Raise ParameterError for a family that asks more of an arm than its pulls and sum."""
    if not by_sums(family):
        allowed = "one whose only parameter is the mean"
        raise ParameterError(owner, "family", allowed, Words(type(family).__name__))


class Conjugate(Family, Protocol):
    """A family with a conjugate prior: the posterior of the mean after `pulls` that paid `total`.

    Where tails and quantiles cost much (not for Gaussian), it has cheap bounds of both, rounding
    errors included: `posterior_quantile_below` and `posterior_tail_above`.
    """

    @abstractmethod
    def posterior_mean(self, pulls: float, total: float) -> float: ...

    @abstractmethod
    def posterior_variance(self, pulls: float, total: float) -> float: ...

    @abstractmethod
    def posterior_draw(self, pulls: float, total: float, cell: Cell, k: int) -> float:
        """A random draw, with the random numbers of the cell from block k on."""

    @abstractmethod
    def posterior_quantile(self, pulls: float, total: float, tail: float) -> float:
        """The mean that is exceeded with probability `tail`."""

    @abstractmethod
    def posterior_tail(self, pulls: float, total: float, value: float) -> float:
        """The probability that the mean exceeds `value`."""

    @abstractmethod
    def posterior_law(self, pulls: float, total: float) -> tuple[str, float, float]:
        """Its kind and two parameters, for `policies.posteriors`: ("normal", mean, sd), ("beta", a,
        b), ("gamma", shape, rate) or ("inverse gamma", shape, rate), of the mean or of a multiple.
        An improper one has a second parameter of 0 or infinity."""

    def posterior_sd(self, pulls: float, total: float) -> float:
        """The posterior standard deviation of the mean."""
        return sqrt(self.posterior_variance(pulls, total))

    def flat(self) -> Conjugate:
        """The family with a flat prior on the mean, if its posterior is proper after one pull.

        The default is the family itself, which means that a flat prior is not supported.
        """
        return self


class Learns(Conjugate, Protocol):
    """A family that knows what one more pull is worth, for KG."""

    @abstractmethod
    def knowledge_gain(self, pulls: float, total: float, rival: float) -> float:
        """E[max(mu', rival)] - max(mu, rival), with mu the posterior mean, mu' that after one more
        pull, and rival that of another arm."""

    def published_gain(self, pulls: float, total: float, rival: float, leads: bool) -> float:
        """KG's gain as the code behind the tables computes it."""
        return self.knowledge_gain(pulls, total, rival)


class LooksAhead(Conjugate, Protocol):
    """A family that knows what m pulls in a row are worth, for KG*."""

    @abstractmethod
    def look_ahead_sd(self, pulls: float, m: float) -> float:
        """The standard deviation of the change that m more pulls bring to the posterior mean."""

    @abstractmethod
    def look_ahead_bounds(self, pulls: float, gap: float) -> tuple[float, float]:
        """Two numbers between which the best number of pulls in a row lies: see `KGStar`."""


class Gains(LooksAhead, Protocol):
    """A family with bounds on what pulls are worth."""

    def look_ahead_near(
        self, pulls: float, gap: float, left: float
    ) -> tuple[float, float, float]: ...
    def look_ahead_rate_above(self, pulls: float, gap: float, left: float) -> float: ...


class TailBounds(Conjugate, Protocol):
    """A family with cheap bounds on its posterior's tails and quantiles."""

    def posterior_tail_above(self, pulls: float, total: float, value: float) -> float: ...
    def posterior_quantile_below(self, pulls: float, total: float, tail: float) -> float: ...


class Crosses(Conjugate, Protocol):
    """A family that knows how many equal outcomes move its posterior mean to a rival's."""

    @abstractmethod
    def pulls_to_cross(self, pulls: float, total: float, rival: float) -> tuple[float, float]:
        """That number, and the probability of one such outcome."""


class Shaped(Conjugate, Protocol):
    """A family whose posteriors can be integrated over, for IDS and VIDS.

    Integrals are taken over a coordinate y in which posteriors have light tails.
    """

    @abstractmethod
    def posterior_size(self, pulls: float) -> float:
        """How many rewards the posterior mean is an average of, including those that the conjugate
        prior is worth."""

    @abstractmethod
    def posterior_span(self, pulls: float, total: float) -> tuple[float, float, float]:
        """An interval of y that leaves out at most 1e-15 of the posterior at each side, and the
        standard deviation of y."""

    def chart(self, y: float) -> float:
        """The mean at y; by default y is the mean itself."""
        return y

    def chart_slope(self, y: float) -> float:
        """The derivative of `chart`."""
        return 1.0


class Tells(Shaped, Protocol):
    """A family that also knows how much a reward tells, for IDS."""

    @abstractmethod
    def outcome_kl(self, mean: float, other: float) -> float:
        """The KL divergence of the next reward's distribution between these two means."""
