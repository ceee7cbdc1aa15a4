"""Play what the atlas's report lacks of its plan, and add it.

    python benchmarks/atlas_fill.py play docs/atlas/report RUNS [--device cuda]  # goes on
    python benchmarks/atlas_fill.py merge docs/atlas/report RUNS
    python benchmarks/atlas_fill.py play ... --only AdaUCB --most 1   # then merge with the same two

RUNS is a folder with a file for each run. A cell that the report has with as many replications is
neither played nor replaced; ratios to the best policy of a set are computed anew. Sets stay in
the order of the plan.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from rbmle.atlas import atlas_sets, read_atlas
from rbmle.atlas.efforts import FULL, atlas_runs
from rbmle.atlas.play import Run, play
from rbmle.atlas.verdicts import AtlasCell, cells_of, write_atlas


def by_place(cells: list[AtlasCell]) -> dict[tuple[str, str, int, str], AtlasCell]:
    """The cells by family, set, horizon and policy; of two the one with more replications."""
    return {each[:4]: each for each in sorted(cells, key=lambda cell: cell.replications)}


def lacking(cells: list[AtlasCell], only: list[str], most: int) -> list[Run]:
    """The runs of the plan of which a cell is missing, or has too few replications.

    only: their policies; all if there are none. most: replications of each problem that are enough.
    """
    known = {place: each.replications for place, each in by_place(cells).items()}

    def lacks(run: Run) -> bool:
        where = run.where.family, run.where.name
        places = ((*where, horizon, run.label) for horizon in run.checkpoints)
        return any(known.get(place, 0) < run.replications for place in places)

    plan = [run for run in atlas_runs("report", [], FULL) if not only or run.label in only]
    enough = [run._replace(replications=min(run.replications, most)) for run in plan]
    return [run for run in enough if lacks(run)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=["play", "merge"])
    parser.add_argument("report", type=Path)
    parser.add_argument("runs", type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--processes", type=int)
    parser.add_argument("--only", nargs="*", default=[], help="policies")
    parser.add_argument("--most", type=int, default=10**9, help="replications of each problem")
    given = parser.parse_args()
    cells = read_atlas(given.report)
    runs = lacking(cells, given.only, given.most)
    if given.action == "play":
        told = {"tell": lambda line: print(line, flush=True)}
        play(runs, given.runs, given.device, processes=given.processes, **told)
    else:
        found = by_place([*cells_of(runs, given.runs), *cells])
        sets = [(each.family, each.name) for each in atlas_sets("report")]
        merged = sorted(found.values(), key=lambda each: (sets.index(each[:2]), each.horizon))
        write_atlas(merged, given.report)


if __name__ == "__main__":
    main()
