"""The smallest C_alpha of Propositions 2 to 5, as printed and by sharper proofs; RBMLE with it."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heappop, heappush
from math import exp, inf, log, sqrt
from typing import Annotated, Any, NamedTuple

from .._records.record import checked
from ..errors import ParameterError, number
from ..families import Gaussian
from ..policies import RBMLE, Assuming, LogBias
from ..rewards.problems import Problem
from ..spec import stand_in
from .analysis import natural_rise, reach
from .setting import Setting, setting

_PRECISION = 1e-9  # relative width of the bracket at which to stop; w is known to about 1e-10
# 200 times what any tested problem took. If reached, the result is a larger bound: still safe.
_MOST_INTERVALS = 20_000


def smallest_c_alpha(
    problem: Problem,
    proposition: int,
    epsilon: float = 0.5,
    lower: float | None = None,
    family: object = None,
    sharp: bool = False,
) -> float:
    """The smallest C_alpha for which alpha(t) = C_alpha log t has the proposition's regret bound.

    | proposition | rewards | C_alpha, with theta' = theta_1 - epsilon Delta / 2 |
    |---|---|---|
    | 2 | the assumed family | 4 / (D(theta', theta_1) K*(theta', lower)) |
    | 3, 4 | (sub-)Gaussian, Gaussian index | 256 sigma^2 / Delta |
    | 5 | sub-Exponential, e = epsilon Delta | 16 (kappa e + 2 rho^2) / (e^2 K*(theta', lower)) |

    epsilon: in (0, 1), for Propositions 2 and 5.
    lower: the known lower bound on the means, by default the end of the family's range.
    family: the family of the index, for Proposition 5; by default the problem's own.
    sharp: the smaller C_alpha for which our own proofs (docs/explanation/theory.md) give the same
    bounds.

    It is infinite where K* is 0: no C_alpha is enough for exponential and gamma rewards with
    lower = 0. The proofs use `lower` as a bound on the *empirical* mean of the best arm. With a
    `lower` above the least reward, Proposition 2 still holds, by another proof, but Proposition 5
    is false: docs/explanation/theory.md.

    The values of `sharp`:
    2: 4 / (natural(theta_1) - natural(theta')), for every family, without a lower bound.
    3, 4: 16 sigma^2 / Delta; any C_alpha above it will do.
    5: the supremum of 4 / (d(nu) K*(theta', nu)) over the empirical means nu < theta' that rewards
    allow, where d(nu) is the exponent of the tail bound. It is infinite if K* is 0 at the least
    reward.

    >>> from rbmle import Exponential, Gaussian
    >>> smallest_c_alpha(Problem(Gaussian(0.5), [0.5, 1.0]), 3)
    128.0
    >>> problem = Problem(Exponential(), [0.2, 1.0])
    >>> smallest_c_alpha(problem, 2), round(smallest_c_alpha(problem, 2, sharp=True), 2)
    (inf, 16.0)
    """
    if proposition == 6:
        raise ParameterError("theory", "proposition", "one of 2, 3, 4, 5", proposition)
    return least_c_alpha(setting(problem, proposition, epsilon, lower, family), sharp)


def least_c_alpha(given: Setting, sharp: bool) -> float:
    """`smallest_c_alpha` of a setting that is already checked."""
    if given.proposition in (3, 4):
        return (16.0 if sharp else 256.0) * given.sigma * given.sigma / given.gap
    if sharp and given.proposition == 5:
        return _supremum(given)
    if sharp:
        above, below = 4.0, -natural_rise(given.family, given.best, -given.shift)
    elif given.lower > -inf:
        above = 4.0 * reach(given.family, given.target, given.target - given.lower)
        below = given.exponent(given.shift)
    else:
        needed = f"given, as {type(given.family).__name__} means have no lower bound"
        raise ParameterError(f"Proposition {given.proposition}", "lower", needed, None)
    return above / below if below > 0.0 else inf


class _Point(NamedTuple):
    """A point x with log v(x), and what the bounds of `_supremum` need there.

    w: w(x). below, above: the rise of natural from nu to theta' and from theta' to nu + w.
    log_d, d_slope: log d and d'/d at s + x.
    """

    x: float
    log_v: float
    w: float
    below: float
    above: float
    log_d: float
    d_slope: float


def _supremum(given: Setting) -> float:
    """The sharp C_alpha of Proposition 5: a supremum over empirical means, by branch and bound.

    It is at most a relative 1e-9 too large. With x = theta' - nu > 0 it is the supremum over
    0 < x <= theta' - (least reward) of

        v(x) = 4 w(x) / d(s + x),   w(x) = 1 / K*(theta', theta' - x),   s = theta_1 - theta',

    where d(y) = y^2 / (2 (kappa y + rho^2)). v has a peak near x = s, however small s is, and for
    some families another one at the least reward. A grid could miss them; branch and bound cannot,
    because it has proved upper bounds of v on each interval:

    - w and d increase, so v <= 4 w(x_2) / d(s + x_1) on [x_1, x_2];
    - the average of natural over [nu, b], b = nu + w, is natural(theta'). Differentiated, this is
      w' = 1 + (natural(theta') - natural(nu)) / (natural(b) - natural(theta')), of which numerator
      and denominator increase with x (the second term is 0 where b is the upper end of the means);
      and d'/d = 1/y + rho^2 / (y (kappa y + rho^2)) decreases. So (log v)' = w'/w - d'/d lies
      between two known slopes, and log v lies below the lines with these slopes through its values
      at x_1 and x_2.

    The error of the second bound is of the order of the square of the interval's width, so 20 to
    100 evaluations of v are enough.
    """
    shift, depth = given.shift, given.target - given.problem.law.reward_interval().low
    if reach(given.family, given.target, depth) == inf:
        return inf
    first, last = _point(given, shift / 64.0), _point(given, depth)
    best = max(first.log_v, last.log_v)  # depth >= shift: rewards reach the second mean
    # Below `first` the first bound alone prunes: v <= 4 w(s/64) / d(s) < 4 w(s) / d(2 s) = v(s).
    rest = log(4.0 * first.w) - log(given.exponent(shift))
    heap = [(-_upper(first, last), first, last)]
    for _ in range(_MOST_INTERVALS):
        if -heap[0][0] <= best + _PRECISION:
            break
        _, left, right = heappop(heap)
        wide = right.x > 4.0 * left.x
        x = sqrt(left.x) * sqrt(right.x) if wide else 0.5 * (left.x + right.x)
        if not left.x < x < right.x:  # adjacent floats: there is no number in between
            heappush(heap, (-max(left.log_v, right.log_v), left, right))
            break
        middle = _point(given, x)
        best = max(best, middle.log_v)
        heappush(heap, (-_upper(left, middle), left, middle))
        heappush(heap, (-_upper(middle, right), middle, right))
    return exp(max(best, -heap[0][0], rest))


def _point(given: Setting, x: float) -> _Point:
    family, target, y = given.family, given.target, given.shift + x
    w = reach(family, target, x)
    low, high = family.mean_range()
    below = -natural_rise(family, target, -x) if target - x > low else inf
    above = natural_rise(family, target, w - x) if target + (w - x) < high else inf
    log_d = log(given.exponent(y))
    square = given.rho * given.rho
    slope = (1.0 + square / (given.kappa * y + square)) / y
    return _Point(x, log(4.0 * w) - log_d, w, below, above, log_d, slope)


def _upper(left: _Point, right: _Point) -> float:
    """An upper bound of log v between two points."""
    plain = log(4.0 * right.w) - left.log_d
    most = _w_slope(right.below, left.above) / left.w - right.d_slope
    least = _w_slope(left.below, right.above) / right.w - left.d_slope
    if least >= 0.0:
        return right.log_v
    if most <= 0.0:
        return left.log_v
    if most == inf:
        return plain
    width = right.x - left.x
    where = (right.log_v - left.log_v - least * width) / (most - least)
    return min(plain, left.log_v + most * where)


def _w_slope(below: float, above: float) -> float:
    if above == inf:
        return 1.0 if below < inf else inf
    return 1.0 + below / above if above > 0.0 else inf


def theoretical_rbmle(
    problem: Problem,
    proposition: int,
    epsilon: float = 0.5,
    lower: float | None = None,
    family: object = None,
    sharp: bool = False,
) -> RBMLE:
    """RBMLE with alpha(t) = C_alpha log t and the proposition's smallest C_alpha for the problem.

    Parameters are those of `smallest_c_alpha`. Propositions 3 and 4 are about the Gaussian index:
    where rewards are not Gaussian, play `Assuming(policy, Gaussian())`.

    >>> from rbmle import Gaussian
    >>> theoretical_rbmle(Problem(Gaussian(0.5), [0.5, 1.0]), 3).alpha
    LogBias(c=128.0)
    """
    c = smallest_c_alpha(problem, proposition, epsilon, lower, family, sharp)
    if c == inf:
        raise ParameterError(
            f"Proposition {proposition}", "lower", "above the mean at which K* is 0", lower
        )
    return RBMLE(LogBias(c))


def _lower(given: object) -> float | None:
    return None if given is None else number("Theoretical", "lower", given, "(-inf, inf)")


@stand_in
@checked
class Theoretical(NamedTuple):
    """RBMLE with alpha(t) = C_alpha log t and the smallest C_alpha that a proposition allows.

    It stands in for a policy in a `Study`, which fills in C_alpha for each of its problems. In a
    study file it is written `alpha = { proposition = 2, epsilon = 0.5, sharp = true }`.
    `Assuming(Theoretical(5), Poisson())` uses the Poisson index.

    proposition: 2, 3, 4 or 5. epsilon, sharp, lower: as in `smallest_c_alpha`.

    >>> from rbmle import Uniform
    >>> Theoretical(2, sharp=True).on(Problem(Gaussian(), [0.0, 1.0]))
    RBMLE(alpha=LogBias(c=16.0), boundary='exact', f='canonical')
    >>> round(Theoretical(4).on(Problem(Uniform(0.4), [0.25, 0.75])).family.sigma, 3)
    0.115
    """

    proposition: Annotated[int, "[2, 5]"]
    epsilon: Annotated[float, "(0, 1)"] = 0.5
    sharp: bool = False
    lower: Annotated[Any, _lower] = None

    def on(self, problem: Problem, family: object = None) -> RBMLE | Assuming:
        """The policy for this problem; refused if the proposition does not apply to it.

        family: the family that the policy is to assume. By default it is the problem's own, but
        Gaussian for Proposition 4 on rewards that are not Gaussian.
        """
        if not isinstance(problem, Problem):
            raise ParameterError(
                "Theoretical", "problem", "a Problem, whose means stay as they are", problem
            )
        policy = theoretical_rbmle(
            problem, self.proposition, self.epsilon, self.lower, family, self.sharp
        )
        if family is None and self.proposition == 4 and not isinstance(problem.law, Gaussian):
            family = Gaussian(setting(problem, 4).sigma)
        return policy if family is None else Assuming(policy, family)

    def described(self) -> tuple[type, dict[str, object]]:
        """The class and parameters for its label: RBMLE, with this request in place of alpha."""
        return RBMLE, {**RBMLE()._asdict(), "alpha": self}

    def as_spec(self) -> dict[str, object]:
        """Its table in a study file: RBMLE, with this request in place of alpha."""
        asked = {key: value for key, value in self._asdict().items() if value is not None}
        return {"name": "RBMLE", "alpha": asked}

    @classmethod
    def of_spec(cls, spec: Mapping[str, object]) -> Theoretical | None:
        """The request in RBMLE's table, as in `alpha = { proposition = 2, epsilon = 0.5 }`; None if
        there is none."""
        alpha = spec.get("alpha")
        if str(spec.get("name")).lower() != "rbmle" or not isinstance(alpha, Mapping):
            return None
        if "name" in alpha or not set(alpha) & set(cls._fields):
            return None
        kind: Any = RBMLE
        kind(**{key: kind._field_defaults.get(key) for key in spec if key != "name"})
        for key, only in (("boundary", "exact"), ("f", "canonical")):
            if spec.get(key, only) != only:
                words = f"'{only}' where alpha is a proposition's"
                raise ParameterError("RBMLE", key, words, spec[key])
        return cls(**alpha)
