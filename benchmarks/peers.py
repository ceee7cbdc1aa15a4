"""The same bandit played by other libraries: time per decision, and whether regret agrees.

    python benchmarks/peers.py            the table
    python benchmarks/peers.py --check    exit 1 if a regret differs

Each library gets an environment of its own with the versions pinned in peers/, and peers_play.py
plays it there. Rewards are drawn beforehand, the same for all: 10 Bernoulli arms, 10^4 rounds.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Iterator
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from peers_play import MEANS, SEED, table

from rbmle import KLUCB, UCB, Bernoulli, Problem, Table, ThompsonSampling, simulate
from rbmle.policies.arms import Arms, Clock
from rbmle.policies.base import policy

Floats = NDArray[np.float64]

HERE = pathlib.Path(__file__).parent
PEERS = ["river", "pymab", "mabwiser", "smpybandits"]
POLICIES = {"UCB1": UCB(), "KL-UCB": KLUCB(), "Thompson": ThompsonSampling()}
COINS = Problem(Bernoulli(), MEANS)
SIMULATE, DECIDER = "rbmle, simulate", "rbmle, Decider"
HORIZON = 10_000
ERRORS = 4.0  # standard errors between two means that still agree


@policy
class UCBOfPulls(NamedTuple):
    """UCB1 as some libraries write it, with log(t - 1), the number of rewards seen, for log t."""

    alpha: float = 2.0

    def level(self, family: Any, arms: Arms, clock: Clock) -> float:
        return log(clock.t - 1.0)

    def index_of(self, family: Any, arms: Arms, i: int, level: float) -> float:
        return arms.mean(i) + sqrt(self.alpha * level / arms.pulls[i])


class PeerError(Exception):
    """A library cannot be installed or run; the message says why."""


class Plays:
    """The results of one library with one policy: microseconds of each run, regrets, a note."""

    def __init__(self, note: str = "") -> None:
        self.note = note
        self.micros: list[float] = []
        self.regrets: dict[int, float] = {}  # by replication


class Line(NamedTuple):
    """One line of the table. Times are microseconds per decision of the fastest and slowest run."""

    policy: str
    library: str
    micros: float
    slowest: float
    times_simulate: float
    times_decider: float
    regret: float
    replications: int
    verdict: str
    note: str


def environment(peer: str, folder: pathlib.Path) -> str:
    """The Python of the library's environment, which is made anew if its pinned versions
    changed."""
    pins = HERE / "peers" / f"{peer}.txt"
    home = folder / peer
    made = home / "pins.txt"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if made.exists() and made.read_text() == pins.read_text():
        return str(python)
    print(f"peers.py: installing {peer}", file=sys.stderr)
    call([sys.executable, "-m", "venv", "--clear", str(home)])
    call([str(python), "-m", "pip", "install", "--quiet", "--requirement", str(pins)])
    made.write_text(pins.read_text())
    return str(python)


@contextlib.contextmanager
def noting(peer: str, unusable: dict[str, str]) -> Iterator[None]:
    """Inside this block a failing library is left out, and the reason is kept."""
    try:
        yield
    except PeerError as why:
        unusable[peer] = str(why)


def call(command: list[str]) -> str:
    """The output of a command. If it fails, `PeerError` has the last line of its output."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        words = (done.stderr or done.stdout).strip().splitlines()
        raise PeerError(words[-1] if words else f"exit code {done.returncode}")
    return done.stdout


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


class Benchmark:
    """All results so far, by (policy, library)."""

    def __init__(self, replications: int, budget: float) -> None:
        self.budget = budget
        values = np.array([table(each, HORIZON) for each in range(replications)], dtype=float)
        self.rewards = Table(values, seed=SEED)
        self.plays: dict[tuple[str, str], Plays] = {}
        self.versions: dict[str, str] = {}
        for each in POLICIES.values():  # compile
            final_regret(each, Table(values[:1, : len(MEANS)]), len(MEANS))

    def of(self, policy_name: str, library: str, note: str = "") -> Plays:
        return self.plays.setdefault((policy_name, library), Plays(note))

    def play_simulate(self) -> None:
        """Play every replication with `simulate`."""
        for name, each in POLICIES.items():
            start = time.perf_counter()
            regret = final_regret(each, self.rewards, HORIZON)
            seconds = time.perf_counter() - start
            plays = self.of(name, SIMULATE)
            plays.micros.append(1e6 * seconds / regret.size / HORIZON)
            plays.regrets = dict(enumerate(regret.tolist()))

    def play(self, python: str, peer: str, replications: range) -> None:
        """Play as many replications as fit into the budget, in the library's environment."""
        alone = [] if peer == "rbmle" else ["-E"]  # no PYTHONPATH: only pinned packages
        command = [python, *alone, str(HERE / "peers_play.py"), peer, "--horizon", str(HORIZON)]
        command += ["--budget", str(self.budget), "--replications", *map(str, replications)]
        said = json.loads(call(command).splitlines()[-1])
        self.versions[peer] = said["version"]
        for record in said["records"]:
            plays = self.of(record["policy"], record["library"], record["note"])
            plays.micros += [1e6 * seconds / HORIZON for seconds in record["seconds"]]
            regrets = np.array(record["pulls"]) @ COINS.gaps
            plays.regrets.update(zip(record["replications"], regrets.tolist(), strict=True))

    def lines(self) -> list[Line]:
        earlier = final_regret(UCBOfPulls(), self.rewards, HORIZON)
        return [
            self.line(name, library, plays, [earlier] if name == "UCB1" else [])
            for name in POLICIES
            for (of, library), plays in self.plays.items()
            if of == name
        ]

    def line(self, name: str, library: str, plays: Plays, variants: list[Floats]) -> Line:
        ours = np.array(list(self.plays[name, SIMULATE].regrets.values()))
        micros = min(plays.micros)
        return Line(
            policy=name,
            library=library,
            micros=micros,
            slowest=max(plays.micros),
            times_simulate=micros / min(self.plays[name, SIMULATE].micros),
            times_decider=micros / min(self.plays[name, DECIDER].micros),
            regret=float(np.mean(list(plays.regrets.values()))),
            replications=len(plays.regrets),
            verdict="" if library == SIMULATE else verdict(plays.regrets, [ours, *variants]),
            note=plays.note,
        )


def verdict(regrets: dict[int, float], ours: list[Floats]) -> str:
    """Whether their regrets equal ours in every replication, or agree in the mean.

    The standard error comes from the spread of ours, because theirs may be few; the same rule has
    the same spread.
    """
    played, theirs = list(regrets), np.array(list(regrets.values()))
    if any(np.allclose(theirs, each[played], rtol=1e-9, atol=0.0) for each in ours):
        return "equal"
    error = ours[0].std(ddof=1) * sqrt(1.0 / theirs.size + 1.0 / ours[0].size)
    apart = (theirs.mean() - ours[0].mean()) / error
    return "agrees" if abs(apart) <= ERRORS else f"DIFFERS: {apart:+.1f} standard errors"


def short(number: float) -> str:
    return f"{number:.0f}" if number >= 100.0 else f"{number:.3g}"


def show(lines: list[Line], versions: dict[str, str], unusable: dict[str, str]) -> None:
    print(
        f"{'':8} {'':18} {'us a decision':>18} {'x simulate':>10} {'x Decider':>9} {'regret':>12}"
    )
    libraries = dict.fromkeys(line.library for line in lines)
    played = {(line.policy, line.library): line for line in lines}
    for name, library in itertools.product(POLICIES, libraries):
        if (name, library) not in played:
            print(f"{name:8} {library:18} has none")
            continue
        line = played[name, library]
        micros = f"{short(line.micros)} .. {short(line.slowest)}"
        regret = f"{line.regret:.0f} ({line.replications})"
        note = f" ({line.note})" if line.note else ""
        print(
            f"{line.policy:8} {line.library:18} {micros:>18} {short(line.times_simulate):>10} "
            f"{short(line.times_decider):>9} {regret:>12}  {line.verdict}{note}".rstrip()
        )
    for peer, why in unusable.items():
        print(f"{peer}: cannot be installed or run: {why}")
    print(", ".join(f"{peer} {version}" for peer, version in versions.items()))


def chosen(names: str) -> list[str]:
    peers = names.split(",")
    unknown = [each for each in peers if each not in PEERS]
    if unknown:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(PEERS)}")
    return peers


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The same bandit, played by other libraries.")
    parser.add_argument("--check", action="store_true", help="exit 1 if a regret differs")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--only", type=chosen, default=PEERS, help="as in river,pymab")
    parser.add_argument("--envs", type=pathlib.Path, default=HERE / ".envs")
    parser.add_argument("--replications", type=int, default=100, help="the most that any plays")
    parser.add_argument("--budget", type=float, default=0.6, help="seconds a policy and repeat")
    parser.add_argument("--repeats", type=int, default=8)
    options = parser.parse_args()
    if not 1 <= options.repeats <= options.replications or options.replications < 2:
        parser.error("needs at least 2 replications, and as many as repeats")
    return options


def main() -> int:
    options = arguments()
    benchmark = Benchmark(options.replications, options.budget)
    unusable: dict[str, str] = {}
    pythons: dict[str, str] = {}
    for peer in options.only:
        with noting(peer, unusable):
            pythons[peer] = environment(peer, options.envs)
    for repeat in range(options.repeats):  # by turns, so that all meet the same noise
        numbers = range(repeat, options.replications, options.repeats)
        benchmark.play_simulate()
        benchmark.play(sys.executable, "rbmle", numbers)
        for peer in [each for each in pythons if each not in unusable]:
            with noting(peer, unusable):
                benchmark.play(pythons[peer], peer, numbers)

    lines = benchmark.lines()
    if options.json:
        rows = [line._asdict() for line in lines]
        said = {"lines": rows, "versions": benchmark.versions, "unusable": unusable}
        print(json.dumps(said, indent=2))
    else:
        show(lines, benchmark.versions, unusable)
    differs = any(line.verdict.startswith("DIFFERS") for line in lines)
    nobody = len(unusable) == len(options.only)
    return 1 if options.check and (differs or nobody) else 0


if __name__ == "__main__":
    sys.exit(main())
