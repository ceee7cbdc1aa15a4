"""Features of arms that are drawn at random: anew each round, or once for each replication.

They are a pure function of the seed and the cell, as rewards are: all policies meet the same ones.
"""

from __future__ import annotations

from abc import abstractmethod
from math import sqrt
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

import numpy as np

from .._numba.compile import Floats, defaults_of, lean, njit, record
from .._records.record import Choice, register
from ..errors import ParameterError
from ..random import MAX_ARMS, Cell, feature_cell
from ..special import normal_quantile
from .problems import as_numbers, check_finite

T = TypeVar("T")

FEATURES_DRAWN: dict[str, type] = {}

_ARMS, _DIMENSION = f"[2, {MAX_ARMS}]", "[1, 1000]"


class Each(Choice):
    """When features are drawn: in each round anew, or once at the beginning of a replication."""

    round = 0
    replication = 1


class Drawing(Protocol):
    """The methods of every way to draw features, with the defaults that a class gets."""

    each: Each

    @abstractmethod
    def draw(self, out: Floats, key0: int, key1: int, replication: int, t: int) -> None:
        """Fill `out` (arms, dimension) with the features of round t; 0 is a whole replication."""

    def anew(self) -> bool:
        """Whether features are drawn anew in each round."""
        return self.each == Each.round

    def given(self) -> bool:
        """Whether features are a part of the problem, and nothing is drawn."""
        return False


@lean
def fill_normal(cell: Cell, out: Floats, i: int, scale: float) -> float:
    """Fill row i of `out` with normal numbers times `scale`; returns the sum of their squares."""
    d, square = out.shape[1], 0.0
    for k in range((d + 1) // 2):
        a, b = cell.pair(k)
        out[i, 2 * k] = scale * normal_quantile(a)
        square += out[i, 2 * k] * out[i, 2 * k]
        if 2 * k + 1 < d:
            out[i, 2 * k + 1] = scale * normal_quantile(b)
            square += out[i, 2 * k + 1] * out[i, 2 * k + 1]
    return square


@lean
def fill_sphere(out: Floats, key0: int, key1: int, replication: int, t: int, arms: int) -> None:
    """Fill the first rows of `out` with points that are uniform on the unit sphere in 3 dimensions.

    By a point (u, v) of the unit disc, with s = u^2 + v^2 (Marsaglia, "Choosing a point from the
    surface of a sphere", 1972): (2 u sqrt(1 - s), 2 v sqrt(1 - s), 1 - 2 s). That takes a quarter
    of the time of normal numbers. The four words of block 0 of cell j are a point of the square
    around the disc for arm 2j and one for arm 2j + 1; an arm whose point is not in the disc goes on
    with blocks of its own.
    """
    for i in range(0, arms, 2):
        a, b, c, d = feature_cell(key0, key1, replication, t, i // 2).words(0, 0)
        u, v = in_disc(side(a), side(b), feature_cell(key0, key1, replication, t, i))
        from_disc(out, i, u, v)
        if i + 1 < arms:
            u, v = in_disc(side(c), side(d), feature_cell(key0, key1, replication, t, i + 1))
            from_disc(out, i + 1, u, v)


@njit
def in_disc(u: float, v: float, cell: Cell) -> tuple[float, float]:
    """The first of (u, v) and points from the cell's blocks 1, 2, ... that is in the unit disc."""
    k = 1
    while u * u + v * v >= 1.0:
        a, b, c, d = cell.words(k, 0)
        u, v = side(a), side(b)
        if u * u + v * v >= 1.0:
            u, v = side(c), side(d)
        k += 1
    return u, v


@lean
def from_disc(out: Floats, i: int, u: float, v: float) -> None:
    """Put the point of the sphere that belongs to a point of the disc into row i."""
    s = u * u + v * v
    twice = 2.0 * sqrt(1.0 - s)
    out[i, 0], out[i, 1], out[i, 2] = twice * u, twice * v, 1.0 - 2.0 * s


@njit
def side(word: int) -> float:
    """A number in (-1, 1) from 32 random bits, symmetric about 0."""
    return (word + 0.5) * 4.656612873077393e-10 - 1.0  # 2^-31


@lean
def copy_down(out: Floats) -> None:
    """Give all arms the features of the first."""
    for i in range(1, out.shape[0]):
        for a in range(out.shape[1]):
            out[i, a] = out[0, a]


def features(cls: type[T]) -> type[T]:
    """Make a NamedTuple class a way to draw features."""
    record(cls, defaults_of(Drawing))
    register(FEATURES_DRAWN, cls)
    return cls


@features
class GivenFeatures(NamedTuple):
    """Features that are a part of the problem: the same in every round of every replication."""

    arms: int
    dimension: int

    def anew(self) -> bool:
        return False

    def given(self) -> bool:
        return True

    def draw(self, out: Floats, key0: int, key1: int, replication: int, t: int) -> None:
        """Nothing to draw."""


@features
class SphereFeatures(NamedTuple):
    """Features that are uniform on the unit sphere.

    arms, dimension: how many. each: when they are drawn, in each "round", or once for each
    "replication". common: whether all arms have the same features, those of the round.

    >>> SphereFeatures(arms=3, dimension=2)
    SphereFeatures(arms=3, dimension=2, each='round', common=False)
    """

    arms: Annotated[int, _ARMS]
    dimension: Annotated[int, _DIMENSION]
    each: Each | str = "round"
    common: bool = False

    def draw(self, out: Floats, key0: int, key1: int, replication: int, t: int) -> None:
        arms = 1 if self.common else self.arms
        if self.dimension == 3:
            fill_sphere(out, key0, key1, replication, t, arms)
        else:
            for i in range(arms):
                cell = feature_cell(key0, key1, replication, t, i)
                length = sqrt(fill_normal(cell, out, i, 1.0))
                for a in range(self.dimension):
                    out[i, a] /= length
        if self.common:
            copy_down(out)


@features
class GaussianFeatures(NamedTuple):
    """Features that are independent normal numbers, N(0, scale^2).

    arms, dimension, each, common: as for `SphereFeatures`. scale: in (0, 1e100].

    >>> GaussianFeatures(arms=3, dimension=2, common=True)
    GaussianFeatures(arms=3, dimension=2, scale=1.0, each='round', common=True)
    """

    arms: Annotated[int, _ARMS]
    dimension: Annotated[int, _DIMENSION]
    scale: Annotated[float, "(0, 1e100]"] = 1.0
    each: Each | str = "round"
    common: bool = False

    def draw(self, out: Floats, key0: int, key1: int, replication: int, t: int) -> None:
        for i in range(1 if self.common else self.arms):
            fill_normal(feature_cell(key0, key1, replication, t, i), out, i, self.scale)
        if self.common:
            copy_down(out)


def as_table(given: Any) -> Floats:
    """An array of finite numbers of shape (rows, dimension)."""
    if not isinstance(given, (list, tuple, np.ndarray)):  # an array on a device
        return given  # type: ignore[no-any-return]
    values = as_numbers("TableFeatures", "values", given)
    if values.ndim != 2 or not values.size or values.shape[1] > 1000:
        words = "of shape (rows, dimension), dimension <= 1000"
        raise ParameterError("TableFeatures", "values", words, values.shape)
    check_finite("TableFeatures", "values", values)
    return values


@features
class TableFeatures(NamedTuple):
    """Features that are rows of a table, each with the same probability.

    arms: how many. values: (rows, dimension), for instance the features of readers seen so far.
    each, common: as for `SphereFeatures`.

    >>> TableFeatures(arms=2, values=[[1.0, 0.0], [0.0, 1.0]], common=True).arms
    2
    """

    arms: Annotated[int, _ARMS]
    values: Annotated[Any, as_table]
    each: Each | str = "round"
    common: bool = False

    def with_values(self, values: Any) -> TableFeatures:
        """The same with its table on a device."""
        return self._replace(values=values)

    def draw(self, out: Floats, key0: int, key1: int, replication: int, t: int) -> None:
        rows = self.values.shape[0]
        for i in range(1 if self.common else self.arms):
            row = int(feature_cell(key0, key1, replication, t, i).uniform(0) * rows)
            for a in range(out.shape[1]):
                out[i, a] = self.values[row, a]
        if self.common:
            copy_down(out)
