"""The tables and figures of docs/atlas.md: which candidates meet the targets on the training sets.

python benchmarks/atlas_tables.py docs/atlas/training                # the tables
python benchmarks/atlas_tables.py docs/atlas/training docs/images    # and the figures
"""

from __future__ import annotations

import sys

import numpy as np

from rbmle.atlas import RIVALS, Cell, read_atlas, verdicts, within_targets
from rbmle.figures import atlas_map, draw_atlas_map, save

BEST = 5  # candidates shown of each family
ALSO = ("stable BetaBias 0.5 1", "canonical BetaBias 0.5 1", "mean BetaBias 0.5 4")
HEAD = (
    "| | both targets | below all rivals | mean, best rival = 1: geometric mean | worst "
    "| worst 99 %, Thompson = 1 |\n|---|---|---|---|---|---|"
)


def short(policy: str) -> str:
    return policy.replace("ArmBias ", "").replace("BetaBias", "Beta")


def table(cells: list[Cell]) -> list[str]:
    """Print a table of a family, and return the policies in it."""
    rows = []
    for policy in dict.fromkeys(each.policy for each in cells):
        found = verdicts(cells, policy)
        ratio = np.array([each.ratio for each in found])
        both = sum(each.ratio <= 1.25 and each.tail <= 2.0 for each in found)
        mean = float(np.exp(np.log(ratio).mean()))
        tail = max(each.tail for each in found)
        rows.append((policy, both, within_targets(found)[0], mean, ratio.max(), tail))
    rows.sort(key=lambda row: (-row[1], row[3]))
    ours = [row for row in rows if row[0] not in RIVALS]
    shown = ours[:BEST] + [row for row in ours[BEST:] if row[0] in ALSO]
    shown += [row for name in RIVALS for row in rows if row[0] == name]
    print(HEAD)
    for policy, both, below, *numbers in shown:
        won = "" if policy in RIVALS else below
        print(
            f"| {short(policy)} | {both} | {won} | " + "{:.2f} | {:.2f} | {:.1f} |".format(*numbers)
        )
    return [row[0] for row in shown]


def main(folder: str, images: str = "") -> None:
    cells = read_atlas(folder)
    for family in dict.fromkeys(each.family for each in cells):
        here = [each for each in cells if each.family == family]
        pairs = len({(each.name, each.horizon) for each in here})
        print(f"\n**{family.capitalize()}** ({pairs} pairs of a set and a horizon):\n")
        shown = table(here)
        if images:
            named = [
                each._replace(policy=short(each.policy)) for each in here if each.policy in shown
            ]
            record = atlas_map(named, family, 10_000)
            save(draw_atlas_map(record), f"{images}/atlas-training-{family}.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
