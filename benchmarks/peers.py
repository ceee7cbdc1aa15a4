"""The same bandits played by other libraries: time per decision, and whether regret agrees.

    python benchmarks/peers.py            both tables: coins, and arms with features
    python benchmarks/peers.py --check    exit 1 if a regret differs

Each library gets an environment of its own with the versions pinned in peers/, and peers_play.py
plays it there. Rewards are drawn beforehand, the same for all: 10 Bernoulli arms, 10^4 rounds.
peers_features.py has the table of arms with features.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
import tempfile
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
import peers_features
from numpy.typing import NDArray
from peers_common import HERE, Benchmark, Line, environment, noting, show
from peers_play import MEANS, SEED, table

from rbmle import KLUCB, UCB, Bernoulli, Problem, Table, ThompsonSampling, simulate
from rbmle.policies.arms import Arms, Clock
from rbmle.policies.base import policy

Floats = NDArray[np.float64]

PEERS = ["river", "pymab", "mabwiser", "smpybandits"]
ALL = list(dict.fromkeys([*PEERS, *peers_features.PEERS]))
POLICIES = {"UCB1": UCB(), "KL-UCB": KLUCB(), "Thompson": ThompsonSampling()}
COINS = Problem(Bernoulli(), MEANS)
HORIZON = 10_000


@policy
class UCBOfPulls(NamedTuple):
    """UCB1 as some libraries write it, with log(t - 1), the number of rewards seen, for log t."""

    alpha: float = 2.0

    def level(self, family: Any, arms: Arms, clock: Clock) -> float:
        return log(clock.t - 1.0)

    def index_of(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return arms.mean(i) + sqrt(self.alpha * level / arms.pulls[i])


def final_regret(each: Any, rewards: Table, horizon: int) -> Floats:
    """The regret of each replication of the table, on one thread."""
    result = simulate(
        COINS,
        [each],
        horizon,
        len(rewards.values),
        rewards=rewards,
        ties="first",
        checkpoints=[horizon],
        threads=1,
    )
    regret: Floats = result.regret[0, :, -1]
    return regret


class Coins(Benchmark):
    """Ten Bernoulli arms."""

    title = "Ten coins, T = 10,000"

    def __init__(self, replications: int, budget: float) -> None:
        super().__init__(PEERS, list(POLICIES))
        values = np.array([table(each, HORIZON) for each in range(replications)], dtype=float)
        self.rewards = Table(values, seed=SEED)
        self.command = ["peers_play.py", "--horizon", str(HORIZON), "--budget", str(budget)]
        for each in POLICIES.values():  # compile
            final_regret(each, Table(values[:1, : len(MEANS)]), len(MEANS))

    def play_simulate(self) -> None:
        for name, each in POLICIES.items():
            self.time_ours(name, HORIZON, lambda it=each: final_regret(it, self.rewards, HORIZON))

    def rounds(self) -> int:
        return HORIZON

    def variants(self, name: str) -> list[Floats]:
        return [final_regret(UCBOfPulls(), self.rewards, HORIZON)] if name == "UCB1" else []


def chosen(names: str) -> list[str]:
    peers = names.split(",")
    unknown = [each for each in peers if each not in ALL]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(ALL)}")
    return peers


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The same bandits, played by other libraries.")
    parser.add_argument("--check", action="store_true", help="exit 1 if a regret differs")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the tables")
    parser.add_argument("--only", type=chosen, default=ALL, help="as in river,pymab")
    parser.add_argument("--table", choices=["coins", "features"], help="one table only")
    parser.add_argument("--envs", type=pathlib.Path, default=HERE / ".envs")
    parser.add_argument("--replications", type=int, default=100, help="the most that any plays")
    parser.add_argument("--budget", type=float, default=0.6, help="seconds a policy and repeat")
    parser.add_argument("--repeats", type=int, default=8)
    options = parser.parse_args()
    if not 1 <= options.repeats <= options.replications or options.replications < 2:
        parser.error("needs at least 2 replications, and as many as repeats")
    return options


def played(benchmark: Benchmark, options: argparse.Namespace) -> tuple[list[Line], dict[str, str]]:
    """Play everything; returns the lines of the table, and the libraries that cannot be played."""
    unusable: dict[str, str] = {}
    pythons: dict[str, str] = {}
    for peer in [each for each in benchmark.peers if each in options.only]:
        with noting(peer, unusable):
            pythons[peer] = environment(peer, options.envs)
    for repeat in range(options.repeats):  # by turns, so that all meet the same noise
        numbers = range(repeat, options.replications, options.repeats)
        benchmark.play_simulate()
        benchmark.play(sys.executable, "rbmle", numbers)
        for peer in [each for each in pythons if each not in unusable]:
            with noting(peer, unusable):
                benchmark.play(pythons[peer], peer, numbers)
    return benchmark.lines(), unusable


def main() -> int:
    options = arguments()
    every: list[Line] = []
    versions: dict[str, str] = {}
    unusable: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in [options.table] if options.table else ["coins", "features"]:
            benchmark: Benchmark = (
                Coins(options.replications, options.budget)
                if name == "coins"
                else peers_features.Features(
                    pathlib.Path(folder), options.replications, options.budget
                )
            )
            lines, failed = played(benchmark, options)
            every += lines
            versions |= benchmark.versions
            unusable |= failed
            if not options.json:
                show(benchmark.title, lines)
    if options.json:
        rows = [line._asdict() for line in every]
        print(json.dumps({"lines": rows, "versions": versions, "unusable": unusable}, indent=2))
    else:
        for peer, why in unusable.items():
            print(f"{peer}: cannot be installed or run: {why}")
        print(", ".join(f"{peer} {version}" for peer, version in versions.items()))
    differs = any(line.verdict.startswith("DIFFERS") for line in every)
    nobody = len(versions) <= 1
    return 1 if options.check and (differs or nobody) else 0


if __name__ == "__main__":
    sys.exit(main())
