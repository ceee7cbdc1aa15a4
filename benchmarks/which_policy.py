"""Which policy for a family of which `recommended` has no form: it prints a table of
docs/howto/families.md.

    python benchmarks/which_policy.py FOLDER   # a quarter of an hour of a processor

Runs are stored in FOLDER, so that the same command goes on where it was stopped.
"""

from __future__ import annotations

import sys
from pathlib import Path

from atlas_tables import average
from recommended import PLACES, played

from rbmle.atlas import AWARE, RIVALS, AtlasCell
from rbmle.atlas.efforts import OTHERS
from rbmle.atlas.sets import Draw, ProblemSet
from rbmle.atlas.verdicts import by_set

EFFORT = (64, 8)  # problems of each set, replications of each
PLAYERS = {**RIVALS, **AWARE, "RBMLE": OTHERS["RBMLE"], "UCB": OTHERS["UCB"]}
del PLAYERS["Bayes-UCB"]  # it takes 10 to 100 times as long as the others
# For normal rewards: sigma, which policies do not know, name, arms, how means are drawn.
NORMAL = (
    (1.0, "normal", 10, "normal", 1.0),
    (1.0, "close", 10, "uniform", 0.0, 0.2),
    (0.1, "small", 10, "uniform", 0.0, 0.5),
    (20.0, "large", 10, "uniform", 90.0, 110.0),
    (1.0, "two arms", 2, "normal", 1.0),
    (1.0, "50 arms", 50, "normal", 0.5),
)
GEOMETRIC, COUNT, UNKNOWN = "geometric", "negativebinomial(r=3)", "gaussianunknown"


def places(family: str) -> list[ProblemSet]:
    """The sets of problems; counts have the means of the Poisson sets of `recommended.py`."""
    if family == UNKNOWN:
        return [
            ProblemSet("report", family, name, arms, Draw(rule, tuple(of)), f"gaussian({sigma})")
            for sigma, name, arms, rule, *of in NORMAL
        ]
    return [
        ProblemSet("report", family, name, arms, Draw(rule, tuple(of)), family)
        for name, arms, rule, *of in PLACES["poisson"]
    ]


def told(cells: list[AtlasCell], label: str) -> str:
    """The mean regret in units of the smallest, on average (the geometric mean) and at worst, and
    the largest 99 % quantile in units of Thompson sampling's."""
    ratios, tails = [], []
    for alike in by_set(cells).values():
        named = {each.policy: each for each in alike}
        ratios.append(named[label].mean / min(each.mean for each in alike))
        tails.append(named[label].tail / named["Thompson"].tail)
    return f"{average(ratios):.2f}, {max(ratios):.3g}, {max(tails):.2f}"


def main(folder: str) -> None:
    families = (GEOMETRIC, COUNT, UNKNOWN)
    cells = {name: played(Path(folder), places(name), PLAYERS, EFFORT) for name in families}
    print("| | " + " | ".join(families) + " |\n|---" + "|---" * len(families) + "|")
    rows = {name: [told(each, name) for each in cells.values()] for name in PLAYERS}
    for name, row in sorted(rows.items(), key=lambda each: float(each[1][0].split(",")[0])):
        print(f"| {name} | " + " | ".join(row) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:])
