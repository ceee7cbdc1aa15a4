"""Play cells that the atlas's report lacks, on processors and so with fewer replications.

    python benchmarks/atlas_fill.py play docs/atlas/report RUNS --minutes 70  # or until stopped
    python benchmarks/atlas_fill.py merge docs/atlas/report RUNS  # adds what was played

RUNS is a folder with a file for each run. Cells that the report has are neither played nor
replaced; ratios to the best policy of a set are computed anew.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from rbmle.atlas import RIVALS, atlas_sets, read_atlas
from rbmle.atlas.efforts import FULL, OTHERS, players
from rbmle.atlas.play import Run, play
from rbmle.atlas.verdicts import RECOMMENDED, SMALLEST_MEAN, cells_of, write_atlas

LEVELS = ("KL-UCB, left", "KL-MOSS", "KL-UCB++")
SAMPLED = ("Maillard", "TS-UCB")
CLASSICAL = tuple(label for label in RIVALS if label not in SAMPLED)
SLOWEST = ("KL-UCB+", "KG*", "IDS", "VIDS")
REST = (SMALLEST_MEAN, *CLASSICAL, "MOSS")
# What is played, in this order: the policies, the rounds, replications of each problem, most arms.
# Of a cell that is played twice the run with more replications counts.
STEPS: list[tuple[tuple[str, ...], int, int, int]] = [
    ((RECOMMENDED,), 1_000, 32, 10),
    ((RECOMMENDED,), 1_000, 8, 50),
    (REST, 10_000, 4, 10),
    ((RECOMMENDED,), 100_000, 4, 10),
    ((RECOMMENDED,), 100_000, 4, 50),
    ((RECOMMENDED,), 1_000, 4, 500),
    (REST, 1_000, 16, 10),
    (SAMPLED, 1_000, 8, 50),
    (("KL-UCB, left",), 100_000, 2, 50),
    (SAMPLED, 10_000, 2, 50),
    ((RECOMMENDED,), 10_000, 4, 500),
    (REST, 10_000, 16, 10),
    (("KL-MOSS", "KL-UCB++"), 100_000, 2, 50),
    (LEVELS, 1_000, 16, 50),
    ((RECOMMENDED,), 1_000, 64, 50),
    (REST, 100_000, 4, 10),
    (SAMPLED, 10_000, 8, 50),
    ((RECOMMENDED,), 100_000, 16, 50),
    (REST, 1_000, 64, 10),
    (tuple(label for label in OTHERS if label not in SLOWEST), 10_000, 16, 10),
    (("AdaUCB",), 1_000, 32, 10),
    (("AdaUCB",), 10_000, 8, 10),
    (LEVELS, 100_000, 4, 50),
    ((RECOMMENDED,), 1_000, 128, 10),
    ((RECOMMENDED,), 100_000, 32, 50),
]


def missing(report: Path) -> Iterator[Run]:
    """The runs of the steps whose cells the report lacks."""
    known = {(each.family, each.name, each.horizon, each.policy) for each in read_atlas(report)}
    for labels, horizon, replications, most in STEPS:
        for where in atlas_sets("report"):
            fitting = players(where.family, where.group)
            for label in labels:
                cell = where.family, where.name, horizon, label
                if where.arms > most or label not in fitting or cell in known:
                    continue
                # The paper's problems are three: as many replications in all as on other sets.
                count = len(where.problems(FULL.problems))
                each = -(-replications * FULL.problems // count)
                yield Run(where, label, fitting[label], FULL.problems, each, (horizon,))


def played(runs: list[Run], folder: Path) -> dict[tuple[str, str, int], Run]:
    """Of each cell the run with the most replications among those in the folder."""
    found: dict[tuple[str, str, int], Run] = {}
    for run in sorted(runs, key=lambda each: each.replications):
        if (folder / run.file_name).exists():
            found[run.where.label, run.label, run.horizon] = run
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["play", "merge"])
    parser.add_argument("report", type=Path)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--minutes", type=float, default=60.0)
    given = parser.parse_args()
    runs = list(missing(given.report))
    done = played(runs, given.runs)
    if given.action == "merge":
        cells = cells_of(list(done.values()), given.runs)
        write_atlas([*read_atlas(given.report), *cells], given.report)
        return
    end = time.monotonic() + 60.0 * given.minutes
    for k, run in enumerate(runs):
        if time.monotonic() > end:
            print(f"{len(runs) - k} of {len(runs)} runs are left")
            return
        cell = run.where.label, run.label, run.horizon
        if cell not in done or done[cell].replications < run.replications:
            began = time.monotonic()
            play([run], given.runs)  # one by one: what was played is kept
            done[cell] = run
            took = time.monotonic() - began
            where = f"{run.where.label}, T = {run.horizon:,}"
            print(f"{where}: {run.label}, {run.replications} x, {took:.1f} s", flush=True)


if __name__ == "__main__":
    main()
