"""The section `limit`: our compiled rounds against a plain C loop that plays the same rounds.

limit.c has the same rewards, arithmetic and ties, so the regret of each replication is equal to the
last bit. Both sides run on one thread.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rbmle.engine import simulate
from rbmle.families import Gaussian
from rbmle.policies import GPUCB, MOSS, RBMLE, UCB
from rbmle.rewards.problems import Problem
from rbmle.rewards.sources import RewardStream
from rbmle.timing import seconds

from .table import BenchTable, Effort, Line, UnavailableError, by_turns
from .timed_problems import COINS, NORMALS, SEED, WAITS, Floats

AT_MOST = 1.25  # target: at most this many times the time of C
_SHORT = 2  # turns for each repeat, because a turn takes less than a tenth of a second
# Without -ffp-contract=off, -march=native lets gcc compute a * b + c with one rounding. Rewards and
# indices would differ from ours in the last bits, and sometimes so would the chosen arm.
# -fno-math-errno removes a branch at every sqrt, which our side does not have either.
C_SOURCE = Path(__file__).parents[1] / "limit.c"
FLAGS = ("-O3", "-march=native", "-fno-math-errno", "-ffp-contract=off", "-std=c11", "-Wall")


class Case(NamedTuple):
    """A policy on a problem, and the function of limit.c that plays it."""

    name: str
    function: str
    policy: Any
    problem: Problem
    parameter: float = 0.0


CASES = (
    Case("RBMLE, Gaussian", "rbmle_gaussian", RBMLE(), NORMALS),
    Case("RBMLE, Bernoulli", "rbmle_bernoulli", RBMLE(), COINS),
    Case("RBMLE, Exponential", "rbmle_exponential", RBMLE(), WAITS),
    Case("UCB, Gaussian", "ucb_gaussian", UCB(), NORMALS, UCB().alpha),
    Case("UCB, Bernoulli", "ucb_bernoulli", UCB(), COINS, UCB().alpha),
    Case("MOSS, Gaussian", "moss_gaussian", MOSS(), NORMALS),
    Case("GP-UCB, Gaussian", "gpucb_gaussian", GPUCB(), NORMALS, GPUCB().delta),
)


class _Study(ctypes.Structure):
    """The struct `Study` of limit.c."""

    _fields_ = (
        ("n_arms", ctypes.c_int64),
        ("horizon", ctypes.c_int64),
        ("seed", ctypes.c_uint64),
        ("means", ctypes.c_void_p),
        ("gaps", ctypes.c_void_p),
        ("parameter", ctypes.c_double),
        ("sigma", ctypes.c_double),
        ("prior_mean", ctypes.c_double),
        ("prior_sd", ctypes.c_double),
    )


@contextmanager
def library() -> Iterator[ctypes.CDLL]:
    """limit.c as a shared library, built in a temporary folder."""
    gcc = shutil.which("gcc")
    if gcc is None:
        raise UnavailableError("bench: 'limit' needs gcc, which is not on the PATH.")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        built = Path(folder) / "limit.so"
        command = [gcc, *FLAGS, "-fPIC", "-shared", "-o", str(built), str(C_SOURCE), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = (done.stderr.strip().splitlines() or ["it said nothing"])[0]
            raise UnavailableError(f"bench: 'limit' needs gcc to compile limit.c, but {said}")
        yield ctypes.CDLL(str(built))


def play_in_c(built: ctypes.CDLL, case: Case, horizon: int, replications: int) -> Floats:
    """The final regret of each replication, from limit.c."""
    means, gaps, prior = np.array(case.problem.means), np.array(case.problem.gaps), Gaussian()
    study = _Study(
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
    function = built[case.function]
    function.argtypes = [ctypes.POINTER(_Study), ctypes.c_int64, ctypes.c_void_p]
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
    regret: Floats = result.final_regret[0]
    return regret


def against_c(
    built: ctypes.CDLL, case: Case, horizon: int, replications: int, repeats: int
) -> Line:
    """Both sides by turns, after a first run of each to compare regrets and to compile ours."""
    regret = play_ours(case, horizon, replications)
    equal = np.array_equal(regret, play_in_c(built, case, horizon, replications))
    rounds = horizon * replications
    turns = by_turns(
        lambda: seconds(lambda: play_ours(case, horizon, replications)) / rounds,
        lambda: seconds(lambda: play_in_c(built, case, horizon, replications)) / rounds,
        repeats,
    )
    check = f"regret of {replications} replications {'equal' if equal else 'DIFFERENT'}"
    return Line.slowdown(case.name, turns, at_most=AT_MOST, check=check, holds=equal)


def limit(effort: Effort) -> BenchTable:
    """The table: a whole round of ours against C's."""
    horizon, replications = effort.size(100_000, 20_000), 5
    repeats = _SHORT * effort.repeats
    with library() as built:
        lines = [against_c(built, case, horizon, replications, repeats) for case in CASES]
    return BenchTable(
        f"A round against a plain C loop: K = 10, T = {horizon}",
        "ours, a round",
        "C, a round",
        "ours / C",
        tuple(lines),
        (f"C: gcc {' '.join(FLAGS)}, one thread on both sides.",),
    )
