"""The atlas's sets of problems: a family, a law of rewards, a number of arms, and random means.

Constants are chosen on the sets of the group "training". The group "report" has other distributions
and other seeds; nothing is chosen on it. It holds the paper's nine problems too.
"""

from __future__ import annotations

import functools
import zlib
from typing import NamedTuple

import numpy as np

from ..errors import ParameterError, did_you_mean, integer, one_of
from ..paper.published import published_problem, tables
from ..rewards.problems import Problem
from .draws import Beta, Draw, Ladder, LogNormal, Normal, OneGood, Uniform

GROUPS = ("training", "report")
PAPER = "the paper's"


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
        count = integer("ProblemSet", "count", count, "[1, inf)")
        return list(_problems(self, count))


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


def _sets(group: str, family: str, *rows: tuple[str, int, Draw | None, str]) -> list[ProblemSet]:
    return [
        ProblemSet(group, family, name, arms, draw, law or family) for name, arms, draw, law in rows
    ]


# Each row: name, arms, how means are drawn, the law if it is not the family. Most sets have ten
# arms: a GPU plays all sets with the same law and number of arms at once.
_TRAINING = [
    *_sets(
        "training", "bernoulli",
        ("uniform", 10, Uniform(0.0, 1.0), ""),
        ("in [.4, .6]", 10, Uniform(0.4, 0.6), ""),
        ("in [.48, .52]", 10, Uniform(0.48, 0.52), ""),
        ("near 0", 10, Uniform(0.0, 0.1), ""),
        ("near 1", 10, Uniform(0.9, 1.0), ""),
        ("one good", 10, OneGood(0.5, 0.55, 0.8), ""),
        ("ladder", 10, Ladder(0.7, 0.01, 0.06), ""),
        ("two arms", 2, Uniform(0.0, 1.0), ""),
        ("two arms, close", 2, Uniform(0.4, 0.6), ""),
        ("50 arms", 50, Uniform(0.0, 1.0), ""),
    ),
    *_sets(
        "training", "gaussian",
        ("normal", 10, Normal(1.0), ""),
        ("close", 10, Normal(0.2), ""),
        ("very close", 10, Normal(0.05), ""),
        ("wide", 10, Normal(5.0), ""),
        ("one good", 10, OneGood(0.0, 0.1, 1.5), ""),
        ("ladder", 10, Ladder(1.0, 0.03, 0.3), ""),
        ("two arms", 2, Normal(1.0), ""),
        ("two arms, close", 2, Normal(0.15), ""),
        ("50 arms", 50, Normal(1.0), ""),
    ),
    *_sets(
        "training", "exponential",
        ("uniform", 10, Uniform(0.1, 1.0), ""),
        ("close", 10, Uniform(0.8, 1.2), ""),
        ("very close", 10, Uniform(0.95, 1.05), ""),
        ("large", 10, Uniform(5.0, 20.0), ""),
        ("one good", 10, OneGood(1.0, 1.1, 2.5), ""),
        ("ladder", 10, Ladder(1.0, 0.01, 0.08), ""),
        ("two arms", 2, Uniform(0.1, 1.0), ""),
        ("two arms, close", 2, Uniform(0.9, 1.1), ""),
        ("50 arms", 50, Uniform(0.1, 1.0), ""),
    ),
]  # fmt: skip

_REPORT = [
    *_sets(
        "report", "bernoulli",
        ("uniform", 10, Uniform(0.1, 0.9), ""),
        ("Beta(2, 2)", 10, Beta(2.0, 2.0), ""),
        ("close", 10, Beta(40.0, 40.0), ""),
        ("near 0", 10, Beta(1.0, 30.0), ""),
        ("near 1", 10, Beta(30.0, 1.0), ""),
        ("rare", 10, LogNormal(0.005, 0.5), ""),
        ("ladder", 10, Ladder(0.45, 0.01, 0.045), ""),
        (PAPER, 10, None, ""),
        ("two arms", 2, Beta(2.0, 2.0), ""),
        ("two arms, close", 2, Beta(50.0, 50.0), ""),
        ("one good among 50", 50, OneGood(0.3, 0.35, 0.6), ""),
        ("50 arms", 50, Beta(1.0, 3.0), ""),
        ("500 arms", 500, Beta(2.0, 3.0), ""),
        ("Beta rewards", 10, Beta(2.0, 2.0), "beta(concentration=4)"),
        ("uniform rewards", 10, Uniform(0.2, 0.8), "uniform(width=0.4)"),
    ),
    *_sets(
        "report", "gaussian",
        ("uniform", 10, Uniform(-1.0, 1.0), ""),
        ("close", 10, Uniform(0.0, 0.3), ""),
        ("very close", 10, Uniform(0.0, 0.06), ""),
        ("wide", 10, Uniform(0.0, 10.0), ""),
        ("far from 0", 10, Uniform(20.0, 21.0), ""),
        ("ladder", 10, Ladder(0.5, 0.02, 0.2), ""),
        (PAPER, 10, None, ""),
        ("two arms", 2, Uniform(-1.0, 1.0), ""),
        ("two arms, close", 2, Uniform(0.0, 0.25), ""),
        ("one good among 50", 50, OneGood(0.0, 0.1, 1.0), ""),
        ("50 arms", 50, Uniform(-2.0, 2.0), ""),
        ("500 arms", 500, Uniform(-1.0, 1.0), ""),
        ("Laplace rewards", 10, Uniform(-1.0, 1.0), "laplace(scale=0.7071067811865476)"),
        ("two-humped rewards", 10, Uniform(-1.0, 1.0), "gaussianmixture(spread=0.8, sigma=0.6)"),
    ),
    *_sets(
        "report", "exponential",
        ("log-normal", 10, LogNormal(1.0, 0.5), ""),
        ("close", 10, LogNormal(1.0, 0.1), ""),
        ("very close", 10, LogNormal(1.0, 0.03), ""),
        ("small", 10, LogNormal(0.02, 0.5), ""),
        ("large", 10, LogNormal(50.0, 0.5), ""),
        ("ladder", 10, Ladder(2.0, 0.03, 0.18), ""),
        (PAPER, 10, None, ""),
        ("two arms", 2, LogNormal(1.0, 0.5), ""),
        ("two arms, close", 2, LogNormal(1.0, 0.08), ""),
        ("one good among 50", 50, OneGood(1.0, 1.1, 2.0), ""),
        ("50 arms", 50, LogNormal(1.0, 0.3), ""),
        ("500 arms", 500, LogNormal(1.0, 0.3), ""),
        ("Gamma rewards", 10, LogNormal(1.0, 0.3), "gamma(shape=3)"),
        ("Beta rewards", 10, Beta(2.0, 2.0), "beta(concentration=4)"),
    ),
]  # fmt: skip


def atlas_sets(group: str, only: list[str] | None = None) -> list[ProblemSet]:
    """The sets of a group, or those among them whose family or label is in `only`."""
    one_of("atlas", "group", group, GROUPS)
    found = _TRAINING if group == "training" else _REPORT
    if not only:
        return list(found)
    known = {each.family for each in found} | {each.label for each in found}
    for each in only:
        if each not in known:
            names = ", ".join(sorted({each.family for each in found}))
            raise ParameterError(
                "atlas",
                "only",
                f"families ({names}) or sets, as in '{found[0].label}'",
                each,
                did_you_mean(each, known),
            )
    return [each for each in found if each.family in only or each.label in only]
