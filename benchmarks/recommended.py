"""The forms of risk="mean" where the atlas does not play them: without a horizon on Gaussian
rewards, and on Binomial, Poisson and Gamma rewards with and without one. It prints what
docs/reference/atlas_data.md says.

    python benchmarks/recommended.py FOLDER   # some ten minutes of a processor

Runs are stored in FOLDER, so that the same command goes on where it was stopped. Gaussian rivals
are those of docs/atlas/report, on the same problems.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rbmle import MOSS, RBMLE, ArmBias, Clock, policy, recommended
from rbmle.atlas import AWARE, RIVALS, AtlasCell, atlas_sets, read_atlas, verdicts, within_targets
from rbmle.atlas.play import Run, play
from rbmle.atlas.sets import Draw, ProblemSet
from rbmle.atlas.verdicts import cells_of

HORIZONS, MOST_ARMS = (1_000, 10_000), 50
# Problems of each set, and replications of each; the report of the atlas has 128 problems.
GAUSSIAN, OTHERS = (128, 8), (64, 4)
WITH, WITHOUT = "recommended, mean", "recommended, mean, without the horizon"
_SIX = ("Thompson", "KL-UCB", "Bayes-UCB", "IMED", "UCB-Tuned", "MOSS")
SIX = {name: each for name, each in {**RIVALS, **AWARE}.items() if name in _SIX}
BY_T = RBMLE(ArmBias(0.1, 1.8, 0.5, 1.0, 0.5), f="stable")
# name, arms, how means are drawn. On none of these was anything chosen.
PLACES = {
    "binomial(trials=10)": (
        ("uniform", 10, "uniform", 1.0, 9.0),
        ("close", 10, "uniform", 4.5, 5.5),
        ("near 0", 10, "uniform", 0.0, 1.0),
        ("near 10", 10, "uniform", 9.0, 10.0),
        ("two arms", 2, "uniform", 1.0, 9.0),
        ("50 arms", 50, "uniform", 1.0, 9.0),
    ),
    "poisson": (
        ("log-normal", 10, "log-normal", 1.0, 0.5),
        ("close", 10, "log-normal", 1.0, 0.1),
        ("small", 10, "log-normal", 0.02, 0.5),
        ("large", 10, "log-normal", 20.0, 0.3),
        ("two arms", 2, "log-normal", 1.0, 0.5),
        ("50 arms", 50, "log-normal", 1.0, 0.3),
    ),
    "gamma(shape=2)": (
        ("log-normal", 10, "log-normal", 1.0, 0.5),
        ("close", 10, "log-normal", 1.0, 0.1),
        ("small", 10, "log-normal", 0.02, 0.5),
        ("large", 10, "log-normal", 50.0, 0.5),
        ("two arms", 2, "log-normal", 1.0, 0.5),
        ("50 arms", 50, "log-normal", 1.0, 0.3),
    ),
}


@policy
class Unaware(NamedTuple):
    """A form of RBMLE that is not told the horizon, as in a `Decider` without one."""

    form: Any

    def level(self, family: Any, arms: Any, clock: Any) -> Any:
        return self.form.level(family, arms, Clock(clock.t, 0))

    def index_of(self, family: Any, arms: Any, i: int, level: Any) -> float:
        return self.form.index_of(family, arms, i, level)

    def prefer(self, family: Any, arms: Any, i: int, j: int, level: Any) -> float:
        return self.form.prefer(family, arms, i, j, level)


def places(family: str) -> list[ProblemSet]:
    return [
        ProblemSet("report", family, name, arms, Draw(rule, tuple(numbers)), family)
        for name, arms, rule, *numbers in PLACES[family]
    ]


def played(
    folder: Path, sets: list[ProblemSet], players: dict[str, Any], effort: tuple[int, int],
    horizons: tuple[int, ...] = HORIZONS, device: str = "cpu",
) -> list[AtlasCell]:  # fmt: skip
    """Play the policies on the sets: a cell for each policy, set and horizon."""
    problems, each_problem = effort
    runs = []
    for where, (label, each) in product(sets, players.items()):
        # A policy that uses the horizon is played for each; another one once, for all.
        told = [(horizon,) for horizon in horizons] if each.uses_horizon() else [horizons]
        # The paper's problems are three: as many replications in all as on other sets.
        count = -(-each_problem * problems // len(where.problems(problems)))
        runs += [Run(where, label, each, problems, count, rounds) for rounds in told]
    play(runs, folder, device, tell=lambda line: print(line, file=sys.stderr, flush=True))
    return cells_of(runs, folder)


def line(cells: list[AtlasCell], label: str) -> str:
    """How a policy does against the rivals, as a row of a table."""
    found = verdicts(cells, label, SIX)
    ratio, worst = np.array([each.ratio for each in found]), max(found, key=lambda x: x.ratio)
    below, near, tails = within_targets(found)
    mean, tail = np.exp(np.log(ratio).mean()), max(each.tail for each in found)
    return (
        f"| {label} | {len(found)} | {below} | {near} | {tails} | {mean:.2f} "
        f"| {worst.ratio:.2f} ({worst.name}, T = {worst.horizon:,}) | {tail:.1f} |"
    )


HEAD = (
    "| {} | pairs | below all rivals | at most 1.25 times | 99 % at most 2 times Thompson's "
    "| mean, best rival = 1: geometric mean | worst | worst 99 % |\n|---" + "|---" * 7 + "|"
)


def gaussian(folder: Path) -> None:
    """Gaussian forms without a horizon. `BY_T` was the best of those on the training sets."""
    right = [each for each in atlas_sets("report", ["gaussian"]) if not each.misspecified]
    sets = [each for each in right if each.arms <= MOST_ARMS]
    ours = {WITHOUT: Unaware(recommended("gaussian", risk="mean")), "by t": BY_T}
    cells = played(folder, sets, ours | {"MOSS, anytime": MOSS(anytime=True)}, GAUSSIAN)
    named = {each.name for each in sets}
    known = [
        each
        for each in read_atlas("docs/atlas/report")
        if each.family == "gaussian" and each.name in named and each.horizon in HORIZONS
    ]
    for label in (WITH, *ours, "MOSS, anytime", *SIX):
        print(line([*cells, *known], label))
    # The same against rivals none of which knows the horizon: MOSS is the anytime one.
    unaware = [each._replace(policy=each.policy.removesuffix(", anytime")) for each in cells]
    others = [each for each in known if each.policy != "MOSS"]
    print("\n" + HEAD.format("Gaussian, MOSS without the horizon too"))
    for label in (*ours, "MOSS"):
        print(line([*unaware, *others], label), flush=True)


def main(folder: str) -> None:
    print(HEAD.format("Gaussian"))
    gaussian(Path(folder))
    for family in PLACES:
        ours = {WITH: recommended(family, "mean"), WITHOUT: Unaware(recommended(family, "mean"))}
        rivals = {name: each for name, each in SIX.items() if name != "Bayes-UCB"}  # slow here
        cells = played(Path(folder), places(family), ours | rivals, OTHERS)
        print("\n" + HEAD.format(family.capitalize()))
        print("\n".join(line(cells, label) for label in [*ours, *rivals]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
