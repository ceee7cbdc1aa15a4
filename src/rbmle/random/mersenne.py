"""NumPy's legacy generator `RandomState` for compiled code, as the published protocol uses it.

In that protocol one generator fills the table of rewards and then goes on, trial after trial, to
give Thompson sampling its draws. `MersenneDraws` is that generator: the Mersenne Twister (Matsumoto
and Nishimura 1998), started in the state of a `RandomState`, with the same transformations of its
numbers. It has the methods of `random.Draws` and `random.Cell`, so that policies can use it in
their place. But it is a stream: each number depends on how many were drawn before.
"""

from __future__ import annotations

from math import exp, log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._numba.compile import lean, record

_N, _M = 624, 397
_WORD = 0xFFFFFFFF


@lean
def twist(words: NDArray[np.int64]) -> None:
    """Replace the 624 words of the Mersenne Twister's state by the next 624."""
    for i in range(_N):
        y = (words[i] & 0x80000000) | (words[(i + 1) % _N] & 0x7FFFFFFF)
        words[i] = words[(i + _M) % _N] ^ (y >> 1) ^ (0x9908B0DF if y & 1 else 0)


@lean
def next_word(words: NDArray[np.int64], position: NDArray[np.int64]) -> int:
    """The next 32-bit number: a word of the state, tempered."""
    if position[0] >= _N:
        twist(words)
        position[0] = 0
    y = words[position[0]]
    position[0] += 1
    y ^= y >> 11
    y ^= (y << 7) & 0x9D2C5680
    y ^= (y << 15) & 0xEFC60000
    return int((y ^ (y >> 18)) & _WORD)


@record
class MersenneDraws(NamedTuple):
    """The stream, in the roles of `Draws` (of any round) and of `Cell` (of any arm).

    Arguments that say where a number is used, such as k, are ignored.
    """

    words: NDArray[np.int64]
    position: NDArray[np.int64]
    spare: NDArray[np.float64]  # (1 if a normal number is left over from a pair else 0, the number)
    random_ties: bool

    @classmethod
    def going_on(cls, generator: np.random.RandomState, random_ties: bool) -> MersenneDraws:
        """The stream of the generator, from its present state on."""
        state: Any = generator.get_state(legacy=True)
        _, words, position, has_spare, spare = state
        return cls(
            words.astype(np.int64), np.array([position]), np.array([has_spare, spare]), random_ties
        )

    def at(self, replication: int, t: int) -> MersenneDraws:
        return self

    def cell(self, i: int) -> MersenneDraws:
        return self

    def sample_cell(self, i: int, pulls: float) -> MersenneDraws:
        return self

    def among(self, ties: int) -> int:
        return int(self.uniform(0) * ties) if self.random_ties else 0

    def uniform(self, k: int) -> float:
        """`random_sample`: 53 bits, in [0, 1)."""
        high = next_word(self.words, self.position) >> 5
        low = next_word(self.words, self.position) >> 6
        return (high * 67108864.0 + low) / 9007199254740992.0

    def pair(self, k: int) -> tuple[float, float]:
        return self.uniform(k), self.uniform(k)

    def normal(self, k: int) -> float:
        """`standard_normal`: Marsaglia's polar method, which makes two numbers and keeps one."""
        if self.spare[0] != 0.0:
            self.spare[0] = 0.0
            return float(self.spare[1])
        square = x = y = 0.0
        while square >= 1.0 or square == 0.0:
            x = 2.0 * self.uniform(k) - 1.0
            y = 2.0 * self.uniform(k) - 1.0
            square = x * x + y * y
        factor = sqrt(-2.0 * log(square) / square)
        self.spare[0], self.spare[1] = 1.0, factor * x
        return factor * y

    def exponential(self, k: int) -> float:
        """`standard_exponential`: by inversion."""
        return -log(1.0 - self.uniform(k))

    def gamma(self, shape: float, k: int) -> float:
        """`standard_gamma`: Marsaglia and Tsang (2000); below shape 1 Ahrens and Dieter (1974)."""
        if shape == 1.0:
            return self.exponential(k)
        if shape < 1.0:
            while True:
                u, v = self.uniform(k), self.exponential(k)
                if u <= 1.0 - shape:
                    x = float(u ** (1.0 / shape))
                    if x <= v:
                        return x
                else:
                    y = -log((1.0 - u) / shape)
                    x = float((1.0 - shape + shape * y) ** (1.0 / shape))
                    if x <= v + y:
                        return x
        b = shape - 1.0 / 3.0
        c = 1.0 / sqrt(9.0 * b)
        while True:
            x = v = 0.0
            while v <= 0.0:
                x = self.normal(k)
                v = 1.0 + c * x
            v = v * v * v
            u, quick = self.uniform(k), 1.0 - 0.0331 * (x * x) * (x * x)
            if u < quick or log(u) < 0.5 * x * x + b * (1.0 - v + log(v)):
                return b * v

    def beta(self, a: float, b: float, k: int) -> float:
        """`beta`: Johnk's method if a and b are at most 1, else from two gamma numbers."""
        if a > 1.0 or b > 1.0:
            x = self.gamma(a, k)
            return x / (x + self.gamma(b, k))
        while True:
            u, v = self.uniform(k), self.uniform(k)
            x, y = float(u ** (1.0 / a)), float(v ** (1.0 / b))
            if x + y <= 1.0 and u + v > 0.0:
                if x + y > 0.0:
                    return x / (x + y)
                log_x, log_y = log(u) / a, log(v) / b
                top = max(log_x, log_y)
                log_x, log_y = log_x - top, log_y - top
                return exp(log_x - log(exp(log_x) + exp(log_y)))
