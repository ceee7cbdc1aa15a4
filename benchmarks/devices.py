"""Speed and equality of a CUDA device, against this machine's processors.

    python benchmarks/devices.py speed [--horizon 100000] [--replications 131072] [--only RBMLE ...]
    python benchmarks/devices.py equal [--horizon 100000] [--replications 50000] [--arms 3]

`speed` plays ten arms: rounds a second on the device and on all processors, and their ratio.
`equal` counts the replications in which the pulls of an arm differ between the two, and those in
which the final regret does, to the last bit.
Each line is printed as soon as it is known, as JSON, so that a run that is cut short is not lost.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import rbmle
from rbmle.policies.fit import families_of

# The means of the paper's tables Bernoulli_ID=2, Gaussian_ID=16, Exponential_ID=21; for the other
# families, of the same spread.
MEANS: dict[str, list[float]] = {
    "Bernoulli": [0.655, 0.6, 0.665, 0.67, 0.675, 0.68, 0.685, 0.69, 0.695, 0.7],
    "Gaussian": [0.41, 0.52, 0.66, 0.43, 0.58, 0.65, 0.48, 0.67, 0.59, 0.63],
    "Exponential": [0.31, 0.1, 0.2, 0.32, 0.33, 0.29, 0.2, 0.3, 0.15, 0.08],
    "Poisson": [0.31, 0.1, 0.2, 0.32, 0.33, 0.29, 0.2, 0.3, 0.15, 0.08],
    "Gamma": [0.31, 0.1, 0.2, 0.32, 0.33, 0.29, 0.2, 0.3, 0.15, 0.08],
    "Binomial": [3.275, 3.0, 3.325, 3.35, 3.375, 3.4, 3.425, 3.45, 3.475, 3.5],
}
FAMILIES: dict[str, Any] = {
    "Bernoulli": rbmle.Bernoulli(),
    "Gaussian": rbmle.Gaussian(),
    "Exponential": rbmle.Exponential(),
    "Poisson": rbmle.Poisson(),
    "Gamma": rbmle.Gamma(2.0),
    "Binomial": rbmle.Binomial(5),
}
SLOW = ("IDS", "VIDS")  # some thousand times slower a round than the others


def pairs(only: list[str]) -> Iterator[tuple[str, str]]:
    """Every policy with every family that it fits."""
    for policy, kind in rbmle.POLICIES.items():
        fitting = {each.__name__ for each in families_of(kind)}
        for family in FAMILIES:
            if family in fitting and (not only or policy in only or f"{policy}-{family}" in only):
                yield policy, family


def played(problem: Any, policy: Any, horizon: int, count: int, device: str) -> tuple[Any, float]:
    """The result and the seconds it took, compilation not counted."""
    options: dict[str, Any] = {"checkpoints": [horizon], "seed": 1, "device": device}
    rbmle.simulate(problem, [policy], problem.n_arms, 2, **{**options, "checkpoints": []})
    began = time.perf_counter()
    result = rbmle.simulate(problem, [policy], horizon, count, **options)
    return result, time.perf_counter() - began


def speed(given: argparse.Namespace) -> None:
    for name, family in pairs(given.only):
        problem = rbmle.Problem(FAMILIES[family], MEANS[family])
        policy = rbmle.POLICIES[name]()
        share = 64 if name in SLOW else 1
        count = given.replications // share
        _, there = played(problem, policy, given.horizon, count, "cuda")
        rate = count * given.horizon / there
        row: dict[str, Any] = {"policy": name, "family": family, "device": rate}
        if given.processors:
            # Enough replications for about two seconds of all processors.
            few = 16
            _, once = played(problem, policy, given.horizon // 10, few, "cpu")
            some = int(min(max(few, few * 0.2 / once), given.replications))
            _, here = played(problem, policy, given.horizon, some, "cpu")
            row["processors"] = some * given.horizon / here
            row["ratio"] = rate / row["processors"]
        print(json.dumps(row), flush=True)


def equal(given: argparse.Namespace) -> None:
    for name, family in pairs(given.only):
        problem = rbmle.Problem(FAMILIES[family], sorted(MEANS[family])[-given.arms :])
        policy = rbmle.POLICIES[name]()
        count = given.replications // (50 if name in SLOW else 1)
        there, seconds = played(problem, policy, given.horizon, count, "cuda")
        here, spent = played(problem, policy, given.horizon, count, "cpu")
        pulls = (there.pulls != here.pulls).any(axis=(0, 2))
        regret = (there.final_regret != here.final_regret).any(axis=0)
        row = {
            "policy": name,
            "family": family,
            "arms": given.arms,
            "replications": count,
            "other_pulls": int(np.count_nonzero(pulls)),
            "other_regret": int(np.count_nonzero(regret)),
            "device_s": round(seconds, 2),
            "processors_s": round(spent, 2),
        }
        print(json.dumps(row), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["speed", "equal"])
    parser.add_argument("--horizon", type=int, default=100_000)
    parser.add_argument("--replications", type=int, default=None)
    parser.add_argument("--arms", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--processors", action="store_true", help="time the CPU as well")
    given = parser.parse_args()
    if given.replications is None:
        given.replications = 131_072 if given.what == "speed" else 50_000
    (speed if given.what == "speed" else equal)(given)


if __name__ == "__main__":
    main()
