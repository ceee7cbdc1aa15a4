"""Random numbers as a pure function: (seed, replication, round, arm, purpose, k) -> number.

The generator is Philox4x32-7 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
1, 2, 3", SC 2011), which scrambles a 128-bit counter under a 64-bit key. Here the key is the seed,
and the counter says where in the study the number is used. Nothing is advanced, stored or shared:
any number can be recomputed alone, in any order, on any thread.

Seven rounds are the fewest with which it passes all of SmallCrush, Crush and BigCrush (Table 2 of
the paper), and take 0.7 of the time of the ten that the paper recommends for a margin.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, floor, inf, log, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from .._numba.compile import Floats, njit, plain, record
from ..special import (
    binomial_probability,
    deviance,
    normal_quantile,
    poisson_probability,
    stirling_error,
)

# Purposes: numbers for one are never used for another. PATHS are those of means that change, SLEEP
# of arms that are asleep.
REWARDS, CHOICES, TIES, SAMPLES, DELAYS, PATHS, FEATURES, SLEEP, COSTS = range(9)
PURPOSE_SHIFT = 28
SLEEP_LANE, COST_LANE = SLEEP << PURPOSE_SHIFT, COSTS << PURPOSE_SHIFT
MAX_ARMS = 1 << PURPOSE_SHIFT  # an arm's number shares a 32-bit word with the purpose
MAX_ROUNDS = (1 << 32) - 1
MAX_REPLICATIONS = 1 << 32
MAX_SEED = (1 << 64) - 1

# The version of the function from a place to its number, for every kind of number. It is a part of
# the digest of a study, so that results of two versions are never mixed.
STREAM = 2

_WORD, _ROUNDS = 0xFFFFFFFF, 7
_LEFT, _RIGHT = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_HALF, _LOW = np.uint64(32), np.uint64(_WORD)
# Word 3 of the counter: k in the lower 24 bits, and above it the number of the block among those of
# number k. Block 0 is enough for nearly all numbers. A gamma number that needs more of them uses
# every second block, from 1 or from 2 on, so that two gamma numbers can share block 0; its boost is
# in block 126 or 127. A gamma number rejects a block with probability at most 0.05 (Marsaglia and
# Tsang 2000), so that it gets to block 126 with probability 0.05^62.
_BLOCK_SHIFT = 24
_BOOST = 126
_LARGEST_INVERTED_MEAN = 1e10  # of Poisson numbers
# Gamma numbers below this may have lost digits. The smallest float with all its digits is 2e-308;
# the factor between the two leaves room for d v, which multiplies the boost.
_SMALLEST_EXACT_GAMMA = 1e-290


@njit
def philox(c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any) -> tuple[Any, Any, Any, Any]:
    """Philox4x32-7: four 32-bit words from a counter of four words and a key of two; or arrays.

    The multipliers and the key increments are those of the paper. Products have no sign: a signed
    one could overflow, and compilers suppose that none does.
    """
    for _ in range(_ROUNDS):
        left, right = _LEFT * np.uint64(c0), _RIGHT * np.uint64(c2)
        c0, c1, c2, c3 = (
            np.int64(right >> _HALF) ^ c1 ^ k0,
            np.int64(right & _LOW),
            np.int64(left >> _HALF) ^ c3 ^ k1,
            np.int64(left & _LOW),
        )
        k0, k1 = (k0 + 0x9E3779B9) & _WORD, (k1 + 0xBB67AE85) & _WORD
    return c0, c1, c2, c3


@njit
def unit(high: int, low: int) -> float:
    """A number strictly between 0 and 1 from the first 52 of 64 random bits, symmetric about 1/2.

    The last 12 bits of `low` are left for other uses.
    """
    return ((high << 20) + (low >> 12) + 0.5) * 2.220446049250313e-16  # 2^-52


@record
class Cell(NamedTuple):
    """The random numbers of one cell: one arm in one round of one replication, for one purpose.

    Every method takes k in [0, 2^24): number k of the cell is always the same. The numbers of
    different k are independent; those of one k and different methods are not.
    """

    key0: int
    key1: int
    replication: int
    t: int
    lane: int  # the arm in the lower 28 bits, the purpose in the upper 4

    def words(self, k: int, block: int) -> tuple[int, int, int, int]:
        """Four random 32-bit words: one of the blocks of number k."""
        place = k + (block << _BLOCK_SHIFT)
        return philox(self.t, self.lane, self.replication, place, self.key0, self.key1)

    def unit_of(self, k: int, block: int) -> float:
        """The uniform number of the first two words of a block."""
        a, b, _, _ = self.words(k, block)
        return unit(a, b)

    def pair(self, k: int) -> tuple[float, float]:
        """Two independent uniform numbers in (0, 1)."""
        a, b, c, d = self.words(k, 0)
        return unit(a, b), unit(c, d)

    def uniform(self, k: int) -> float:
        """A uniform number in (0, 1)."""
        return self.unit_of(k, 0)

    def normal(self, k: int) -> float:
        """A standard normal number, by inversion."""
        return normal_quantile(self.uniform(k))

    def exponential(self, k: int) -> float:
        """A standard exponential number, by inversion."""
        return -log(self.uniform(k))

    def gamma(self, shape: float, k: int) -> float:
        """A gamma number of rate 1.

        For shape < 1 it is a gamma number of shape + 1 times the boost u^(1 / shape) (Marsaglia and
        Tsang 2000). Below shape 0.05 or so that may be smaller than any positive float: then 0.
        """
        a, b, _, _ = self.words(k, 0)
        return self.gamma_from(shape, k, 0, a, b)

    def gamma_from(self, shape: float, k: int, side: int, high: int, low: int) -> float:
        """A gamma number from two words of block 0, and further blocks of this side, 0 or 1."""
        if shape >= 1.0:
            return self.unboosted(shape, k, side, high, low)
        boost: float = self.unit_of(k, _BOOST + side) ** (1.0 / shape)
        return boost * self.unboosted(shape + 1.0, k, side, high, low)

    def unboosted(self, shape: float, k: int, side: int, high: int, low: int) -> float:
        """A gamma number of shape >= 1 by rejection (Marsaglia and Tsang 2000): d (1 + y)^3.

        y is a normal number times c; it is accepted if a uniform number w is small enough. With
        d c^2 = 1/9 their condition is log w < -d h(y),

            h(y) = (1 + y)^3 - 1 - 3 log(1 + y) - 9/2 y^2.

        As e^(-x) >= 1 - x, and h(y) <= 3/2 y^4 for y >= -1/2 (for y < 0 from the power series of
        h, for y > 0 because the fourth derivative is at most 18), w <= 1 - 3/2 d y^4 is enough.
        For that the first 12 bits of w nearly always tell, and these are the last bits of `low`.
        """
        d = shape - 1.0 / 3.0
        c = 1.0 / (3.0 * sqrt(d))
        y = c * normal_quantile(unit(high, low))
        first = low & 0xFFF
        if y >= -0.5 and (first + 1) * 0.000244140625 <= 1.0 - 1.5 * d * ((y * y) * (y * y)):
            v = 1.0 + y
            return d * (v * v * v)
        block = 1 + side
        w = (first + self.unit_of(k, block)) * 0.000244140625  # 2^-12
        while not accepted(w, d, y):
            block += 2
            a, b, e, f = self.words(k, block)
            y, w = c * normal_quantile(unit(a, b)), unit(e, f)
        v = 1.0 + y
        return d * (v * v * v)

    def beta(self, a: float, b: float, k: int) -> float:
        """A beta number x / (x + y) from two gamma numbers, or from their logarithms if tiny."""
        first, second, third, fourth = self.words(k, 0)
        x = self.gamma_from(a, k, 0, first, second)
        y = self.gamma_from(b, k, 1, third, fourth)
        if min(x, y) < _SMALLEST_EXACT_GAMMA and max(a, b) < 1.0:
            return self.beta_by_logarithms(a, b, k)
        return x / (x + y)

    def beta_by_logarithms(self, a: float, b: float, k: int) -> float:
        """A beta number for a, b < 1 from the logarithms of the gamma numbers x and y.

        log x is log(u) / a plus that of a gamma number of shape 1 + a; log y likewise. Both
        are multiplied by a + b, because log(u) / a overflows for tiny a.
        """
        size = a + b
        first, second, third, fourth = self.words(k, 0)
        x = self.unboosted(1.0 + a, k, 0, first, second)
        y = self.unboosted(1.0 + b, k, 1, third, fourth)
        log_x = log(self.unit_of(k, _BOOST)) * (size / a) + size * log(x)
        log_y = log(self.unit_of(k, _BOOST + 1)) * (size / b) + size * log(y)
        odds = exp(-abs(log_x - log_y) / size)
        return odds / (1.0 + odds) if log_x < log_y else 1.0 / (1.0 + odds)

    def poisson(self, mean: float, k: int) -> float:
        """A Poisson number, by inversion; above a mean of 1e10 by rejection."""
        if mean > _LARGEST_INVERTED_MEAN:
            return self.poisson_by_rejection(mean, k)
        mode = float(floor(mean))
        return self.from_mode(mode, poisson_probability(mode, mean), mean, inf, k)

    def from_mode(self, mode: float, peak: float, odds: float, trials: float, k: int) -> float:
        """A binomial number by inversion that starts at the mode and goes both ways (Kemp 1981).

        That takes about sqrt(mean) steps. peak: the probability of the mode. For trials = inf it is
        a Poisson number, and `odds` is its mean.
        """
        left = self.uniform(k) - peak
        up = down = mode
        p_up = p_down = peak
        while left > 0.0 and p_up + p_down > 0.0:
            p_up *= (odds * (trials - up) if trials < inf else odds) / (up + 1.0)
            up += 1.0
            left -= p_up
            if left <= 0.0:
                return up
            p_down *= down / (odds * (trials - down + 1.0) if trials < inf else odds)
            down -= 1.0
            left -= p_down
            if left <= 0.0:
                return down
        return mode

    def poisson_by_rejection(self, mean: float, k: int) -> float:
        """A Poisson number of a large mean, by transformed rejection.

        Algorithm PTRS without its squeeze step, of W. Hormann, "The transformed rejection method
        for generating Poisson random variables" (1993); the constants are its own.
        """
        b = 0.931 + 2.53 * sqrt(mean)
        a = -0.059 + 0.02483 * b
        inverse = 1.1239 + 1.1328 / (b - 3.4)
        block = 0
        while True:
            first, second, third, fourth = self.words(k, block)
            u, w = unit(first, second) - 0.5, unit(third, fourth)
            s = 0.5 - abs(u)
            x = float(floor((2.0 * a / s + b) * u + mean + 0.43))
            if x >= 1.0:
                probability = -stirling_error(x) - deviance(x, mean) - 0.5 * log(2.0 * pi * x)
                if log(w * inverse / (a / (s * s) + b)) <= probability:
                    return x
            block += 1

    def binomial(self, trials: float, p: float, k: int) -> float:
        """A binomial number, by inversion."""
        if p <= 0.0 or p >= 1.0:
            return 0.0 if p <= 0.0 else trials
        mode = min(float(floor((trials + 1.0) * p)), trials)
        odds = p / (1.0 - p)
        return self.from_mode(mode, binomial_probability(mode, trials, p), odds, trials, k)


@njit
def accepted(w: float, d: float, y: float) -> bool:
    """Marsaglia and Tsang's condition in full, log w < x^2 / 2 + d (1 - v + log v).

    x = 3 sqrt(d) y, and v = (1 + y)^3 > 0.
    """
    if y <= -1.0:
        return False
    v = (1.0 + y) * (1.0 + y) * (1.0 + y)
    return log(w) < 4.5 * d * (y * y) + d * (1.0 - v + log(v))


@njit
def feature_cell(key0: int, key1: int, replication: int, t: int, i: int) -> Cell:
    """The random numbers for the features of arm i in round t; round 0 is a whole replication."""
    return Cell(key0, key1, replication, t, i + (FEATURES << PURPOSE_SHIFT))


@record
class Draws(NamedTuple):
    """The random numbers that a policy may use in one round: for samples and for ties."""

    key0: int
    key1: int
    replication: int
    t: int
    random_ties: bool

    def cell(self, i: int) -> Cell:
        """The random numbers for arm i in this round."""
        return Cell(self.key0, self.key1, self.replication, self.t, i + (CHOICES << PURPOSE_SHIFT))

    def sample_cell(self, i: int, pulls: float) -> Cell:
        """The random numbers for samples from arm i's posterior after `pulls` pulls.

        They are the same in every round until the arm is pulled again.
        """
        lane = i + (SAMPLES << PURPOSE_SHIFT)
        return Cell(self.key0, self.key1, self.replication, int(pulls), lane)

    def among(self, ties: int) -> int:
        """Which of `ties` arms that share the largest index is played: a number in [0, ties).

        Each has the same probability; without `random_ties` it is always 0, the first arm.
        """
        if not self.random_ties:
            return 0
        cell = Cell(self.key0, self.key1, self.replication, self.t, TIES << PURPOSE_SHIFT)
        return int(cell.uniform(0) * ties)


@record
class Counter(NamedTuple):
    """Gives policies their random numbers: a pure function of the seed, replication and round."""

    key0: int
    key1: int
    random_ties: bool

    def at(self, replication: int, t: int) -> Draws:
        """The random numbers of round t of a replication."""
        return Draws(self.key0, self.key1, replication, t, self.random_ties)


@njit
def delay_cell(key0: int, key1: int, replication: int, t: int) -> Cell:
    """The random numbers that say when the reward of round t comes."""
    return Cell(key0, key1, replication, t, DELAYS << PURPOSE_SHIFT)


def key(seed: int) -> tuple[int, int]:
    """A seed of up to 64 bits as the two words of a Philox key."""
    return seed & _WORD, seed >> 32


def path_uniforms(seed: int, rounds: Sequence[int], n_arms: int) -> Floats:
    """Uniform numbers in (0, 1) for paths of means: a row for each of the rounds.

    They are `Cell.uniform(0)` of replication 0, from Philox, uncompiled, on arrays of integers.
    """
    t = np.asarray(rounds, np.int64)[:, None]
    lanes = np.arange(n_arms, dtype=np.int64) + (PATHS << PURPOSE_SHIFT)
    none = np.zeros((len(rounds), n_arms), np.int64)
    high, low, _, _ = plain(philox)(none + t, none + lanes, none, none, *key(seed))
    return np.asarray(plain(unit)(high, low))
