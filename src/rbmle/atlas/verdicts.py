"""What the atlas tells of each policy on each set, computed from the means on each problem."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._numba.compile import Floats
from .efforts import RECOMMENDED, RIVALS
from .runs import Run, stored


class AtlasCell(NamedTuple):
    """The regret of one policy on one set after `horizon` rounds.

    replications: on each problem. mean, error: over all problems, and its standard error. tail,
    far_tail: the 99 and 99.9 % quantiles. by_problem: the mean on each problem.
    """

    family: str
    name: str
    horizon: int
    policy: str
    problems: int
    replications: int
    mean: float
    error: float
    tail: float
    far_tail: float
    by_problem: Floats


class AtlasRow(NamedTuple):
    """A cell beside the other policies on the same set.

    median, high, worst: of regret in units of the best policy's, problem by problem: the median,
    the 90 % quantile and the largest. won: the share of problems on which the policy is the best.
    """

    cell: AtlasCell
    median: float
    high: float
    worst: float
    won: float


class AtlasVerdict(NamedTuple):
    """The recommended policy against its rivals on one set.

    best: the rival with the smallest mean. ratio: the recommended policy's mean in units of it.
    tail: its 99 % quantile in units of Thompson sampling's.
    """

    family: str
    name: str
    horizon: int
    best: str
    ratio: float
    tail: float


def cells_of(runs: Sequence[Run], folder: Path) -> list[AtlasCell]:
    """What the folder holds of the runs: a cell for each checkpoint."""
    cells = []
    for run in runs:
        found = stored(folder, run)
        if found is not None:
            cells += [
                AtlasCell(
                    run.where.family, run.where.name, horizon, run.label,
                    found.by_problem.shape[1], run.replications, float(found.mean[k]),
                    float(found.error[k]), float(found.tails[k, 0]), float(found.tails[k, 1]),
                    found.by_problem[k],
                )
                for k, horizon in enumerate(run.checkpoints)
            ]  # fmt: skip
    return cells


def by_set(cells: Sequence[AtlasCell]) -> dict[tuple[str, str, int], list[AtlasCell]]:
    """The cells of each (family, set, horizon)."""
    found: dict[tuple[str, str, int], list[AtlasCell]] = {}
    for each in cells:
        found.setdefault((each.family, each.name, each.horizon), []).append(each)
    return found


def rows_of(cells: Sequence[AtlasCell]) -> list[AtlasRow]:
    """Each cell beside the others on its set, the smallest mean first.

    The best on a problem is chosen among the policies with the most replications: where there are
    few, the smallest of many means would be small by chance.
    """
    rows = []
    for alike in by_set(cells).values():
        most = max(each.replications for each in alike)
        full = np.array([each.by_problem for each in alike if each.replications == most])
        best = full.min(axis=0)
        for each in sorted(alike, key=lambda cell: cell.mean):
            ratio = each.by_problem / best
            median, high = np.quantile(ratio, (0.5, 0.9))
            won = float((each.by_problem <= best).mean())
            rows.append(AtlasRow(each, float(median), float(high), float(ratio.max()), won))
    return rows


def verdicts(cells: Sequence[AtlasCell], policy: str = RECOMMENDED) -> list[AtlasVerdict]:
    """A policy against the rivals that were played, on each set and at each horizon."""
    found = []
    for (family, name, horizon), alike in by_set(cells).items():
        named = {each.policy: each for each in alike}
        if policy in named and "Thompson" in named:
            rivals = [rival for rival in RIVALS if rival in named]
            best = min(rivals, key=lambda rival: named[rival].mean)
            ratio = named[policy].mean / named[best].mean
            tail = named[policy].tail / named["Thompson"].tail
            found.append(AtlasVerdict(family, name, horizon, best, ratio, tail))
    return found


def within_targets(found: Sequence[AtlasVerdict]) -> tuple[int, int, int]:
    """On how many sets the mean is below every rival's, at most 1.25 times the best of them, and
    the 99 % quantile at most 2 times Thompson sampling's."""
    return (
        sum(each.ratio < 1.0 for each in found),
        sum(each.ratio <= 1.25 for each in found),
        sum(each.tail <= 2.0 for each in found),
    )
