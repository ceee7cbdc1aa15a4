"""What the atlas reports of each policy on each set, computed from the means on each problem.

It is stored in two small files: atlas.csv has the statistics of each cell, and atlas.npz the means
on each problem as float32.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .. import policies
from .._io.files import write_atomically
from .._numba.compile import Floats
from .._records.record import Record
from ..errors import RunError
from .play import DAMAGED, Run, grouped, stored

RECOMMENDED, SMALLEST_MEAN = "recommended", "recommended, mean"
# The rivals of the recommended policy: those that do not know the horizon, and those that do.
RIVALS: dict[str, Record] = {
    "Thompson": policies.ThompsonSampling(),
    "KL-UCB": policies.KLUCB(),
    "Bayes-UCB": policies.BayesUCB(),
    "IMED": policies.IMED(),
    "UCB-Tuned": policies.UCBTuned(),
    "Maillard": policies.MaillardSampling(),
    "TS-UCB": policies.TSUCB(),
}
AWARE: dict[str, Record] = {
    "MOSS": policies.MOSS(),
    "KL-MOSS": policies.KLUCB(upto="moss"),
    "KL-UCB, left": policies.KLUCB(upto="left"),
    "KL-UCB++": policies.KLUCB(upto="plus_plus"),
    "AdaUCB": policies.AdaUCB(),
}
# Rivals that assume no family, played where that of the others is wrong. UCB-V takes the interval
# of rewards to have the length 1; the others keep every reward.
FAMILY_FREE: dict[str, Record] = {
    "RB-SDA": policies.RBSDA(),
    "UCB-V": policies.UCBV(),
    "EmpiricalIMED": policies.EmpiricalIMED(),
}


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
    tail, far_tail: its 99 and 99.9 % quantiles in units of Thompson sampling's.
    """

    family: str
    name: str
    horizon: int
    best: str
    ratio: float
    tail: float
    far_tail: float


def cells_of(runs: Sequence[Run], folder: Path) -> list[AtlasCell]:
    """What the folder holds of the runs: a cell for each checkpoint."""
    cells = []
    for run in runs:
        for k, statistics in enumerate(zip(*(stored(folder, run) or ()), strict=True)):
            by_problem, *numbers, tails = statistics
            where = run.where.family, run.where.name, run.checkpoints[k], run.label
            counts = by_problem.size, run.replications
            cells.append(
                AtlasCell._make([*where, *counts, *map(float, (*numbers, *tails)), by_problem])
            )
    return cells


def by_set(cells: Sequence[AtlasCell]) -> dict[tuple[str, str, int], list[AtlasCell]]:
    """The cells of each (family, set, horizon)."""
    return grouped(cells, lambda each: each[:3])


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


def verdicts(
    cells: Sequence[AtlasCell],
    policy: str = RECOMMENDED,
    rivals: Collection[str] = (*RIVALS, *AWARE),
) -> list[AtlasVerdict]:
    """A policy against the rivals that were played, on each set and at each horizon."""
    found = []
    for (family, name, horizon), alike in by_set(cells).items():
        named = {each.policy: each for each in alike}
        played = [rival for rival in rivals if rival in named]
        if policy in named and "Thompson" in named and played:
            ours, usual = named[policy], named["Thompson"]
            best = min(played, key=lambda rival: named[rival].mean)
            ratio = ours.mean / named[best].mean
            tails = ours.tail / usual.tail, ours.far_tail / usual.far_tail
            found.append(AtlasVerdict(family, name, horizon, best, ratio, *tails))
    return found


def within_targets(found: Sequence[AtlasVerdict]) -> tuple[int, int, int]:
    """On how many sets the mean is below every rival's, at most 1.25 times the best of them, and
    the 99 % quantile at most 2 and the 99.9 % one at most 3 times Thompson sampling's, as far as
    these are known."""
    return (
        sum(each.ratio < 1.0 for each in found),
        sum(each.ratio <= 1.25 for each in found),
        sum(each.tail <= 2.0 and not each.far_tail > 3.0 for each in found),
    )


TABLE, MEANS = "atlas.csv", "atlas.npz"
# The columns of a cell, in the order of its fields, and their types; then those of a row.
_CELL: dict[str, type] = {
    "family": str, "set": str, "horizon": int, "policy": str, "problems": int, "replications": int,
    "mean": float, "error": float, "q99": float, "q99.9": float,
}  # fmt: skip
_BESIDE = ("ratio median", "ratio 90 %", "ratio worst", "won")


def write_atlas(cells: Sequence[AtlasCell], folder: str | os.PathLike[str]) -> list[AtlasRow]:
    """Write the cells into the folder, and return them as rows."""
    rows = rows_of(cells)
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow([*_CELL, *_BESIDE])
    for cell, *beside in rows:
        out.writerow([*cell[:6], *(f"{value:.5g}" for value in [*cell[6:10], *beside])])
    content = io.BytesIO()
    np.savez_compressed(content, *(row.cell.by_problem.astype(np.float32) for row in rows))
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    write_atomically(target / TABLE, text.getvalue().encode())
    write_atomically(target / MEANS, content.getvalue())
    return rows


def read_atlas(folder: str | os.PathLike[str]) -> list[AtlasCell]:
    """The cells that `write_atlas` wrote, to the digits that it kept."""
    target = Path(folder)
    try:
        with open(target / TABLE, encoding="utf-8", newline="") as file:
            lines = list(csv.DictReader(file))
        with np.load(io.BytesIO((target / MEANS).read_bytes())) as means:
            if len(lines) != len(means.files):
                raise ValueError
            cells = [[kind(line[name]) for name, kind in _CELL.items()] for line in lines]
            return [
                AtlasCell._make([*cell, means[f"arr_{k}"].astype(float)])
                for k, cell in enumerate(cells)
            ]
    except OSError as problem:
        raise RunError(f"{target}: cannot be read ({problem.strerror or problem}).") from None
    except (TypeError, csv.Error, *DAMAGED):  # TypeError: a line is cut off
        raise RunError(f"{target}: has no atlas in {TABLE} and {MEANS}.") from None
