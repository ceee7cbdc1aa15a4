"""A run of the atlas: one policy on the problems of one set, up to one horizon; stored as one file.

Studies store the regret of every replication. An atlas has some 10^8 of them, so a run keeps what
the atlas tells of them: for each checkpoint the mean on each problem, the mean over all with its
standard error, and two quantiles. The name of its file holds a digest of all that determines these
numbers, so that a file is never taken for that of another run.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .._io.files import write_atomically
from .._numba.compile import Floats
from .._records.record import Record
from ..random import STREAM
from ..spec import to_spec
from .sets import ProblemSet

TAILS = (0.99, 0.999)
# What NumPy raises for a damaged .npz, a zip file of arrays. RuntimeError: an entry seems to be
# encrypted, or of a later version of the format.
DAMAGED = (ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)


class Run(NamedTuple):
    """Which policy plays which problems, and how long.

    problems: how many of the set. replications: on each problem. checkpoints: rounds at which
    regret is told; the last is the horizon.
    """

    where: ProblemSet
    label: str
    policy: Record
    problems: int
    replications: int
    checkpoints: tuple[int, ...]

    @property
    def horizon(self) -> int:
        """The number of rounds."""
        return self.checkpoints[-1]

    def rounds(self) -> float:
        """How many rounds are played in all."""
        return float(len(self.where.problems(self.problems))) * self.replications * self.horizon

    @property
    def file_name(self) -> str:
        """The name of its file: readable, and unique by a digest."""
        means = [each.means.tolist() for each in self.where.problems(self.problems)]
        said = {
            "set": [self.where.family, self.where.law, self.where.rewards_seed()],
            "means": means,
            "policy": to_spec(self.policy),
            "replications": self.replications,
            "checkpoints": self.checkpoints,
            "stream": STREAM,
        }
        text = json.dumps(said, sort_keys=True)
        digest = hashlib.sha256(text.encode("ascii")).hexdigest()[:12]
        plain = "".join(c if c.isalnum() else "-" for c in f"{self.where.label}-{self.label}")
        return f"{plain}-{self.horizon}-{digest}.npz"


class Told(NamedTuple):
    """What is kept of a run, for each checkpoint (first axis).

    by_problem: the mean on each problem. mean, error: over all; its standard error, for problems
    and rewards drawn anew. tails: the quantiles `TAILS` over problems and replications.
    """

    by_problem: Floats
    mean: Floats
    error: Floats
    tails: Floats


def told(regret: Floats) -> Told:
    """What is kept of the regret, (problems, replications, checkpoints).

    Replication r meets the same random numbers on every problem. So the means of two problems are
    not independent, and the variance of the mean is that of two crossed factors,
    V_problems / P + V_replications / R - V_rest / (P R), from the means over either.
    """
    problems, replications, _ = regret.shape
    by_problem, by_replication = regret.mean(axis=1), regret.mean(axis=0)
    mean = by_problem.mean(axis=0)
    rest = regret - by_problem[:, None] - by_replication[None] + mean

    def variance(parts: Floats, count: int) -> Floats:
        squares: Floats = (parts * parts).sum(axis=tuple(range(parts.ndim - 1)))
        return squares / max(count, 1)

    error = (
        variance(by_problem - mean, problems - 1) / problems
        + variance(by_replication - mean, replications - 1) / replications
        - variance(rest, (problems - 1) * (replications - 1)) / (problems * replications)
    )
    whole = regret.reshape(problems * replications, -1)
    tails = np.quantile(whole, TAILS, axis=0).T
    return Told(by_problem.T, mean, np.sqrt(np.maximum(error, 0.0)), tails)


def store(folder: Path, run: Run, found: Told) -> None:
    """Write what was found; the file is there in whole or not at all."""
    content = io.BytesIO()
    np.savez(content, **found._asdict())
    write_atomically(folder / run.file_name, content.getvalue())


def stored(folder: Path, run: Run) -> Told | None:
    """What the folder holds of the run; None if that is nothing, or damaged."""
    try:
        content = io.BytesIO((folder / run.file_name).read_bytes())
        with np.load(content) as data:
            return Told(*(data[name] for name in Told._fields))
    except (OSError, *DAMAGED):
        return None
