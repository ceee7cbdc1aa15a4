"""Which f and which alpha(t) RBMLE should have: candidates on random problems, against rivals.

    python benchmarks/biases.py bernoulli                      # the sets to choose by
    python benchmarks/biases.py bernoulli --sets test          # other sets, drawn from other laws
    python benchmarks/biases.py gaussian --horizon 10000 --problems 64 --replications 16

For each candidate: on how many sets its mean regret is below every rival's; its mean regret in
units of the best rival's, the geometric mean over sets and the worst; and the 99 % quantile of
regret, over problems and replications, in units of Thompson sampling's, the worst over sets.
All policies meet the same rewards. Training and test sets share neither seeds nor distributions.
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import rbmle
from rbmle import BetaBias, LogBias
from rbmle.atlas.sets import Draw

Floats = NDArray[np.float64]

RIVALS: tuple[Any, ...] = (
    rbmle.ThompsonSampling(),  # the first: tails are told in units of its tail
    rbmle.KLUCB(),
    rbmle.BayesUCB(),
    rbmle.IMED(),
    rbmle.UCBTuned(),
    rbmle.MOSS(),
)
GROWTH = (
    *(BetaBias(0.5, c) for c in (0.25, 0.5, 1.0, 2.0, 4.0)),
    *(LogBias(c) for c in (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)),
    *(BetaBias(1.0, c) for c in (0.125, 0.25, 0.5, 1.0)),
)


class Set(NamedTuple):
    """A set of random problems: the number of arms, and how their means are drawn."""

    name: str
    arms: int
    draw: Draw


POSITIVE = (
    [
        Set("wide", 10, Draw("uniform", (0.1, 1.0))),
        Set("close", 5, Draw("uniform", (0.8, 1.2))),
        Set("two arms", 2, Draw("uniform", (0.1, 1.0))),
        Set("large", 10, Draw("uniform", (5.0, 20.0))),
        Set("one good", 20, Draw("one good", (1.0, 1.0, 2.0))),
    ],
    [
        Set("log-normal", 8, Draw("log-normal", (1.0, 0.5))),
        Set("log-normal, close", 8, Draw("log-normal", (1.0, 0.1))),
        Set("log-normal, small", 8, Draw("log-normal", (0.02, 0.5))),
        Set("three arms", 3, Draw("log-normal", (3.0, 0.3))),
        Set("many", 40, Draw("log-normal", (1.0, 0.3))),
    ],
)
SETS: dict[str, tuple[list[Set], list[Set]]] = {
    "bernoulli": (
        [
            Set("uniform", 10, Draw("uniform", (0.0, 1.0))),
            Set("middle", 10, Draw("uniform", (0.4, 0.6))),
            Set("near 0", 10, Draw("uniform", (0.0, 0.1))),
            Set("near 1", 10, Draw("uniform", (0.9, 1.0))),
            Set("two arms", 2, Draw("uniform", (0.0, 1.0))),
            Set("50 arms", 50, Draw("uniform", (0.0, 1.0))),
            Set("one good", 20, Draw("one good", (0.5, 0.5, 0.8))),
        ],
        [
            Set("Beta(2, 2)", 8, Draw("Beta", (2.0, 2.0))),
            Set("Beta(20, 20)", 8, Draw("Beta", (20.0, 20.0))),
            Set("Beta(1, 30)", 8, Draw("Beta", (1.0, 30.0))),
            Set("Beta(30, 1)", 8, Draw("Beta", (30.0, 1.0))),
            Set("three arms", 3, Draw("Beta", (5.0, 3.0))),
            Set("40 arms", 40, Draw("Beta", (1.0, 3.0))),
            Set("one good", 12, Draw("one good", (0.2, 0.2, 0.4))),
        ],
    ),
    "gaussian": (
        [
            Set("wide", 10, Draw("normal", (1.0,))),
            Set("close", 10, Draw("normal", (0.2,))),
            Set("very wide", 10, Draw("normal", (5.0,))),
            Set("two arms", 2, Draw("normal", (1.0,))),
            Set("50 arms", 50, Draw("normal", (1.0,))),
        ],
        [
            Set("uniform", 8, Draw("uniform", (-1.0, 1.0))),
            Set("uniform, close", 8, Draw("uniform", (0.0, 0.3))),
            Set("uniform, wide", 8, Draw("uniform", (0.0, 10.0))),
            Set("one good", 12, Draw("one good", (0.0, 0.0, 1.0))),
            Set("40 arms", 40, Draw("uniform", (-2.0, 2.0))),
        ],
    ),
    "exponential": POSITIVE,
    "gamma(shape=3)": POSITIVE,
    "poisson": POSITIVE,
    "binomial(trials=5)": (
        [
            Set("uniform", 10, Draw("uniform", (0.0, 5.0))),
            Set("middle", 10, Draw("uniform", (2.0, 3.0))),
        ],
        [
            Set("near 0", 8, Draw("uniform", (0.0, 0.5))),
            Set("near 5", 8, Draw("uniform", (4.5, 5.0))),
        ],
    ),
}


def regret_on(each: Set, family: str, policies: list[Any], seed: int, asked: Any) -> Floats:
    """Final regret: policies x (problems x replications)."""
    means = each.draw(np.random.default_rng(seed), (asked.problems, each.arms))
    options = {"device": asked.device} if asked.device else {}
    found = [
        rbmle.simulate(
            rbmle.Problem(family, row), policies, asked.horizon, asked.replications,
            seed=seed + place, checkpoints=[asked.horizon], **options,
        ).final_regret
        for place, row in enumerate(means)
    ]  # fmt: skip
    return np.concatenate(found, axis=1)


def main(given: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("family", choices=SETS)
    parser.add_argument("--sets", choices=("train", "test"), default="train")
    parser.add_argument("--horizon", type=int, default=2000)
    parser.add_argument("--problems", type=int, default=32)
    parser.add_argument("--replications", type=int, default=8)
    parser.add_argument("--f", default="canonical,mean,stable")
    parser.add_argument("--device", help="as in simulate; by default the processors")
    asked = parser.parse_args(given)
    candidates = [rbmle.RBMLE(alpha, f=f) for f in asked.f.split(",") for alpha in GROWTH]
    sets = SETS[asked.family][asked.sets == "test"]
    first_seed = 1_000_000 if asked.sets == "test" else 1
    ratios, tails = [], []
    for place, each in enumerate(sets):
        policies = [*RIVALS, *candidates]
        seed = first_seed + 10_000 * place
        regret = regret_on(each, asked.family, policies, seed, asked)
        mean, tail = regret.mean(axis=1), np.quantile(regret, 0.99, axis=1)
        best = mean[: len(RIVALS)].min()
        ratios.append(mean[len(RIVALS) :] / best)
        tails.append(tail[len(RIVALS) :] / tail[0])
        told = [f"{type(r).__name__} {m:.1f}" for r, m in zip(RIVALS, mean, strict=False)]
        print(f"{each.name:20}" + " ".join(told), flush=True)
    ratio, tail = np.array(ratios), np.array(tails)
    print(f"{'':22}{'wins':>6}{'mean':>7}{'worst':>7}{'tail':>7}   of {len(sets)} sets, each:")
    for place in np.argsort(np.log(ratio).mean(axis=0)):
        rule, own = candidates[place], ratio[:, place]
        parameters = ",".join(f"{value:g}" for value in rule.alpha)
        print(
            f"{rule.f!s:10}{type(rule.alpha).__name__[:-4]}({parameters})".ljust(22)
            + f"{(own < 1.0).sum():6}{np.exp(np.log(own).mean()):7.2f}{own.max():7.2f}"
            + f"{tail[:, place].max():7.2f}   "
            + " ".join(f"{value:.2f}" for value in own)
        )


if __name__ == "__main__":
    main()
