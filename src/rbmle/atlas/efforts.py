"""`atlas`: which policies are played on which sets, how long and how often.

On the training sets these are forms of RBMLE, among which the recommended ones were chosen.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import product
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from .. import policies
from .._records.record import Record
from ..errors import ParameterError, one_of
from ..policies import RBMLE, ArmBias, BetaBias, recommended
from ..policies.fit import as_family, check_fit
from .play import Run, play
from .sets import GROUPS, ProblemSet, atlas_sets
from .verdicts import (
    AWARE,
    FAMILY_FREE,
    RECOMMENDED,
    RIVALS,
    SMALLEST_MEAN,
    AtlasRow,
    cells_of,
    write_atlas,
)

OTHERS: dict[str, Record] = {
    "RBMLE": policies.RBMLE(),
    "KL-UCB+": policies.KLUCB(upto="plus"),
    "UCB": policies.UCB(),
    "GP-UCB": policies.GPUCB(),
    "GP-UCB-Tuned": policies.GPUCBTuned(),
    "KG": policies.KG(),
    "KG*": policies.KGStar(),
    "KGMin": policies.KGMin(),
    "KGMN": policies.KGMN(),
    "IDS": policies.IDS(),
    "VIDS": policies.VIDS(),
}
_SLOW = (
    *(policies.KGStar, policies.AdaUCB, policies.MaillardSampling, policies.TSUCB),
    policies.RBSDA,
)


class Effort(NamedTuple):
    """How much is played: problems of each set, and replications of each problem by horizon.

    guarded: the same for the recommended form with a guard. slow: for policies that take 10 to 100
    times as long as the others, and for more than 50 arms.
    slowest: the same for IDS and VIDS, for horizons at which they are played.
    arms: the most arms at each horizon; and the most for IDS and VIDS.
    """

    problems: int
    replications: dict[int, int]
    guarded: dict[int, int]
    slow: dict[int, int]
    slowest: dict[int, int]
    arms: dict[int, int]
    arms_slowest: int


FULL = Effort(
    problems=128,
    replications={1_000: 1024, 10_000: 1024, 100_000: 64},
    guarded={1_000: 1024, 10_000: 256, 100_000: 32},
    slow={1_000: 256, 10_000: 32, 100_000: 8},
    slowest={1_000: 8},
    arms={1_000: 500, 10_000: 500, 100_000: 50},
    arms_slowest=12,
)
_EACH = {1_000: 64, 10_000: 64, 100_000: 64}
TRAINING = Effort(
    64, _EACH, _EACH, _EACH, {}, {1_000: 500, 10_000: 500, 100_000: 10}, arms_slowest=0
)
_TEN = {1_000: 10}
QUICK = Effort(10, _TEN, _TEN, slow={}, slowest={}, arms={1_000: 12}, arms_slowest=0)

QUICK_POLICIES = (RECOMMENDED, "RBMLE", "Thompson", "KL-UCB", "IMED", "UCB-Tuned", "MOSS", "UCB")
QUICK_SETS = {
    "report": [
        *("bernoulli: uniform", "bernoulli: close", "bernoulli: near 0", "bernoulli: near 1"),
        *("gaussian: uniform", "gaussian: close", "gaussian: two arms"),
        *("exponential: log-normal", "exponential: close", "exponential: two arms"),
    ],
    "training": ["bernoulli: uniform", "gaussian: normal", "exponential: uniform"],
}


def players(family: str, group: str, misspecified: bool = False) -> dict[str, Any]:
    """The policies that fit the family, by their labels in the atlas.

    misspecified: rewards are not of this family, so those that assume none play too."""
    model = as_family(family)
    if group == "training":
        listed = {**candidates(family), **RIVALS, **AWARE}
    else:
        ours = {RECOMMENDED: recommended(model), SMALLEST_MEAN: recommended(model, risk="mean")}
        listed = {**ours, **RIVALS, **AWARE, **OTHERS, **(FAMILY_FREE if misspecified else {})}
    found = {}
    for label, policy in listed.items():
        try:
            check_fit(policy, model)
        except ParameterError:  # such as KG* for coins
            continue
        found[label] = policy
    return found


def _replications(effort: Effort, where: ProblemSet, policy: object) -> dict[int, int]:
    """Replications of each problem, by horizon."""
    if isinstance(policy, (policies.IDS, policies.VIDS)):
        return effort.slowest if where.arms <= effort.arms_slowest else {}
    if isinstance(policy, policies.EmpiricalIMED):  # a round takes time for each reward it keeps
        return {horizon: each for horizon, each in effort.slow.items() if horizon <= 10_000}
    if where.arms <= 50 and isinstance(policy, RBMLE) and policy.alpha.guards():
        return effort.guarded
    slow = (
        isinstance(policy, _SLOW)
        or (isinstance(policy, policies.BayesUCB) and where.family == "bernoulli")
        or (isinstance(policy, policies.KLUCB) and policy.upto)
    )
    return effort.slow if slow or where.arms > 50 else effort.replications


def runs_on(where: ProblemSet, effort: Effort) -> list[Run]:
    """The runs on a set. A policy that needs the horizon has one for each; another has one for all
    horizons with the same number of replications, and its regret is recorded at each of them."""
    runs = []
    count = len(where.problems(effort.problems))
    for label, policy in players(where.family, where.group, where.misspecified).items():
        alike: dict[tuple[int, int], list[int]] = {}
        for horizon, each in _replications(effort, where, policy).items():
            if where.arms <= effort.arms[horizon]:
                # The paper's problems are three: as many replications in all as on other sets.
                replications = -(-each * effort.problems // count)
                alone = horizon if policy.uses_horizon() else 0
                alike.setdefault((replications, alone), []).append(horizon)
        for (replications, _), horizons in alike.items():
            if "memory" in policy._fields:  # of rewards: all of them
                policy = policy.replace(memory=horizons[-1])
            runs.append(Run(where, label, policy, effort.problems, replications, tuple(horizons)))
    return runs


def atlas_runs(group: str, only: list[str], effort: Effort) -> list[Run]:
    """All runs of an atlas."""
    return [run for where in atlas_sets(group, only) for run in runs_on(where, effort)]


def atlas(
    folder: str | os.PathLike[str] = "rbmle-atlas",
    group: str = "report",
    only: Sequence[str] = (),
    quick: bool = False,
    device: str = "cpu",
    threads: int | None = None,
    processes: int | None = None,
    tell: Callable[[str], None] | None = None,
) -> list[AtlasRow]:
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
    if quick:
        runs = atlas_runs(group, list(only) or QUICK_SETS[group], QUICK)
        runs = [each for each in runs if each.label in QUICK_POLICIES]
        played = {name for each in runs for name in (each.where.family, each.where.label)}
        for name in only:
            if name not in played:
                allowed = f"sets of at most {max(QUICK.arms.values())} arms with quick"
                raise ParameterError("atlas", "only", allowed, name)
    else:
        runs = atlas_runs(group, list(only), TRAINING if group == "training" else FULL)
    target = Path(folder)
    play(runs, target / "runs", device, threads, processes, tell)
    return write_atlas(cells_of(runs, target / "runs"), target)


# Forms by the rounds that were played: c, spread, by_pulls, by_arms and least, at the power 0.1.
# For Gaussian rewards the width is c L^0.6 / (2 sqrt n) at the spread 1/2. MOSS has sqrt(L / n)
# there, which at L = 9 is c = 1.6, and KL-UCB has sqrt(2 L / n), which is c = 2.3. For exponential
# rewards the index is infinite up to n = alpha, which is exploration enough for a smaller c.
_PAST: dict[str, tuple[tuple[float, float, float, float, float], ...]] = {
    "bernoulli": (
        *((2.1, 0.5, 1.0, 0.0, 0.1), (2.1, 0.5, 1.0, 0.5, 0.1), (2.1, 0.5, 1.0, 0.5, 1.0)),
        (2.5, 0.5, 1.0, 1.0, 0.1),
    ),
    "gaussian": (
        *((1.6, 0.5, 1.0, 0.0, 0.1), (1.8, 0.5, 1.0, 0.5, 0.1), (2.1, 0.5, 1.0, 0.5, 0.1)),
        *((2.1, 0.5, 1.0, 1.0, 0.1), (2.5, 0.5, 1.0, 1.0, 0.1)),
    ),
    "exponential": (
        *((1.1, 0.5, 1.0, 0.5, 0.1), (1.3, 0.5, 1.0, 0.0, 0.1), (1.3, 0.5, 1.0, 1.0, 0.1)),
        *((1.5, 0.35, 0.0, 0.0, 0.1), (1.7, 0.5, 1.0, 0.5, 0.5)),
    ),
}


# Forms that use the horizon, at the spread 1/2: power, c, by_arms, least and reach.
_LEFT: dict[str, tuple[tuple[float, ...], ...]] = {
    "bernoulli": ((0.1,), (1.8, 2.1, 2.4), (0.5, 1.0), (1.0,), (inf,)),
    "gaussian": ((0.1,), (1.7, 1.8, 1.9, 2.0, 2.1), (0.5, 1.0), (0.1, 0.5), (inf,)),
    "exponential": ((0.2,), (1.6, 1.8, 2.0), (0.5, 1.0), (1.0,), (0.3, 0.5, 1.0)),
}


# Guards tried with the form that has the smallest mean on the training sets.
_TRIED: dict[str, tuple[float, ...]] = {
    "bernoulli": (0.6, 0.8, 1.0, 1.15, 1.3),
    "gaussian": (0.7, 0.8, 0.9, 1.0, 1.15),
    "exponential": (0.8, 0.9, 1.05, 1.2, 1.35),
}


def candidates(family: str) -> dict[str, Record]:
    """The candidates for a family, by labels that state their parameters."""
    own = [ArmBias(0.1, *each) for each in _PAST[family]]
    own += [
        ArmBias(power, c, 0.5, 1.0, arms, least, "left", reach)
        for power, c, arms, least, reach in product(*_LEFT[family])
    ]
    smallest: ArmBias = recommended(family, risk="mean").alpha
    own += [smallest._replace(guard=each) for each in _TRIED[family]]
    named: list[tuple[str, ArmBias | BetaBias]] = [("stable", each) for each in own]
    named += [("stable", BetaBias(0.5, c)) for c in (0.5, 1.0, 2.0)]
    if family == "exponential":
        named += [("canonical", ArmBias(0.1, 1.7, 0.5, 1.0, 0.5, 0.5))]
    named += [("canonical", BetaBias())] if family != "gaussian" else []
    named += [("mean", BetaBias(0.5, 4.0))] if family == "bernoulli" else []
    return {_label(f, bias): RBMLE(bias, f=f) for f, bias in named}


def _label(f: str, bias: ArmBias | BetaBias) -> str:
    """The f and the numbers of alpha; of `ArmBias` the last three only where they are set."""
    parts = [f"{each:g}" for each in bias[:6]]
    if isinstance(bias, ArmBias):
        parts += [str(bias.rounds)] if bias.rounds else []
        parts += [f"reach {bias.reach:g}"] if bias.reach < inf else []
        parts += [f"guard {bias.guard:g}"] if bias.guard > 0.0 else []
    return f"{f} {type(bias).__name__} {' '.join(parts)}"
