"""The atlas's sets of problems: a family, a law of rewards, a number of arms, and random means.

Constants are chosen on the sets of the group "training". The group "report" has other distributions
and other seeds; nothing is chosen on it. It holds the paper's nine problems too.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from .._numba.compile import Floats
from ..errors import ParameterError, did_you_mean, integer, one_of
from ..paper.published import published_problem, tables
from ..rewards.problems import Problem

GROUPS = ("training", "report")
PAPER = "the paper's"
Size = tuple[int, int]  # problems, arms
Row = tuple[str, int, str, *tuple[float, ...]]  # a set: name, arms, rule, the rule's parameters


def _one_good(rng: Generator, size: Size, low: float, least: float, most: float) -> Floats:
    """All arms have the mean `low`, except the first, whose mean is uniform in [least, most]."""
    means = np.full(size, low)
    means[:, 0] = rng.uniform(least, most, size[0])
    return means


def _ladder(rng: Generator, size: Size, top: float, least: float, most: float) -> Floats:
    """Means top, top - gap, top - 2 gap, ...; the gap is uniform in [least, most]."""
    return top - rng.uniform(least, most, (size[0], 1)) * np.arange(size[1])


# How means are drawn: the rules, with their parameters. Of "log-normal", sd is the logarithm's.
_RULES: dict[str, Callable[..., Floats]] = {
    "uniform": lambda rng, size, low, high: rng.uniform(low, high, size),
    "normal": lambda rng, size, sd: rng.normal(0.0, sd, size),
    "Beta": lambda rng, size, a, b: rng.beta(a, b, size),
    "log-normal": lambda rng, size, median, sd: median * np.exp(rng.normal(0.0, sd, size)),
    "one good": _one_good,
    "ladder": _ladder,
}


class Draw(NamedTuple):
    """How means are drawn: by one of the rules above, with its parameters."""

    rule: str
    parameters: tuple[float, ...]

    def __call__(self, rng: Generator, size: Size) -> Floats:
        """A row of means for each problem."""
        return _RULES[self.rule](rng, size, *self.parameters)


class ProblemSet(NamedTuple):
    """Problems whose means are drawn at random.

    family: what policies assume of rewards. law: what rewards are; the family, unless policies are
    to be wrong about them.
    draw: how means are drawn; None for the problems of the paper.
    """

    group: str
    family: str
    name: str
    arms: int
    draw: Draw | None
    law: str

    @property
    def label(self) -> str:
        """The name with the family, which is unique in a group."""
        return f"{self.family}: {self.name}"

    @property
    def misspecified(self) -> bool:
        """Whether policies assume something wrong of the rewards."""
        return self.law != self.family

    def seed(self) -> int:
        """The seed of the means: a checksum of the names, so that it never changes."""
        return zlib.crc32(f"{self.group}/{self.label}".encode())

    def rewards_seed(self) -> int:
        """The seed of the rewards. A group has one, so that a GPU plays several sets at once."""
        return 1 + GROUPS.index(self.group)

    def problems(self, count: int) -> list[Problem]:
        """The first `count` problems; of the paper's, those that there are.

        >>> [problem] = atlas_sets("report", ["bernoulli: uniform"])[0].problems(1)
        >>> problem.means.round(3).tolist()[:4]
        [0.873, 0.366, 0.13, 0.828]
        """
        return list(_problems(self, integer("ProblemSet", "count", count, "[1, inf)")))


@functools.cache
def _problems(where: ProblemSet, count: int) -> tuple[Problem, ...]:
    draw = where.draw
    if draw is None:
        known = tables()["regret"].items()
        names = [name for name, each in known if each["family"] == where.family]
        return tuple(published_problem(name) for name in names[:count])
    # One generator for each problem: the first problems do not depend on how many there are.
    makers = (np.random.default_rng([where.seed(), k]) for k in range(count))
    return tuple(Problem(where.law, draw(each, (1, where.arms))[0]) for each in makers)


# Each row: name, arms, the rule that draws means, its parameters. Most sets have ten arms: a GPU
# plays all sets with the same law and number of arms at once.
_ROWS: dict[tuple[str, str], list[Row]] = {
    ("training", "bernoulli"): [
        ("uniform", 10, "uniform", 0.0, 1.0),
        ("in [.4, .6]", 10, "uniform", 0.4, 0.6),
        ("in [.48, .52]", 10, "uniform", 0.48, 0.52),
        ("near 0", 10, "uniform", 0.0, 0.1),
        ("near 1", 10, "uniform", 0.9, 1.0),
        ("one good", 10, "one good", 0.5, 0.55, 0.8),
        ("ladder", 10, "ladder", 0.7, 0.01, 0.06),
        ("two arms", 2, "uniform", 0.0, 1.0),
        ("two arms, close", 2, "uniform", 0.4, 0.6),
        ("50 arms", 50, "uniform", 0.0, 1.0),
    ],
    ("training", "gaussian"): [
        ("normal", 10, "normal", 1.0),
        ("close", 10, "normal", 0.2),
        ("very close", 10, "normal", 0.05),
        ("wide", 10, "normal", 5.0),
        ("one good", 10, "one good", 0.0, 0.1, 1.5),
        ("ladder", 10, "ladder", 1.0, 0.03, 0.3),
        ("two arms", 2, "normal", 1.0),
        ("two arms, close", 2, "normal", 0.15),
        ("50 arms", 50, "normal", 1.0),
    ],
    ("training", "exponential"): [
        ("uniform", 10, "uniform", 0.1, 1.0),
        ("close", 10, "uniform", 0.8, 1.2),
        ("very close", 10, "uniform", 0.95, 1.05),
        ("large", 10, "uniform", 5.0, 20.0),
        ("one good", 10, "one good", 1.0, 1.1, 2.5),
        ("ladder", 10, "ladder", 1.0, 0.01, 0.08),
        ("two arms", 2, "uniform", 0.1, 1.0),
        ("two arms, close", 2, "uniform", 0.9, 1.1),
        ("50 arms", 50, "uniform", 0.1, 1.0),
    ],
    ("report", "bernoulli"): [
        ("uniform", 10, "uniform", 0.1, 0.9),
        ("Beta(2, 2)", 10, "Beta", 2.0, 2.0),
        ("close", 10, "Beta", 40.0, 40.0),
        ("near 0", 10, "Beta", 1.0, 30.0),
        ("near 1", 10, "Beta", 30.0, 1.0),
        ("rare", 10, "log-normal", 0.005, 0.5),
        ("ladder", 10, "ladder", 0.45, 0.01, 0.045),
        (PAPER, 10, ""),
        ("two arms", 2, "Beta", 2.0, 2.0),
        ("two arms, close", 2, "Beta", 50.0, 50.0),
        ("one good among 50", 50, "one good", 0.3, 0.35, 0.6),
        ("50 arms", 50, "Beta", 1.0, 3.0),
        ("500 arms", 500, "Beta", 2.0, 3.0),
        ("Beta rewards", 10, "Beta", 2.0, 2.0),
        ("uniform rewards", 10, "uniform", 0.2, 0.8),
        ("U-shaped", 10, "Beta", 0.5, 0.5),
        ("skewed", 10, "Beta", 1.0, 5.0),
        ("high", 10, "Beta", 8.0, 2.0),
        ("one good", 10, "one good", 0.6, 0.62, 0.85),
        ("steps", 10, "ladder", 0.95, 0.005, 0.09),
    ],
    ("report", "gaussian"): [
        ("uniform", 10, "uniform", -1.0, 1.0),
        ("close", 10, "uniform", 0.0, 0.3),
        ("very close", 10, "uniform", 0.0, 0.06),
        ("wide", 10, "uniform", 0.0, 10.0),
        ("far from 0", 10, "uniform", 20.0, 21.0),
        ("ladder", 10, "ladder", 0.5, 0.02, 0.2),
        (PAPER, 10, ""),
        ("two arms", 2, "uniform", -1.0, 1.0),
        ("two arms, close", 2, "uniform", 0.0, 0.25),
        ("one good among 50", 50, "one good", 0.0, 0.1, 1.0),
        ("50 arms", 50, "uniform", -2.0, 2.0),
        ("500 arms", 500, "uniform", -1.0, 1.0),
        ("Laplace rewards", 10, "uniform", -1.0, 1.0),
        ("two-humped rewards", 10, "uniform", -1.0, 1.0),
        ("normal", 10, "normal", 0.5),
        ("U-shaped", 10, "Beta", 0.5, 0.5),
        ("one good", 10, "one good", 0.0, 0.2, 0.8),
    ],
    ("report", "exponential"): [
        ("log-normal", 10, "log-normal", 1.0, 0.5),
        ("close", 10, "log-normal", 1.0, 0.1),
        ("very close", 10, "log-normal", 1.0, 0.03),
        ("small", 10, "log-normal", 0.02, 0.5),
        ("large", 10, "log-normal", 50.0, 0.5),
        ("ladder", 10, "ladder", 2.0, 0.03, 0.18),
        (PAPER, 10, ""),
        ("two arms", 2, "log-normal", 1.0, 0.5),
        ("two arms, close", 2, "log-normal", 1.0, 0.08),
        ("one good among 50", 50, "one good", 1.0, 1.1, 2.0),
        ("50 arms", 50, "log-normal", 1.0, 0.3),
        ("500 arms", 500, "log-normal", 1.0, 0.3),
        ("Gamma rewards", 10, "log-normal", 1.0, 0.3),
        ("Beta rewards", 10, "Beta", 2.0, 2.0),
        ("uniform", 10, "uniform", 0.5, 3.0),
        ("one good", 10, "one good", 1.0, 1.2, 3.0),
    ],
}
# The laws of the sets on which policies assume something wrong.
_LAWS = {
    "Beta rewards": "beta(concentration=4)",
    "uniform rewards": "uniform(width=0.4)",
    "Laplace rewards": "laplace(scale=0.7071067811865476)",
    "two-humped rewards": "gaussianmixture(spread=0.8, sigma=0.6)",
    "Gamma rewards": "gamma(shape=3)",
}
_SETS = [
    ProblemSet(
        group, family, name, arms, Draw(rule, tuple(of)) if rule else None, _LAWS.get(name, family)
    )
    for (group, family), rows in _ROWS.items()
    for name, arms, rule, *of in rows
]


def atlas_sets(group: str, only: list[str] | None = None) -> list[ProblemSet]:
    """The sets of a group, or those among them whose family or label is in `only`."""
    one_of("atlas", "group", group, GROUPS)
    found = [each for each in _SETS if each.group == group]
    if not only:
        return found
    families = {each.family for each in found}
    known = families | {each.label for each in found}
    for each in only:
        if each not in known:
            example = f"families ({', '.join(sorted(families))}) or sets, as in '{found[0].label}'"
            raise ParameterError("atlas", "only", example, each, did_you_mean(each, known))
    return [each for each in found if each.family in only or each.label in only]
