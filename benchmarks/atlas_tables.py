"""The tables and figures of docs/atlas.md.

python benchmarks/atlas_tables.py docs/atlas/training                # the candidates
python benchmarks/atlas_tables.py docs/atlas/report                  # the recommended policy
python benchmarks/atlas_tables.py docs/atlas/report docs/images      # and the figures
"""

from __future__ import annotations

import sys

import numpy as np

from rbmle.atlas import (
    RIVALS,
    AtlasCell,
    AtlasVerdict,
    atlas_sets,
    read_atlas,
    verdicts,
    within_targets,
)
from rbmle.figures import atlas_map, draw_atlas_map, save, save_atlas_figures

BEST = 8  # candidates shown of each family
ALSO = (
    *("stable BetaBias 0.5 1", "canonical BetaBias 0.5 1", "mean BetaBias 0.5 4"),
    "stable ArmBias 0.2 1.8 0.5 1 1 1 left reach 0.5",
)
TARGETS = (
    "benchmarks | below all rivals | surely below, surely above | at most 1.25 times "
    "| 99 % at most 2 times Thompson's "
    "| mean, best rival = 1: geometric mean | worst | worst 99 %"
)
HEAD = (
    "| | benchmarks | both targets | below all rivals | mean, best rival = 1: geometric mean "
    "| worst | worst 99 %, Thompson = 1 |\n|---|---|---|---|---|---|---|"
)


def short(policy: str) -> str:
    return policy.replace("ArmBias ", "").replace("BetaBias", "Beta")


def table(cells: list[AtlasCell]) -> list[str]:
    """Print a table of a family, and return the policies in it."""
    rows = []
    for policy in dict.fromkeys(each.policy for each in cells):
        found = verdicts(cells, policy)
        ratio = np.array([each.ratio for each in found])
        both = sum(each.ratio <= 1.25 and each.tail <= 2.0 for each in found)
        mean = float(np.exp(np.log(ratio).mean()))
        tail = max(each.tail for each in found)
        below = within_targets(found)[0]
        rows.append((policy, len(found), both, below, mean, ratio.max(), tail))
    rows.sort(key=lambda row: (-row[2] / row[1], row[4]))
    ours = [row for row in rows if row[0] not in RIVALS]
    shown = ours[:BEST] + [row for row in ours[BEST:] if row[0] in ALSO]
    shown += [row for name in RIVALS for row in rows if row[0] == name]
    print(HEAD)
    for policy, benchmarks, both, below, *numbers in shown:
        won = "" if policy in RIVALS else below
        told = "{:.2f} | {:.2f} | {:.1f} |".format(*numbers)
        print(f"| {short(policy)} | {benchmarks} | {both} | {won} | {told}")
    return [row[0] for row in shown]


def surely(cells: list[AtlasCell], found: list[AtlasVerdict]) -> tuple[int, int]:
    """On how many benchmarks the recommended policy's mean is below and above the best rival's by
    more than two standard errors of the difference, problem by problem."""
    named = {(*each[:3], each.policy): each.by_problem for each in cells}
    sides = [0, 0]
    for each in found:
        ours, best = (named[(*each[:3], name)] for name in ("recommended", each.best))
        gap = ours - best
        error = gap.std(ddof=1) / np.sqrt(gap.size)
        sides[0] += bool(gap.mean() + 2.0 * error < 0.0)
        sides[1] += bool(gap.mean() - 2.0 * error > 0.0)
    return sides[0], sides[1]


def counts(cells: list[AtlasCell], found: list[AtlasVerdict]) -> str:
    """A row of the table of targets."""
    ratio = np.array([each.ratio for each in found])
    below, near, tails = within_targets(found)
    mean, tail = float(np.exp(np.log(ratio).mean())), max(each.tail for each in found)
    under, over = surely(cells, found)
    whole = f"{len(found)} | {below} | {under}, {over} | {near} | {tails}"
    return f"{whole} | {mean:.2f} | {ratio.max():.2f} | {tail:.1f}"


def report(cells: list[AtlasCell]) -> None:
    """Print what the report says of the recommended policy."""
    found = verdicts(cells)
    wrong = {(each.family, each.name) for each in atlas_sets("report") if each.misspecified}
    print(f"| | T | {TARGETS} |\n|---|---|---|---|---|---|---|---|---|---|")
    for family in dict.fromkeys(each.family for each in cells):
        own = [each for each in found if each.family == family]
        right = [each for each in own if (family, each.name) not in wrong]
        for horizon in dict.fromkeys(each.horizon for each in right):
            some = [each for each in right if each.horizon == horizon]
            print(f"| {family.capitalize()} | {horizon:,} | {counts(cells, some)} |")
        print(f"| **{family.capitalize()}** | all | {counts(cells, right)} |")
        other = [each for each in own if each not in right]
        if other:
            print(f"| {family.capitalize()}, misspecified | all | {counts(cells, other)} |")
    for family in dict.fromkeys(each.family for each in cells):
        own = [each for each in found if each.family == family]
        horizons = sorted({each.horizon for each in own})
        heads = " | ".join(f"T = {each:,} | 99 %" for each in horizons)
        print(f"\n**{family.capitalize()}**:\n\n| set | {heads} |")
        print("|---" * (1 + 2 * len(horizons)) + "|")
        for name in dict.fromkeys(each.name for each in own):
            here = {each.horizon: each for each in own if each.name == name}
            told = [
                f"{here[k].ratio:.2f} ({here[k].best}) | {here[k].tail:.2f}" if k in here else " | "
                for k in horizons
            ]
            print(f"| {name} | " + " | ".join(told) + " |")


def main(folder: str, images: str = "") -> None:
    cells = read_atlas(folder)
    if any(each.policy == "recommended" for each in cells):
        report(cells)
        if images:
            middle = [each for each in cells if each.horizon == 10_000]
            save_atlas_figures(middle, f"{images}/atlas")
        return
    for family in dict.fromkeys(each.family for each in cells):
        here = [each for each in cells if each.family == family]
        benchmarks = len({(each.name, each.horizon) for each in here})
        print(f"\n**{family.capitalize()}** ({benchmarks} benchmarks):\n")
        shown = table(here)
        if images:
            named = [
                each._replace(policy=short(each.policy)) for each in here if each.policy in shown
            ]
            record = atlas_map(named, family, 10_000)
            save(draw_atlas_map(record), f"{images}/atlas-training-{family}.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
