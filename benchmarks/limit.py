"""How far the compiled rounds are from a plain C loop that plays the same ones.

    python benchmarks/limit.py            the table
    python benchmarks/limit.py --check    exit 1 if a named case is over 3 x C, or a regret differs

limit.c is compiled into a temporary folder. Both sides play the same replications on one thread,
by turns, several times; the quickest run of each counts, and the slowest says how noisy it was.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rbmle.engine import simulate
from rbmle.families import Bernoulli, Exponential, Gaussian
from rbmle.policies import GPUCB, MOSS, RBMLE, UCB
from rbmle.problems import Problem
from rbmle.rewards import RewardStream

Floats = NDArray[np.float64]

LIMIT = 3.0  # times C, for the named cases
SEED = 46
# Without -ffp-contract=off, -march=native lets gcc fuse a * b + c into one rounding: the last bits
# of rewards and indices would differ from ours, and where two indices are close, so would the arm.
# -fno-math-errno spares C a branch at every sqrt that our side does not have either.
FLAGS = ["-O3", "-march=native", "-fno-math-errno", "-ffp-contract=off", "-std=c11", "-Wall"]

COINS = Problem(Bernoulli(), [0.41, 0.52, 0.66, 0.43, 0.58, 0.65, 0.48, 0.67, 0.59, 0.63])
NORMALS = Problem(Gaussian(), [0.41, 0.52, 0.66, 0.43, 0.58, 0.65, 0.48, 0.67, 0.59, 0.63])
WAITS = Problem(Exponential(), [0.31, 0.1, 0.2, 0.32, 0.33, 0.29, 0.2, 0.3, 0.15, 0.08])


class Case(NamedTuple):
    """A policy on a problem, and the function of limit.c that plays it."""

    name: str
    function: str
    policy: Any
    problem: Problem
    parameter: float = 0.0
    named: bool = False  # has to keep within LIMIT


CASES = [
    Case("RBMLE, Gaussian", "rbmle_gaussian", RBMLE(), NORMALS, named=True),
    Case("RBMLE, Bernoulli", "rbmle_bernoulli", RBMLE(), COINS, named=True),
    Case("RBMLE, Exponential", "rbmle_exponential", RBMLE(), WAITS),
    Case("UCB, Gaussian", "ucb_gaussian", UCB(), NORMALS, UCB().alpha, named=True),
    Case("UCB, Bernoulli", "ucb_bernoulli", UCB(), COINS, UCB().alpha, named=True),
    Case("MOSS, Gaussian", "moss_gaussian", MOSS(), NORMALS),
    Case("GP-UCB, Gaussian", "gpucb_gaussian", GPUCB(), NORMALS, GPUCB().delta),
]


class Study(ctypes.Structure):
    """The struct `Study` of limit.c."""

    _fields_ = [
        ("n_arms", ctypes.c_int64),
        ("horizon", ctypes.c_int64),
        ("seed", ctypes.c_uint64),
        ("means", ctypes.c_void_p),
        ("gaps", ctypes.c_void_p),
        ("parameter", ctypes.c_double),
        ("sigma", ctypes.c_double),
        ("prior_mean", ctypes.c_double),
        ("prior_sd", ctypes.c_double),
    ]


class Line(NamedTuple):
    """One line of the table; times are nanoseconds a round, the quickest and the slowest run."""

    case: str
    named: bool
    c: float
    c_slowest: float
    ours: float
    ours_slowest: float
    ratio: float
    equal: bool

    def passes(self) -> bool:
        return self.equal and (not self.named or self.ratio <= LIMIT)


def build(gcc: str, folder: str) -> ctypes.CDLL:
    """limit.c as a shared library."""
    source = pathlib.Path(__file__).with_name("limit.c")
    library = pathlib.Path(folder) / "limit.so"
    command = [gcc, *FLAGS, "-fPIC", "-shared", "-o", str(library), str(source), "-lm"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def play_in_c(library: ctypes.CDLL, case: Case, horizon: int, replications: int) -> Floats:
    """The final regret of each replication, from limit.c."""
    means, gaps = np.array(case.problem.means), np.array(case.problem.gaps)
    prior = Gaussian()
    study = Study(
        n_arms=case.problem.n_arms,
        horizon=horizon,
        seed=SEED,
        means=means.ctypes.data,
        gaps=gaps.ctypes.data,
        parameter=case.parameter,
        sigma=prior.sigma,
        prior_mean=prior.prior_mean,
        prior_sd=prior.prior_sd,
    )
    regret = np.zeros(replications)
    function = library[case.function]
    function.argtypes = [ctypes.POINTER(Study), ctypes.c_int64, ctypes.c_void_p]
    if function(ctypes.byref(study), replications, regret.ctypes.data) != 0:
        raise MemoryError(f"limit.c: no memory for {case.problem.n_arms} arms")
    return regret


def play_ours(case: Case, horizon: int, replications: int) -> Floats:
    """The final regret of each replication, from this package."""
    result = simulate(
        case.problem,
        [case.policy],
        horizon,
        replications,
        rewards=RewardStream(SEED),
        ties="first",
        checkpoints=[horizon],
        threads=1,
    )
    regret: Floats = result.regret[0, :, -1]
    return regret


def seconds(play: Callable[[], Floats]) -> tuple[float, Floats]:
    start = time.perf_counter()
    regret = play()
    return time.perf_counter() - start, regret


def measure(library: ctypes.CDLL, case: Case, horizon: int, replications: int, runs: int) -> Line:
    """Play both sides by turns, after a warm-up that compiles ours."""
    play_ours(case, case.problem.n_arms, 1)
    play_in_c(library, case, case.problem.n_arms, 1)
    c, ours = [], []
    for _ in range(runs):
        c.append(seconds(lambda: play_in_c(library, case, horizon, replications)))
        ours.append(seconds(lambda: play_ours(case, horizon, replications)))
    unit = 1e9 / (horizon * replications)
    c_times, our_times = [unit * each for each, _ in c], [unit * each for each, _ in ours]
    return Line(
        case=case.name,
        named=case.named,
        c=min(c_times),
        c_slowest=max(c_times),
        ours=min(our_times),
        ours_slowest=max(our_times),
        ratio=min(our_times) / min(c_times),
        equal=all(np.array_equal(c[0][1], regret) for _, regret in c + ours),
    )


def show(lines: list[Line]) -> None:
    print(f"{'':20} {'C, ns a round':>18} {'ours, ns a round':>18} {'ratio':>7}  equal regret")
    for line in lines:
        c = f"{line.c:.1f} .. {line.c_slowest:.1f}"
        ours = f"{line.ours:.1f} .. {line.ours_slowest:.1f}"
        limit = f"  limit {LIMIT:g}" if line.named else ""
        equal = "yes" if line.equal else "NO"
        print(f"{line.case:20} {c:>18} {ours:>18} {line.ratio:7.2f}  {equal}{limit}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Compiled rounds against a plain C loop.")
    parser.add_argument("--check", action="store_true", help="exit 1 unless within the limits")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--horizon", type=int, default=100_000)
    parser.add_argument("--replications", type=int, default=10)
    parser.add_argument("--runs", type=int, default=5, help="runs of each side")
    options = parser.parse_args()

    gcc = shutil.which("gcc")
    if gcc is None:
        print("limit.py needs gcc, which is not on the PATH.", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        library = build(gcc, folder)
        lines = [
            measure(library, case, options.horizon, options.replications, options.runs)
            for case in CASES
        ]
    if options.json:
        print(json.dumps([line._asdict() for line in lines], indent=2))
    else:
        show(lines)
    return 1 if options.check and not all(line.passes() for line in lines) else 0


if __name__ == "__main__":
    sys.exit(main())
