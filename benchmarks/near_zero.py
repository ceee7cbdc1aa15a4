"""How much the recommended form for coins needs its alpha beside its guard: it prints what
docs/explanation/mathematics.md says of means near 0.

    python benchmarks/near_zero.py FOLDER          # ten minutes of a processor
    python benchmarks/near_zero.py FOLDER report   # the sets on which nothing is chosen

Several c with the same guard, on the training sets of the atlas: the mean regret in units of that
of KL-UCB by the rounds to come, and the 99 % quantile in units of Thompson sampling's. Runs are
stored in FOLDER, so that the same command goes on where it was stopped.
"""

from __future__ import annotations

import sys
from pathlib import Path

from atlas_tables import average
from recommended import played

from rbmle import RBMLE, recommended
from rbmle.atlas import AWARE, RIVALS, atlas_sets
from rbmle.atlas.verdicts import by_set

EFFORT, MOST_ARMS = (64, 16), 50  # problems of each set, replications of each
LEFT, USUAL = "KL-UCB, left", "Thompson"
CHOSEN = recommended("bernoulli").alpha
FORMS = {
    f"c = {c:g}, guard {guard:g}": RBMLE(CHOSEN._replace(c=c, guard=guard), f="stable")
    for c, guard in ((0.7, 1.15), (1.2, 1.15), (1.6, 1.15), (2.1, 1.15), (1.6, 1.0))
}
PLAYERS = {USUAL: RIVALS[USUAL], LEFT: AWARE[LEFT], **FORMS}


def main(folder: str, group: str = "training") -> None:
    right = [each for each in atlas_sets(group, ["bernoulli"]) if not each.misspecified]
    sets = [each for each in right if each.arms <= MOST_ARMS]
    found = by_set(played(Path(folder), sets, PLAYERS, EFFORT))
    ratios: dict[str, list[tuple[float, float]]] = {name: [] for name in PLAYERS}
    print("| set | T | " + " | ".join(PLAYERS) + " |\n|---|---" + "|---" * len(PLAYERS) + "|")
    for (_, name, horizon), alike in found.items():
        named = {each.policy: each for each in alike}
        for policy, each in named.items():
            ratios[policy].append((each.mean / named[LEFT].mean, each.tail / named[USUAL].tail))
        told = " | ".join("{:.2f}, {:.2f}".format(*ratios[policy][-1]) for policy in PLAYERS)
        print(f"| {name} | {horizon:,} | {told} |")
    sums = [tuple(zip(*ratios[policy], strict=True)) for policy in PLAYERS]
    told = " | ".join(f"{average(means):.3f}, {max(tails):.2f}" for means, tails in sums)
    print(f"| mean, worst | | {told} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
