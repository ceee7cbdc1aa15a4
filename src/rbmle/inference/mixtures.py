"""The wealth of a conjugate mixture: the martingale behind every interval and stopping rule here.

For rewards of an exponential family with mean theta, and any prior on means, the ratio

    M_n(theta) = integral of L_n(x) / L_n(theta) over the prior of x,    L_n the likelihood,

is a martingale that starts at 1, whatever policy chose the pulls: each arm's rewards are one in its
own pulls. By Ville's inequality it ever reaches 1/alpha with probability at most alpha. So the
theta with M_n(theta) < 1/alpha are a confidence sequence (Howard, Ramdas, McAuliffe and Sekhon
2021, Annals of Statistics 49): an interval that holds at all n at once.

The prior is the conjugate one that is worth `size` rewards of mean theta. Then the mixture of a
Gaussian family is their two-sided normal mixture, and that of coins their beta-binomial mixture,
which also holds for rewards of any law in [0, 1]: a likelihood ratio of coins is convex in the
reward, so that a reward between 0 and 1 raises it by less, on average, than a coin of that mean.
"""

from __future__ import annotations

from math import exp, inf, lgamma, log, nan, sqrt

from .._numba.compile import Floats, kernel, njit
from ..families import Bernoulli, Binomial, Bounded, Exponential, Gamma, Gaussian, Poisson

NORMAL, COIN, COUNT, WAIT = 0, 1, 2, 3
_OPTIMAL_PULLS = 250  # where intervals are narrowest; with 20 to 10^6 pulls they are within
# 2.1 times Student's, as (1 + m/n) (log(1 + n/m) + 2 log(1/alpha)) says for m = 250 / 7.94
_LESSER = 0.3819660112501051  # (3 - sqrt(5)) / 2, of the golden section


def prior_size(pulls: float, alpha: float = 0.05) -> float:
    """How many rewards the prior is worth so that intervals are narrowest after this many pulls.

    As `confseq` has it: Howard et al., Section 3.5, with log(1 + x) for their Lambert function.
    """
    twice = 2.0 * log(1.0 / alpha)
    return pulls / (twice + log(1.0 + twice))


SIZE = prior_size(_OPTIMAL_PULLS)


def mixture_of(family: object) -> tuple[int, float, float] | None:
    """The kind of the family's mixture, how many rewards of that kind a pull is worth, and the unit
    of its mean; None for a family that is not of the package."""
    if isinstance(family, Gaussian):
        return NORMAL, 1.0, family.sigma
    if isinstance(family, Bernoulli):
        return COIN, 1.0, 1.0
    if isinstance(family, Bounded):
        return COIN, 1.0, family.width()
    if isinstance(family, Binomial):
        return COIN, float(family.trials), float(family.trials)
    if isinstance(family, Poisson):
        return COUNT, 1.0, 1.0
    if isinstance(family, (Exponential, Gamma)):
        shape = family.shape if isinstance(family, Gamma) else 1.0
        return WAIT, shape, shape
    return None


@njit
def log_wealth(kind: int, size: float, n: float, total: float, mean: float) -> float:
    """log M_n(mean) after n rewards that paid `total`, in the kind's own units.

    The prior of a coin is worth one reward less, so that it equals that of Howard et al.
    """
    if kind == NORMAL:
        away = total - n * mean
        return 0.5 * (log(size / (n + size)) + away * away / (n + size))
    if mean <= 0.0 or (kind == COIN and mean >= 1.0):
        lost = total > 0.0 if mean <= 0.0 else total < n
        return inf if lost else nan
    if kind == COIN:
        m = max(size - 1.0, 1e-3)
        a, b, rest = m * mean, m - m * mean, n - total
        prior = lgamma(a) + lgamma(b) - lgamma(m)
        mixed = lgamma(a + total) + lgamma(b + rest) - lgamma(m + n)
        return mixed - prior - total * log(mean) - rest * log(1.0 - mean)
    if kind == COUNT:
        a = size * mean
        mixed = lgamma(a + total) - (a + total) * log(n + size)
        return mixed - lgamma(a) + a * log(size) - total * log(mean) + n * mean
    a = size + 1.0
    mixed = lgamma(n + a) - (n + a) * log(total + size * mean)
    return mixed - lgamma(a) + a * log(size * mean) + n * log(mean) + total / mean


@njit
def spread(kind: int, mean: float) -> float:
    """The standard deviation of one reward of the kind, in its own units."""
    if kind == NORMAL:
        return 1.0
    return sqrt(mean * (1.0 - mean)) if kind == COIN else (sqrt(mean) if kind == COUNT else mean)


@njit
def _risen(kind: int, size: float, n: float, total: float, y: float, least: float) -> float:
    """The square root of log M - least at the mean whose log-odds (of a coin), or logarithm, is y.

    In y log M is nearly a parabola around the arm's own mean and a line towards the ends of the
    range: its root is easy to follow.
    """
    mean = 1.0 / (1.0 + exp(-y)) if kind == COIN else exp(y)
    return sqrt(max(log_wealth(kind, size, n, total, mean) - least, 0.0))


@njit
def one_end(kind: int, size: float, n: float, total: float, bound: float, side: float) -> float:
    """The mean on this side (-1.0 or 1.0) of the arm's own at which log M reaches the bound.

    The search goes outwards from a guess until it has a bracket, then shrinks that by regula falsi
    with the weights of Illinois. An end of the range is returned where nothing before it is ruled
    out.
    """
    own = total / n
    low = -inf if kind == NORMAL else 0.0
    high = 1.0 if kind == COIN else inf
    end = low if side < 0.0 else high
    if own == end or (kind == WAIT and own <= 0.0):
        return end
    width = sqrt((n + size) * (2.0 * bound + log(1.0 + n / size))) / n
    if kind == NORMAL:
        return own + side * width
    if low < own < high:
        near, least = log(own), log_wealth(kind, size, n, total, own)
        near -= log(1.0 - own) if kind == COIN else 0.0
        step = width / (1.0 if kind == WAIT else spread(kind, own))
    else:  # the other end of the range, where M is 1
        near, least, step = -side * log(n + 1.0), 0.0, 1.0
    enough = sqrt(bound - least)
    f_near = _risen(kind, size, n, total, near, least) - enough
    while f_near > 0.0:
        near -= side
        f_near = _risen(kind, size, n, total, near, least) - enough
    while True:
        far = near + side * step
        if abs(far) > 700.0:  # exp(710) overflows
            return end
        f_far = _risen(kind, size, n, total, far, least) - enough
        if f_far > 0.0:
            break
        near, f_near, step = far, f_far, 2.0 * step
    moved = 0.0
    for _ in range(100):
        y = (near * f_far - far * f_near) / (f_far - f_near)
        if not min(near, far) < y < max(near, far) or f_far > 1e3:
            y = 0.5 * (near + far)
        f = _risen(kind, size, n, total, y, least) - enough
        if f > 0.0:
            far, f_far = y, f
            f_near *= 0.5 if moved > 0.0 else 1.0
        else:
            near, f_near = y, f
            f_far *= 0.5 if moved < 0.0 else 1.0
        moved = f
        if abs(far - near) <= 1e-14 * max(abs(near), 1.0) or f == 0.0:
            break
    return 1.0 / (1.0 + exp(-near)) if kind == COIN else exp(near)


@kernel
def intervals(
    kind: int, size: float, pulls: Floats, totals: Floats, bound: float, ends: Floats
) -> None:
    """Fill the two rows of `ends` with the lower and upper ends of all arms; NaN without pulls."""
    for i in range(pulls.size):
        for row, side in ((0, -1.0), (1, 1.0)):
            ends[row, i] = nan
            if pulls[i] > 0.0:
                ends[row, i] = one_end(kind, size, pulls[i], totals[i], bound, side)


@njit
def joint_wealth(
    kind: int, size: float, a: tuple[float, float], b: tuple[float, float], apart: float
) -> float:
    """The least log M_a(x + apart) + log M_b(x) over all x: the evidence against means that are
    this far apart. Each is (pulls, total).

    The product of two arms' wealths is a martingale, too. As log M falls towards an arm's own mean
    and rises after it, the least is between the two; a golden section finds it.
    """
    first, last = b[1] / b[0], a[1] / a[0] - apart
    if kind != NORMAL:
        top = 1.0 if kind == COIN else inf
        least, most = max(0.0, -apart), min(top, top - apart)
        first, last = min(max(first, least), most), min(max(last, least), most)
    left, width = min(first, last), abs(last - first)
    x, y = left + _LESSER * width, left + (1.0 - _LESSER) * width
    f_x = _sum_at(kind, size, a, b, x, apart)
    f_y = _sum_at(kind, size, a, b, y, apart)
    for _ in range(40):  # which leaves 4e-9 of the width, and a value right to its square
        width *= 1.0 - _LESSER
        if f_x < f_y or f_y != f_y:
            y, f_y = x, f_x
            x = left + _LESSER * width
            f_x = _sum_at(kind, size, a, b, x, apart)
        else:
            left, x, f_x = x, y, f_y
            y = left + (1.0 - _LESSER) * width
            f_y = _sum_at(kind, size, a, b, y, apart)
    return min(f_x, f_y)


@njit
def _sum_at(
    kind: int, size: float, a: tuple[float, float], b: tuple[float, float], x: float, apart: float
) -> float:
    one = log_wealth(kind, size, a[0], a[1], x + apart)
    return one + log_wealth(kind, size, b[0], b[1], x)
