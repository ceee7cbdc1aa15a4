"""Decision times of a run, in a file apart from its results because they depend on the machine."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from .._io.files import write_atomically
from ..evidence import Counting
from ..rewards.problems import Problem
from ..timing import decision_time, live_decision_time
from .file import Data
from .study import Study

FILE = "times.json"
_ROUNDS, _REPEATS = 1_000, 3
# Thompson sampling draws for every arm, about 20 ns each: with 10,000 arms a timed run takes
# seconds, with 100,000 minutes. Beyond 1,000 arms a single timed run is long enough to be precise.
_ONCE, _MOST_ARMS = 1_000, 10_000


def study_times(study: Study, live: bool = True, repeats: int = _REPEATS) -> Data:
    """Seconds per decision of every policy of a study on each problem, in the compiled loop.

    live: also time `Decider.pull`. repeats: timed runs of each.
    Problems with more than 10,000 arms are left out, and all where means change, where evidence is
    more than counting, or where rewards come late: those choices are not the ones that are timed.
    """
    if study.delay is not None or not isinstance(study.evidence, Counting):
        return {}
    return {
        name: {
            label: _times(policy, problem, live, repeats)
            for label, policy in zip(study.policies, study.policies_on(problem), strict=True)
        }
        for name, problem in study.problems.items()
        if isinstance(problem, Problem) and problem.n_arms <= _MOST_ARMS
    }


def _times(policy: Any, problem: Problem, live: bool, repeats: int) -> Data:
    # At least as many rounds after each arm was pulled once as before.
    rounds = max(_ROUNDS, 2 * problem.n_arms)
    repeats = repeats if problem.n_arms <= _ONCE else 1
    timers = {"compiled": decision_time, "live": live_decision_time}
    return {
        name: timer(policy, problem, None, rounds, repeats)._asdict()
        for name, timer in timers.items()
        if live or name == "compiled"
    }


def keep_times(study: Study, folder: str | os.PathLike[str], live: bool = True) -> None:
    """Time the decisions of a run and store the times in its folder, unless they are there."""
    if _read(folder).get("digest") != study.digest:
        data = {"digest": study.digest, "seconds_per_decision": study_times(study, live)}
        write_atomically(Path(folder) / FILE, json.dumps(data, indent=1).encode())


def kept_times(study: Study, folder: str | os.PathLike[str]) -> Data:
    """The stored times, {problem: {policy: {"compiled": ..., "live": ...}}}; {} without any."""
    data = _read(folder)
    times = data.get("seconds_per_decision") if data.get("digest") == study.digest else None
    return times if isinstance(times, dict) else {}


def _read(folder: str | os.PathLike[str]) -> Data:
    try:
        data = json.loads((Path(folder) / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
