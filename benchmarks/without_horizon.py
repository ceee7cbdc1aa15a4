"""Both recommended forms where they are not told the horizon, as by a `Decider` without one.

    python benchmarks/without_horizon.py FOLDER [FAMILY ...]   # some minutes of a processor each

They play the report's sets of two and ten arms, against those rivals of docs/atlas/report that do
not know the horizon either. It prints the table of docs/explanation/atlas.md. Runs are stored in
FOLDER, so that the same command goes on where it was stopped.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from atlas_tables import lead
from recommended import HORIZONS, Unaware, played

from rbmle import recommended
from rbmle.atlas import RIVALS, atlas_sets, read_atlas, verdicts

EFFORT = (128, 4)  # problems of each set, replications of each
HEAD = """\
| without a horizon | rewards | T | rivals without T | worst 99 % |
|---|---|---|---|---|"""


def main(folder: str, *families: str) -> None:
    print(HEAD)
    report = read_atlas("docs/atlas/report")
    for family in families or ("bernoulli", "gaussian", "exponential"):
        right = [each for each in atlas_sets("report", [family]) if not each.misspecified]
        sets = [each for each in right if each.arms <= 10]
        forms = {risk: Unaware(recommended(family, risk)) for risk in ("tails", "mean")}
        cells = played(Path(folder), sets, forms, EFFORT)
        for risk in forms:
            for horizon in HORIZONS:
                here = [each for each in [*cells, *report] if each.horizon == horizon]
                found = [each for each in verdicts(here, risk, RIVALS) if each.family == family]
                tail = np.nanmax([each.tail for each in found])
                print(f'| risk="{risk}" | {family} | {horizon:,} | {lead(found)} | {tail:.2f} |')


if __name__ == "__main__":
    main(*sys.argv[1:])
