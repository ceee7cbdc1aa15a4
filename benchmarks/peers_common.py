"""What the two tables of peers.py have in common: environments, results, lines."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

HERE = pathlib.Path(__file__).parent
SIMULATE, DECIDER = "rbmle, simulate", "rbmle, Decider"
ERRORS = 4.0  # standard errors between two means that still agree


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

    @classmethod
    def of(
        cls, name: str, library: str, plays: Plays, every: dict[tuple[str, str], Plays],
        variants: list[Floats],
    ) -> Line:  # fmt: skip
        """The line of a library. every: the plays of all. variants: regrets that are right too."""
        ours = np.array(list(every[name, SIMULATE].regrets.values()))
        micros = min(plays.micros)
        return cls(
            policy=name,
            library=library,
            micros=micros,
            slowest=max(plays.micros),
            times_simulate=micros / min(every[name, SIMULATE].micros),
            times_decider=micros / min(every[name, DECIDER].micros),
            regret=float(np.mean(list(plays.regrets.values()))),
            replications=len(plays.regrets),
            verdict="" if library == SIMULATE else verdict(plays.regrets, [ours, *variants]),
            note=plays.note,
        )


def environment(peer: str, folder: pathlib.Path) -> str:
    """The Python of the library's environment, which is made anew if its pinned versions changed.

    Every package that is needed is pinned, so that pip looks for no others.
    """
    pins = HERE / "peers" / f"{peer}.txt"
    home = folder / peer
    made = home / "pins.txt"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if made.exists() and made.read_text() == pins.read_text():
        return str(python)
    print(f"peers.py: installing {peer}", file=sys.stderr)
    call([sys.executable, "-m", "venv", "--clear", str(home)])
    call([str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--requirement", str(pins)])
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


class Benchmark:
    """All results of one table so far, by (policy, library)."""

    title: str
    command: list[str]  # the file that plays a library, and its options

    def __init__(self, peers: list[str], policies: list[str]) -> None:
        """peers: the libraries that can play it. policies: in the order of the table."""
        self.peers, self.policies = peers, policies
        self.plays: dict[tuple[str, str], Plays] = {}
        self.versions: dict[str, str] = {}

    def play_simulate(self) -> None:
        """Play every replication of every policy with `simulate`."""
        raise NotImplementedError

    def rounds(self) -> int:
        """The rounds of a replication."""
        raise NotImplementedError

    def variants(self, name: str) -> list[Floats]:
        """Regrets of variants of our policy that a library may have as well."""
        return []

    def of(self, policy_name: str, library: str, note: str = "") -> Plays:
        return self.plays.setdefault((policy_name, library), Plays(note))

    def time_ours(self, name: str, rounds: int, play: Callable[[], Floats]) -> None:
        """Time `play`, which returns the regret of each replication."""
        start = time.perf_counter()
        regret = play()
        seconds = time.perf_counter() - start
        plays = self.of(name, SIMULATE)
        plays.micros.append(1e6 * seconds / regret.size / rounds)
        plays.regrets = dict(enumerate(regret.tolist()))

    def play(self, python: str, peer: str, replications: range) -> None:
        """Play as many replications as fit into the budget, in the library's environment."""
        alone = [] if peer == "rbmle" else ["-E"]  # no PYTHONPATH: only pinned packages
        script, *rest = self.command
        command = [python, *alone, str(HERE / script), peer, *rest]
        said = json.loads(
            call([*command, "--replications", *map(str, replications)]).splitlines()[-1]
        )
        self.versions[peer] = said["version"]
        for record in said["records"]:
            plays = self.of(record["policy"], record["library"], record["note"])
            plays.micros += [1e6 * seconds / self.rounds() for seconds in record["seconds"]]
            plays.regrets.update(zip(record["replications"], record["regrets"], strict=True))

    def lines(self) -> list[Line]:
        return [
            Line.of(name, library, plays, self.plays, self.variants(name))
            for name in self.policies
            for (of, library), plays in self.plays.items()
            if of == name
        ]


def show(title: str, lines: list[Line]) -> None:
    wide = max(len(line.policy) for line in lines)
    print(title)
    heads = f"{'us a decision':>18} {'x simulate':>10} {'x Decider':>9} {'regret':>12}"
    print(f"{'':{wide}} {'':18} {heads}")
    for line in lines:
        micros = f"{short(line.micros)} .. {short(line.slowest)}"
        regret = f"{line.regret:.0f} ({line.replications})"
        note = f" ({line.note})" if line.note else ""
        print(
            f"{line.policy:{wide}} {line.library:18} {micros:>18} {short(line.times_simulate):>10} "
            f"{short(line.times_decider):>9} {regret:>12}  {line.verdict}{note}".rstrip()
        )
