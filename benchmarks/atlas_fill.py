"""Play what a report lacks on processors, with few replications, and write it as one atlas:

    python benchmarks/atlas_fill.py FOLDER [PROCESSES]

FOLDER/runs holds what `rbmle atlas --device cuda --out FOLDER` had time for. A policy on a set that
is not there in full is played with the effort `FEW` into FOLDER/few; rivals and misspecified laws
come first. The column `replications` of atlas.csv tells the two apart.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rbmle.atlas import write_atlas
from rbmle.atlas.plan import FULL, OTHERS, Effort, atlas_runs
from rbmle.atlas.play import play
from rbmle.atlas.runs import Run, stored
from rbmle.atlas.summary import cells_of

FEW = Effort(
    problems=128,
    replications={1_000: 8, 10_000: 8, 100_000: 1},
    slow={1_000: 4, 10_000: 2, 100_000: 1},
    slowest={1_000: 1},
    arms={1_000: 500, 10_000: 500, 100_000: 10},
    arms_slowest=12,
)


def lacking(folder: Path) -> list[Run]:
    """The runs with few replications of which the folder does not hold those with many."""
    here = {
        (run.where.label, run.label, horizon)
        for run in atlas_runs("report", [], FULL)
        for horizon in run.checkpoints
        if stored(folder, run) is not None
    }
    return [
        run
        for run in atlas_runs("report", [], FEW)
        if any((run.where.label, run.label, each) not in here for each in run.checkpoints)
    ]


def main(folder: Path, processes: int) -> None:
    few = lacking(folder / "runs")
    later = [run for run in few if run.label in OTHERS and run.label not in ("RBMLE", "UCB")]
    for some in ([run for run in few if run not in later], later):
        play(some, folder / "few", threads=1, processes=processes, tell=print)
    cells = cells_of(atlas_runs("report", [], FULL), folder / "runs")
    known = {(each.family, each.name, each.horizon, each.policy) for each in cells}
    cells += [
        each
        for each in cells_of(few, folder / "few")
        if (each.family, each.name, each.horizon, each.policy) not in known
    ]
    write_atlas(cells, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
