"""The section `compiling`: the first use of a policy with a family, in new processes.

`python -m benchmarks.sections.compiling POLICY FAMILY` prints the processor time of compiling them
if nothing is on disk; with a third argument, by Numba's own compiler for every method.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from unittest import mock

from numba.core.compiler import Compiler

from rbmle import Problem, simulate
from rbmle._numba import compile as ours

from .resources import python
from .table import BenchTable, Effort, Line, by_turns

PAIRS = (
    ("RBMLE", "Bernoulli"), ("ThompsonSampling", "Bernoulli"), ("KLUCB", "Bernoulli"),
    ("UCB", "Bernoulli"), ("RBMLE", "Gaussian"), ("KLUCB", "Exponential"),
)  # fmt: skip


def seconds(policy: str, family: str, by_numba: bool) -> float:
    """The processor time to compile the pair in this process."""
    if by_numba:
        ours._INLINED["pipeline_class"] = Compiler
    begin = time.process_time()
    simulate(Problem(family.lower(), [0.3, 0.5, 0.6]), [policy], 10, 1, threads=1)
    return time.process_time() - begin


def compiling(effort: Effort) -> BenchTable:
    """The table: seconds to compile a pair, ours and with methods as Numba compiles functions."""

    def time_of(*arguments: str) -> float:
        with (
            tempfile.TemporaryDirectory() as folder,
            mock.patch.dict(os.environ, RBMLE_CACHE_DIR=folder),
        ):
            return float(python("-m", "benchmarks.sections.compiling", *arguments))

    return BenchTable(
        "Compiling a policy for a family: processor time, nothing on disk",
        "ours",
        "methods compiled as functions",
        "ours / that",
        tuple(
            Line.slowdown(
                " for ".join(pair),
                by_turns(
                    lambda pair=pair: time_of(*pair),  # type: ignore[misc]
                    lambda pair=pair: time_of(*pair, "numba"),  # type: ignore[misc]
                    min(effort.repeats, 2),
                ),
            )
            for pair in PAIRS[: effort.size(len(PAIRS), 2)]
        ),
    )


if __name__ == "__main__":
    print(seconds(sys.argv[1], sys.argv[2], by_numba=len(sys.argv) > 3))
