"""Problems on which a policy that explores little loses the best arm for good.

    python benchmarks/hard_problems.py report [--device cuda] [--replications 10000] [--only coins]
    python benchmarks/hard_problems.py report --only "Bernoulli 3" --policies recommended
    python benchmarks/hard_problems.py report --only random  # means drawn anew for each 20 runs
    python benchmarks/hard_problems.py choose ...    # those by which the guards were chosen

It prints a table: for each policy the mean regret, its 99 % and its 99.9 % quantile, and in
brackets the quantiles in units of Thompson sampling's.
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np

import rbmle
from rbmle.atlas.efforts import candidates
from rbmle.paper.papers import paper_named


class Hard(NamedTuple):
    """What policies assume, the means of one or many problems, and the rewards' law if another."""

    family: str
    means: list[list[float]]
    rounds: int
    law: str | None = None


Problems = dict[str, Hard]
DRAWN = 500  # problems whose means are drawn at random

CHOOSE: Problems = {
    ".92, 6 x .87": Hard("bernoulli", [[0.92] + [0.87] * 6], 20_000),
    ".96, 8 x .93": Hard("bernoulli", [[0.96] + [0.93] * 8], 20_000),
    ".6, 11 x .53": Hard("bernoulli", [[0.6] + [0.53] * 11], 20_000),
    ".75, 40 x .45": Hard("bernoulli", [[0.75] + [0.45] * 40], 10_000),
    ".998, .988": Hard("bernoulli", [[0.998, 0.988]], 50_000),
    ".985, 7 x .975": Hard("bernoulli", [[0.985] + [0.975] * 7], 20_000),
    ".06, 8 x .03": Hard("bernoulli", [[0.06] + [0.03] * 8], 20_000),
    ".5, 9 x .2": Hard("gaussian", [[0.5] + [0.2] * 9], 20_000),
    ".5, .2": Hard("gaussian", [[0.5, 0.2]], 5_000),
    "1, 0": Hard("gaussian", [[1.0, 0.0]], 20_000),
    ".5, 49 x 0": Hard("gaussian", [[0.5] + [0.0] * 49], 20_000),
    "1.5, 49 x 1": Hard("exponential", [[1.5] + [1.0] * 49], 10_000),
    "1, .6": Hard("exponential", [[1.0, 0.6]], 1_000),
    "1, .8": Hard("exponential", [[1.0, 0.8]], 5_000),
    "1, 9 x .85": Hard("exponential", [[1.0] + [0.85] * 9], 20_000),
}
REPORT: Problems = {
    ".9, 7 x .85": Hard("bernoulli", [[0.9] + [0.85] * 7], 20_000),
    ".97, 5 x .94": Hard("bernoulli", [[0.97] + [0.94] * 5], 30_000),
    ".62, 14 x .55": Hard("bernoulli", [[0.62] + [0.55] * 14], 20_000),
    ".8, 30 x .5": Hard("bernoulli", [[0.8] + [0.5] * 30], 10_000),
    ".99, 9 x .98": Hard("bernoulli", [[0.99] + [0.98] * 9], 20_000),
    ".5, 20 x .45": Hard("bernoulli", [[0.5] + [0.45] * 20], 20_000),
    ".999, .99": Hard("bernoulli", [[0.999, 0.99]], 100_000),
}


def published() -> Problems:
    """The problems of the second paper whose tables are reproduced (docs/explanation/papers.md)."""
    paper = paper_named("sda")
    found = {}
    for table in paper["tables"].values():
        family, horizon = table["family"], paper["horizon"]
        for name, each in table.get("problems", {}).items():
            law = each.get("law")
            title = f"{family.capitalize()} {name}" if law is None else f"{law} {name}"
            found[title] = Hard(family, [each["means"]], horizon, law)
        if "random" in table:
            drawn = getattr(np.random.default_rng(17), table["random"]["rule"])
            means = drawn(size=(DRAWN, table["random"]["arms"])).tolist()
            found[f"{family.capitalize()}, random"] = Hard(family, means, horizon)
    return found


def players(family: str, group: str) -> dict[str, Any]:
    """Thompson sampling first."""
    rivals = {
        "Thompson": "ts",
        "IMED": "imed",
        "KL-MOSS": "klucb(level=moss)",
        "KL-UCB, left": "klucb(level=left)",
    }
    mean = {"recommended, mean": rbmle.recommended(family, risk="mean")}
    if group == "report":
        return {**rivals, **mean, "recommended": rbmle.recommended(family)}
    guarded = {k: v for k, v in candidates(family).items() if "guard" in k}
    return {**rivals, **mean, **{k[k.index("guard") :]: v for k, v in guarded.items()}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("group", choices=["choose", "report"])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--replications", type=int, default=10_000)
    parser.add_argument("--only", nargs="*", default=[], help="families, names, random or stated")
    parser.add_argument("--policies", nargs="*", default=[], help="those beside Thompson")
    given = parser.parse_args()
    problems = CHOOSE if given.group == "choose" else {**REPORT, **published()}
    print("| problem | T | policy | mean | 99 % | 99.9 % |\n|---|---|---|---|---|---|")
    for name, (family, means, horizon, law) in problems.items():
        asked = {family, name, "random" if len(means) > 1 else "stated"}
        if given.only and not asked & set(given.only):
            continue
        named = players(family, given.group)
        if given.policies:
            named = {k: v for k, v in named.items() if k in ("Thompson", *given.policies)}
        results = rbmle.simulate_many(
            [rbmle.Problem(law or family, each) for each in means],
            list(named.values()),
            horizon=horizon,
            family=family,
            replications=given.replications // len(means),
            checkpoints=[horizon],
            seed=17,
            device=given.device,
            progress=False,
        )
        regrets = np.concatenate([each.final_regret for each in results], axis=1)
        tails = np.quantile(regrets, [0.99, 0.999], axis=1).T
        for label, regret, found in zip(named, regrets, tails, strict=True):
            told = [f"{a:.0f} ({b:.2f})" for a, b in zip(found, found / tails[0], strict=True)]
            where = f"| {family}: {name} | {horizon:,} | {label}"
            print(f"{where} | {regret.mean():.1f} | {' | '.join(told)} |", flush=True)


if __name__ == "__main__":
    main()
