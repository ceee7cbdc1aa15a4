"""A linear problem: arms have features, and means are linear in them, up to a link."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import exp, inf
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._numba.compile import Floats
from ..errors import ParameterError
from ..families import FAMILIES, Bernoulli, Law
from ..families.protocols import LARGEST_MEAN
from ..random import MAX_ARMS, Cell, key
from ..spec import as_record
from .features import FEATURES_DRAWN, GivenFeatures
from .laws import LAWS
from .problems import Bring, Rows, World, as_numbers, means_text, reward_source

_MOST_THETAS = 5  # shown in a report; the rest is counted


@reward_source
class LinearStream(NamedTuple):
    """Rewards of arms with features.

    theta: one row for all arms, or one for each. known, means: the features of this round and the
    means that follow from them. logistic: whether means are 1 / (1 + exp(-x'theta)).
    """

    law: Law
    drawing: Any
    theta: Floats
    known: Floats
    means: Floats
    logistic: bool
    key0: int
    key1: int

    def own(self) -> LinearStream:
        """The same, with room of its own for the features and means of a round."""
        known = self.known if self.drawing.given() else np.zeros_like(self.known)
        return self._replace(known=known, means=self.means.copy())

    def on_device(self, bring: Bring, rows: Rows) -> LinearStream:
        """The record on a device: given features have a row for each problem; drawn ones have room
        for each thread."""
        drawing, known, means = self.drawing, self.known, self.means
        if hasattr(drawing, "values"):
            drawing = drawing.with_values(bring(drawing.values))
        if self.drawing.given():
            known, means = bring(known), bring(means)
        else:
            known, means = rows(*known.shape[1:]), rows(means.shape[1])
        return self._replace(drawing=drawing, theta=bring(self.theta), known=known, means=means)

    def moving(self) -> bool:
        return bool(self.drawing.anew())

    def meet(self, replication: int, t: int) -> None:
        if self.draw_features(replication, t):
            self.pay_by(self.theta)

    def pay_by(self, theta: Floats) -> None:
        """Compute the means that follow from the features of this round and a theta."""
        apart = 1 if theta.shape[0] > 1 else 0
        for i in range(self.means.size):
            total = 0.0
            for a in range(self.known.shape[1]):
                total += self.known[i, a] * theta[apart * i, a]
            self.means[i] = total
        if self.logistic:
            for i in range(self.means.size):
                self.means[i] = 1.0 / (1.0 + exp(-self.means[i]))

    def draw_features(self, replication: int, t: int) -> bool:
        """Draw the features of round t, if they change in it; returns whether they do."""
        anew = self.drawing.anew()
        if self.drawing.given() or (t > 1 and not anew):
            return False
        self.drawing.draw(self.known, self.key0, self.key1, replication, t if anew else 0)
        return True

    def feature(self, i: int, a: int) -> float:
        """Feature a of arm i in this round."""
        return float(self.known[i, a])

    def reward(self, replication: int, t: int, i: int) -> float:
        return self.law.sample(self.means[i], Cell(self.key0, self.key1, replication, t, i))

    def gap(self, replication: int, t: int, i: int) -> float:
        """The best mean of this round minus that of arm i."""
        best = -inf
        for j in range(self.means.size):
            best = max(best, self.means[j])
        return best - float(self.means[i])


@reward_source
class LinearPath(NamedTuple):
    """Rewards of arms with features, whose theta is thetas[n] from round starts[n] on.

    stream: the features and the means of the present round.
    """

    stream: LinearStream
    thetas: Floats
    starts: NDArray[np.int64]

    def own(self) -> LinearPath:
        return self._replace(stream=self.stream.own())

    def moving(self) -> bool:
        return self.stream.moving()

    def meet(self, replication: int, t: int) -> None:
        p = 0
        while p + 1 < self.starts.size and self.starts[p + 1] <= t:
            p += 1
        if self.stream.draw_features(replication, t) or t == self.starts[p]:
            self.stream.pay_by(self.thetas[p])

    def feature(self, i: int, a: int) -> float:
        return self.stream.feature(i, a)

    def reward(self, replication: int, t: int, i: int) -> float:
        return self.stream.reward(replication, t, i)

    def gap(self, replication: int, t: int, i: int) -> float:
        return self.stream.gap(replication, t, i)


@dataclass(frozen=True, eq=False)
class LinearProblem(World):
    """Arms with features x and mean rewards x'theta; for Bernoulli rewards 1 / (1 + exp(-x'theta)).

    theta: `dimension` numbers for all arms; or, one row for each arm, (arms, dimension).
    features: (arms, dimension), the same in every round; or a way to draw them, such as
    `SphereFeatures(arms=10, dimension=3)`, `GaussianFeatures`, `TableFeatures`.
    noise: the law of rewards given their means, `Gaussian(1.0)` by default: one whose means are any
    numbers, or `Bernoulli()`.

    Regret is against the best arm of each round.

    >>> LinearProblem([1.0, -1.0], [[1.0, 0.0], [0.5, 0.5]]).means
    array([1., 0.])
    """

    theta: Floats
    features: Any
    law: Any

    def __init__(self, theta: ArrayLike, features: object, noise: object = "gaussian") -> None:
        law = as_record(noise, ChainMap(LAWS, FAMILIES), "LinearProblem", "noise")
        if not hasattr(law, "sample") or not hasattr(law, "mean_range"):
            raise ParameterError("LinearProblem", "noise", "a law, as in Gaussian(1.0)", noise)
        low, high = law.mean_range()
        if not isinstance(law, Bernoulli) and (low > -inf or high < inf):
            words = "a law whose means are any numbers, or Bernoulli()"
            raise ParameterError("LinearProblem", "noise", words, law)
        if type(features) not in FEATURES_DRAWN.values():
            features = _matrix("features", features)
            if not 2 <= len(features) <= MAX_ARMS or features.shape[1] > 1000:
                words = "of shape (arms, dimension), two arms or more"
                raise ParameterError("LinearProblem", "features", words, features.shape)
        vars(self).update(features=features, law=law)
        values = _matrix("theta", np.atleast_2d(as_numbers("LinearProblem", "theta", theta)))
        n, d = self.n_arms, self.dimension
        if values.shape not in ((1, d), (n, d)):
            words = f"{d} numbers, or an array of shape ({n}, {d})"
            raise ParameterError("LinearProblem", "theta", words, np.shape(theta))
        vars(self).update(theta=values)
        if self.fixed_gaps is not None and np.abs(self.means).max() > LARGEST_MEAN:
            words = f"such that means are up to {LARGEST_MEAN:g}"
            raise ParameterError("LinearProblem", "theta", words, theta)

    @property
    def drawing(self) -> Any:
        """The way in which features are drawn."""
        return GivenFeatures(*self.features.shape) if self._given else self.features

    @property
    def _given(self) -> bool:
        """Whether features are the same in every round."""
        return isinstance(self.features, np.ndarray)

    @property
    def n_arms(self) -> int:
        return int(self.drawing.arms)

    @property
    def dimension(self) -> int:
        drawing = self.drawing
        return int(drawing.dimension if hasattr(drawing, "dimension") else drawing.values.shape[1])

    @property
    def means(self) -> Floats:
        """The means of arms with given features."""
        if not self._given:
            words = "given for means that do not change"
            raise ParameterError("LinearProblem", "features", words, self.features)
        with np.errstate(over="ignore"):
            linear: Floats = (self.features * self.theta).sum(axis=1)
            return 1.0 / (1.0 + np.exp(-linear)) if self.logistic else linear

    @property
    def logistic(self) -> bool:
        """Whether means are 1 / (1 + exp(-x'theta))."""
        return isinstance(self.law, Bernoulli)

    @property
    def gaps(self) -> Floats:
        """The best arm's mean minus each arm's mean."""
        return np.asarray(self.means.max() - self.means)

    @property
    def fixed_gaps(self) -> Floats | None:
        return self.gaps if self._given else None

    def words(self) -> str:
        return f"features of dimension {self.dimension}"

    def described(self) -> dict[str, str]:
        rows = [means_text(each) for each in self.theta[:_MOST_THETAS]]
        if len(self.theta) > _MOST_THETAS:
            rows.append(f"and {len(self.theta) - _MOST_THETAS} more")
        features = f"given, of dimension {self.dimension}" if self._given else str(self.features)
        described = {"Theta": "; ".join(rows), "Features": features}
        return {**described, "Means": means_text(self.means)} if self._given else described

    def kind(self) -> Hashable:
        drawing = self.drawing
        fields = tuple(id(each) if isinstance(each, np.ndarray) else each for each in drawing)
        return type(self), type(drawing), fields, self.theta.shape, type(self.law), self.law

    def source(self, seed: int, horizon: int) -> LinearStream:
        if self._given:
            known, means = np.array(self.features), self.means
        else:
            known, means = np.zeros((self.n_arms, self.dimension)), np.zeros(self.n_arms)
        return LinearStream(
            self.law, self.drawing, np.array(self.theta), known, means, self.logistic, *key(seed)
        )

    def sources(self, worlds: Sequence[Self], seed: int, horizon: int) -> LinearStream:
        each = [world.source(seed, horizon) for world in worlds]
        return each[0]._replace(
            theta=np.array([one.theta for one in each]),
            known=np.array([one.known for one in each]),
            means=np.array([one.means for one in each]),
        )

    def identity(self) -> Hashable:
        """All that makes the problem, with the shape and the bytes of each array in its place."""
        parts = [self.theta, *([self.features] if self._given else self.features)]
        fields = tuple(
            (each.shape, each.tobytes()) if isinstance(each, np.ndarray) else each for each in parts
        )
        return type(self.law), self.law, type(self.features), fields


def _matrix(name: str, given: object) -> Floats:
    values = as_numbers("LinearProblem", name, given)
    if values.ndim != 2 or not values.size:
        raise ParameterError("LinearProblem", name, "an array of two dimensions", given)
    if not np.isfinite(values).all():
        raise ParameterError("LinearProblem", name, "finite numbers", given)
    values.setflags(write=False)
    return values
