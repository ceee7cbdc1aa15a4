"""Linear evidence: arms have features, and their means are linear in them."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, sqrt
from typing import Annotated, Any, NamedTuple

from .._numba.compile import Floats
from ..errors import ParameterError, Words
from ..families import Family
from ..policies.arms import Arms
from ..random import Draws
from ..tables import as_features
from .interface import reads_features
from .matrices import (
    FeatureRows,
    add_outer,
    begin_factor,
    dot,
    estimated,
    invert_factor,
    solve,
    square_of,
    times,
)

# The inverse is computed anew after this many rewards. In between, each reward adds an error of
# some 1e-16 of it. For d = 20 that takes 100 of the 800 products of a round.
_RECOMPUTE_EVERY = 64
_LEAST_SQUARE = 1e-300  # of x'V^-1 x, for features that are all 0: pulls stay finite
_MOST_LOST = 0.99  # the share of x'V^-1 x that is subtracted from it; if more, it is computed anew


@reads_features
class Linear(NamedTuple):
    """Rewards with mean x'theta: ridge regression (LinRBMLE: Hung, Hsieh, Liu and Kumar 2021;
    LinUCB: Abbasi-Yadkori, Pal and Szepesvari 2011; disjoint: Li, Chu, Langford and Schapire 2010).

    With V = ridge I + sum_s x_s x_s' and theta^ = V^-1 sum_s r_s x_s, an arm with features x has

        mean = x'theta^,    pulls = 1 / x'V^-1 x,

    because the variance of x'theta^ is x'V^-1 x times that of a reward, as if it were a mean of so
    many. So RBMLE is LinRBMLE, UCB is LinUCB, and so on. No arm is unpulled: the ridge is worth
    ridge / |x|^2 pulls at 0, and no policy plays each arm once at the beginning. The variance that
    UCB-Tuned reads is that of the residuals.

    dimension: of the features, at most 1000. ridge: in [1e-12, 1e12].
    shared: one theta for all arms; if False, a V and a theta for each arm.
    features: how contexts become features, an `Encode` or a fitted transformer, as scikit-learn
    has them; False: contexts are features. With it, the dimension may be left out.

    How it stays accurate: V is kept as its factors U'D U, which cannot become singular (Gill,
    Golub, Murray and Saunders 1974), with U theta^. The inverse is kept as a root, R R' = V^-1,
    which a reward changes by R <- R - b (R v) v', v = R'x, b = (1 - (1 + v'v)^-1/2) / v'v
    (Potter 1963): x'V^-1 x = |R'x|^2 can never be negative. Every 64 rewards R and theta^ are
    computed anew from the factors; docs/reference/evidence.md has the accuracy. A round costs
    O(d^2 + K d), or O(K d^2) if features are drawn anew each round.

    >>> import numpy as np
    >>> from rbmle import Arms
    >>> from rbmle.evidence import Features
    >>> evidence, arms = Linear(2), Arms.fresh(2)
    >>> memory = np.zeros(evidence.memory_size(2))
    >>> x = Features(np.array([[1.0, 0.0], [1.0, 1.0]]))
    >>> evidence.begin(arms, memory)
    >>> evidence.look(arms, memory, x, True)
    >>> arms.pulls.round(6).tolist()
    [1.0, 0.5]
    >>> evidence.learn(arms, memory, x, False, 1, 3.0)
    >>> arms.pulls.round(6).tolist(), (arms.sums / arms.pulls).round(6).tolist()
    ([1.5, 1.5], [1.0, 2.0])
    """

    dimension: Annotated[int, "[1, 1000]"] = 0  # by default that of `features`
    ridge: Annotated[float, "[1e-12, 1e12]"] = 1.0
    shared: bool = True
    features: Annotated[Any, as_features] = False

    # The memory: a block for each theta; then two vectors to work with; then the mean and
    # x'V^-1 x of each arm; then one more vector. A block: D and U of V = U'D U; the root R of V^-1;
    # U theta^; theta^; the number of rewards; the sum of their squared residuals, with the ridge's
    # part.

    def memory_size(self, n_arms: int) -> int:
        d = self.dimension
        return self.blocks(n_arms) * self.block() + 3 * d + 2 * n_arms

    def block(self) -> int:
        return 2 * self.dimension * (self.dimension + 1) + 2

    def blocks(self, n_arms: int) -> int:
        return 1 if self.shared else n_arms

    def block_of(self, i: int) -> int:
        """The place where the block of arm i begins."""
        return 0 if self.shared else i * self.block()

    def separate(self) -> bool:
        return not self.shared

    def check_family(self, family: Family) -> None:
        low, high = family.mean_range()
        if low > -inf or high < inf:
            words = "one whose means are any numbers, as in Gaussian()"
            got = Words(f"{type(family).__name__}; Logistic is for Bernoulli rewards")
            raise ParameterError("Linear", "family", words, got)

    def begin(self, arms: Arms, memory: Floats) -> None:
        for k in range(memory.size):
            memory[k] = 0.0
        d = self.dimension
        for b in range(self.blocks(arms.n_arms())):
            place = b * self.block()
            begin_factor(memory, place, d, self.ridge)
            invert_factor(memory, place, place + d * d, d)

    def mean_of(self, memory: Floats, features: FeatureRows, i: int) -> float:
        d = self.dimension
        return dot(memory, self.block_of(i) + 2 * d * d + d, features, i, d)

    def show(self, arms: Arms, memory: Floats, features: FeatureRows) -> None:
        residual = self.residual(memory, 0)
        for i in range(arms.n_arms()):
            if not self.shared:
                residual = self.residual(memory, i)
            self.look_at(arms, memory, features, i, residual)

    def look_at(
        self, arms: Arms, memory: Floats, features: FeatureRows, i: int, residual: float
    ) -> None:
        """Compute the mean of arm i and x'V^-1 x from its features and its block."""
        d = self.dimension
        known = self.blocks(arms.n_arms()) * self.block() + 2 * d + 2 * i
        mean = self.mean_of(memory, features, i)
        square = square_of(memory, self.block_of(i) + d * d, features, i, -1, d)
        memory[known], memory[known + 1] = mean, square
        self.write(arms, i, mean, square, residual)

    def residual(self, memory: Floats, i: int) -> float:
        """The mean of the squared residuals of arm i's block."""
        place = self.block_of(i) + self.block() - 2
        return float(memory[place + 1] / memory[place]) if memory[place] > 0.0 else 0.0

    def write(self, arms: Arms, i: int, mean: float, square: float, residual: float) -> None:
        """Write what is known of arm i where policies read it; square: x'V^-1 x."""
        pulls = 1.0 / max(square, _LEAST_SQUARE)
        arms.pulls[i] = pulls
        arms.sums[i] = mean * pulls
        arms.squares[i] = (residual + mean * mean) * pulls

    def learn(
        self, arms: Arms, memory: Floats, features: FeatureRows, moving: bool, i: int, reward: float
    ) -> None:
        d, place, n_arms = self.dimension, self.block_of(i), arms.n_arms()
        v = self.blocks(n_arms) * self.block()  # R'x
        w = v + d  # V^-1 x
        root, z, theta = place + d * d, place + 2 * d * d, place + 2 * d * d + d
        square = solve(memory, root, features, i, v, d)
        surprise = (reward - self.mean_of(memory, features, i)) / (1.0 + square)
        shrink = 1.0 / (1.0 + square + sqrt(1.0 + square))  # (1 - (1 + s)^-1/2) / s, s = v'v
        inverse, along, away = memory[root:z], memory[v:w], memory[w : w + d]
        for r in range(d):
            step = shrink * away[r]
            for c in range(d):
                inverse[d * r + c] -= step * along[c]
            memory[theta + r] += surprise * away[r]
            memory[memory.size - d + r] = features.feature(i, r)
        add_outer(memory, place, z, memory.size - d, d, 1.0, reward)
        rewards = place + self.block() - 2
        memory[rewards] += 1.0
        memory[rewards + 1] += surprise * surprise * (1.0 + square)
        anew = int(memory[rewards]) % _RECOMPUTE_EVERY == 0
        if anew:
            self.recompute(memory, place)
        if not moving:
            self.tell(arms, memory, features, i, surprise, square, anew)

    def recompute(self, memory: Floats, place: int) -> None:
        """Compute R and theta^ of a block anew from its factors."""
        d = self.dimension
        z, theta = place + 2 * d * d, place + 2 * d * d + d
        invert_factor(memory, place, place + d * d, d)
        for c in range(d - 1, -1, -1):  # U theta^ = z
            total = memory[z + c]
            for r in range(c + 1, d):
                total -= memory[place + d * c + r] * memory[theta + r]
            memory[theta + c] = total

    def tell(
        self, arms: Arms, memory: Floats, features: FeatureRows, i: int, surprise: float,
        square: float, anew: bool,
    ) -> None:  # fmt: skip
        """Bring all arms up to date after a reward of arm i, if features stay as they are."""
        d = self.dimension
        w = self.blocks(arms.n_arms()) * self.block() + d
        residual = self.residual(memory, i)
        for j in range(arms.n_arms()):
            if j == i or self.shared:
                along, known = dot(memory, w, features, j, d), w + d + 2 * j
                less = along * along / (1.0 + square)
                if anew or less > _MOST_LOST * memory[known + 1]:
                    self.look_at(arms, memory, features, j, residual)
                else:
                    memory[known] += along * surprise
                    memory[known + 1] -= less
                    self.write(arms, j, memory[known], memory[known + 1], residual)

    def draw(
        self, arms: Arms, memory: Floats, features: FeatureRows, rng: Draws, drawn: Floats
    ) -> None:
        """Draw theta - theta^ ~ N(0, V^-1), and from it the error of each arm's mean.

        They are in units of a reward's standard deviation; drawn[0] = 1 says that they are there.
        """
        d, n_arms = self.dimension, arms.n_arms()
        work = self.blocks(n_arms) * self.block()
        drawn[0] = 1.0
        for i in range(n_arms):
            place = self.block_of(i)
            if i == 0 or not self.shared:
                for c in range(d):
                    memory[work + c] = rng.cell(i).normal(c)
                times(memory, place + d * d, work, work + d, d)
            drawn[1 + i] = dot(memory, work + d, features, i, d)

    def correct(
        self, arms: Arms, memory: Floats, features: FeatureRows, moving: bool, i: int,
        imputed: float, reward: float,
    ) -> None:  # fmt: skip
        """Replace an imputed reward by the real one: theta += V^-1 x (r - m).

        The variance of the residuals, which UCB-Tuned reads, is what the rewards so far say.
        """
        d, place, n_arms = self.dimension, self.block_of(i), arms.n_arms()
        v = self.blocks(n_arms) * self.block()
        w = v + d
        z, theta, x = place + 2 * d * d, place + 2 * d * d + d, memory.size - d
        surprise = reward - imputed
        solve(memory, place + d * d, features, i, v, d)
        for r in range(d):
            memory[x + r] = features.feature(i, r)
            memory[theta + r] += surprise * memory[w + r]
        for c in range(d):  # z = U theta^ = D^-1 U'^-1 (the sum of r x)
            row, p = place + d * c, memory[x + c]
            memory[z + c] += surprise * p / memory[row + c]
            for r in range(c + 1, d):
                memory[x + r] -= p * memory[row + r]
        away = reward - self.mean_of(memory, features, i)
        memory[place + self.block() - 1] += away * away
        if not moving:
            residual = self.residual(memory, i)
            for j in range(n_arms):
                if j == i or self.shared:
                    known = w + d + 2 * j
                    memory[known] += surprise * dot(memory, w, features, j, d)
                    self.write(arms, j, memory[known], memory[known + 1], residual)

    def estimate(self, memory: Floats, i: int) -> tuple[Floats, Floats]:
        """theta^, and the roots of V^-1's diagonal times the variance of the residuals (1 before
        the first reward)."""
        d, place = self.dimension, self.block_of(i)
        noise = self.residual(memory, i) if memory[place + self.block() - 2] > 0.0 else 1.0
        return estimated(memory, place + 2 * d * d + d, place + d * d, d, noise)

    def relayout(
        self, arms: Arms, memory: Floats, places: Sequence[int], new: Arms, after: Floats
    ) -> None:
        """The theta that arms share stays as it is, or each arm's own goes where the arm goes."""
        size = self.block()
        if self.shared:
            after[:size] = memory[:size]
            return
        for place, old in enumerate(places):
            if old >= 0:
                after[place * size : (place + 1) * size] = memory[old * size : (old + 1) * size]
