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
from rbmle.atlas.plan import FULL, OTHERS, atlas_runs
from rbmle.atlas.play import play
from rbmle.atlas.runs import Run
from rbmle.atlas.summary import cells_of

FEW = FULL._replace(
    replications={1_000: 8, 10_000: 8, 100_000: 1},
    slow={1_000: 4, 10_000: 2, 100_000: 1},
    slowest={1_000: 1},
    arms={1_000: 500, 10_000: 500, 100_000: 10},
)


def lacking(known: set[tuple[str, str, int, str]]) -> list[Run]:
    """The runs with few replications of which a cell is not known."""
    return [
        run
        for run in atlas_runs("report", [], FEW)
        if not {(run.where.family, run.where.name, t, run.label) for t in run.checkpoints} <= known
    ]


def waits(run: Run) -> bool:
    """Whether others are played first: rivals, the recommended form, RBMLE and UCB."""
    return run.label in OTHERS and run.label not in ("RBMLE", "UCB")


def main(folder: Path, processes: int) -> None:
    cells = cells_of(atlas_runs("report", [], FULL), folder / "runs")
    known = {each[:4] for each in cells}
    few = lacking(known)
    for later in (False, True):
        some = [run for run in few if waits(run) == later]
        play(some, folder / "few", threads=1, processes=processes, tell=print)
    cells += [each for each in cells_of(few, folder / "few") if each[:4] not in known]
    write_atlas(cells, folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
