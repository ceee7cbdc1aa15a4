"""The sections `memory` and `startup`, measured in new processes."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

from .footprint import LONG, REPLICATIONS, checkpoints, study
from .table import BenchTable, Effort, Line, Turns, UnavailableError, by_turns, wall_seconds

ROOT = Path(__file__).parents[2]  # of the repository: where `benchmarks` is found
MEGABYTE = 1e6
MEMORY = 500 * MEGABYTE  # the most that the study may take
GROWTH = 1.02  # the most by which the longer horizon may need more; equal runs differ by about 1 %
HELP, COMPARE = 0.5, 3.0  # seconds that `rbmle --help` and `rbmle compare` may take


def python(*arguments: str) -> str:
    """What a Python process prints. If it fails, `UnavailableError` says its last line."""
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise UnavailableError(f"bench: {' '.join(arguments)} ended with {done.returncode}: {said}")
    return done.stdout


def footprint(horizon: int, replications: int = REPLICATIONS) -> float:
    """The largest memory of the study in a new process, in bytes."""
    return float(python("-m", "benchmarks.sections.footprint", str(horizon), str(replications)))


def memory(effort: Effort) -> BenchTable:
    """The table: the largest memory of a large study at two horizons."""
    if importlib.util.find_spec("resource") is None:
        raise UnavailableError("bench: 'memory' needs the module resource, which Windows lacks.")
    short, longer = (200, 400) if effort.quick else (300, 1_200)
    footprint(short, 1)  # compiles, so that the measured processes do not
    peaks = footprint(longer), footprint(short)
    count, kept = len(study(short, 1).policies), len(checkpoints(short))
    what = f"{count} policies x {REPLICATIONS:,} replications, {kept} checkpoints"
    limit = Line.slowdown(
        f"{what}, T = {longer:,}", Turns((peaks[0],), (MEMORY,)), unit="B", at_most=1.0
    )
    growth = Line.slowdown(
        f"T = {longer:,} against T = {short:,}", Turns(*((each,) for each in peaks)), unit="B",
        at_most=GROWTH,
    )  # fmt: skip
    return BenchTable(
        "Largest resident memory of a study",
        "ours",
        "limit, or at the shorter horizon",
        "ours / that",
        (limit, growth),
        (
            f"Run: `run` of the study into a folder, with as many checkpoints as T = {LONG:,} has.",
            "Kept are arrays of policies x replications x checkpoints and of one chunk of "
            "replications, which at longer horizons has fewer; nothing is kept of a round.",
        ),
    )


def startup(effort: Effort) -> BenchTable:
    """The table: processes from start to end, with compiled code already on disk."""
    compare = ("compare", "bernoulli", "0.1", "0.2", "0.3", "--horizon", "1000",
               "--replications", "20")  # fmt: skip
    python("-m", "rbmle", *compare)  # compiles

    def time_of(*arguments: str) -> float:
        return wall_seconds(lambda: python(*arguments))

    def ours() -> float:
        return time_of("-m", "rbmle", "--help")

    bare = by_turns(ours, lambda: time_of("-c", "pass"), effort.repeats)
    numba = by_turns(ours, lambda: time_of("-c", "import numpy, numba"), effort.repeats)
    compared = tuple(time_of("-m", "rbmle", *compare) for _ in range(min(effort.repeats, 3)))
    fixed = tuple(HELP for _ in bare.ours)
    return BenchTable(
        "Start-up: a process from start to end",
        "ours",
        "limit, or another",
        "ours / that",
        (
            Line.slowdown("rbmle --help", Turns(bare.ours, fixed), at_most=1.0),
            Line.slowdown("rbmle --help against python -c pass", bare),
            Line.slowdown("rbmle --help against import numpy, numba", numba),
            Line.slowdown(
                "rbmle compare, 3 policies, T = 1,000",
                Turns(compared, (COMPARE,) * len(compared)),
                at_most=1.0,
            ),
        ),
    )
