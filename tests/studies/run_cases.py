"""The studies that the tests of stored runs play, and how their folders are compared."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import numpy as np

from rbmle.families import Bernoulli, Gaussian
from rbmle.policies import UCB, Assuming, ThompsonSampling
from rbmle.result import Result
from rbmle.rewards.problems import Problem
from rbmle.studies.study import Study

HORIZON, CHUNK = 200, 20  # replications in a chunk
COINS = Problem(Bernoulli(), [0.3, 0.5, 0.45])
STUDY = Study(
    {"coins": COINS, "bells": Problem(Gaussian(), [0.0, 0.5])},
    {"T": ThompsonSampling(), "U": UCB(), "G": Assuming(UCB(1.0), Gaussian(0.7))},
    HORIZON,
    150,
    seed=5,
    checkpoints=(1, 10, 100),
    name="survivor",
)


ONE = dataclasses.replace(STUDY, problems={"coins": COINS}, policies={"U": UCB()}, replications=50)
CHILD = """
import sys, time
from rbmle.studies import runner, schedule
from rbmle.studies.study import Study

schedule.DECISIONS_A_CHUNK = int(sys.argv[3])
print("ready", flush=True)
study = Study.from_toml(sys.argv[1])
runner.run(study, sys.argv[2], progress=lambda *_: time.sleep(float(sys.argv[4])))
"""


def files(folder: Path) -> dict[str, bytes]:
    """The files of a run folder whose bytes must not depend on how the run went."""
    kept = [*folder.glob("shards/*.shard"), folder / "study.json"]
    return {path.name: path.read_bytes() for path in kept}


def same(one: Result, other: Result) -> bool:
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("checkpoints", "regret", "best_pulls", "pulls")
    ) and (one.names, one.families, one.problem) == (other.names, other.families, other.problem)


def child(study: Study, folder: Path, pause: float) -> subprocess.Popen[str]:
    path = folder.parent / "study.toml"
    path.write_text(study.to_toml())
    given = [str(path), str(folder), str(CHUNK * HORIZON), str(pause)]
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *given], stdout=subprocess.PIPE, text=True
    )
