"""Speed and equality of a CUDA device, against this machine's processors.

    python benchmarks/devices.py speed [--horizon 100000] [--replications 131072] [--only RBMLE ...]
    python benchmarks/devices.py equal [--horizon 100000] [--replications 50000] [--arms 3]
    python benchmarks/devices.py record --folder F [the same], then, elsewhere, equal --folder F
    python benchmarks/devices.py record --device cuda --folder F, and elsewhere equal --device cpu

`speed` plays ten arms: rounds a second on the device and, with --processors, on all processors, and
their ratio.
`equal` counts the replications in which the pulls of an arm differ between the two, and those in
which the final regret does, to the last bit. With --folder it plays one of the two and compares
with what `record` has kept there of the other, perhaps on another machine: a digest of the pulls
and of the final regret of each replication.
IDS and VIDS are played for a hundredth of the rounds.
Each line is printed as soon as it is known, as JSON, so that a run that is cut short is not lost.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
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
    "Bounded": [0.655, 0.6, 0.665, 0.67, 0.675, 0.68, 0.685, 0.69, 0.695, 0.7],
}
FAMILIES: dict[str, Any] = {
    "Bernoulli": rbmle.Bernoulli(),
    "Gaussian": rbmle.Gaussian(),
    "Exponential": rbmle.Exponential(),
    "Poisson": rbmle.Poisson(),
    "Gamma": rbmle.Gamma(2.0),
    "Binomial": rbmle.Binomial(5),
    "Bounded": rbmle.Bounded(),
}
SLOW = ("IDS", "VIDS")  # some thousand times slower a round than the others
SHARE = 100  # so many times fewer rounds of these are played
RECOMMENDED = {"recommended": "tails", "recommended-mean": "mean"}  # risk


def pairs(only: list[str]) -> Iterator[tuple[str, str]]:
    """Every policy with every family that it fits, and both recommended forms for each.

    only: policies, families or pairs of them, such as UCB, Gaussian, UCB-Gaussian.
    """
    fitting = {name: families_of(kind) for name, kind in rbmle.POLICIES.items()}
    fitting.update(dict.fromkeys(RECOMMENDED, families_of(rbmle.RBMLE)))
    for policy, kinds in fitting.items():
        for name, family in FAMILIES.items():
            asked = not only or {policy, name, f"{policy}-{name}"} & set(only)
            if asked and type(family) in kinds:
                yield policy, name


def policy_of(name: str, family: str) -> Any:
    """The policy of a pair."""
    if name in RECOMMENDED:
        return rbmle.recommended(FAMILIES[family], risk=RECOMMENDED[name])
    return rbmle.POLICIES[name]()


def horizon_of(given: argparse.Namespace, name: str) -> int:
    """How many rounds of a policy are played."""
    return int(given.horizon // (SHARE if name in SLOW else 1))


def compiled(problem: Any, policy: Any, device: str) -> None:
    """Compile what the policy on the problem needs."""
    rbmle.simulate(problem, [policy], problem.n_arms, 2, checkpoints=[], seed=1, device=device)


def played(problem: Any, policy: Any, horizon: int, count: int, device: str) -> tuple[Any, float]:
    """The result and the seconds it took."""
    began = time.perf_counter()
    result = rbmle.simulate(
        problem, [policy], horizon, count, checkpoints=[horizon], seed=1, device=device
    )
    return result, time.perf_counter() - began


def speed(given: argparse.Namespace) -> None:
    """All pairs are compiled at once, each in a process of its own, then measured one by one."""
    spawning = multiprocessing.get_context("spawn")
    chosen = list(pairs(given.only))
    ready, turn = spawning.Barrier(len(chosen)), spawning.Lock()
    processes = [
        spawning.Process(target=measure, args=(given, *pair, ready, turn)) for pair in chosen
    ]
    for each in processes:
        each.start()
    for each in processes:
        each.join()


def measure(given: argparse.Namespace, name: str, family: str, ready: Any, turn: Any) -> None:
    """Rounds a second of one pair on the device and, if asked for, on all processors."""
    problem, policy = rbmle.Problem(FAMILIES[family], MEANS[family]), policy_of(name, family)
    try:
        compiled(problem, policy, "cuda")
        if given.processors:
            compiled(problem, policy, "cpu")
    finally:
        ready.wait()
    horizon = horizon_of(given, name)
    with turn:
        _, there = played(problem, policy, horizon, given.replications, "cuda")
        rate = given.replications * horizon / there
        row: dict[str, Any] = {"policy": name, "family": family, "T": horizon, "device": rate}
        if given.processors:
            row["processors"] = on_processors(problem, policy, horizon)
            row["ratio"] = rate / row["processors"]
        print(json.dumps(row), flush=True)


def on_processors(problem: Any, policy: Any, horizon: int) -> float:
    """Rounds a second of all processors, of so many replications that they take a second or two."""
    count, seconds = 16, 0.0
    while seconds < 1.0:
        _, seconds = played(problem, policy, horizon, count, "cpu")
        done, count = count, int(count * min(max(1.5 / seconds, 2.0), 20.0))
    return done * horizon / seconds


def digests(result: Any) -> Any:
    """For each replication a CRC-32 of its pulls and one of its final regret, to the last bit."""
    numbers = (result.pulls[0], result.final_regret[0])
    rows = ([zlib.crc32(each.tobytes()) for each in array] for array in numbers)
    return np.array(list(rows), np.uint32)


def matches(given: argparse.Namespace) -> Iterator[tuple[dict[str, Any], Any]]:
    """What `equal` and `record` play: a description, and a function of a device."""
    for name, family in pairs(given.only):
        problem = rbmle.Problem(FAMILIES[family], sorted(MEANS[family])[-given.arms :])
        row = {"policy": name, "family": family, "arms": given.arms, "T": horizon_of(given, name)}
        row["replications"] = given.replications

        def play(device: str, world: Any = problem, row: dict[str, Any] = row) -> Any:
            policy = policy_of(row["policy"], row["family"])
            compiled(world, policy, device)
            result, seconds = played(world, policy, row["T"], row["replications"], device)
            return digests(result), seconds

        yield row, play


def kept(given: argparse.Namespace, row: dict[str, Any]) -> Path:
    """The file of `record` for a pair: what determines its numbers is in the name."""
    return Path(given.folder, "-".join(map(str, row.values())) + ".npy")


def record(given: argparse.Namespace) -> None:
    for row, play in matches(given):
        file = kept(given, row)
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            found, seconds = play(given.device or "cpu")
            np.save(file.with_suffix(".part.npy"), found)
            file.with_suffix(".part.npy").rename(file)
            print(json.dumps({"file": file.name, "seconds": round(seconds, 2)}), flush=True)


def equal(given: argparse.Namespace) -> None:
    for row, play in matches(given):
        one, seconds = play(given.device or "cuda")
        other = np.load(kept(given, row)) if given.folder else play("cpu")[0]
        pulls, regret = map(int, (one != other).sum(axis=1))
        spent = {"seconds": round(seconds, 2)}
        found = {**row, **spent, "other_pulls": pulls, "other_regret": regret}
        print(json.dumps(found), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["speed", "equal", "record"])
    parser.add_argument("--horizon", type=int, default=100_000)
    parser.add_argument("--replications", type=int, default=None)
    parser.add_argument("--arms", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--processors", action="store_true", help="time the CPU as well")
    parser.add_argument("--folder", help="where `record` keeps what it has played")
    parser.add_argument("--device", choices=["cpu", "cuda"], help="for record, and with --folder")
    given = parser.parse_args()
    if not any(pairs(given.only)):
        parser.error(f"'--only' must name policies, families or pairs. Got {given.only}.")
    if given.what == "record" and not given.folder:
        parser.error("record: '--folder' must be given.")
    if given.replications is None:
        given.replications = 131_072 if given.what == "speed" else 50_000
    {"speed": speed, "equal": equal, "record": record}[given.what](given)


if __name__ == "__main__":
    main()
