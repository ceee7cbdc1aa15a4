"""The tables and figures of docs/explanation/atlas.md, and a table of docs/howto/which_policy.md.

python benchmarks/atlas_tables.py docs/atlas/training                # the candidates
python benchmarks/atlas_tables.py docs/atlas/report                  # the recommended policy
python benchmarks/atlas_tables.py docs/atlas/report docs/images      # and the figures
"""

from __future__ import annotations

import sys
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from rbmle.atlas import (
    AWARE,
    FAMILY_FREE,
    RIVALS,
    AtlasCell,
    AtlasVerdict,
    atlas_sets,
    read_atlas,
    verdicts,
    within_targets,
)
from rbmle.atlas.verdicts import RECOMMENDED, SMALLEST_MEAN, by_set
from rbmle.figures import save_atlas_figures

BEST = 8  # candidates shown of each family
HORIZONS = (1_000, 10_000, 100_000)
ALSO = (
    *("stable BetaBias 0.5 1", "canonical BetaBias 0.5 1", "mean BetaBias 0.5 4"),
    "stable ArmBias 0.2 1.8 0.5 1 1 1 left reach 0.5",
)
# Policies with short tails, as docs/howto/which_policy.md names them.
SHORT = {
    "KL-UCB+": '`KLUCB(level="plus")`',
    "KL-UCB": "`KLUCB()`",
    "IMED": "`IMED()`",
    RECOMMENDED: '`"recommended"`',
}
HEAD = (
    "| | benchmarks | both targets | below all rivals | mean, best rival = 1: geometric mean "
    "| worst | worst 99 %, Thompson = 1 |\n|---|---|---|---|---|---|---|"
)


def short(policy: str) -> str:
    return policy.replace("ArmBias ", "").replace("BetaBias", "Beta")


def average(ratios: ArrayLike) -> float:
    """The geometric mean."""
    return float(np.exp(np.log(ratios).mean()))


def table(cells: list[AtlasCell]) -> None:
    """Print a table of a family."""
    rows = []
    for policy in dict.fromkeys(each.policy for each in cells):
        found = verdicts(cells, policy)
        ratio = np.array([each.ratio for each in found])
        both = sum(each.ratio <= 1.25 and each.tail <= 2.0 for each in found)
        mean = average(ratio)
        tail = max(each.tail for each in found)
        below = within_targets(found)[0]
        rows.append((policy, len(found), both, below, mean, ratio.max(), tail))
    rows.sort(key=lambda row: (-row[2] / row[1], row[4]))
    rivals = (*RIVALS, *AWARE)
    ours = [row for row in rows if row[0] not in rivals]
    shown = ours[:BEST] + [row for row in ours[BEST:] if row[0] in ALSO]
    shown += [row for name in rivals for row in rows if row[0] == name]
    print(HEAD)
    for policy, benchmarks, both, below, *numbers in shown:
        won = "" if policy in rivals else below
        told = "{:.2f} | {:.2f} | {:.1f} |".format(*numbers)
        print(f"| {short(policy)} | {benchmarks} | {both} | {won} | {told}")


def lead(found: list[AtlasVerdict]) -> str:
    """On how many benchmarks the mean is the smallest, the geometric mean of its ratios to the best
    rival's, and the largest of them."""
    ratio = np.array([each.ratio for each in found])
    if not ratio.size:
        return ""
    mean = average(ratio)
    return f"{sum(ratio < 1.0)} of {ratio.size}, {mean:.2f}, {ratio.max():.2f}"


def report(cells: list[AtlasCell]) -> None:
    """Print what the report says of the recommended forms: against each group of rivals, and set by
    set."""
    wrong = {(each.family, each.name) for each in atlas_sets("report") if each.misspecified}
    print("| form | rewards | T | rivals without T | rivals with T | worst 99 % | worst 99.9 % |")
    print("|---|---|---|---|---|---|---|")
    families = list(dict.fromkeys(each.family for each in cells))
    for form, family in product((RECOMMENDED, SMALLEST_MEAN), families):
        for horizon in sorted({each.horizon for each in cells}):
            here = [
                each
                for each in cells
                if (each.family, each.horizon) == (family, horizon)
                and (family, each.name) not in wrong
            ]
            groups = [verdicts(here, form, names) for names in (RIVALS, AWARE)]
            if not groups[0]:
                continue
            leads = " | ".join(map(lead, groups))
            far = [each.far_tail for each in groups[0] if not np.isnan(each.far_tail)]
            farthest = f"{max(far):.2f}" if far else "-"
            tails = f"{max(each.tail for each in groups[0]):.2f} | {farthest}"
            print(f"| {form} | {family} | {horizon:,} | {leads} | {tails} |")
    print("\nAll horizons, against all rivals; tails: within 2 and 3 times Thompson sampling's\n")
    print("| form | rewards | below all | at most 1.25 times | tails |\n|---|---|---|---|---|")
    for form, family in product((RECOMMENDED, SMALLEST_MEAN), families):
        right = [each for each in cells if (family, each.name) not in wrong]
        found = [each for each in verdicts(right, form) if each.family == family]
        counts = " | ".join(f"{each} of {len(found)}" for each in within_targets(found))
        print(f"| {form} | {family} | {counts} |")
    short_tails([each for each in cells if (each.family, each.name) not in wrong], families)
    misspecified([each for each in cells if (each.family, each.name) in wrong])
    for form, family in product((RECOMMENDED, SMALLEST_MEAN), families):
        own = [each for each in verdicts(cells, form) if each.family == family]
        horizons = sorted({each.horizon for each in own})
        heads = " | ".join(f"T = {each:,} | 99 %" for each in horizons)
        print(f"\n**{form}, {family}**:\n\n| set | {heads} |")
        print("|---" * (1 + 2 * len(horizons)) + "|")
        for name in dict.fromkeys(each.name for each in own):
            at = {each.horizon: each for each in own if each.name == name}
            told = [
                f"{at[k].ratio:.2f} ({at[k].best}) | {at[k].tail:.2f}" if k in at else " | "
                for k in horizons
            ]
            print(f"| {name} | " + " | ".join(told) + " |")


def short_tails(cells: list[AtlasCell], families: list[str]) -> None:
    """Print the 99.9 % quantile in units of Thompson sampling's, the mean in units of the
    recommended form's, and the 99 % quantile likewise, at T = 10,000."""
    print(f"\nShort tails\n\n| | {' | '.join(families)} |\n|---" + "|---" * len(families) + "|")
    sets = by_set([each for each in cells if each.horizon == 10_000])
    for policy, shown in SHORT.items():
        told = []
        for family in families:
            far, mean, tail = [], [], []
            for place, alike in sets.items():
                named = {each.policy: each for each in alike}
                if place[0] == family and {policy, RECOMMENDED} <= set(named):
                    own, ours = named[policy], named[RECOMMENDED]
                    far.append(own.far_tail / named["Thompson"].far_tail)
                    mean.append(own.mean / ours.mean)
                    tail.append(own.tail / ours.tail)
            told.append(", ".join(f"{average(each):.2f}" for each in (far, mean, tail)))
        print(f"| {shown} | {' | '.join(told)} |")


def misspecified(cells: list[AtlasCell]) -> None:
    """Print how the forms do where rewards are not of the family that they assume, against each
    group of rivals."""
    groups = {"rivals without T": RIVALS, "rivals with T": AWARE, "no family": FAMILY_FREE}
    print("\n**Where the family is wrong**: the mean in units of the best of each group\n")
    print(f"| form | rewards | T | {' | '.join(groups)} | 99 % | 99.9 % |\n|---" + "|---" * 7 + "|")
    for form, horizon in product((RECOMMENDED, SMALLEST_MEAN), HORIZONS):
        here = [each for each in cells if each.horizon == horizon]
        for found in zip(*(verdicts(here, form, names) for names in groups.values()), strict=True):
            ratios = " | ".join(f"{each.ratio:.2f} ({each.best})" for each in found)
            first, name = found[0], f"{found[0].family}: {found[0].name}"
            tails = f"{first.tail:.2f} | {first.far_tail:.2f}"
            print(f"| {form} | {name} | {horizon:,} | {ratios} | {tails} |")


def main(folder: str, images: str = "") -> None:
    cells = read_atlas(folder)
    if any(each.policy == RECOMMENDED for each in cells):
        report(cells)
        if images:
            middle = [each for each in cells if each.horizon == 10_000]
            save_atlas_figures(middle, f"{images}/atlas")
        return
    for family in dict.fromkeys(each.family for each in cells):
        here = [each for each in cells if each.family == family]
        benchmarks = len({(each.name, each.horizon) for each in here})
        print(f"\n**{family.capitalize()}** ({benchmarks} benchmarks):\n")
        table(here)


if __name__ == "__main__":
    main(*sys.argv[1:])
