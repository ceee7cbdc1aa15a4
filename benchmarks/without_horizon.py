"""Both recommended forms where they are not told the horizon, as by a `Decider` without one.

    python benchmarks/without_horizon.py FOLDER [--device cuda] [FAMILY ...]

They play the report's sets of two and ten arms, against those rivals of docs/atlas/report that do
not know the horizon either. It prints the table of docs/explanation/atlas.md. Runs are stored in
FOLDER, so that the same command goes on where it was stopped. Two processors take 40 minutes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from atlas_tables import lead
from recommended import Unaware, played

from rbmle import recommended
from rbmle.atlas import RIVALS, atlas_sets, read_atlas, verdicts

EFFORTS = {1_000: (128, 64), 10_000: (128, 16)}  # problems of each set, replications of each
HEAD = """\
| rewards | T | risk="tails" | worst 99 % | risk="mean" | worst 99 % |
|---|---|---|---|---|---|"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("families", nargs="*", default=["bernoulli", "gaussian", "exponential"])
    parser.add_argument("--device", default="cpu")
    given = parser.parse_intermixed_args()
    print(HEAD)
    report = read_atlas("docs/atlas/report")
    for family in given.families:
        right = [each for each in atlas_sets("report", [family]) if not each.misspecified]
        sets = [each for each in right if each.arms <= 10]
        forms = {risk: Unaware(recommended(family, risk)) for risk in ("tails", "mean")}
        cells = {
            horizon: played(given.folder, sets, forms, effort, (horizon,), given.device)
            for horizon, effort in EFFORTS.items()
        }
        for horizon, new in cells.items():
            here = [*new, *(each for each in report if each.horizon == horizon)]
            said = [family, f"{horizon:,}"]
            for risk in forms:
                found = [each for each in verdicts(here, risk, RIVALS) if each.family == family]
                said += [lead(found), f"{np.nanmax([each.tail for each in found]):.2f}"]
            print("|", " | ".join(said), "|", flush=True)


if __name__ == "__main__":
    main()
