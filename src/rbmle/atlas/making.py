"""`atlas`: play the sets of problems, and write what the policies did on them."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ..errors import ParameterError, one_of
from .data import write_atlas
from .plan import FULL, QUICK, QUICK_POLICIES, QUICK_SETS, TRAINING, atlas_runs
from .play import play
from .runs import Run
from .sets import GROUPS
from .summary import Row, cells_of


def atlas(
    folder: str | os.PathLike[str] = "rbmle-atlas",
    group: str = "report",
    only: Sequence[str] = (),
    quick: bool = False,
    device: str = "cpu",
    threads: int | None = None,
    processes: int | None = None,
    tell: Callable[[str], None] | None = None,
) -> list[Row]:
    """Play the atlas into the folder, and return a row for each policy, set and horizon.

    A later call goes on where an earlier one was stopped. The folder gets atlas.csv and atlas.npz,
    and runs/, a small file for each run.
    group: "report", or "training" for the sets on which the recommended forms were chosen.
    only: families or sets, as in "bernoulli" or "bernoulli: near 0"; all by default.
    quick: ten sets (three of "training"), the fast policies, 1,000 rounds, few replications.
    device, threads: as in `simulate`. processes: see `play`.
    tell: called with a line about each job that is done.
    """
    if isinstance(only, str):
        raise ParameterError("atlas", "only", "a list of names", only)
    one_of("atlas", "group", group, GROUPS)
    asked = list(only)
    if quick:
        runs = atlas_runs(group, asked or QUICK_SETS[group], QUICK)
        runs = [each for each in runs if each.label in QUICK_POLICIES]
        _check_played(asked, runs)
    else:
        runs = atlas_runs(group, asked, TRAINING if group == "training" else FULL)
    target = Path(folder)
    play(runs, target / "runs", device, threads, processes, tell)
    return write_atlas(cells_of(runs, target / "runs"), target)


def _check_played(asked: list[str], runs: Sequence[Run]) -> None:
    """Refuse a set that was asked for and that a quick atlas leaves out."""
    played = {name for each in runs for name in (each.where.family, each.where.label)}
    for name in asked:
        if name not in played:
            most = max(QUICK.arms.values())
            raise ParameterError("atlas", "only", f"sets of at most {most} arms with quick", name)
