"""The smallest C_alpha of Propositions 2 to 5, as printed and by sharper proofs."""

from __future__ import annotations

from math import inf

from ..errors import ParameterError
from ..policies import RBMLE, LogBias
from ..rewards.problems import Problem
from .close_means import natural_rise, reach
from .setting import Setting, setting
from .supremum import supremum


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
    sharp: the smaller C_alpha for which our own proofs (docs/theory.md) give the same bounds.

    It is infinite where K* is 0: no C_alpha is enough for exponential and gamma rewards with
    lower = 0. The proofs use `lower` as a bound on the *empirical* mean of the best arm. With a
    `lower` above the least reward, Proposition 2 still holds, by another proof, but Proposition 5
    is false: docs/theory.md.

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
    shift = 0.5 * given.epsilon * given.gap
    if sharp and given.proposition == 2:
        return _over(4.0, -natural_rise(given.family, given.best, -shift))
    if sharp:
        return supremum(given)
    if given.lower == -inf:
        raise ParameterError(
            f"Proposition {given.proposition}", "lower",
            f"given, as {type(given.family).__name__} means have no lower bound", None,
        )  # fmt: skip
    target = given.best - shift
    return _over(4.0 * reach(given.family, target, target - given.lower), given.exponent(shift))


def _over(a: float, b: float) -> float:
    """a / b; infinite where b is 0."""
    return a / b if b > 0.0 else inf


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
